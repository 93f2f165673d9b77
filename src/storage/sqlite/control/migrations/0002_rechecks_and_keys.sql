-- Domains are checked again by themselves, and may have several DKIM keys.

-- Made anew: the three columns of the one key are bound by checks, so they cannot be dropped from the table as it was.
CREATE TABLE domain_with_keys (
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
  -- When a scheduled check first found the records of a verified domain wrong.
  failing_since_ms                INTEGER,
  dns_records                     TEXT    NOT NULL,
  -- The private halves are sealed, and written in hexadecimal.
  dkim_keys                       TEXT    NOT NULL,
  last_verification_errors        TEXT    NOT NULL,
  last_verification_checked_at_ms INTEGER,
  -- NULL: never.
  next_check_at_ms                INTEGER,
  recheck_step                    INTEGER NOT NULL DEFAULT 0,
  created_at_ms                   INTEGER NOT NULL,
  updated_at_ms                   INTEGER NOT NULL
) STRICT;

-- Active domains are due at once: the schedule takes a few at a time.
INSERT INTO domain_with_keys
SELECT number, id, tenant_id, name, description, sending_email, is_active, is_approved, is_verified, NULL, dns_records,
  CASE WHEN dkim_selector IS NULL THEN '[]' ELSE
    json_array(json_object('selector', dkim_selector, 'algorithm', 'rsa', 'publicKey', dkim_public_key,
      'sealedPrivateKey', lower(hex(dkim_sealed_private_key)), 'state', 'current', 'createdAtMs', created_at_ms)) END,
  last_verification_errors, last_verification_checked_at_ms, CASE is_active WHEN 1 THEN 0 END, 0, created_at_ms,
  updated_at_ms
FROM domain;

-- The numbers go on where they were, even if the domains with the highest ones are gone.
DELETE FROM sqlite_sequence WHERE name = 'domain_with_keys';
INSERT INTO sqlite_sequence (name, seq) SELECT 'domain_with_keys', seq FROM sqlite_sequence WHERE name = 'domain';

DROP TABLE domain;
ALTER TABLE domain_with_keys RENAME TO domain;

-- The names of a tenant, for statistics; and the listing in its default order.
CREATE INDEX domain_by_tenant_and_name ON domain (tenant_id, name);
CREATE INDEX domain_by_tenant_and_update ON domain (tenant_id, updated_at_ms DESC, id);
-- What is due; and how many domains are in which state, without reading the wide rows.
CREATE INDEX domain_by_next_check ON domain (is_active, next_check_at_ms, id);
CREATE INDEX domain_by_state ON domain (is_active, is_verified, failing_since_ms);
