-- What only guests are told, and whether the location is for them only.
ALTER TABLE events ADD COLUMN attendee_info TEXT;
ALTER TABLE events ADD COLUMN is_location_private BOOLEAN NOT NULL DEFAULT FALSE;
