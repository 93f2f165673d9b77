-- One UTC day of events, of all domains. Retention removes the whole file.

-- What messages of one mailing have in common, written once, as JSON members, each with a comma before it. The From header
-- among them is there once more as it is, to be searched. Thousands of messages share a row.
CREATE TABLE mailing (
  key         INTEGER PRIMARY KEY,
  header_from TEXT,
  members     TEXT NOT NULL UNIQUE
) STRICT;

-- What the events of a message have in common. Two events with the same id that differ in one of these fields
-- (another recipient, say) belong to two rows.
CREATE TABLE message (
  key                INTEGER PRIMARY KEY, -- domain << 28 | number: rows of a domain lie together, see message-key.ts
  id                 TEXT NOT NULL,
  recipient          TEXT NOT NULL,
  sender             TEXT,
  subject            TEXT,
  service_message_id TEXT,
  size               INTEGER,
  mailing            INTEGER NOT NULL,
  plain              INTEGER NOT NULL, -- 1: the searchable texts are ASCII, lower() folds them; 2: and JSON has nothing to escape;
                                       -- 3: and none of the fields is missing
  identity           INTEGER NOT NULL  -- 24 bits of a hash of the id, then 24 of one of the other fields
) STRICT;

-- Finds a row in one look-up, and all rows of an id as one range. The fields themselves decide.
CREATE INDEX message_by_identity ON message (identity);

-- How a step of delivery went, as JSON members, each with a comma before it: the receiving server, its provider, the
-- encryption, the kind of failure. Few servers receive most mail, so most events share a row with many others.
CREATE TABLE circumstance (
  key     INTEGER PRIMARY KEY,
  members TEXT NOT NULL UNIQUE
) STRICT;

-- By domain and time, as they are listed: a page is a stretch of the table.
CREATE TABLE event (
  domain        INTEGER NOT NULL,
  position      INTEGER NOT NULL,    -- seconds since the day began << 32 | arrival: the order of the log, and unique
  type          INTEGER NOT NULL,    -- place in EVENT_TYPES
  response_code INTEGER,
  message       INTEGER NOT NULL,    -- number of the message within the day
  content       TEXT,                -- response_content, escaped for JSON: the one field that is different nearly every time
  circumstance  INTEGER NOT NULL,
  key           INTEGER NOT NULL,    -- 31 bits of a hash over time, type, code, content and circumstance, or the next free number
  PRIMARY KEY (domain, position)
) STRICT, WITHOUT ROWID;

-- SQLite ends every index with what is missing of the primary key, so each of these lists newest first without sorting.
CREATE INDEX event_by_position ON event (position);
CREATE INDEX event_by_type ON event (domain, type);
CREATE INDEX event_by_code ON event (domain, response_code) WHERE response_code <> 250;

-- Stores an event once however often it is sent, and finds the events of a message.
CREATE UNIQUE INDEX event_of_message ON event (message, key);

-- Signatures of the searchable texts of messages (see text-signature.ts), those of a domain together. They tell which messages may
-- have a text; the texts themselves decide. Each column has one number or signature after the other, in the same order.
CREATE TABLE message_signature (
  key         INTEGER PRIMARY KEY, -- that of the last message in it
  recipient   BLOB NOT NULL,
  sender      BLOB NOT NULL,
  header_from BLOB NOT NULL,
  subject     BLOB NOT NULL,
  numbers     BLOB NOT NULL        -- of the messages, within the day
) STRICT;

CREATE TABLE counter (
  domain        INTEGER NOT NULL,
  type          INTEGER NOT NULL,
  count         INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (domain, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_per_hour (
  domain         INTEGER NOT NULL,
  hour           INTEGER NOT NULL, -- 0 to 23
  type           INTEGER NOT NULL,
  provider       TEXT NOT NULL,    -- empty where the event names none
  classification TEXT NOT NULL,    -- empty where the event names none
  count          INTEGER NOT NULL,
  PRIMARY KEY (domain, hour, type, provider, classification)
) STRICT, WITHOUT ROWID;

-- One row: the last arrival number, that of the last message, that of the last message with a signature, and whether retention has begun to remove this day (nothing may be written then).
CREATE TABLE day (
  arrival INTEGER NOT NULL,
  message INTEGER NOT NULL,
  indexed INTEGER NOT NULL,
  closed  INTEGER NOT NULL
) STRICT;

INSERT INTO day (arrival, message, indexed, closed) VALUES (0, 0, 0, 0);
