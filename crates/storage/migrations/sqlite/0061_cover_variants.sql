-- Which of the pictures that its words have is the cover of an event.
ALTER TABLE events ADD COLUMN image_variant INTEGER NOT NULL DEFAULT 1;
