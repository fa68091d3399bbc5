-- Seats are looked up by their event, once for each event of a page: in one tree, and not in an index and then in the table.
CREATE TABLE counters_by_event (
    event_id BLOB NOT NULL PRIMARY KEY REFERENCES events (id),
    confirmed INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    waitlisted INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    next_seq INTEGER NOT NULL,
    held INTEGER NOT NULL DEFAULT 0,
    unconfirmed INTEGER NOT NULL DEFAULT 0,
    checked_in INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

INSERT INTO counters_by_event (event_id, confirmed, pending, waitlisted, cancelled, next_seq, held, unconfirmed, checked_in)
SELECT event_id, confirmed, pending, waitlisted, cancelled, next_seq, held, unconfirmed, checked_in FROM event_counters ORDER BY event_id;

DROP TABLE event_counters;
ALTER TABLE counters_by_event RENAME TO event_counters;
