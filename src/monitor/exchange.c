/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange.h"

#include "tls.h"

#include <string.h>

/* Reading */

/* The header whose number libsoup reads before anyone may check it, and how
 * many digits, without leading zeros, a gint64 has room for in any case. */
#define LENGTH_HEADER "content-length:"
#define MOST_LENGTH_DIGITS 18

#define HTTPS "https"

typedef struct
{
  GFilterInputStream parent;
  gsize left;                   /* bytes that may still be read */
  gboolean begins_line;         /* nothing of the current line was read */
  guint matched;                /* characters that are as in LENGTH_HEADER; one
                                 * more: it is another header */
  guint digits;                 /* of its number, without leading zeros */
  guint line;                   /* bytes of the current line, without CR */
  guint blank_lines;
  gboolean ends_in_blank_line;
  const gchar *scheme;          /* what is left of HTTPS to be found; NULL: it
                                 * is not looked for */
  gboolean in_target;           /* of the request, behind its method */
} Input;

typedef struct
{
  GFilterInputStreamClass parent;
} InputClass;

static void input_pollable_init (GPollableInputStreamInterface * iface);
static GType input_get_type (void);
G_DEFINE_TYPE_WITH_CODE (Input, input, G_TYPE_FILTER_INPUT_STREAM,
    G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_INPUT_STREAM, input_pollable_init));

static GPollableInputStream *
input_base (Input * input)
{
  return G_POLLABLE_INPUT_STREAM (g_filter_input_stream_get_base_stream
      (G_FILTER_INPUT_STREAM (input)));
}

/* libsoup hands lengths to GLib as signed numbers without looking, and GLib
 * logs a critical message about each that is below -1. So that no client can
 * cause them, a minus becomes a plus, and digits too many become spaces: what
 * is left has the same fault, or is still far too long, and is refused. Where
 * libsoup sees the end of the headers does not matter: no body that is of use,
 * a form or JSON, has such a line. */
static void
bound_length (Input * input, gchar * text, gssize length)
{
  const guint name = strlen (LENGTH_HEADER);
  gchar *c;

  for (c = text; c < text + length; c++) {
    if (*c == '\n') {
      input->begins_line = TRUE;
      continue;
    }
    if (!*c)                    /* old versions leave it out */
      continue;
    /* Otherwise the line goes on with the value of the last one. */
    if (input->begins_line && *c != ' ' && *c != '\t')
      input->matched = input->digits = 0;
    input->begins_line = FALSE;
    if (input->matched < name)
      input->matched = g_ascii_tolower (*c) == LENGTH_HEADER[input->matched] ?
          input->matched + 1 : name + 1;
    else if (input->matched > name)
      continue;
    else if (*c == '-')
      *c = '+';
    else if (g_ascii_isdigit (*c) && (input->digits || *c != '0')
        && ++input->digits > MOST_LENGTH_DIGITS)
      *c = ' ';
  }
}

/* Counts the blank lines, which end the headers of a request. */
static void
note_lines (Input * input, const gchar * text, gssize length)
{
  gssize i;

  for (i = 0; i < length; i++) {
    if (text[i] == '\n') {
      input->ends_in_blank_line = !input->line;
      input->blank_lines += !input->line;
      input->line = 0;
    } else if (text[i] != '\r') {
      input->ends_in_blank_line = FALSE;
      input->line++;
    }
  }
}

/* libsoup knows nothing of the TLS below, and would refuse a target that begins
 * with https: it becomes one with http. Returns the new length. */
static gssize
make_http (Input * input, gchar * text, gssize length)
{
  gssize i;

  for (i = 0; i < length && input->scheme; i++) {
    if (!input->in_target)
      input->in_target = text[i] == ' ';
    else if (g_ascii_tolower (text[i]) != *input->scheme)
      input->scheme = NULL;
    else if (!*++input->scheme) {
      input->scheme = NULL;
      length--;
      memmove (text + i, text + i + 1, length - i);
    }
  }
  return length;
}

static gssize
read_some (Input * input, void *buffer, gsize count, gboolean blocking,
    GCancellable * cancellable, GError ** error)
{
  gssize length, kept;

  count = MIN (count, input->left);
  if (!count)
    return 0;
  /* Nothing at all would be the end. */
  do {
    length = g_pollable_stream_read (G_INPUT_STREAM (input_base (input)),
        buffer, count, blocking, cancellable, error);
    kept = make_http (input, buffer, length);
  } while (length > 0 && !kept);
  if (length > 0) {
    input->left -= MIN (input->left, (gsize) length);
    bound_length (input, buffer, kept);
    note_lines (input, buffer, kept);
  }
  return kept;
}

static gssize
input_read (GInputStream * stream, void *buffer, gsize count,
    GCancellable * cancellable, GError ** error)
{
  return read_some ((Input *) stream, buffer, count, TRUE, cancellable,
      error);
}

static gssize
input_read_nonblocking (GPollableInputStream * stream, void *buffer,
    gsize count, GError ** error)
{
  return read_some ((Input *) stream, buffer, count, FALSE, NULL, error);
}

static gboolean
input_is_readable (GPollableInputStream * stream)
{
  Input *input = (Input *) stream;

  return !input->left
      || g_pollable_input_stream_is_readable (input_base (input));
}

static GSource *
input_create_source (GPollableInputStream * stream, GCancellable * cancellable)
{
  Input *input = (Input *) stream;
  GSource *child = input->left ?
      g_pollable_input_stream_create_source (input_base (input), NULL) :
      g_timeout_source_new (0);
  GSource *source = g_pollable_source_new_full (stream, child, cancellable);

  g_source_unref (child);
  return source;
}

