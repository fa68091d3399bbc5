-- Operators suspend accounts, and take single events down. A removed account is suspended, too, until its rows are deleted.
ALTER TABLE accounts ADD COLUMN suspended_at BIGINT;
ALTER TABLE accounts ADD COLUMN removed_at BIGINT;
CREATE INDEX accounts_removed ON accounts (removed_at) WHERE removed_at IS NOT NULL;

ALTER TABLE events ADD COLUMN is_hidden BOOLEAN NOT NULL DEFAULT FALSE;
-- As its account, so that no read of an event needs another table.
ALTER TABLE events ADD COLUMN is_account_suspended BOOLEAN NOT NULL DEFAULT FALSE;
