-- Searching and paging the organizers' lists.

-- Title, location and city without case and accents; null until core has folded those of existing events.
ALTER TABLE events ADD COLUMN search_text TEXT;
CREATE INDEX events_not_folded ON events (account_id) WHERE search_text IS NULL;

-- Whether search_text is without accents, too; core folds existing ones.
ALTER TABLE registrations ADD COLUMN is_folded BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX registrations_not_folded ON registrations (event_id) WHERE is_folded = FALSE;

-- A search among an event's registrations reads this index alone. It takes the place of the one that kept the order unique.
CREATE UNIQUE INDEX registrations_search ON registrations (event_id, seq) INCLUDE (status, registered_at, search_text);
DROP INDEX registrations_order;
