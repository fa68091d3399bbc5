-- Confirmation of registrations by the attendee, from a mail.

ALTER TABLE events ADD COLUMN confirm_by_email INTEGER NOT NULL DEFAULT 0;

-- Until when a registration that awaits confirmation holds a seat, and when it lapses.
ALTER TABLE registrations ADD COLUMN held_until INTEGER;
ALTER TABLE registrations ADD COLUMN confirm_until INTEGER;

-- How many pending registrations hold a seat.
ALTER TABLE event_counters ADD COLUMN held INTEGER NOT NULL DEFAULT 0;

-- What maintenance looks for.
CREATE INDEX registrations_held ON registrations (held_until, event_id) WHERE held_until IS NOT NULL;
CREATE INDEX registrations_unconfirmed ON registrations (confirm_until, event_id) WHERE confirm_until IS NOT NULL;
