-- Pictures that organizers send as covers, apart from events, which are read more often.
CREATE TABLE own_covers (
    event_id BLOB NOT NULL PRIMARY KEY REFERENCES events (id),
    jpeg BLOB NOT NULL,
    -- SHA-256 of the file.
    digest BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

ALTER TABLE events ADD COLUMN has_own_cover INTEGER NOT NULL DEFAULT 0;
