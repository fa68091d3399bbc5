-- Entries have the day of their start as a word, so that a frequent word within a few days is found without reading all entries that have
-- the word.
TRUNCATE catalogue_entries;

-- Core fills the entries in again.
UPDATE events SET indexed_as_of = 0 WHERE live = TRUE;
