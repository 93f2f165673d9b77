-- Everything but the events: who may ask, for which domains, what was rejected, who did what, and what retention and removals have done.
-- Times are milliseconds since 1970. Lists that are only ever read whole are JSON in text: jsonb refuses characters that DNS may contain.
-- COLLATE "C": lists are in the order of their bytes, whatever the locale of the database.

CREATE TABLE tenant (
  id                 text COLLATE "C" PRIMARY KEY,
  client_id          text COLLATE "C" NOT NULL UNIQUE,
  name               text COLLATE "C" NOT NULL UNIQUE,
  created_at_ms      bigint NOT NULL,
  -- NULL: no quota.
  max_domains        bigint,
  max_keys           bigint,
  max_events_per_day bigint,
  -- NULL: not suspended.
  suspended_at_ms    bigint,
  -- NULL: that of the installation.
  retention_days     bigint,
  -- Older events of the tenant were removed. NULL: not yet with this retention.
  expired_to_ms      bigint
);

CREATE TABLE api_key (
  id              text COLLATE "C" PRIMARY KEY,
  -- SHA-256 of the secret part; the secret itself is never stored.
  secret_hash     bytea NOT NULL CHECK (length(secret_hash) = 32),
  -- NULL: an operator's key.
  tenant_id       text COLLATE "C" REFERENCES tenant (id),
  scopes          text NOT NULL,
  created_at_ms   bigint NOT NULL,
  last_used_at_ms bigint,
  revoked_at_ms   bigint,
  name            text NOT NULL,
  -- NULL: never.
  expires_at_ms   bigint,
  -- JSON list of addresses and CIDR blocks; empty: from everywhere.
  networks        text NOT NULL
);
CREATE INDEX api_key_by_tenant ON api_key (tenant_id, revoked_at_ms, expires_at_ms);

CREATE TABLE domain (
  -- What events refer to. The number of a removed domain never comes to mean another one.
  number                          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id                              text COLLATE "C" NOT NULL UNIQUE,
  tenant_id                       text COLLATE "C" NOT NULL REFERENCES tenant (id),
  -- ASCII form, lower case, no trailing dot. Unique over all tenants: a domain names its tenant.
  name                            text COLLATE "C" NOT NULL UNIQUE,
  description                     text COLLATE "C" NOT NULL,
  sending_email                   text COLLATE "C" NOT NULL,
  is_active                       smallint NOT NULL CHECK (is_active IN (0, 1)),
  is_approved                     smallint NOT NULL CHECK (is_approved IN (0, 1)),
  is_verified                     smallint NOT NULL CHECK (is_verified IN (0, 1)),
  -- When a scheduled check first found the records of a verified domain wrong.
  failing_since_ms                bigint,
  -- NULL: active, or never activated. Events of a deactivated domain are not accepted.
  deactivated_at_ms               bigint,
  dns_records                     text NOT NULL,
  -- The private halves are sealed, and written in hexadecimal.
  dkim_keys                       text NOT NULL,
  last_verification_errors        text NOT NULL,
  last_verification_checked_at_ms bigint,
  -- NULL: never.
  next_check_at_ms                bigint,
  recheck_step                    bigint NOT NULL,
  -- Until when a domain that is due belongs to one server. NULL: to nobody.
  claimed_until_ms                bigint,
  created_at_ms                   bigint NOT NULL,
  updated_at_ms                   bigint NOT NULL
);
CREATE INDEX domain_by_tenant_and_name ON domain (tenant_id, name);
CREATE INDEX domain_by_tenant_and_update ON domain (tenant_id, updated_at_ms DESC NULLS LAST, id);
CREATE INDEX domain_by_next_check ON domain (next_check_at_ms, id) INCLUDE (claimed_until_ms, tenant_id) WHERE is_active = 1;
CREATE INDEX domain_by_state ON domain (is_active, is_verified, failing_since_ms);

CREATE TABLE quarantine (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- SHA-256 over connector, tenant and payload: a sender that repeats a record for days takes one row.
  fingerprint    bytea NOT NULL UNIQUE CHECK (length(fingerprint) = 32),
  connector      text NOT NULL,
  payload        bytea NOT NULL,
  reason         text NOT NULL,
  rejected_at_ms bigint NOT NULL,
  times          bigint NOT NULL,
  source_kind    text COLLATE "C" NOT NULL,
  source         text COLLATE "C" NOT NULL,
  bytes          bigint NOT NULL,
  -- The tenant that the ingest key was bound to. NULL: an operator's key.
  tenant_id      text
);
CREATE INDEX quarantine_by_time ON quarantine (rejected_at_ms);

