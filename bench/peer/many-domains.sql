-- Indexes and counts for questions over many domains, created after the load: they affect neither the ingest nor the disk figure.

CREATE INDEX event_newest_of_all ON event (timestamp DESC, arrival DESC);
CREATE INDEX event_by_type_of_all ON event (type, timestamp DESC, arrival DESC);
CREATE INDEX event_by_code_class ON event ((response_code / 100), timestamp DESC, arrival DESC) WHERE response_code <> 250;
CREATE INDEX event_by_provider ON event (provider_name, timestamp DESC, arrival DESC);
CREATE INDEX event_by_classification ON event (bounce_classification, timestamp DESC, arrival DESC)
  WHERE bounce_classification IS NOT NULL;

-- Counts over time, one row per domain, hour and type.
CREATE TABLE event_per_hour AS
  SELECT domain_id, timestamp - timestamp % 3600 AS hour, type, count(*) AS events FROM event GROUP BY 1, 2, 3;
CREATE INDEX event_per_hour_of_domain ON event_per_hour (domain_id, hour) INCLUDE (type, events);
CREATE INDEX event_per_hour_of_all ON event_per_hour (hour) INCLUDE (type, events);
