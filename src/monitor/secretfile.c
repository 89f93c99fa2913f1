/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "secretfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer than any secret. */
#define MAX_BYTES 4096

/* Files of LoadCredential= seem readable by a group because of their access
 * list, but their folder is private to the service. */
static gboolean
is_of_systemd (const gchar * path)
{
  const gchar *folder = g_getenv ("CREDENTIALS_DIRECTORY");
  gchar *of = g_path_get_dirname (path);
  const gboolean is = folder && g_str_equal (of, folder);

  g_free (of);
  return is;
}

static gchar *
check_mode (const gchar * path, int fd)
{
  struct stat s;

  if (fd < 0)
    return g_strdup (g_strerror (errno));
  if (fstat (fd, &s) || !S_ISREG (s.st_mode))
    return g_strdup ("not a regular file");
  if (s.st_uid != geteuid () && s.st_uid != 0)
    return g_strdup ("belongs to another user: make it yours with chown");
  if (s.st_mode & 077 && !is_of_systemd (path))
    return g_strdup_printf ("its group or other users can read it: run "
        "\"chmod 600 %s\"", path);
  return NULL;
}

gchar *
vhm_secret_file_read (const gchar * path, gchar ** why)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  gchar *secret = NULL;
  gssize length;

  *why = check_mode (path, fd);
  if (!*why) {
    secret = g_malloc0 (MAX_BYTES + 1);
    length = read (fd, secret, MAX_BYTES);
    if (length < 0)
      *why = g_strdup (g_strerror (errno));
    else if (memchr (secret, '\0', length) || length == MAX_BYTES)
      *why = g_strdup ("must be one line of text");
    else if (!*g_strchomp (secret))
      *why = g_strdup ("file is empty");
    else if (strpbrk (secret, "\r\n"))
      *why = g_strdup ("has more than one line");
  }
  if (fd >= 0)
    close (fd);
  if (*why)
    g_clear_pointer (&secret, vhm_secret_free);
  return secret;
}

gboolean
vhm_secret_divide (const gchar * secret, gchar ** user, gchar ** password)
{
  const gchar *colon = strchr (secret, ':');

  if (!colon || colon == secret)
    return FALSE;
  *user = g_strndup (secret, colon - secret);
  *password = g_strdup (colon + 1);
  return TRUE;
}

gchar *
vhm_secret_file_check (const gchar * path, gchar ** risk)
{
  struct stat s;

  *risk = NULL;
  if (stat (path, &s))
    return g_strdup (g_strerror (errno));
  if (is_of_systemd (path))
    return NULL;
  if (s.st_mode & 07)
    return g_strdup_printf ("other users can read it: run \"chmod 600 %s\"",
        path);
  if (s.st_mode & 070)
    *risk = g_strdup_printf ("its group can read it: run \"chmod 600 %s\" "
        "unless that is intended", path);
  return NULL;
}

void
vhm_secret_free (gchar * secret)
{
  if (secret)
    explicit_bzero (secret, strlen (secret));
  g_free (secret);
}
