/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of the key file as tables: which keys a kind of group has, how their
 * values are read, and where they are stored. */
#pragma once

#include "keylines.h"

G_BEGIN_DECLS

/* Names become parts of URLs, topics and labels. */
#define VHM_MAX_NAME_BYTES 64
#define VHM_NAME_RULE "use 1 to " G_STRINGIFY (VHM_MAX_NAME_BYTES) \
    " bytes, without / # + \" \\ or control characters"
#define VHM_MIN_SECRET_BYTES 16

/* The name of the command line in problems, in place of a file's. */
#define VHM_COMMAND_LINE "command line"

/* Where values come from. */
typedef struct
{
  const gchar *file;            /* or VHM_COMMAND_LINE */
  gchar *folder;                /* base of relative file names */
  VhmProblems *problems;
  const GPtrArray *lines;       /* of VhmKeyLine, or NULL */
  GHashTable *refused;          /* set of lines with invalid values */
  GPtrArray *classes;           /* of VhmGroupClass: all kinds of groups */
  guint defaults;               /* line of the header of [cameras], or 0 */
} VhmReading;

typedef struct _VhmKey VhmKey;
typedef struct _VhmGroupClass VhmGroupClass;

/* One group: the start of each struct of settings. Counted references; nothing
 * changes once all is read. */
typedef struct
{
  const VhmGroupClass *class;
  guint line;                   /* of its header, or 0 */
} VhmGroup;

/* A value while it is read. */
typedef struct
{
  const VhmReading *reading;
  const VhmKeyLine *line;
  const VhmKey *key;
  gpointer group;
  gpointer field;               /* of @key, in @group */
  const gchar *text;
} VhmValue;

/* How a field is stored, and so compared, copied and freed. */
typedef enum
{
  VHM_END,                      /* of a table */
  VHM_TEXT,                     /* gchar * */
  VHM_SECRET,                   /* gchar * that is overwritten when freed */
  VHM_TEXTS,                    /* gchar ** */
  VHM_BYTES,                    /* GBytes * */
  VHM_WHOLE,                    /* guint, gboolean or an enum */
  VHM_NUMBER,                   /* gdouble */
} VhmStorage;

/* A key and its field. */
struct _VhmKey
{
  const gchar *name;            /* NULL: a further field, which another key or
                                 * the header sets */
  /* Sets the field, or returns the errors, one per line, to be freed. */
  gchar *(*parse) (const VhmValue * value);
  VhmStorage storage;
  gsize offset;                 /* of the field */
  gdouble min, max;             /* range of numbers */
  gboolean live;                /* a change takes effect without a restart of
                                 * what the group describes */
  gboolean named;               /* only for groups with a name, not for their
                                 * defaults */
};

struct _VhmGroupClass
{
  const gchar *name;            /* the first word of the header */
  gsize size;                   /* of the struct */
  const VhmKey *keys;           /* the last one has VHM_END */
  gsize name_offset;            /* of the gchar * for the name in the header; 0
                                 * for groups without a name, which are there
                                 * only once */
  void (*set_defaults) (gpointer group);
  /* Checks the values of a group from a file against each other; or NULL. */
  void (*check) (const VhmReading * reading, gpointer group);
  /* What an output sends to, in a few words, to be freed; NULL: its header. */
  gchar *(*describe) (gconstpointer group);
};

gpointer vhm_group_new (const VhmGroupClass * klass);

/* A new group with the values that @from, which has the same struct, has. */
gpointer vhm_group_copy (const VhmGroupClass * klass, gconstpointer from);
gpointer vhm_group_ref (gconstpointer group);
void vhm_group_unref (gpointer group);

/* Whether both groups have the same class and the same values. */
gboolean vhm_group_equal (gconstpointer a, gconstpointer b);

/* The same, except for values of live keys. */
gboolean vhm_group_equal_but_live (gconstpointer a, gconstpointer b);
const gchar *vhm_group_get_name (gconstpointer group);

/* The header, without brackets. To be freed. */
gchar *vhm_group_make_header (gconstpointer group);

/* The field with the text of @key, or NULL if there is none. */
const gchar *vhm_group_get_text (gconstpointer group, const gchar * key);

/* Stores the value of @line. */
void vhm_group_set (gpointer group, const VhmReading * reading,
    const VhmKeyLine * line);

/* Whether @group has @key, even with an invalid value, which gets an error of
 * its own. */
gboolean vhm_group_has (gconstpointer group, const VhmReading * reading,
    const gchar * key);

/* Replaces the field of @value, which takes @content. */
void vhm_value_take (const VhmValue * value, gpointer content);

/* Reads the file with a secret that @value names. */
gchar *vhm_value_read_secret (const VhmValue * value, gchar ** secret);

/* Sets @url if the value is an address for HTTP, or returns an error, which is
 * @wanted if it is not an address. */
gchar *vhm_value_read_url (const VhmValue * value, const gchar * wanted,
    gchar ** url);

/* Values of several groups */

/* A file or folder, which need not exist. */
gchar *vhm_parse_file (const VhmValue * value);

/* An input file. */
gchar *vhm_parse_input (const VhmValue * value);

/* A private key, which must be protected like other secrets. */
gchar *vhm_parse_private_key (const VhmValue * value);

/* Sets user and password, which are adjacent fields. */
gchar *vhm_parse_credentials (const VhmValue * value);

/* Seconds. */
gchar *vhm_parse_number (const VhmValue * value);
gchar *vhm_parse_whole (const VhmValue * value);

gchar *vhm_parse_truth (const VhmValue * value);

gboolean vhm_host_is_loopback (const gchar * host);

/* Whether @name follows VHM_NAME_RULE. */
gboolean vhm_name_is_allowed (const gchar * name);

G_END_DECLS
