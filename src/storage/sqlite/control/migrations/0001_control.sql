-- Everything but the events themselves: who may ask, for which domains, and the counts of days that are gone.
-- Times are milliseconds since 1970. Lists that are only ever read whole are kept as JSON text.

CREATE TABLE tenant (
  id            TEXT    NOT NULL PRIMARY KEY,
  client_id     TEXT    NOT NULL UNIQUE,
  name          TEXT    NOT NULL UNIQUE,
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE api_key (
  id              TEXT    NOT NULL PRIMARY KEY,
  -- SHA-256 of the secret part; the secret itself is never stored.
  secret_hash     BLOB    NOT NULL CHECK (length(secret_hash) = 32),
  -- NULL: an operator's key.
  tenant_id       TEXT    REFERENCES tenant (id),
  scopes          TEXT    NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  last_used_at_ms INTEGER,
  revoked_at_ms   INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE domain (
  -- What events refer to. AUTOINCREMENT: the number of a removed domain never comes to mean another one.
  number                          INTEGER PRIMARY KEY AUTOINCREMENT,
  id                              TEXT    NOT NULL UNIQUE,
  tenant_id                       TEXT    NOT NULL REFERENCES tenant (id),
  -- ASCII form, lower case, no trailing dot. Unique over all tenants: a domain names its tenant.
  name                            TEXT    NOT NULL UNIQUE,
  description                     TEXT    NOT NULL,
  sending_email                   TEXT    NOT NULL,
  is_active                       INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  is_approved                     INTEGER NOT NULL CHECK (is_approved IN (0, 1)),
  is_verified                     INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
  dns_records                     TEXT    NOT NULL,
  -- The three belong together: NULL where we hold no key.
  dkim_selector                   TEXT,
  dkim_public_key                 TEXT,
  dkim_sealed_private_key         BLOB,
  last_verification_errors        TEXT    NOT NULL,
  last_verification_checked_at_ms INTEGER,
  created_at_ms                   INTEGER NOT NULL,
  updated_at_ms                   INTEGER NOT NULL,
  CHECK ((dkim_selector IS NULL) = (dkim_public_key IS NULL)),
  CHECK ((dkim_selector IS NULL) = (dkim_sealed_private_key IS NULL))
) STRICT;

-- The names of a tenant, for statistics; and the listing in its default order.
CREATE INDEX domain_by_tenant_and_name ON domain (tenant_id, name);
CREATE INDEX domain_by_tenant_and_update ON domain (tenant_id, updated_at_ms DESC, id);

CREATE TABLE quarantine (
  -- AUTOINCREMENT: a replay walks by id, and must not meet a new record under an old number.
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  -- SHA-256 over connector and payload: a sender that repeats a record for days takes one row.
  fingerprint    BLOB    NOT NULL UNIQUE CHECK (length(fingerprint) = 32),
  connector      TEXT    NOT NULL,
  payload        BLOB    NOT NULL,
  reason         TEXT    NOT NULL,
  rejected_at_ms INTEGER NOT NULL,
  times          INTEGER NOT NULL
) STRICT;

CREATE INDEX quarantine_by_time ON quarantine (rejected_at_ms);

-- Counts of days that retention has removed; the days that are left count for themselves.
CREATE TABLE total (
  domain_number INTEGER NOT NULL,
  -- An event type.
  type          TEXT    NOT NULL,
  count         INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (domain_number, type)
) STRICT, WITHOUT ROWID;

-- Days (YYYY-MM-DD) whose counts are in `total`, written in the same transaction: no day is added twice.
CREATE TABLE folded_day (
  day TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
