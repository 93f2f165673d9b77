-- The log as an operator would keep it in PostgreSQL: one flat table, an index for every filter of the interface.

CREATE EXTENSION pg_trgm;

CREATE TYPE event_type AS ENUM (
  'Reception', 'Delivery', 'Opened', 'Click', 'TransientFailure', 'Delayed', 'Bounce', 'OOBBounce', 'Feedback'
);

-- Columns in the order of their alignment, so that no row pays for padding. Where a field is absent the column is NULL.
CREATE TABLE event (
  arrival                bigint NOT NULL,
  timestamp              bigint NOT NULL,
  domain_id              integer NOT NULL,
  type                   event_type NOT NULL,
  size                   integer,
  num_attempts           smallint,
  response_code          smallint,
  id                     uuid NOT NULL,
  recipient              text NOT NULL,
  sender                 text,
  header_from            text,
  subject                text,
  response_content       text,
  response_enhanced_code text,
  provider_name          text,
  peer_name              text,
  bounce_classification  text,
  service_message_id     text,
  direction              text,
  campaign               text,
  reception_protocol     text,
  delivery_protocol      text,
  tls_protocol_version   text,
  tls_cipher             text
);

CREATE INDEX event_newest_first ON event (domain_id, timestamp DESC, arrival DESC);
CREATE INDEX event_by_type ON event (domain_id, type, timestamp DESC, arrival DESC);
-- Nobody searches for 250, which most events carry: left out, the index is small.
CREATE INDEX event_by_code ON event (domain_id, response_code, timestamp DESC, arrival DESC) WHERE response_code <> 250;
CREATE INDEX event_by_message ON event (id);
CREATE INDEX event_text ON event USING gin (
  recipient gin_trgm_ops, sender gin_trgm_ops, header_from gin_trgm_ops, subject gin_trgm_ops
);

-- The statistics, one row per domain. Filled once after the load: the ingest figure does not pay for it.
CREATE TABLE domain_count (
  domain_id   integer PRIMARY KEY,
  tenant_id   integer NOT NULL,
  domain_name text NOT NULL,
  bounce      bigint NOT NULL,
  delivery    bigint NOT NULL,
  reception   bigint NOT NULL,
  changed_at  timestamptz NOT NULL
);
CREATE INDEX domain_count_of_tenant ON domain_count (tenant_id);
