-- Views of the pages of events, by day on the clocks there and by the host that led to them ('' if none did, or it is not counted apart).
CREATE TABLE event_views (
    event_id BLOB NOT NULL REFERENCES events (id),
    day TEXT NOT NULL,
    host TEXT NOT NULL,
    views INTEGER NOT NULL,
    PRIMARY KEY (event_id, day, host)
) STRICT, WITHOUT ROWID;
