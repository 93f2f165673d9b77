-- Searches of the log, saved under a name. Bounded in number per key, and removed with it.
CREATE TABLE saved_view (
  key_id      text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  -- Of the log page: name=value&name=value.
  query       text NOT NULL,
  saved_at_ms bigint NOT NULL,
  PRIMARY KEY (key_id, name)
);
