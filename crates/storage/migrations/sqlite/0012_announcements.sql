-- Mails about a new time or place are for those who know another one, and organizers have a daily quota of them.

-- A fingerprint of the time and place that a registrant was last told; null while it is the event's.
ALTER TABLE registrations ADD COLUMN told INTEGER;

-- Mails that count against the account's daily quota, on a day counted from 1970-01-01. Guarded by the account's lock.
ALTER TABLE accounts ADD COLUMN mail_day INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN mails INTEGER NOT NULL DEFAULT 0;
