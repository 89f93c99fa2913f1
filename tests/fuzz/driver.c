/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs every script of a folder, then random variations of them for
 * TEST_FUZZ_SECONDS, for compilers without libFuzzer. TEST_SEED is the seed of
 * the first variation. A script that fails is written to a file; `test-fuzz
 * FILE` runs it again. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/env.h"
#include "common/figures.h"
#include "common/random.h"
#include "script.h"

#define FAILED_SCRIPT "failed-script.bin"
#define MAX_SIZE 4096           /* maximum bytes of a script */
#define MAX_MUTATIONS 8
#define MAX_SECONDS 60          /* maximum seconds for a script */

#ifdef __SANITIZE_ADDRESS__
#define DEFAULT_SECONDS 12
#else
#define DEFAULT_SECONDS 5
#endif

static GPtrArray *corpus;       /* elements are GBytes */
static const guint8 *current;
static gsize current_size;

/* Sanitizers call this before they end the program; without a sanitizer it does
 * not exist. */
void __sanitizer_set_death_callback (void (*callback) (void))
    __attribute__((weak));

static void
save_script (void)
{
  static const char text[] = "\nthe script that failed is "
      FAILED_SCRIPT "\n";
  gboolean saved = g_file_set_contents (FAILED_SCRIPT, (const gchar *) current,
      current_size, NULL);

  if (saved && write (STDERR_FILENO, text, sizeof (text) - 1) < 0)
    return;
}

static void
on_signal (int number)
{
  signal (number, SIG_DFL);
  save_script ();
  raise (number);
}

static void
watch_for_failures (void)
{
  static const int signals[] = { SIGABRT, SIGTRAP, SIGALRM };
  static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (signals); i++)
    signal (signals[i], on_signal);
  if (__sanitizer_set_death_callback) {
    __sanitizer_set_death_callback (save_script);
  } else {
    for (i = 0; i < G_N_ELEMENTS (crashes); i++)
      signal (crashes[i], on_signal);
  }
}

static void
run (const guint8 * data, gsize size)
{
  /* A block of exactly this size, so that sanitizers see reads past its end. */
  guint8 *copy = g_malloc (MAX (size, 1));

  memcpy (copy, data, size);
  current = copy;
  current_size = size;
  alarm (MAX_SECONDS);
  script_run (copy, size);
  g_free (copy);
}

static gboolean
add_file (const gchar * path)
{
  gchar *bytes;
  gsize size;

  if (!g_file_get_contents (path, &bytes, &size, NULL))
    return FALSE;
  g_ptr_array_add (corpus, g_bytes_new_take (bytes, size));
  return TRUE;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar * const *) a, *(const gchar * const *) b);
}

static void
add_folder (const gchar * path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const gchar *name;
  guint i;

  while (dir && (name = g_dir_read_name (dir)))
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, compare_names);
  for (i = 0; i < names->len; i++)
    add_file (names->pdata[i]);
  g_ptr_array_unref (names);
  if (dir)
    g_dir_close (dir);
}

static GBytes *
choose (TestRandom * random)
{
  return corpus->pdata[test_random_below (random, corpus->len)];
}

/* Mutates @script in one of several ways. */
static void
mutate (TestRandom * random, GByteArray * script)
{
  const guint at = test_random_below (random, script->len + 1);
  const guint left = script->len - at;
  const guint n = left ? 1 + test_random_below (random, MIN (left, 32)) : 0;
  guint8 some[16];
  GByteArray *part;
  GBytes *other;
  gsize size;

  switch (test_random_below (random, 6)) {
    case 0:
      if (left)
        script->data[at] ^= 1 << test_random_below (random, 8);
      break;
    case 1:
      if (left)
        script->data[at] = test_random (random);
      break;
    case 2:
      if (n)
        g_byte_array_remove_range (script, at, n);
      break;
    case 3:
      test_random_fill (random, some, sizeof (some));
      g_byte_array_append (script, some, 1 + test_random_below (random,
              sizeof (some)));
      break;
    case 4:
      part = g_byte_array_new ();
      g_byte_array_append (part, script->data + at, n);
      g_byte_array_append (script, part->data, part->len);
      g_byte_array_unref (part);
      break;
    default:
      other = choose (random);
      size = g_bytes_get_size (other);
      if (size > 0) {
        const gsize from = test_random_below (random, size);

        g_byte_array_set_size (script, at);
        g_byte_array_append (script,
            (const guint8 *) g_bytes_get_data (other, NULL) + from,
            size - from);
      }
      break;
  }
  if (script->len > MAX_SIZE)
    g_byte_array_set_size (script, MAX_SIZE);
}

static void
run_random (guint64 seed)
{
  TestRandom random = test_random_new (seed);
  GByteArray *script = g_byte_array_new ();
  GBytes *first = choose (&random);
  guint n = 1 + test_random_below (&random, MAX_MUTATIONS);

  g_byte_array_append (script, g_bytes_get_data (first, NULL),
      g_bytes_get_size (first));
  while (n-- > 0)
    mutate (&random, script);
  run (script->data, script->len);
  g_byte_array_unref (script);
}

int
main (int argc, char **argv)
{
  const gint64 seconds = test_env_number ("TEST_FUZZ_SECONDS",
      DEFAULT_SECONDS);
  const guint64 first = test_env_number ("TEST_SEED", g_random_int ());
  const gint64 end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;
  guint64 seed = first;
  gboolean one_file;
  guint i;

  script_init ();
  watch_for_failures ();
  corpus = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  one_file = argc == 2 && add_file (argv[1]);
  if (argc == 2 && !one_file)
    add_folder (argv[1]);
  if (corpus->len == 0) {
    g_printerr ("usage: test-fuzz FILE|FOLDER\n");
    return 2;
  }
  for (i = 0; i < corpus->len; i++) {
    run (g_bytes_get_data (corpus->pdata[i], NULL),
        g_bytes_get_size (corpus->pdata[i]));
  }
  for (; !one_file && g_get_monotonic_time () < end; seed++)
    run_random (seed);
  test_figure ("scripts that found nothing", "%u of the corpus, and %"
      G_GUINT64_FORMAT " at random from seed %" G_GUINT64_FORMAT, i,
      seed - first, first);
  g_ptr_array_unref (corpus);
  return 0;
}
