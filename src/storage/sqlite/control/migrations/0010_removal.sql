-- Tenants can be suspended and have a retention of their own; domains can be deactivated; removals are jobs that can be resumed.

-- NULL: not suspended.
ALTER TABLE tenant ADD COLUMN suspended_at_ms INTEGER;
-- NULL: that of the installation.
ALTER TABLE tenant ADD COLUMN retention_days INTEGER;
-- Older events of the tenant were removed. NULL: not yet with this retention.
ALTER TABLE tenant ADD COLUMN expired_to_ms INTEGER;

-- NULL: active, or never activated. Events of a deactivated domain are not accepted.
ALTER TABLE domain ADD COLUMN deactivated_at_ms INTEGER;

CREATE TABLE removal (
  -- UUID of version 7: in order of time.
  id              TEXT    NOT NULL PRIMARY KEY,
  kind            TEXT    NOT NULL CHECK (kind IN ('tenant', 'domain', 'recipient')),
  -- The id of the tenant, the name of the domain, or a digest of the address.
  object          TEXT    NOT NULL,
  -- JSON: the numbers of the removed domains.
  domain_numbers  TEXT    NOT NULL,
  -- What to look for; gone as soon as everything is erased.
  address         TEXT,
  requested_by    TEXT    NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  stage           TEXT    NOT NULL,
  -- Where the stage continues. NULL: at its beginning.
  position        TEXT,
  -- JSON: what was removed so far, and what could not be examined.
  result          TEXT    NOT NULL,
  -- NULL: there is still something to do.
  finished_at_ms  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX removal_unfinished ON removal (id) WHERE finished_at_ms IS NULL;
