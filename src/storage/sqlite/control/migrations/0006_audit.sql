-- The audit log: who did what in the administration.
CREATE TABLE audit (
  -- AUTOINCREMENT: pages are read by id, and a number never comes to mean another entry.
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  kind         TEXT    NOT NULL,
  time_ms      INTEGER NOT NULL,
  last_time_ms INTEGER NOT NULL,
  count        INTEGER NOT NULL,
  actor_type   TEXT    NOT NULL,
  actor_id     TEXT,
  actor_name   TEXT,
  address      TEXT,
  action       TEXT    NOT NULL,
  object       TEXT,
  outcome      TEXT    NOT NULL,
  status       INTEGER NOT NULL,
  request_id   TEXT    NOT NULL,
  -- Entries with the same value are one row, whose counts are added. NULL: a row of its own.
  sum          TEXT    UNIQUE
) STRICT;

CREATE INDEX audit_by_kind ON audit (kind, id);
CREATE INDEX audit_by_last_time ON audit (last_time_ms);

-- How many entries a kind has: counting a million rows with every new one would be slow.
CREATE TABLE audit_size (
  kind    TEXT    NOT NULL PRIMARY KEY,
  entries INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_added AFTER INSERT ON audit BEGIN
  INSERT INTO audit_size (kind, entries) VALUES (new.kind, 1)
  ON CONFLICT (kind) DO UPDATE SET entries = entries + 1;
END;

CREATE TRIGGER audit_removed AFTER DELETE ON audit BEGIN
  UPDATE audit_size SET entries = entries - 1 WHERE kind = old.kind;
END;
