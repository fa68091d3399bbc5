-- Covers from stock photographs.

-- Whose photograph the cover is, as JSON; null while the cover is drawn.
ALTER TABLE events ADD COLUMN image_credit TEXT;

-- The photographs themselves, apart from events, which are read more often. Shown while the event has an image_credit.
CREATE TABLE stock_covers (
    event_id UUID NOT NULL PRIMARY KEY REFERENCES events (id),
    jpeg BYTEA NOT NULL,
    -- SHA-256 of the file.
    digest BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
-- A JPEG does not become smaller: do not try.
ALTER TABLE stock_covers ALTER COLUMN jpeg SET STORAGE EXTERNAL;
