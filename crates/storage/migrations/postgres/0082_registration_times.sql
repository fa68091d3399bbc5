-- When the public can register, as moment and as wall time, and whether the organizer has not closed it by hand.
ALTER TABLE events ADD COLUMN registration_opens_at BIGINT;
ALTER TABLE events ADD COLUMN registration_opens_local TEXT;
ALTER TABLE events ADD COLUMN registration_closes_at BIGINT;
ALTER TABLE events ADD COLUMN registration_closes_local TEXT;
ALTER TABLE events ADD COLUMN is_registration_open BOOLEAN NOT NULL DEFAULT TRUE;
