-- SQLite uses a partial index only where a statement has its very condition, and 0 is not FALSE. Without the index, each round of maintenance
-- read all registrations, and each search among those of an event read all of them once more.
DROP INDEX registrations_not_folded;
CREATE INDEX registrations_not_folded ON registrations (event_id) WHERE is_folded = FALSE;

-- FTS5 writes a part of its index whenever it has collected so many bytes, and merges the parts later. With the default, 1 MB, a
-- transaction that indexes 500 events wrote two.
INSERT INTO catalogue_words (catalogue_words, rank) VALUES ('hashsize', 16777216);
