-- Series: events that one was repeated as. Each has its own seats, waitlist and link.
ALTER TABLE events ADD COLUMN series_id BLOB;

CREATE INDEX events_of_series ON events (series_id, start_at, id) WHERE series_id IS NOT NULL;
