/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of pipelines. GStreamer ends the process, or hangs, if it cannot
 * create one. Here that is an error of the camera. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* To be called once, before the first pipeline. Makes the stacks of all threads
 * smaller. */
void vhm_threads_start (void);

/* Starts a thread that nobody joins. Returns FALSE if there are no threads
 * left; @error is for users, and says what to do. */
gboolean vhm_threads_run (const gchar * name, GThreadFunc function,
    gpointer data, GError ** error);

/* Has the calling thread, and those that it starts from now on, run after
 * others: hundreds of threads that receive and decode must not keep requests
 * waiting that take milliseconds. */
void vhm_threads_give_way (void);

/* Handles a message that was posted on @bus: has threads of the pool run new
 * tasks. If there are no threads left, it posts an error there. */
void vhm_threads_adopt (GstBus * bus, GstMessage * message);

/* Reserves room for one more pipeline until it has started: threads and memory,
 * beside what other pipelines have reserved. @error is as above. From any
 * thread. */
gboolean vhm_threads_reserve (GError ** error);

/* The pipeline has started, or ended. */
void vhm_threads_release (void);

G_END_DECLS
