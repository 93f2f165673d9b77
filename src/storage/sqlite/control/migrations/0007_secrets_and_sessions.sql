-- Generations of the data secret. Number 0 is the newest, of which only the id is here: it proves which secret belongs to this
-- file, and reveals nothing of it. The others are sealed with the newest.
CREATE TABLE secret_generation (
  number         INTEGER PRIMARY KEY,
  id             TEXT    NOT NULL UNIQUE,
  created_at_ms  INTEGER NOT NULL,
  -- When everything was sealed with this generation. NULL: not yet.
  resealed_at_ms INTEGER,
  sealed_secret  BLOB,
  CHECK ((number = 0) = (sealed_secret IS NULL))
) STRICT;

-- Sessions that ended before their time, per key.
CREATE TABLE key_session (
  key_id TEXT    NOT NULL PRIMARY KEY,
  -- Sessions of another epoch have ended.
  epoch  INTEGER NOT NULL,
  -- JSON: id and expiry of single sessions of this epoch. Bounded in number.
  ended  TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
