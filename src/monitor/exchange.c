/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange.h"

#include "answer.h"
#include "pollable.h"
#include "tls.h"

#include <string.h>

/* Reading */

/* Headers that must be valid before libsoup sees them: otherwise it leaks
 * the URI of the request, and passes lengths to GLib as signed numbers
 * unchecked. */
static const gchar *const watched[] = { "content-length", "transfer-encoding" };

enum
{ CONTENT_LENGTH, TRANSFER_ENCODING, OTHER_HEADER };

/* Any number with this many digits fits into a gint64. */
#define MAX_LENGTH_DIGITS 18

#define HTTPS "https"

static void refuse_request (VhmExchange * exchange, guint status);

typedef struct
{
  GFilterInputStream parent;
  gsize left;                   /* bytes that may still be read */
  VhmExchange *exchange;        /* the owner */
  const VhmExchangeLimits *limits;
  gchar first_line[32];         /* its start */
  gsize headers;                /* bytes of them so far */
  guint lines;                  /* complete lines so far */
  guint line;                   /* bytes of the current line, without CR */
  gchar name[20];               /* start of the name of the current header */
  gboolean in_value;
  guint header;                 /* index in watched, or OTHER_HEADER */
  guint digits;                 /* of its value, without leading zeros */
  gboolean has_digits, digits_ended;
  gboolean cr;                  /* the last byte was CR */
  gboolean ended;               /* a blank line has ended the headers */
  gboolean has_body;            /* data after the headers was read */
  GBytes *rest;                 /* data that was read from the base and not
                                 * used yet, or NULL */
  const gchar *scheme;          /* what the target has yet to match of HTTPS;
                                 * NULL: do not compare */
  gboolean in_target;           /* the target of the request has started */
} Input;

VHM_DEFINE_POLLABLE (Input, input, GFilterInputStreamClass,
    G_TYPE_FILTER_INPUT_STREAM, Input, INPUT);

static GPollableInputStream *
input_base (Input * input)
{
  return G_POLLABLE_INPUT_STREAM (g_filter_input_stream_get_base_stream
      (G_FILTER_INPUT_STREAM (input)));
}

static void
begin_value (Input * input)
{
  guint i;

  input->name[MIN (input->line, sizeof (input->name) - 1)] = '\0';
  input->header = OTHER_HEADER;
  for (i = 0; i < G_N_ELEMENTS (watched); i++)
    if (!g_ascii_strcasecmp (input->name, watched[i]))
      input->header = i;
  input->in_value = TRUE;
  input->digits = 0;
  input->has_digits = input->digits_ended = FALSE;
}

/* A byte of Content-Length: a number, with spaces and tabs around it. */
static guint
note_length (Input * input, gchar c)
{
  if (c == ' ' || c == '\t')
    input->digits_ended = input->has_digits;
  else if (!g_ascii_isdigit (c) || input->digits_ended)
    return SOUP_STATUS_BAD_REQUEST;
  else {
    input->has_digits = TRUE;
    input->digits += input->digits > 0 || c != '0';
  }
  return input->digits > MAX_LENGTH_DIGITS ?
      SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE : 0;
}

/* Characters allowed in names of headers besides letters and digits. With other
 * characters, a proxy might read another name than libsoup. */
#define NAME_CHARACTERS "!#$%&'*+-.^_`|~"

/* A byte of a header line: name, colon, value. Lines that continue the previous
 * one are refused. */
static guint
note_header (Input * input, gchar c)
{
  if (input->in_value)
    return input->header == CONTENT_LENGTH ? note_length (input, c) : 0;
  if (c == ':' ? !input->line : !g_ascii_isalnum (c)
      && !strchr (NAME_CHARACTERS, c))
    return SOUP_STATUS_BAD_REQUEST;
  if (c == ':') {
    begin_value (input);
    return input->header == TRANSFER_ENCODING ?
        SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE : 0;
  }
  if (input->line < sizeof (input->name) - 1)
    input->name[input->line] = c;
  return 0;
}

/* The end of a line. Blank lines before the request line are ignored. */
static guint
note_end (Input * input)
{
  if (input->lines && input->line && (!input->in_value
          || (input->header == CONTENT_LENGTH && !input->has_digits)))
    return SOUP_STATUS_BAD_REQUEST;
  input->ended = input->lines && !input->line;
  input->lines += input->line > 0;
  input->line = 0;
  input->in_value = FALSE;
  return 0;
}

