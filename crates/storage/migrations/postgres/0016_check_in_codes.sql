-- A code for each registration, which its attendee shows at the door. Those of existing registrations come from the database's
-- randomness, so that no registration is ever without one; core makes all others.
ALTER TABLE registrations ADD COLUMN check_in_code TEXT;
UPDATE registrations SET check_in_code = upper(substr(replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 1, 20));
ALTER TABLE registrations ALTER COLUMN check_in_code SET NOT NULL;
CREATE UNIQUE INDEX registrations_by_check_in_code ON registrations (check_in_code);
