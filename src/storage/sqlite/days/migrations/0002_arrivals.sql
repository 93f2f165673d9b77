-- The order of arrival, for those who follow the log: a row for each commit, with what it stored.
-- Days from before this table have none for their old events, which nobody follows any more.
CREATE TABLE arrival_batch (
  first        INTEGER PRIMARY KEY, -- arrival number of its first event; the others follow without a gap
  stored_at_ms INTEGER NOT NULL,    -- never less than in the row before
  events       BLOB NOT NULL        -- second of the day and domain of each event (see arrival-batch.ts)
) STRICT;
