-- Covers from stock photographs.

-- Whose photograph the cover is, as JSON; null while the cover is drawn.
ALTER TABLE events ADD COLUMN image_credit TEXT;

-- The photographs themselves, apart from events, which are read more often. Shown while the event has an image_credit.
CREATE TABLE stock_covers (
    event_id BLOB NOT NULL PRIMARY KEY REFERENCES events (id),
    jpeg BLOB NOT NULL,
    -- SHA-256 of the file.
    digest BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