-- The row of each source, of each kind (source '*'), and of all (kind '*'). Kept by the statements that add and remove records, under one lock.
CREATE TABLE quarantine_use (
  source_kind text COLLATE "C" NOT NULL,
  source      text COLLATE "C" NOT NULL,
  records     bigint NOT NULL,
  bytes       bigint NOT NULL,
  PRIMARY KEY (source_kind, source)
);
CREATE INDEX quarantine_use_by_bytes ON quarantine_use (bytes);

-- The audit log: who did what in the administration.
CREATE TABLE audit (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind         text COLLATE "C" NOT NULL,
  time_ms      bigint NOT NULL,
  last_time_ms bigint NOT NULL,
  count        bigint NOT NULL,
  actor_type   text NOT NULL,
  actor_id     text,
  actor_name   text,
  address      text,
  action       text NOT NULL,
  object       text,
  outcome      text NOT NULL,
  status       bigint NOT NULL,
  request_id   text NOT NULL,
  -- Entries with the same value are one row, whose counts are added. NULL: a row of its own.
  sum          text COLLATE "C" UNIQUE
);
CREATE INDEX audit_by_kind ON audit (kind, id);
CREATE INDEX audit_by_last_time ON audit (last_time_ms);

-- How many entries a kind has: counting a million rows with every new one would be slow.
CREATE TABLE audit_size (
  kind    text COLLATE "C" PRIMARY KEY,
  entries bigint NOT NULL
);

-- Generations of the data secret. Number 0 is the newest, of which only the id is here. The others are sealed with the newest.
CREATE TABLE secret_generation (
  number         bigint PRIMARY KEY,
  id             text COLLATE "C" NOT NULL UNIQUE,
  created_at_ms  bigint NOT NULL,
  -- When everything was sealed with this generation. NULL: not yet.
  resealed_at_ms bigint,
  sealed_secret  bytea,
  CHECK ((number = 0) = (sealed_secret IS NULL))
);

-- Sessions that ended before their time, per key.
CREATE TABLE key_session (
  key_id text COLLATE "C" PRIMARY KEY,
  -- Sessions of another epoch have ended.
  epoch  bigint NOT NULL,
  -- JSON: id and expiry of single sessions of this epoch. Bounded in number.
  ended  text NOT NULL
);

CREATE TABLE removal (
  -- UUID of version 7: in order of time.
  id              text COLLATE "C" PRIMARY KEY,
  kind            text NOT NULL CHECK (kind IN ('tenant', 'domain', 'recipient')),
  -- The id of the tenant, the name of the domain, or a digest of the address.
  object          text NOT NULL,
  -- JSON: the numbers of the removed domains.
  domain_numbers  text NOT NULL,
  -- What to look for; gone as soon as everything is erased.
  address         text,
  requested_by    text NOT NULL,
  requested_at_ms bigint NOT NULL,
  stage           text NOT NULL,
  -- Where the stage continues. NULL: at its beginning.
  position        text,
  -- JSON: what was removed so far, and what could not be examined.
  result          text NOT NULL,
  -- NULL: there is still something to do.
  finished_at_ms  bigint
);
CREATE INDEX removal_unfinished ON removal (id) WHERE finished_at_ms IS NULL;

-- What the last run of retention left behind: one row.
CREATE TABLE retention (
  id              smallint PRIMARY KEY CHECK (id = 1),
  -- The time by which data expires, and what the clock said.
  time_ms         bigint NOT NULL,
  clock_ms        bigint NOT NULL,
  -- While the clock is doubted: how far it is ahead, and running time since then.
  off_ms          bigint,
  waited_ms       bigint,
  -- Days that ended before this were removed.
  cutoff_ms       bigint NOT NULL,
  completed_at_ms bigint,
  CHECK ((off_ms IS NULL) = (waited_ms IS NULL))
);

-- Counts of days that retention has removed; the days that are left count for themselves.
CREATE TABLE total (
  domain_number bigint NOT NULL,
  -- An event type.
  type          text COLLATE "C" NOT NULL,
  count         bigint NOT NULL,
  changed_at_ms bigint NOT NULL,
  PRIMARY KEY (domain_number, type)
);

-- Days (YYYY-MM-DD) whose counts are in `total`, written in the same transaction: no day is added twice.
CREATE TABLE folded_day (
  day text COLLATE "C" PRIMARY KEY
);
