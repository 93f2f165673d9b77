-- Counts of days that are over, so that counts of a domain need not add up all hours of its history.

-- Counts up to and including this day are in `closed_total`, or, if retention has removed the day, in `total`. Moved only by whoever holds the
-- shard. NULL: no day.
ALTER TABLE shard ADD COLUMN closed_day text COLLATE "C";

-- Events of such a day that come later are added in the transaction that decides about them.
CREATE TABLE closed_total (
  domain_number bigint PRIMARY KEY,
  bounce        bigint NOT NULL,
  delivery      bigint NOT NULL,
  reception     bigint NOT NULL
);
