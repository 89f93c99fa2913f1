/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "database.h"

#include "privatefile.h"

#include <glib/gstdio.h>
#include <string.h>

GQuark
vhm_database_error_quark (void)
{
  return g_quark_from_static_string ("vhm-database-error-quark");
}

/* Steps from each version to the next. Never change an existing step: users
 * have databases of that version. Times are µs since 1970. */
static const gchar *const migrations[] = {
  "CREATE TABLE events ("
      "number INTEGER PRIMARY KEY AUTOINCREMENT, camera TEXT NOT NULL,"
      "condition TEXT NOT NULL, active INTEGER NOT NULL,"
      "topic_active INTEGER NOT NULL, value REAL NOT NULL,"
      "threshold REAL NOT NULL, time INTEGER NOT NULL,"
      "since INTEGER NOT NULL, reason TEXT NOT NULL,"
      "acknowledged INTEGER NOT NULL DEFAULT 0);"
      "CREATE INDEX events_by_camera ON events (camera, condition, number);"
      "CREATE TABLE pictures ("
      "number INTEGER PRIMARY KEY REFERENCES events, jpeg BLOB NOT NULL);"
      "CREATE TABLE minutes ("
      "camera TEXT NOT NULL, minute INTEGER NOT NULL,"
      "frames INTEGER NOT NULL, measured INTEGER NOT NULL,"
      "average REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,"
      "active INTEGER NOT NULL, PRIMARY KEY (camera, minute)) WITHOUT ROWID;"
      "CREATE INDEX minutes_by_time ON minutes (minute);"
      "CREATE TABLE reference ("
      "camera TEXT PRIMARY KEY, time INTEGER NOT NULL, jpeg BLOB NOT NULL);",
  "CREATE TABLE notices ("
      "number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL,"
      "text TEXT NOT NULL);",

  /* The number of the last event that each output has delivered; the events
   * that it could not deliver, with queued = 1 for those to retry; and the
   * topics with messages that a broker retains. */
  "CREATE TABLE outputs (output TEXT PRIMARY KEY, number INTEGER NOT NULL);"
      "CREATE TABLE dead_letters ("
      "id INTEGER PRIMARY KEY AUTOINCREMENT, output TEXT NOT NULL,"
      "number INTEGER NOT NULL REFERENCES events, time INTEGER NOT NULL,"
      "reason TEXT NOT NULL, queued INTEGER NOT NULL DEFAULT 0,"
      "UNIQUE (output, number));"
      "CREATE TABLE retained (topic TEXT PRIMARY KEY);",
  "ALTER TABLE events ADD COLUMN outage INTEGER NOT NULL DEFAULT 0;",
  "ALTER TABLE notices ADD COLUMN over INTEGER NOT NULL DEFAULT 0;",

  /* An alarm is a condition of a camera from the event that starts it to the
   * event that ends it. Triggers keep alarms up to date with events, in the
   * same transaction. Alarms of one series, a condition of a camera, follow
   * each other; a second start does not begin another alarm. Each order in
   * which alarms are listed has its index. */
  "ALTER TABLE events ADD COLUMN acknowledged_by TEXT NOT NULL DEFAULT '';"
      "ALTER TABLE events ADD COLUMN quiet INTEGER NOT NULL DEFAULT 0;"
      "CREATE TABLE series ("
      "id INTEGER PRIMARY KEY, camera TEXT NOT NULL, condition TEXT NOT NULL,"
      "UNIQUE (camera, condition));"
      "CREATE TABLE alarms ("
      "number INTEGER PRIMARY KEY REFERENCES events,"
      "series INTEGER NOT NULL REFERENCES series,"
      "begun INTEGER NOT NULL, ended INTEGER,"
      "end_number INTEGER REFERENCES events,"
      "is_acknowledged INTEGER NOT NULL);"
      "INSERT INTO series (camera, condition)"
      " SELECT DISTINCT camera, condition FROM events;"
      "INSERT INTO alarms"
      " WITH compared AS (SELECT *, lag (active, 1, 0) OVER w AS previous"
      "  FROM events WINDOW w AS"
      "  (PARTITION BY camera, condition ORDER BY number)),"
      " paired AS (SELECT *, lead (number) OVER w AS end_number,"
      "  lead (since) OVER w AS ended FROM compared WHERE active != previous"
      "  WINDOW w AS (PARTITION BY camera, condition ORDER BY number))"
      " SELECT number, series.id, since, max (since, ended), end_number,"
      " acknowledged != 0 FROM paired JOIN series USING (camera, condition)"
      " WHERE active;"
      "CREATE INDEX alarms_by_time ON alarms (begun);"
      "CREATE INDEX alarms_by_series ON alarms (series, begun);"
      "CREATE INDEX alarms_by_acknowledgement"
      " ON alarms (is_acknowledged, begun);"
      "CREATE INDEX alarms_by_series_and_acknowledgement"
      " ON alarms (series, is_acknowledged, begun);"
      "CREATE INDEX active_alarms ON alarms (series) WHERE ended IS NULL;"
      "CREATE TRIGGER alarm_begins AFTER INSERT ON events WHEN new.active BEGIN"
      " INSERT OR IGNORE INTO series (camera, condition)"
      "  VALUES (new.camera, new.condition);"
      " INSERT INTO alarms (number, series, begun, is_acknowledged)"
      "  SELECT new.number, id, new.since, new.acknowledged != 0 FROM series"
      "  WHERE camera = new.camera AND condition = new.condition AND NOT EXISTS"
      "  (SELECT 1 FROM alarms INDEXED BY active_alarms"
      "  WHERE series = id AND ended IS NULL);"
      "END;"
      "CREATE TRIGGER alarm_ends AFTER INSERT ON events WHEN NOT new.active "
      "BEGIN"
      " UPDATE alarms SET end_number = new.number,"
      "  ended = max (begun, new.since) WHERE number ="
      "  (SELECT number FROM alarms INDEXED BY active_alarms"
      "  WHERE ended IS NULL AND series = (SELECT id FROM series"
      "  WHERE camera = new.camera AND condition = new.condition));"
      "END;"
      "CREATE TRIGGER alarm_is_acknowledged AFTER UPDATE OF acknowledged "
      "ON events WHEN new.active BEGIN"
      " UPDATE alarms SET is_acknowledged = new.acknowledged != 0"
      "  WHERE number = new.number;"
      "END;",

  /* Records of limitrecord.h, one after the other. */
  "ALTER TABLE minutes ADD COLUMN limits BLOB NOT NULL DEFAULT x'';",

  /* Texts are "" where an action is about nothing of the kind; the condition of
   * a snooze is "" for the whole camera. */
  "CREATE TABLE actions ("
      "number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL,"
      "user TEXT NOT NULL, role TEXT NOT NULL, action TEXT NOT NULL,"
      "camera TEXT NOT NULL, condition TEXT NOT NULL,"
      "event INTEGER NOT NULL, until INTEGER NOT NULL);"
      "CREATE INDEX actions_by_camera ON actions (camera, number);"
      "CREATE INDEX actions_by_time ON actions (time);"
      "CREATE TABLE snoozes ("
      "camera TEXT NOT NULL, condition TEXT NOT NULL,"
      "until INTEGER NOT NULL, user TEXT NOT NULL,"
      "PRIMARY KEY (camera, condition)) WITHOUT ROWID;",

  /* Events are listed by camera and by time, in the order of their numbers. */
  "CREATE INDEX events_of_camera ON events (camera);"
      "CREATE INDEX events_by_time ON events (time);",

  /* All who may see cameras can read notices and reasons. Earlier versions
   * quoted errors of the key file and folders in them. Unknown notices could
   * have them, too. */
  "ALTER TABLE notices ADD COLUMN kind TEXT NOT NULL DEFAULT '';"
      "ALTER TABLE notices ADD COLUMN detail TEXT NOT NULL DEFAULT '';"
      "UPDATE notices SET kind = 'gpu' WHERE text LIKE 'GPU lost;%'"
      " OR text LIKE 'Cameras go on without the GPU:%'"
      " OR text LIKE 'The program ends to be started again,%'"
      " OR text LIKE 'Exiting so that the service manager restarts%';"
      "UPDATE notices SET kind = 'database' WHERE text LIKE 'Cannot store %'"
      " OR text LIKE 'Events cannot be stored:%'"
      " OR text LIKE 'Events are%stored again%'"
      " OR text LIKE 'The database file was deleted or replaced%';"
      "UPDATE notices SET kind = 'configuration'"
      " WHERE text LIKE 'Key file%reloaded%'"
      " OR text LIKE 'Configuration%reloaded%'"
      " OR text LIKE 'The configuration was%read again%';"
      "DELETE FROM notices WHERE kind = '';"
      "UPDATE notices SET text = 'Cannot store events.'"
      " WHERE text LIKE 'Cannot store %' OR text LIKE 'Events cannot be %';"
      "UPDATE notices SET text = 'Key file reloaded.'"
      " WHERE kind = 'configuration' AND over;"
      "UPDATE notices SET text = "
      "'Key file not reloaded, the previous one stays in effect.'"
      " WHERE kind = 'configuration' AND text NOT IN ('Key file reloaded.',"
      " 'Configuration reloaded.', 'The configuration was read again.');"
      "UPDATE events SET reason = 'the log of that time has the reason'"
      " WHERE replace (reason, '://', '') GLOB '*/[^.]*';",

  "ALTER TABLE events ADD COLUMN active_since INTEGER NOT NULL DEFAULT 0;",

  /* A reference is kept, once, as long as there is a picture of its time. */
  "CREATE TABLE past_references ("
      "id INTEGER PRIMARY KEY, camera TEXT NOT NULL, time INTEGER NOT NULL,"
      "jpeg BLOB NOT NULL, UNIQUE (camera, time));"
      "ALTER TABLE pictures ADD COLUMN"
      " reference INTEGER REFERENCES past_references;"
      "CREATE INDEX pictures_by_reference ON pictures (reference)"
      " WHERE reference IS NOT NULL;",

  "ALTER TABLE actions ADD COLUMN note TEXT NOT NULL DEFAULT '';",

  "ALTER TABLE events ADD COLUMN note TEXT NOT NULL DEFAULT '';"
      "ALTER TABLE snoozes ADD COLUMN note TEXT NOT NULL DEFAULT '';",

  /* The last minute, since 1970, in which the program ran. Without cameras, it
   * adds no minutes of them. */
  "ALTER TABLE notices ADD COLUMN since INTEGER NOT NULL DEFAULT 0;"
      "CREATE TABLE running (minute INTEGER NOT NULL);"
      "INSERT INTO running SELECT ifnull (max (minute), 0) FROM minutes;",

  /* When each camera was first watched, which is never deleted. */
  "CREATE TABLE first_watched ("
      "camera TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;"
      /* From name to name, because there are millions of minutes. */
      "INSERT INTO first_watched SELECT camera, min (time) FROM"
      " (WITH RECURSIVE names (camera) AS ("
      "   SELECT min (camera) FROM minutes UNION ALL"
      "   SELECT (SELECT min (camera) FROM minutes WHERE camera > names.camera)"
      "    FROM names WHERE names.camera IS NOT NULL)"
      "  SELECT camera, (SELECT min (minute) * 60000000 FROM minutes"
      "   WHERE camera = names.camera) AS time FROM names UNION ALL"
      "  SELECT camera, (SELECT since FROM events WHERE camera = s.camera"
      "   ORDER BY number LIMIT 1) FROM"
      "   (SELECT DISTINCT camera FROM series) AS s)"
      " WHERE time IS NOT NULL GROUP BY camera;",

  /* When the program was last known to run. */
  "ALTER TABLE running RENAME COLUMN minute TO time;"
      "UPDATE running SET time = time * 60000000;",

  /* Whether somebody has to acknowledge it. */
  "ALTER TABLE alarms ADD COLUMN is_to_do INTEGER NOT NULL DEFAULT 0;"
      "UPDATE alarms SET is_to_do = 1 WHERE NOT is_acknowledged"
      " AND (SELECT NOT quiet FROM events e WHERE e.number = alarms.number)"
      " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.number = end_number"
      "  AND reason GLOB 'snoozed *');"
      "CREATE INDEX alarms_to_do ON alarms (begun) WHERE is_to_do;"
      "CREATE INDEX alarms_to_do_by_series ON alarms (series, begun)"
      " WHERE is_to_do;"
      "DROP TRIGGER alarm_begins;"
      "CREATE TRIGGER alarm_begins AFTER INSERT ON events WHEN new.active BEGIN"
      " INSERT OR IGNORE INTO series (camera, condition)"
      "  VALUES (new.camera, new.condition);"
      " INSERT INTO alarms (number, series, begun, is_acknowledged, is_to_do)"
      "  SELECT new.number, id, new.since, new.acknowledged != 0,"
      "  new.acknowledged = 0 AND NOT new.quiet FROM series"
      "  WHERE camera = new.camera AND condition = new.condition AND NOT EXISTS"
      "  (SELECT 1 FROM alarms INDEXED BY active_alarms"
      "  WHERE series = id AND ended IS NULL);"
      "END;"
      "DROP TRIGGER alarm_ends;"
      "CREATE TRIGGER alarm_ends AFTER INSERT ON events WHEN NOT new.active "
      "BEGIN"
      " UPDATE alarms SET end_number = new.number,"
      "  ended = max (begun, new.since),"
      "  is_to_do = is_to_do AND new.reason NOT GLOB 'snoozed *'"
      "  WHERE number = (SELECT number FROM alarms INDEXED BY active_alarms"
      "  WHERE ended IS NULL AND series = (SELECT id FROM series"
      "  WHERE camera = new.camera AND condition = new.condition));"
      "END;"
      "DROP TRIGGER alarm_is_acknowledged;"
      "CREATE TRIGGER alarm_is_acknowledged AFTER UPDATE OF acknowledged "
      "ON events WHEN new.active BEGIN"
      " UPDATE alarms SET is_acknowledged = new.acknowledged != 0,"
      "  is_to_do = new.acknowledged = 0 AND NOT new.quiet AND NOT EXISTS"
      "   (SELECT 1 FROM events e WHERE e.number = end_number"
      "   AND reason GLOB 'snoozed *')"
      "  WHERE number = new.number;"
      "END;",

  /* The program ran until the end of a minute from which the time was made. */
  "UPDATE running SET time = time + 60000000"
      " WHERE time != 0 AND time % 60000000 = 0;",

  /* Earlier versions did not say what had ended. */
  "UPDATE events SET reason = 'the snooze is over, or the quiet hours are;"
      " the alarm goes on and is no longer quiet'"
      " WHERE NOT active AND reason = 'was active while it was quiet';",
};

