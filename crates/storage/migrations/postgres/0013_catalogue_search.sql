-- The catalogue's search: one entry for each live event. Words are folded and split by core, so the engine only compares them.

CREATE TABLE catalogue_entries (
    event_id UUID NOT NULL PRIMARY KEY REFERENCES events (id),
    start_at BIGINT NOT NULL,
    -- The wall time of the start in the event's zone, as if it were UTC: dates in a search count there.
    start_local BIGINT NOT NULL,
    effective_end BIGINT NOT NULL,
    words TSVECTOR NOT NULL
);

-- Searches by date alone are answered from this index.
CREATE INDEX catalogue_entries_by_start ON catalogue_entries (start_at, event_id) INCLUDE (start_local, effective_end);
-- Without a list of pending changes, which every search would read to its end.
CREATE INDEX catalogue_entries_by_word ON catalogue_entries USING gin (words) WITH (fastupdate = off);

-- The updated_at of the event for which its entry, or having none, is right. Core fills entries in for events of before, and for
-- those that an older core changes.
ALTER TABLE events ADD COLUMN indexed_as_of BIGINT NOT NULL DEFAULT 0;
CREATE INDEX events_not_indexed ON events (id) WHERE indexed_as_of <> updated_at;
