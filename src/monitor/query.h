/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters in the query of a request. Each function returns FALSE if the
 * value is invalid, after it refused the message with what to send instead. A
 * query may be NULL. */
#pragma once

#include <gst/videohistogram/videohistogram.h>
#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Latest time that a request may name, in seconds since 1970. */
#define VHM_MAX_SECONDS (G_MAXINT32 * G_GUINT64_CONSTANT (4))

/* A whole number from @least to @most; @otherwise if it is missing. */
gboolean vhm_query_get_number (SoupServerMessage * message, GHashTable * query,
    const gchar * name, guint64 least, guint64 most, guint64 otherwise,
    guint64 * number);

/* The place of the value in @words, which ends with NULL; @otherwise if it is
 * missing. */
gboolean vhm_query_get_word (SoupServerMessage * message, GHashTable * query,
    const gchar * name, const gchar * const *words, guint otherwise,
    guint * place);

/* Names of conditions, separated by slashes; all conditions if it is
 * missing. */
gboolean vhm_query_get_conditions (SoupServerMessage * message,
    GHashTable * query, const gchar * name,
    GstVideoHealthConditions * conditions);

/* The case-folded words of a text of at most @most bytes, separated by spaces;
 * NULL if it is missing. To be unreferenced: an array of texts. */
gboolean vhm_query_get_folded_words (SoupServerMessage * message,
    GHashTable * query, const gchar * name, guint most, GPtrArray ** words);

/* NULL if it is missing. */
const gchar *vhm_query_get_text (GHashTable * query, const gchar * name);

/* 1 to @most numbers above 0, separated by commas; NULL if they are invalid or
 * missing. To be unreferenced: an array of guint64. */
GArray *vhm_query_get_numbers (SoupServerMessage * message,
    GHashTable * query, const gchar * name, guint most);

/* The set of names in @text, separated by slashes, which names cannot
 * contain. An empty text is one empty name. */
GHashTable *vhm_query_split_names (const gchar * text);

/* Such a set, or NULL if it is missing. */
GHashTable *vhm_query_get_names (GHashTable * query, const gchar * name);

G_END_DECLS
