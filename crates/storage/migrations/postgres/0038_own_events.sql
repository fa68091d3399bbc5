-- Lists of an account's events. Each filter is decided from these indexes.

-- Entries of an index have a limit on PostgreSQL. Core folds longer texts again, up to that.
UPDATE events SET search_text = NULL WHERE octet_length(search_text) > 2400;

CREATE INDEX events_of_owner ON events (account_id, start_at, id) INCLUDE (effective_end, is_cancelled, start_local, search_text);
-- Events of more than three days. All others that are not over began in the last three days or later, so that neither those that are over
-- nor those still to come need to be read to find them.
CREATE INDEX events_long_of_owner ON events (account_id, start_at, id) INCLUDE (effective_end, is_cancelled, start_local, search_text)
WHERE effective_end - start_at > 259200000000;
DROP INDEX events_of_account;
DROP INDEX events_active_of_account;
