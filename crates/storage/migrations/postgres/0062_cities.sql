-- The cities of the catalogue are found without reading its events.
CREATE INDEX events_live_cities ON events (city) WHERE live = TRUE;
