-- Keys have a name, an end and the networks they may be used from; tenants have quotas.

ALTER TABLE api_key ADD COLUMN name TEXT NOT NULL DEFAULT '';
-- NULL: never.
ALTER TABLE api_key ADD COLUMN expires_at_ms INTEGER;
-- JSON list of addresses and CIDR blocks; empty: from everywhere.
ALTER TABLE api_key ADD COLUMN networks TEXT NOT NULL DEFAULT '[]';
-- The keys of a tenant are counted when one is added.
CREATE INDEX api_key_by_tenant ON api_key (tenant_id, revoked_at_ms, expires_at_ms);

-- NULL: no quota.
ALTER TABLE tenant ADD COLUMN max_domains INTEGER;
ALTER TABLE tenant ADD COLUMN max_keys INTEGER;
ALTER TABLE tenant ADD COLUMN max_events_per_day INTEGER;

-- The tenant that the ingest key was bound to: a replay must not store the record for another one. NULL: an operator's key.
ALTER TABLE quarantine ADD COLUMN tenant_id TEXT;
