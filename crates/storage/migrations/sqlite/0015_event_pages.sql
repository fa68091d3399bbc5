-- What the page of an event shows.

-- Who organizes it, and where to ask.
ALTER TABLE events ADD COLUMN organizer_name TEXT;
ALTER TABLE events ADD COLUMN contact_email TEXT;

-- The start at which it was published. Earlier ones of existing events are not known.
ALTER TABLE events ADD COLUMN published_start INTEGER;
UPDATE events SET published_start = start_at WHERE is_published = 1;
