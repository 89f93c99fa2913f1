/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to requests, and how much memory they may take. All answers but the
 * endless ones of eventstream.c are made here. */
#pragma once

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Errors below it are JSON. */
#define VHM_ALL_OF_API "/api/"

#define VHM_PLAIN_TEXT "text/plain; charset=utf-8"

/* The longest answer, and all answers together that clients have not read yet;
 * bytes. The longest there is has the minutes of a month with all conditions
 * active. */
#define VHM_MOST_ANSWER_BYTES (24 * 1024 * 1024)
#define VHM_MOST_UNREAD_BYTES (64 * 1024 * 1024)

/* An answer of the MIME type @type. Takes @text. */
void vhm_answer_text (SoupServerMessage * message, const gchar * type,
    gchar * text);
void vhm_answer_bytes (SoupServerMessage * message, const gchar * type,
    GBytes * bytes);

/* libsoup has no names for these. */
#define VHM_STATUS_TOO_MANY_REQUESTS 429
#define VHM_STATUS_HEADERS_TOO_LARGE 431

/* Of these, too. */
const gchar *vhm_answer_get_phrase (guint status);

/* An error, as JSON for what is in the API, and as text for the rest. @why is a
 * sentence that says what happened, and what to do. */
void vhm_answer_refuse (SoupServerMessage * message, guint status,
    const gchar * why);

/* The body of that, whose type is set in @headers. */
GBytes *vhm_answer_format_error (gboolean json, const gchar * why,
    SoupMessageHeaders * headers);

/* Refuses a message because the store failed; @why is the store's reason. */
void vhm_answer_refuse_failed (SoupServerMessage * message,
    const gchar * why);

/* The same for a method that is not among @allowed, with commas in between. */
void vhm_answer_refuse_method (SoupServerMessage * message,
    const gchar * allowed);

/* Why @text, names and values as in a query or a form, cannot be taken as it
 * is: a name is not among @allowed, which has blanks in between, or is there
 * twice, or something is not what it may be. NULL: it can; else to be freed. */
gchar *vhm_answer_check_form (const gchar * text, const gchar * allowed);

/* Refuses a message whose query has such a fault, and returns TRUE then. */
gboolean vhm_answer_refuse_query (SoupServerMessage * message,
    const gchar * allowed);

G_END_DECLS
