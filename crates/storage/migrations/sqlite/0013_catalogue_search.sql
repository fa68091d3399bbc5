-- The catalogue's search: one entry for each live event. Words are folded and split by core, so the engine only compares them.

CREATE TABLE catalogue_entries (
    -- Ascends with the second of the start, so that matches are found in the order of the catalogue.
    position INTEGER NOT NULL PRIMARY KEY,
    event_id BLOB NOT NULL UNIQUE REFERENCES events (id),
    start_at INTEGER NOT NULL,
    -- The wall time of the start in the event's zone, as if it were UTC: dates in a search count there.
    start_local INTEGER NOT NULL,
    effective_end INTEGER NOT NULL
) STRICT;

-- Its rowid is the entry's position. Only whether a word occurs is stored, with an index of the beginnings of words.
CREATE VIRTUAL TABLE catalogue_words USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    detail = none,
    prefix = '1 2 3',
    tokenize = "ascii tokenchars '=_'"
);

-- The updated_at of the event for which its entry, or having none, is right. Core fills entries in for events of before, and for
-- those that an older core changes.
ALTER TABLE events ADD COLUMN indexed_as_of INTEGER NOT NULL DEFAULT 0;
CREATE INDEX events_not_indexed ON events (id) WHERE indexed_as_of <> updated_at;
