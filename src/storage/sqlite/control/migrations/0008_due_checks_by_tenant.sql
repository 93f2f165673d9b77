-- With the tenant, so that what is due is found without reading the wide rows, and the domains of a tenant can be skipped.
DROP INDEX domain_by_next_check;
CREATE INDEX domain_by_next_check ON domain (is_active, next_check_at_ms, id, claimed_until_ms, tenant_id);
