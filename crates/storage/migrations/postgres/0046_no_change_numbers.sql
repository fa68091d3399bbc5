-- Stop older cores first: they name what this drops. No release has been made.
--
-- Nothing counts changes any more. Edges cache answers for half a second, and core reads what it answers.
DROP TABLE seat_changes;
DROP TABLE seat_versions;
DROP TABLE deleted_drafts;
DROP TABLE event_changes;
DROP INDEX events_changed;
ALTER TABLE events DROP COLUMN change_number;
ALTER TABLE catalogue_totals DROP COLUMN version;
