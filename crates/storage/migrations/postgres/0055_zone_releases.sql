-- The release of the time zone database by which an event's moments were made of its wall times; empty if that is not known. When a
-- newer one comes, maintenance looks at the events of older ones that end in the future.
ALTER TABLE events ADD COLUMN zone_release TEXT NOT NULL DEFAULT '';

CREATE INDEX events_by_zone_release ON events (zone_release, effective_end);
