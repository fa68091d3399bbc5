-- Each index of a table is written with each row. Nobody looks for the entries of a subject, but for those of an account or of an event. Old
-- entries are found by their ids, which begin with their times.
DROP INDEX audit_log_of_subject;
DROP INDEX audit_log_by_time;
