-- Why the organizer declined a registration, for the mail about it. It is erased with the registration.
ALTER TABLE registrations ADD COLUMN decline_reason TEXT;
