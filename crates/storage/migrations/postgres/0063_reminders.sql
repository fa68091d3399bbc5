-- When an event's reminders are sent, in hours before its start, as JSON; and those of them that were not sent in time.
ALTER TABLE events ADD COLUMN reminders TEXT NOT NULL DEFAULT '[]';
ALTER TABLE events ADD COLUMN reminders_missed TEXT NOT NULL DEFAULT '[]';

-- Whether the attendee wants no reminders of the event.
ALTER TABLE registrations ADD COLUMN refuses_reminders BOOLEAN NOT NULL DEFAULT FALSE;
