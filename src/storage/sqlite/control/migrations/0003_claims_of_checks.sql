-- Until when a domain that is due belongs to one server: nobody else checks it meanwhile. NULL: to nobody.
ALTER TABLE domain ADD COLUMN claimed_until_ms INTEGER;

-- What is due is found without reading the wide rows.
DROP INDEX domain_by_next_check;
CREATE INDEX domain_by_next_check ON domain (is_active, next_check_at_ms, id, claimed_until_ms);