gboolean
vhm_database_is_damage (int code)
{
  return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

static gboolean
set_error (GError ** error, sqlite3 * db, const gchar * path, int code)
{
  g_set_error (error, VHM_DATABASE_ERROR, code, "%s: %s", path,
      db ? sqlite3_errmsg (db) : sqlite3_errstr (code));
  return FALSE;
}

static gboolean
check_integrity (sqlite3 * db, const gchar * path, GError ** error)
{
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2 (db, "PRAGMA quick_check(1)", -1, &statement,
      NULL);

  if (code == SQLITE_OK)
    code = sqlite3_step (statement);
  if (code == SQLITE_ROW
      && strcmp ((const char *) sqlite3_column_text (statement, 0), "ok")) {
    g_set_error (error, VHM_DATABASE_ERROR, SQLITE_CORRUPT, "%s: %s", path,
        sqlite3_column_text (statement, 0));
    sqlite3_finalize (statement);
    return FALSE;
  }
  sqlite3_finalize (statement);
  return code == SQLITE_ROW || set_error (error, db, path, code);
}

static gboolean
migrate_tables (sqlite3 * db, const gchar * path, GError ** error)
{
  const gint64 newest = G_N_ELEMENTS (migrations);
  gint64 version;
  int code;

  version = vhm_database_get_number (db, "PRAGMA user_version", &code);
  if (code != SQLITE_DONE)
    return set_error (error, db, path, code);
  if (version > newest) {
    g_set_error (error, VHM_DATABASE_ERROR, SQLITE_MISMATCH,
        "%s: created by a newer version of videohistogram-monitor: use that "
        "version, or another folder", path);
    return FALSE;
  }
  if (version && version < newest)
    g_message ("%s: upgrading the database from version %" G_GINT64_FORMAT
        " to %" G_GINT64_FORMAT "; this takes up to a minute for each million "
        "events", path, version, newest);
  for (; version < newest; version++) {
    gchar *sql = g_strdup_printf ("BEGIN IMMEDIATE; %s "
        "PRAGMA user_version = %" G_GINT64_FORMAT "; COMMIT;",
        migrations[version], version + 1);

    code = sqlite3_exec (db, sql, NULL, NULL, NULL);
    g_free (sql);
    if (code != SQLITE_OK)
      return set_error (error, db, path, code);
  }
  return TRUE;
}

/* The database and the files that SQLite keeps beside it. */
static const gchar *const parts[] = { "", "-wal", "-shm" };

/* All of these can contain pictures of cameras. The umask makes new files
 * private, but an earlier version may have left others. */
static gboolean
make_private (const gchar * path, GError ** error)
{
  gboolean all = TRUE;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (parts) && all; i++) {
    gchar *part = g_strconcat (path, parts[i], NULL);
    gchar *why = vhm_private_file_restrict (part);

    all = !why;
    if (why)
      g_set_error (error, VHM_DATABASE_ERROR, SQLITE_CANTOPEN, "%s: %s", part,
          why);
    g_free (why);
    g_free (part);
  }
  return all;
}

