-- A code for each registration, which its attendee shows at the door. Those of existing registrations come from the database's
-- randomness, so that no registration is ever without one; core makes all others.
ALTER TABLE registrations ADD COLUMN check_in_code TEXT NOT NULL DEFAULT '';
UPDATE registrations SET check_in_code = hex(randomblob(10));
CREATE UNIQUE INDEX registrations_by_check_in_code ON registrations (check_in_code);
