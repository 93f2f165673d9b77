-- The SPF policy that the last check found, as JSON, to be shown without another check.
ALTER TABLE domain ADD COLUMN spf_policy text;
