-- A search reads the rows of all entries that it finds, without their words, which were most of a row. They are moved out of it.
-- PostgreSQL does so only in rows of more than 2 kB as they are written, so each row is made as long; compressed, the padding takes
-- some 40 bytes.
TRUNCATE catalogue_entries;
ALTER TABLE catalogue_entries ADD COLUMN padding TEXT NOT NULL DEFAULT repeat(' ', 2000);
ALTER TABLE catalogue_entries SET (toast_tuple_target = 128);

-- Core fills the entries in again.
UPDATE events SET indexed_as_of = 0 WHERE live = TRUE;
