-- Several people in one registration: how many an event admits, how many there are, the names of the others, and how many were checked in.
ALTER TABLE events ADD COLUMN max_party INTEGER NOT NULL DEFAULT 1;
ALTER TABLE registrations ADD COLUMN party_size INTEGER NOT NULL DEFAULT 1;
ALTER TABLE registrations ADD COLUMN companions TEXT NOT NULL DEFAULT '[]';
ALTER TABLE registrations ADD COLUMN arrived INTEGER NOT NULL DEFAULT 0;
UPDATE registrations SET arrived = 1 WHERE checked_in_at IS NOT NULL;
-- The people of registrations beyond the first of each.
ALTER TABLE event_counters ADD COLUMN companions_confirmed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_counters ADD COLUMN companions_pending INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_counters ADD COLUMN companions_held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_counters ADD COLUMN companions_waitlisted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_counters ADD COLUMN companions_checked_in INTEGER NOT NULL DEFAULT 0;
