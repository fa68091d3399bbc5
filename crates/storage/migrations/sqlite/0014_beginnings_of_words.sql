-- Beginnings of words of up to ten characters are indexed, in place of three. For longer ones, FTS5 collects all rows of all words that
-- begin so before it answers: with a million events, up to a second for a frequent word. The last word of a search is always taken for
-- a beginning.
DROP TABLE catalogue_words;

CREATE VIRTUAL TABLE catalogue_words USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    detail = none,
    prefix = '1 2 3 4 5 6 7 8 9 10',
    tokenize = "ascii tokenchars '=_'"
);

-- Core fills both in again.
DELETE FROM catalogue_entries;
UPDATE events SET indexed_as_of = 0 WHERE live = TRUE;
