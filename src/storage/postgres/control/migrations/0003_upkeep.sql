-- Retention and erasing of events that are in ClickHouse. Days are YYYY-MM-DD, UTC. Counts of removed days are in `total`, and the days in
-- `folded_day`: counts of ClickHouse begin after the newest of them.

-- Sums of a day while they are collected; all of them are added to `total` in one transaction.
CREATE TABLE folding_count (
  day           text COLLATE "C" NOT NULL,
  domain_number bigint NOT NULL,
  type          text COLLATE "C" NOT NULL,
  count         bigint NOT NULL,
  PRIMARY KEY (day, domain_number, type)
);

-- Events that were erased and still count, so that a recount can prove the counters.
CREATE TABLE erased_count (
  day           text COLLATE "C" NOT NULL,
  domain_number bigint NOT NULL,
  count         bigint NOT NULL,
  PRIMARY KEY (day, domain_number)
);
CREATE INDEX erased_count_by_domain ON erased_count (domain_number);

-- The erasure of which a step is running: one at a time in the whole installation. At most one row.
CREATE TABLE erasing (
  id           smallint PRIMARY KEY CHECK (id = 1),
  -- A new number whenever it changes hands.
  lease        bigint NOT NULL,
  leased_until timestamptz NOT NULL,
  -- JSON: what ClickHouse has to delete, counted already. NULL: nothing.
  decided      text
);

-- Partitions of which files with erased rows may still be on the disk of a replica.
CREATE TABLE unclean_partition (
  table_name text COLLATE "C" NOT NULL,
  partition  text COLLATE "C" NOT NULL,
  -- Files that were not in use any more when the rows were gone are at most this old, in Unix seconds.
  newest     bigint NOT NULL,
  PRIMARY KEY (table_name, partition)
);
