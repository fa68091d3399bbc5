-- Each index of a table is written with each row. Registering wrote to thirteen, of which these are not needed.

-- Nobody looks for the entries of a subject, but for those of an account or of an event. Old entries are found by their ids, which begin
-- with their times.
DROP INDEX audit_log_of_subject;
DROP INDEX audit_log_by_time;

-- One index of addresses in place of two: it keeps registrations unique, and finds all of a person's that are not cancelled. The cancelled ones
-- have another.
CREATE UNIQUE INDEX registrations_of_person ON registrations (email_norm, event_id) WHERE status <> 'Cancelled';
CREATE INDEX registrations_cancelled_of_person ON registrations (email_norm) WHERE status = 'Cancelled';
DROP INDEX registrations_active_email;
DROP INDEX registrations_of_email;
