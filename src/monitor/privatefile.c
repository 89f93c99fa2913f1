/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "privatefile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

gchar *
vhm_private_folder_check (const gchar * path)
{
  struct stat s;

  if (stat (path, &s))
    return g_strdup (g_strerror (errno));
  if (!S_ISDIR (s.st_mode))
    return g_strdup (g_strerror (ENOTDIR));
  if (s.st_uid != geteuid ())
    return g_strdup ("belongs to another user: make it yours with chown");
  if (s.st_mode & 077)
    return g_strdup_printf ("other users can open it: run \"chmod 700 %s\" if "
        "it is for the monitor alone", path);
  return NULL;
}

/* Not the target of a link, which may be any file of this user. */
gchar *
vhm_private_file_restrict (const gchar * path)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
      | O_NOFOLLOW);
  gchar *why = NULL;
  struct stat s;

  if (fd < 0 && errno == ENOENT)
    return NULL;
  if (fd < 0 && errno == ELOOP)
    return g_strdup ("is a symbolic link: move the file itself here");
  if (fd < 0)
    return g_strdup (g_strerror (errno));
  if (fstat (fd, &s))
    why = g_strdup (g_strerror (errno));
  else if (!S_ISREG (s.st_mode))
    why = g_strdup ("is not a regular file: move it away");
  else if (s.st_mode & 077 && fchmod (fd, 0600))
    why = g_strdup_printf ("other users can read it, and its mode cannot be "
        "changed: %s", g_strerror (errno));
  close (fd);
  return why;
}
