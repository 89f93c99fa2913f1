/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to requests, and how much memory they may take. All answers but the
 * endless ones of eventstream.c are made here. */
#pragma once

#include <libsoup/soup.h>

G_BEGIN_DECLS

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

/* An error as JSON. @why is a sentence. */
void vhm_answer_refuse (SoupServerMessage * message, guint status,
    const gchar * why);

/* Refuses it, and returns TRUE, if its query has a parameter that is not among
 * @allowed: names with blanks in between. */
gboolean vhm_answer_refuse_unknown (SoupServerMessage * message,
    const gchar * allowed);

G_END_DECLS