static sqlite3 *
open_file (const gchar * path, GError ** error)
{
  sqlite3 *db = NULL;
  int code;

  if (!make_private (path, error))
    return NULL;
  code = sqlite3_open_v2 (path, &db, SQLITE_OPEN_READWRITE |
      SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) {
    vhm_database_set_busy_timeout (db, TRUE);
    /* A commit that has returned is on disk: neither a killed program nor a
     * power failure undoes it. */
    code = sqlite3_exec (db, "PRAGMA journal_mode = WAL;"
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;", NULL, NULL,
        NULL);
  }
  if (code != SQLITE_OK)
    set_error (error, db, path, code);
  else if (check_integrity (db, path, error)
      && migrate_tables (db, path, error))
    return db;
  sqlite3_close (db);
  return NULL;
}

/* Renames the damaged database with the files beside it. */
static gboolean
rename_damaged (const gchar * path, GError ** error)
{
  GDateTime *now = g_date_time_new_now_utc ();
  gchar *when = g_date_time_format (now, "%Y-%m-%dT%H%M%S.%f");
  gboolean done = TRUE;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (parts); i++) {
    gchar *from = g_strconcat (path, parts[i], NULL);
    gchar *to = g_strconcat (path, ".damaged-", when, parts[i], NULL);

    if (g_rename (from, to) && i == 0) {
      g_set_error (error, VHM_DATABASE_ERROR, SQLITE_CANTOPEN,
          "%s: database is damaged and cannot be renamed: move it away", path);
      done = FALSE;
    } else if (i == 0)
      g_warning ("%s: database is damaged: it was renamed to %s and replaced "
          "by an empty one", path, to);
    g_free (from);
    g_free (to);
  }
  g_free (when);
  g_date_time_unref (now);
  return done;
}

