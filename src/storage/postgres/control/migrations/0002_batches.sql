-- The decisions about events that are stored in ClickHouse: which events are new, and in which order they arrived.

-- The next number of an event, given out in the order of commits: at most one row. Whoever sees a number sees every batch below it.
CREATE TABLE arrival (
  id   smallint PRIMARY KEY CHECK (id = 1),
  next bigint   NOT NULL
);

-- Decided and not yet applied: a redo log of a few rows. What is here can only be applied, by any server, any number of times.
CREATE TABLE batch (
  id            bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  shard         smallint NOT NULL,
  -- Its events have the numbers first … first + events - 1. NULL only within the transaction that decides.
  first         bigint   UNIQUE,
  events        integer  NOT NULL CHECK (events >= 0),
  -- Tells its inserts from those of other batches.
  token         text     NOT NULL,
  -- Domains of its events; empty: too many to name.
  domains       bigint[] NOT NULL,
  -- What is inserted, compressed.
  payload       bytea    NOT NULL,
  -- By the clock of PostgreSQL.
  decided_at_ms bigint   NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
);
CREATE INDEX batch_of_shard ON batch (shard, first);
ALTER TABLE batch ALTER COLUMN payload SET STORAGE EXTERNAL;

-- Days (YYYY-MM-DD) before `cut_day` are removed, and their events are not accepted. Every decision locks its row FOR SHARE.
CREATE TABLE shard (
  number  smallint PRIMARY KEY,
  cut_day text COLLATE "C" NOT NULL
);

-- Numbers of removed domains, whose events are not accepted. A number is never used again.
CREATE TABLE removed_domain (
  number bigint PRIMARY KEY
);
INSERT INTO removed_domain
SELECT DISTINCT value::bigint FROM removal, json_array_elements_text(domain_numbers::json)
ON CONFLICT DO NOTHING;

CREATE TABLE setting (
  name  text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);
