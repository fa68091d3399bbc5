-- Increases with each edit of an event, so that of two people who edit it the second is told.
ALTER TABLE events ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
