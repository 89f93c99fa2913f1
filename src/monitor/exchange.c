/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange.h"

#include "answer.h"
#include "tls.h"

#include <string.h>

/* Reading */

/* The header whose number libsoup reads before anyone may check it, and how
 * many digits, without leading zeros, a gint64 has room for in any case. */
#define LENGTH_HEADER "content-length:"
#define MOST_LENGTH_DIGITS 18

#define HTTPS "https"

static void refuse (VhmExchange * exchange, guint status);

typedef struct
{
  GFilterInputStream parent;
  gsize left;                   /* bytes that may still be read */
  gboolean begins_line;         /* nothing of the current line was read */
  guint matched;                /* characters that are as in LENGTH_HEADER; one
                                 * more: it is another header */
  guint digits;                 /* of its number, without leading zeros */
  VhmExchange *exchange;        /* which owns it */
  const VhmExchangeLimits *limits;
  gchar first_line[32];         /* how it begins */
  guint lines;                  /* of the headers, that have ended */
  guint line;                   /* bytes of the current line, without CR */
  gboolean ended;               /* the headers, by a blank line */
  gboolean has_body;            /* more than the headers was read */
  GBytes *rest;                 /* of what was read of the base, or NULL */
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

/* Looks for the blank line that ends the headers, after those before the first
 * line, which mean nothing, and for what libsoup should not see. Returns the
 * status of a refusal, or 0, and sets @end to the number of bytes of the
 * headers. */
static guint
note_lines (Input * input, const gchar * text, gssize length, gssize * end)
{
  const VhmExchangeLimits *limits = input->limits;
  gssize i;

  for (i = 0; i < length && !input->ended; i++) {
    if (text[i] == '\n') {
      input->ended = input->lines && !input->line;
      input->lines += input->line > 0;
      input->line = 0;
    } else if (text[i] != '\r') {
      if (!input->lines && input->line < sizeof (input->first_line) - 1)
        input->first_line[input->line] = text[i];
      input->line++;
    }
    if (!text[i])
      return SOUP_STATUS_BAD_REQUEST;
    if (!input->lines && input->line > limits->first_line)
      return SOUP_STATUS_REQUEST_URI_TOO_LONG;
    if (input->lines > limits->lines || (input->lines
            && input->line > limits->line))
      return VHM_STATUS_HEADERS_TOO_LARGE;
  }
  *end = i;
  return 0;
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

/* Of what was read before, or of the connection. */
static gssize
read_base (Input * input, void *buffer, gsize count, gboolean blocking,
    GCancellable * cancellable, GError ** error)
{
  GBytes *rest = input->rest;
  gsize length;

  if (!rest)
    return g_pollable_stream_read (G_INPUT_STREAM (input_base (input)),
        buffer, count, blocking, cancellable, error);
  length = MIN (count, g_bytes_get_size (rest));
  memcpy (buffer, g_bytes_get_data (rest, NULL), length);
  input->rest = length < g_bytes_get_size (rest) ?
      g_bytes_new_from_bytes (rest, length, g_bytes_get_size (rest) - length) :
      NULL;
  g_bytes_unref (rest);
  return length;
}

/* Puts back what was read last. */
static void
keep_rest (Input * input, const gchar * text, gsize length)
{
  GByteArray *rest = g_byte_array_new ();

  g_byte_array_append (rest, (const guint8 *) text, length);
  if (input->rest)
    g_byte_array_append (rest, g_bytes_get_data (input->rest, NULL),
        g_bytes_get_size (input->rest));
  g_clear_pointer (&input->rest, g_bytes_unref);
  input->rest = g_byte_array_free_to_bytes (rest);
}

/* Once the headers are there, what follows is either their body, and is read
 * next, or another request. */
static gssize
read_some (Input * input, void *buffer, gsize count, gboolean blocking,
    GCancellable * cancellable, GError ** error)
{
  gssize length, end, kept;
  guint status;

  count = MIN (count, input->left);
  if (!count)
    return 0;
  /* Nothing at all would be the end. */
  do {
    length = end = read_base (input, buffer, count, blocking, cancellable,
        error);
    if (length <= 0)
      return length;
    input->left -= length;
    if (input->ended)
      input->has_body = TRUE;
    else {
      status = note_lines (input, buffer, length, &end);
      if (status) {
        refuse (input->exchange, status);
        return 0;
      }
      if (end < length)
        keep_rest (input, (const gchar *) buffer + end, length - end);
    }
    kept = make_http (input, buffer, end);
  } while (!kept);
  bound_length (input, buffer, kept);
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

  return !input->left || input->rest
      || g_pollable_input_stream_is_readable (input_base (input));
}

static GSource *
input_create_source (GPollableInputStream * stream, GCancellable * cancellable)
{
  Input *input = (Input *) stream;
  GSource *child = input->left && !input->rest ?
      g_pollable_input_stream_create_source (input_base (input), NULL) :
      g_timeout_source_new (0);
  GSource *source = g_pollable_source_new_full (stream, child, cancellable);

  g_source_unref (child);
  return source;
}

static void
input_finalize (GObject * object)
{
  g_clear_pointer (&((Input *) object)->rest, g_bytes_unref);
  G_OBJECT_CLASS (input_parent_class)->finalize (object);
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
  G_OBJECT_CLASS (klass)->finalize = input_finalize;
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
  VhmExchange *exchange;        /* which owns it */
  gboolean accepted;
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

/* What libsoup answers by itself has no text, and none of our headers. */
static void
look_at_answer (Output * output, const gchar * text, gsize length)
{
  static const gchar version[] = "HTTP/1.1 ";
  const gsize digits = strlen (version);
  guint status = SOUP_STATUS_BAD_REQUEST;

  if (output->accepted || output->mute)
    return;
  if (length >= digits + 3)
    status = 100 * g_ascii_digit_value (text[digits])
        + 10 * g_ascii_digit_value (text[digits + 1])
        + g_ascii_digit_value (text[digits + 2]);
  refuse (output->exchange, status);
}

static gssize
output_write (GOutputStream * stream, const void *buffer, gsize count,
    GCancellable * cancellable, GError ** error)
{
  Output *output = (Output *) stream;

  look_at_answer (output, buffer, count);
  return output->mute ? (gssize) count : g_pollable_stream_write
      (G_OUTPUT_STREAM (output_base (output)), buffer, count, TRUE,
      cancellable, error);
}

static gssize
output_write_nonblocking (GPollableOutputStream * stream, const void *buffer,
    gsize count, GError ** error)
{
  Output *output = (Output *) stream;

  look_at_answer (output, buffer, count);
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
  VhmExchangeLimits limits;
  VhmExchangeEvents events;
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
  void (*closed) (gpointer data) = exchange->events.closed;

  vhm_exchange_forget (exchange);
  if (closed)
    closed (exchange->data);
}

static void
refuse (VhmExchange * exchange, guint status)
{
  void (*refused) (gpointer data, guint status, const gchar * line) =
      exchange->events.refused;

  vhm_exchange_cut (exchange);
  exchange->events.refused = NULL;
  if (refused)
    refused (exchange->data, status, exchange->input->first_line);
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
  /* Its streams may outlive it. */
  vhm_exchange_cut (exchange);
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
vhm_exchange_new (GIOStream * base, GBytes * rest,
    const VhmExchangeLimits * limits, const VhmExchangeEvents * events,
    gpointer data)
{
  VhmExchange *exchange = g_object_new (VHM_TYPE_EXCHANGE, NULL);

  exchange->limits = *limits;
  exchange->events = *events;
  exchange->data = data;
  exchange->input = g_object_new (input_get_type (), "base-stream",
      g_io_stream_get_input_stream (base), "close-base-stream", FALSE, NULL);
  exchange->input->exchange = exchange;
  exchange->input->limits = &exchange->limits;
  exchange->input->left = limits->bytes;
  exchange->input->rest = rest ? g_bytes_ref (rest) : NULL;
  exchange->input->scheme = VHM_IS_TLS (base) ? HTTPS : NULL;
  exchange->output = g_object_new (output_get_type (), "base-stream",
      g_io_stream_get_output_stream (base), "close-base-stream", FALSE, NULL);
  exchange->output->exchange = exchange;
  return exchange;
}

void
vhm_exchange_forget (VhmExchange * exchange)
{
  exchange->events.closed = NULL;
  exchange->events.refused = NULL;
}

void
vhm_exchange_accept (VhmExchange * exchange)
{
  exchange->output->accepted = TRUE;
}

void
vhm_exchange_cut (VhmExchange * exchange)
{
  exchange->input->left = 0;
  exchange->output->mute = TRUE;
}

gboolean
vhm_exchange_is_whole (VhmExchange * exchange, GBytes ** rest)
{
  Input *input = exchange->input;

  *rest = g_steal_pointer (&input->rest);
  return input->ended && !input->has_body;
}
