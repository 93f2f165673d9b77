-- A move of an installation into this database: at most one row, and none for an installation that began here.
CREATE TABLE move (
  -- The id of the installation that is moved, as its control.db has it.
  installation   text   COLLATE "C" PRIMARY KEY,
  started_at_ms  bigint NOT NULL,
  -- NULL: not finished, and no server may use this database.
  finished_at_ms bigint
);

-- How far each day was moved: everything up to this arrival number of its file.
CREATE TABLE moved_day (
  day     text   COLLATE "C" PRIMARY KEY,
  arrival bigint NOT NULL
);

-- Removals that the old storage has made during the move, and that have to be made here as well.
CREATE TABLE moved_removal (
  id        text    COLLATE "C" PRIMARY KEY,
  -- Whom to look for; gone when the move is finished.
  address   text,
  is_redone boolean NOT NULL
);
