-- Quarantined records know their source, and what each source uses is counted as they come and go.

-- Without reading the rows that there are, of which there may be very many: they have no source and count no bytes.
ALTER TABLE quarantine ADD COLUMN source_kind TEXT NOT NULL DEFAULT 'earlier';
ALTER TABLE quarantine ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE quarantine ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

-- The row of each source, of each kind (source '*'), and of all (kind '*').
CREATE TABLE quarantine_use (
  source_kind TEXT    NOT NULL,
  source      TEXT    NOT NULL,
  records     INTEGER NOT NULL,
  bytes       INTEGER NOT NULL,
  PRIMARY KEY (source_kind, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX quarantine_use_by_bytes ON quarantine_use (bytes);

-- Counts the entries of the smallest index.
INSERT INTO quarantine_use
WITH before (records) AS (SELECT count(*) FROM quarantine)
SELECT kinds.column1, kinds.column2, records, 0
FROM before, (VALUES ('earlier', ''), ('earlier', '*'), ('*', '*')) AS kinds WHERE records > 0;

CREATE TRIGGER quarantine_added AFTER INSERT ON quarantine BEGIN
  INSERT INTO quarantine_use VALUES
    (new.source_kind, new.source, 1, new.bytes), (new.source_kind, '*', 1, new.bytes), ('*', '*', 1, new.bytes)
  ON CONFLICT (source_kind, source) DO UPDATE SET records = records + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER quarantine_removed AFTER DELETE ON quarantine BEGIN
  UPDATE quarantine_use SET records = records - 1, bytes = bytes - old.bytes
  WHERE (source_kind, source) IN (VALUES (old.source_kind, old.source), (old.source_kind, '*'), ('*', '*'));
  DELETE FROM quarantine_use WHERE records <= 0
    AND (source_kind, source) IN (VALUES (old.source_kind, old.source), (old.source_kind, '*'), ('*', '*'));
END;