/* Makes numbers of events continue above @last. */
static gboolean
raise_numbers (sqlite3 * db, const gchar * path, gint64 last, GError ** error)
{
  int code = vhm_database_run (db,
      "INSERT INTO sqlite_sequence (name, seq) SELECT 'events', 0 "
      "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')",
      "");

  if (code == SQLITE_DONE)
    code = vhm_database_run (db, "UPDATE sqlite_sequence SET "
        "seq = max (seq, ?) WHERE name = 'events'", "i", last);
  return code == SQLITE_DONE || set_error (error, db, path, code);
}

static sqlite3 *
replace_damaged (const gchar * path, GError ** error)
{
  sqlite3 *db = rename_damaged (path, error) ? open_file (path, error) : NULL;

  /* The last number is lost. There were fewer events than seconds since 1970,
   * so numbers above that are unused. */
  if (db && !raise_numbers (db, path, g_get_real_time () / G_USEC_PER_SEC,
          error)) {
    sqlite3_close (db);
    db = NULL;
  }
  return db;
}

sqlite3 *
vhm_database_open (const gchar * path, GError ** error)
{
  GError *why = NULL;
  sqlite3 *db = open_file (path, &why);

  if (!db && vhm_database_is_damage (why->code)) {
    g_warning ("%s", why->message);
    g_clear_error (&why);
    db = replace_damaged (path, &why);
  }
  if (why)
    g_propagate_error (error, why);
  return db;
}

