-- How many mails of a message left whose rows in mails are gone: they live for 90 days, and as long as their registration.
ALTER TABLE messages ADD COLUMN left_before INTEGER NOT NULL DEFAULT 0;
