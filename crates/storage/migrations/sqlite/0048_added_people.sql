-- Whether an organizer added the attendee, who did not register themselves. The audit log says so of older rows, as far as it has them.
ALTER TABLE registrations ADD COLUMN is_added INTEGER NOT NULL DEFAULT 0;
UPDATE registrations SET is_added = 1 WHERE id IN (
    SELECT subject_id FROM audit_log WHERE action = 'registration.create' AND actor <> 'attendee'
);