sqlite3 *
vhm_database_replace (sqlite3 * db, const gchar * path, GError ** error)
{
  sqlite3_close_v2 (db);
  return replace_damaged (path, error);
}

sqlite3 *
vhm_database_open_above (const gchar * path, gint64 last, GError ** error)
{
  sqlite3 *db = vhm_database_open (path, error);

  if (db && !raise_numbers (db, path, last, error)) {
    sqlite3_close (db);
    db = NULL;
  }
  return db;
}

void
vhm_database_set_busy_timeout (sqlite3 * db, gboolean patient)
{
  sqlite3_busy_timeout (db, patient ? 5000 : 100);
}

gboolean
vhm_database_has_moved (sqlite3 * db)
{
  int moved = 0;

  return sqlite3_file_control (db, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
      == SQLITE_OK && moved;
}

gint64
vhm_database_get_last_number (sqlite3 * db)
{
  return vhm_database_get_number (db,
      "SELECT seq FROM sqlite_sequence WHERE name = 'events'", NULL);
}

static int
bind_argument (sqlite3_stmt * statement, int index, gchar type, va_list * args)
{
  const gchar *text;
  GBytes *bytes;

  switch (type) {
    case 'i':
      return sqlite3_bind_int64 (statement, index, va_arg (*args, gint64));
    case 'd':
      return sqlite3_bind_double (statement, index, va_arg (*args, gdouble));
    case 's':
      text = va_arg (*args, const gchar *);
      return sqlite3_bind_text (statement, index, text, -1, SQLITE_TRANSIENT);
    case 'b':
      bytes = va_arg (*args, GBytes *);
      return sqlite3_bind_blob64 (statement, index,
          g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
          SQLITE_TRANSIENT);
    default:
      g_assert_not_reached ();
  }
}

static sqlite3_stmt *
prepare_statement (sqlite3 * db, const gchar * sql, const gchar * format,
    va_list * args)
{
  sqlite3_stmt *statement = NULL;
  int i;

  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return NULL;
  for (i = 0; format[i]; i++)
    if (bind_argument (statement, i + 1, format[i], args) != SQLITE_OK) {
      sqlite3_finalize (statement);
      return NULL;
    }
  return statement;
}

sqlite3_stmt *
vhm_database_prepare (sqlite3 * db, const gchar * sql, const gchar * format,
    ...)
{
  sqlite3_stmt *statement;
  va_list args;

  va_start (args, format);
  statement = prepare_statement (db, sql, format, &args);
  va_end (args);
  return statement;
}

int
vhm_database_run (sqlite3 * db, const gchar * sql, const gchar * format, ...)
{
  sqlite3_stmt *statement;
  va_list args;
  int code;

  va_start (args, format);
  statement = prepare_statement (db, sql, format, &args);
  va_end (args);
  if (!statement)
    return sqlite3_errcode (db);
  do
    code = sqlite3_step (statement);
  while (code == SQLITE_ROW);
  sqlite3_finalize (statement);
  return code;
}

int
vhm_database_read (sqlite3 * db, sqlite3_stmt * statement,
    VhmReadRow read_row, gpointer data)
{
  int code = statement ? SQLITE_ROW : sqlite3_errcode (db);

  while (code == SQLITE_ROW) {
    code = sqlite3_step (statement);
    if (code == SQLITE_ROW)
      read_row (statement, data);
  }
  sqlite3_finalize (statement);
  return code;
}

static void
read_number (sqlite3_stmt * row, gpointer number)
{
  *(gint64 *) number = sqlite3_column_int64 (row, 0);
}

gint64
vhm_database_get_number (sqlite3 * db, const gchar * sql, int *code)
{
  gint64 number = 0;
  const int read = vhm_database_read (db, vhm_database_prepare (db, sql, ""),
      read_number, &number);

  if (code)
    *code = read;
  return number;
}

GBytes *
vhm_database_get_blob (sqlite3_stmt * statement, int column)
{
  const void *data = sqlite3_column_blob (statement, column);

  return data ? g_bytes_new (data, sqlite3_column_bytes (statement, column))
      : NULL;
}
