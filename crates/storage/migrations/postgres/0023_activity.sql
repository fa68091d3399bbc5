-- The activity of an account and of its events: which event a row of the audit log is about. Rows about registrations that are erased by
-- now stay without one.
ALTER TABLE audit_log ADD COLUMN event_id UUID;
UPDATE audit_log SET event_id = subject_id WHERE action LIKE 'event.%';
UPDATE audit_log SET event_id = (SELECT event_id FROM registrations WHERE registrations.id = audit_log.subject_id)
WHERE action LIKE 'registration.%';

CREATE INDEX audit_log_of_account ON audit_log (account_id, at, id);
CREATE INDEX audit_log_of_event ON audit_log (event_id, at, id) WHERE event_id IS NOT NULL;
