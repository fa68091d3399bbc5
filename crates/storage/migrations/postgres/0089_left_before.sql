-- How many mails of a message left whose rows in mails are gone: they live for 90 days, and as long as their registration.
ALTER TABLE messages ADD COLUMN left_before INTEGER NOT NULL DEFAULT 0;

-- Until now, every mail counted as sent that was not withdrawn, does not wait, and has no row.
UPDATE messages SET left_before = GREATEST(0, recipients - withdrawn
    - (SELECT count(*) FROM registrations r JOIN jobs j ON j.kind = 'message_mail' AND j.subject_id = r.id
        WHERE r.event_id = messages.event_id AND j.occasion = messages.number AND j.failed_at IS NULL)
    - (SELECT count(*) FROM mails m
        WHERE m.event_id = messages.event_id AND m.kind = 'message_mail' AND m.occasion = messages.number))
WHERE recipients > 0;
