-- Searches of the log, saved under a name. Bounded in number per key, and removed with it.
CREATE TABLE saved_view (
  key_id      TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  -- Of the log page: name=value&name=value.
  query       TEXT    NOT NULL,
  saved_at_ms INTEGER NOT NULL,
  PRIMARY KEY (key_id, name)
) STRICT, WITHOUT ROWID;