static guint
note_byte (Input * input, gchar c)
{
  const VhmExchangeLimits *limits = input->limits;
  guint status = 0;

  if (!c || (input->cr && c != '\n'))
    return SOUP_STATUS_BAD_REQUEST;
  input->cr = c == '\r';
  input->headers++;
  if (c == '\n')
    status = note_end (input);
  else if (c != '\r') {
    if (input->lines)
      status = note_header (input, c);
    else if (input->line < sizeof (input->first_line) - 1)
      input->first_line[input->line] = c;
    input->line++;
  }
  if (!input->lines && input->line > limits->first_line)
    return SOUP_STATUS_REQUEST_URI_TOO_LONG;
  if (input->headers > limits->headers || input->lines > limits->lines
      || (input->lines && input->line > limits->line))
    return VHM_STATUS_HEADERS_TOO_LARGE;
  return status;
}

/* Looks for the blank line that ends the headers, and for anything that libsoup
 * must not see. Returns the status of a refusal, or 0, and sets @end to the
 * number of bytes that belong to the headers. */
static guint
note_headers (Input * input, const gchar * text, gssize length, gssize * end)
{
  guint status = 0;
  gssize i;

  for (i = 0; i < length && !input->ended && !status; i++)
    status = note_byte (input, text[i]);
  *end = i;
  return status;
}

/* Turns a target with https into one with http, because libsoup does not know
 * of the TLS below and would refuse it. Returns the new length. */
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

/* Reads data that was put back or, if there is none, from the connection. */
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

/* Puts back the data that was read last. */
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

/* Reads up to the end of the headers. What follows is either the body, which
 * the next call reads, or another request. */
static gssize
read_some (Input * input, void *buffer, gsize count, gboolean blocking,
    GCancellable * cancellable, GError ** error)
{
  gssize length, end, kept;
  guint status;

  count = MIN (count, input->left);
  if (!count)
    return 0;
  /* A return value of 0 would mean the end of the stream. */
  do {
    length = end = read_base (input, buffer, count, blocking, cancellable,
        error);
    if (length <= 0)
      return length;
    input->left -= length;
    if (input->ended)
      input->has_body = TRUE;
    else {
      status = note_headers (input, buffer, length, &end);
      if (status) {
        refuse_request (input->exchange, status);
        return 0;
      }
      if (end < length)
        keep_rest (input, (const gchar *) buffer + end, length - end);
    }
    kept = make_http (input, buffer, end);
  } while (!kept);
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

  return vhm_pollable_source_new (stream, input->left && !input->rest ?
      g_pollable_input_stream_create_source (input_base (input), NULL) :
      g_timeout_source_new (0), cancellable);
}

static void
input_finalize (GObject * object)
{
  g_clear_pointer (&((Input *) object)->rest, g_bytes_unref);
  G_OBJECT_CLASS (input_parent_class)->finalize (object);
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
  VhmExchange *exchange;        /* the owner */
  gboolean accepted;
  gboolean mute;
} Output;

VHM_DEFINE_POLLABLE (Output, output, GFilterOutputStreamClass,
    G_TYPE_FILTER_OUTPUT_STREAM, Output, OUTPUT);

static GPollableOutputStream *
output_base (Output * output)
{
  return G_POLLABLE_OUTPUT_STREAM (g_filter_output_stream_get_base_stream
      (G_FILTER_OUTPUT_STREAM (output)));
}

/* Replaces the answers that libsoup makes itself: they have neither a text nor
 * our headers. */
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
  refuse_request (output->exchange, status);
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

  return vhm_pollable_source_new (stream, output->mute ?
      g_timeout_source_new (0) :
      g_pollable_output_stream_create_source (output_base (output), NULL),
      cancellable);
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
refuse_request (VhmExchange * exchange, guint status)
{
  void (*refused) (gpointer data, guint status, const gchar * line) =
      exchange->events.refused;

  vhm_exchange_cut (exchange);
  exchange->events.refused = NULL;
  if (refused)
    refused (exchange->data, status, exchange->input->first_line);
}

static gboolean
close_exchange (GIOStream * stream, G_GNUC_UNUSED GCancellable * cancellable,
    G_GNUC_UNUSED GError ** error)
{
  tell_closed (VHM_EXCHANGE (stream));
  return TRUE;
}

static void
finalize_exchange (GObject * object)
{
  VhmExchange *exchange = VHM_EXCHANGE (object);

  tell_closed (exchange);
  /* The streams may outlive it. */
  vhm_exchange_cut (exchange);
  g_object_unref (exchange->input);
  g_object_unref (exchange->output);
  G_OBJECT_CLASS (vhm_exchange_parent_class)->finalize (object);
}

static void
vhm_exchange_init (G_GNUC_UNUSED VhmExchange * exchange)
{
}

static void
vhm_exchange_class_init (VhmExchangeClass * klass)
{
  GIOStreamClass *stream = G_IO_STREAM_CLASS (klass);

  stream->get_input_stream = get_input_stream;
  stream->get_output_stream = get_output_stream;
  stream->close_fn = close_exchange;
  G_OBJECT_CLASS (klass)->finalize = finalize_exchange;
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
