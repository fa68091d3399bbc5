-- Pictures that organizers send as covers, apart from events, which are read more often.
CREATE TABLE own_covers (
    event_id UUID NOT NULL PRIMARY KEY REFERENCES events (id),
    jpeg BYTEA NOT NULL,
    -- SHA-256 of the file.
    digest BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

ALTER TABLE events ADD COLUMN has_own_cover BOOLEAN NOT NULL DEFAULT FALSE;
