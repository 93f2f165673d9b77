-- Tenants may add domains of their own; what the checks of a domain found is kept.

-- Added by its tenant, who has not proven yet that it is theirs; the name is reserved until then. NULL: proven, or the operator's.
ALTER TABLE domain ADD COLUMN proof_due_at_ms INTEGER;
-- The results of the latest checks, as JSON. NULL: none yet.
ALTER TABLE domain ADD COLUMN check_history TEXT;
