-- Where messages were sent from, as far as mail servers report it: few values, which nearly all events share.
CREATE TABLE origin (
  key     INTEGER PRIMARY KEY,
  address TEXT NOT NULL, -- IP address; each of the three is empty if it is not known
  source  TEXT NOT NULL,
  pool    TEXT NOT NULL,
  UNIQUE (address, source, pool)
) STRICT;

-- Neither is part of what makes two events the same. NULL in events from before these columns.
ALTER TABLE event ADD COLUMN origin INTEGER;
ALTER TABLE event ADD COLUMN retry_after INTEGER; -- seconds from the event to the next attempt

-- Events whose origin is known. A domain has a limited number of origins in a day; events of further ones have the origin 0.
CREATE TABLE sending_per_hour (
  domain   INTEGER NOT NULL,
  origin   INTEGER NOT NULL,
  hour     INTEGER NOT NULL, -- 0 to 23
  type     INTEGER NOT NULL,
  provider TEXT NOT NULL,    -- empty where the event names none
  count    INTEGER NOT NULL,
  PRIMARY KEY (domain, origin, hour, type, provider)
) STRICT, WITHOUT ROWID;
