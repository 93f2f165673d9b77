-- Which installation this is. Every day file carries the same id: days of another installation are not shown.
CREATE TABLE installation (
  id          TEXT    NOT NULL,
  -- 0 until the days that an earlier version wrote, which carry no id, have been taken over. Later ones are refused.
  is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1))
) STRICT;

INSERT INTO installation (id, is_complete) VALUES (lower(hex(randomblob(16))), 0);

-- The days that have a file, as they were last seen. One whose file has not changed since does not need to be opened.
CREATE TABLE day_file (
  day            TEXT    NOT NULL PRIMARY KEY,
  -- At least so many: a file with fewer has lost some.
  events         INTEGER NOT NULL,
  -- Of the file when it was last checked; 0 if it was not checked since it was created.
  schema_version INTEGER NOT NULL,
  bytes          INTEGER NOT NULL,
  modified_ms    REAL    NOT NULL,
  inode          REAL    NOT NULL
) STRICT, WITHOUT ROWID;

-- Days that are set aside, neither read nor written.
CREATE TABLE day_trouble (
  day      TEXT    NOT NULL PRIMARY KEY,
  kind     TEXT    NOT NULL CHECK (kind IN ('missing', 'emptied', 'foreign', 'newer', 'damaged')),
  since_ms INTEGER NOT NULL,
  -- A sentence for the operator: what is wrong and what to do.
  detail   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
