-- Which installation and which day this file is of: one row.
CREATE TABLE identity (
  installation TEXT NOT NULL, -- as in control.db
  day          TEXT NOT NULL
) STRICT;

-- Which domain a number means, written together with its first event: control.db may be lost, older or of another installation.
CREATE TABLE domain_claim (
  number INTEGER PRIMARY KEY,
  id     TEXT NOT NULL, -- empty if control.db did not know the domain
  name   TEXT NOT NULL
) STRICT;
