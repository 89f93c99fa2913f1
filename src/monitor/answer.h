/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to requests, with limits on the memory they take. All answers are
 * made here, except the endless ones of subscribers.c. */
#pragma once

#include <libsoup/soup.h>

G_BEGIN_DECLS

/* Below this path errors are JSON. */
#define VHM_ALL_OF_API "/api/"

#define VHM_PLAIN_TEXT "text/plain; charset=utf-8"

/* Limits in bytes: for one answer, and for all answers that clients have not
 * read yet, of which one client gets half. The longest possible answer has the
 * minutes of a month with all conditions active. */
#define VHM_MAX_ANSWER_BYTES (24 * 1024 * 1024)
#define VHM_MAX_UNREAD_BYTES (64 * 1024 * 1024)

/* Answers with the MIME type @type. Takes ownership of @text. */
void vhm_answer_text (SoupServerMessage * message, const gchar * type,
    gchar * text);
void vhm_answer_bytes (SoupServerMessage * message, const gchar * type,
    GBytes * bytes);

/* Answers with a picture of a frame that arrived at @time, in µs since 1970; 0:
 * unknown. If @jpeg is NULL, refuses the message; @missing says why and what to
 * do. */
void vhm_answer_picture (SoupServerMessage * message, GBytes * jpeg,
    gint64 time, const gchar * missing);

#define VHM_NO_PICTURE "This camera has no picture yet: retry in a second, " \
    "or once its state is \"up\"."

/* Statuses that libsoup does not name. */
#define VHM_STATUS_TOO_MANY_REQUESTS 429
#define VHM_STATUS_HEADERS_TOO_LARGE 431

/* The reason phrase of @status, including the two above. */
const gchar *vhm_answer_get_phrase (guint status);

/* Answers with an error: JSON for paths of the API, text for others. @why is a
 * sentence that says what happened and what to do. */
void vhm_answer_refuse (SoupServerMessage * message, guint status,
    const gchar * why);

/* Refuses @message with 404 and its path. @why is the rest of the line: what is
 * missing there, and what to do. */
void vhm_answer_refuse_path (SoupServerMessage * message, const gchar * why);

/* Makes the body of such an error, and sets its Content-Type in @headers. */
GBytes *vhm_answer_format_error (gboolean json, const gchar * why,
    SoupMessageHeaders * headers);

/* Keeps @message open until its answer is there, and returns a reference to it
 * for vhm_answer_resume(), which sends the answer. */
SoupServerMessage *vhm_answer_pause (SoupServerMessage * message);

/* The client may have disconnected meanwhile. Takes the reference. */
void vhm_answer_resume (SoupServerMessage * message);

/* Refuses @message because the store failed. @why is the reason it gave. */
void vhm_answer_refuse_failed (SoupServerMessage * message,
    const gchar * why);

/* Refuses @message for its method. @allowed lists the allowed methods,
 * separated by commas. */
void vhm_answer_refuse_method (SoupServerMessage * message,
    const gchar * allowed);

/* Checks @text, the name=value pairs of a query or form. Returns NULL if it is
 * valid; otherwise the reason, to be freed: a name is not in @allowed (a list
 * separated by spaces), is repeated, or a name or value is malformed. */
gchar *vhm_answer_check_form (const gchar * text, const gchar * allowed);

/* Refuses @message and returns TRUE if its query is invalid in this sense. */
gboolean vhm_answer_refuse_query (SoupServerMessage * message,
    const gchar * allowed);

G_END_DECLS
