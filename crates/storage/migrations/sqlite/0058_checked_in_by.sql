-- Who checked an attendee in: the id of a person or of a key.
ALTER TABLE registrations ADD COLUMN checked_in_by BLOB;
