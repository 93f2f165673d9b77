-- What the last run of retention left behind: one row.
CREATE TABLE retention (
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  -- The time by which data expires, and what the clock said.
  time_ms         INTEGER NOT NULL,
  clock_ms        INTEGER NOT NULL,
  -- While the clock is doubted: how far it is ahead, and running time since then.
  off_ms          INTEGER,
  waited_ms       INTEGER,
  -- Days that ended before this were removed.
  cutoff_ms       INTEGER NOT NULL,
  completed_at_ms INTEGER,
  CHECK ((off_ms IS NULL) = (waited_ms IS NULL))
) STRICT;