static void
input_init (Input * input)
{
  (void) input;
}

static void
input_class_init (InputClass * klass)
{
  G_INPUT_STREAM_CLASS (klass)->read_fn = input_read;
}

static void
input_pollable_init (GPollableInputStreamInterface * iface)
{
  iface->is_readable = input_is_readable;
  iface->create_source = input_create_source;
  iface->read_nonblocking = input_read_nonblocking;
}

/* Writing */

typedef struct
{
  GFilterOutputStream parent;
  gboolean mute;
} Output;

typedef struct
{
  GFilterOutputStreamClass parent;
} OutputClass;

static void output_pollable_init (GPollableOutputStreamInterface * iface);
static GType output_get_type (void);
G_DEFINE_TYPE_WITH_CODE (Output, output, G_TYPE_FILTER_OUTPUT_STREAM,
    G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_OUTPUT_STREAM,
        output_pollable_init));

static GPollableOutputStream *
output_base (Output * output)
{
  return G_POLLABLE_OUTPUT_STREAM (g_filter_output_stream_get_base_stream
      (G_FILTER_OUTPUT_STREAM (output)));
}

static gssize
output_write (GOutputStream * stream, const void *buffer, gsize count,
    GCancellable * cancellable, GError ** error)
{
  Output *output = (Output *) stream;

  return output->mute ? (gssize) count : g_pollable_stream_write
      (G_OUTPUT_STREAM (output_base (output)), buffer, count, TRUE,
      cancellable, error);
}

static gssize
output_write_nonblocking (GPollableOutputStream * stream, const void *buffer,
    gsize count, GError ** error)
{
  Output *output = (Output *) stream;

  return output->mute ? (gssize) count :
      g_pollable_output_stream_write_nonblocking (output_base (output),
      buffer, count, NULL, error);
}

static gboolean
output_is_writable (GPollableOutputStream * stream)
{
  Output *output = (Output *) stream;

  return output->mute
      || g_pollable_output_stream_is_writable (output_base (output));
}

static GSource *
output_create_source (GPollableOutputStream * stream,
    GCancellable * cancellable)
{
  Output *output = (Output *) stream;
  GSource *child = output->mute ? g_timeout_source_new (0) :
      g_pollable_output_stream_create_source (output_base (output), NULL);
  GSource *source = g_pollable_source_new_full (stream, child, cancellable);

  g_source_unref (child);
  return source;
}

static void
output_init (Output * output)
{
  (void) output;
}

static void
output_class_init (OutputClass * klass)
{
  G_OUTPUT_STREAM_CLASS (klass)->write_fn = output_write;
}

static void
output_pollable_init (GPollableOutputStreamInterface * iface)
{
  iface->is_writable = output_is_writable;
  iface->create_source = output_create_source;
  iface->write_nonblocking = output_write_nonblocking;
}

/* Both */

struct _VhmExchange
{
  GIOStream parent;
  Input *input;
  Output *output;
  void (*closed) (gpointer data);
  gpointer data;
};

G_DEFINE_TYPE (VhmExchange, vhm_exchange, G_TYPE_IO_STREAM)

static GInputStream *
get_input_stream (GIOStream * stream)
{
  return (GInputStream *) VHM_EXCHANGE (stream)->input;
}

static GOutputStream *
get_output_stream (GIOStream * stream)
{
  return (GOutputStream *) VHM_EXCHANGE (stream)->output;
}

static void
tell_closed (VhmExchange * exchange)
{
  void (*closed) (gpointer data) = exchange->closed;

  exchange->closed = NULL;
  if (closed)
    closed (exchange->data);
}

static gboolean
close_exchange (GIOStream * stream, GCancellable * cancellable,
    GError ** error)
{
  (void) cancellable;
  (void) error;
  tell_closed (VHM_EXCHANGE (stream));
  return TRUE;
}

static void
finalize (GObject * object)
{
  VhmExchange *exchange = VHM_EXCHANGE (object);

  tell_closed (exchange);
  g_object_unref (exchange->input);
  g_object_unref (exchange->output);
  G_OBJECT_CLASS (vhm_exchange_parent_class)->finalize (object);
}

static void
vhm_exchange_init (VhmExchange * exchange)
{
  (void) exchange;
}

static void
vhm_exchange_class_init (VhmExchangeClass * klass)
{
  GIOStreamClass *stream = G_IO_STREAM_CLASS (klass);

  stream->get_input_stream = get_input_stream;
  stream->get_output_stream = get_output_stream;
  stream->close_fn = close_exchange;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

VhmExchange *
vhm_exchange_new (GIOStream * base, gsize most,
    void (*closed) (gpointer data), gpointer data)
{
  VhmExchange *exchange = g_object_new (VHM_TYPE_EXCHANGE, NULL);

  exchange->closed = closed;
  exchange->data = data;
  exchange->input = g_object_new (input_get_type (), "base-stream",
      g_io_stream_get_input_stream (base), "close-base-stream", FALSE, NULL);
  exchange->input->left = most;
  exchange->input->scheme = VHM_IS_TLS (base) ? HTTPS : NULL;
  exchange->output = g_object_new (output_get_type (), "base-stream",
      g_io_stream_get_output_stream (base), "close-base-stream", FALSE, NULL);
  return exchange;
}

void
vhm_exchange_forget (VhmExchange * exchange)
{
  exchange->closed = NULL;
}

void
vhm_exchange_cut (VhmExchange * exchange)
{
  exchange->input->left = 0;
  exchange->output->mute = TRUE;
}

gboolean
vhm_exchange_is_whole (VhmExchange * exchange)
{
  return exchange->input->blank_lines == 1
      && exchange->input->ends_in_blank_line;
}
