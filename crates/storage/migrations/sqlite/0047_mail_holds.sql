-- Mails that an operator holds. A job that is held is due at the end of time, so that no core claims it, of whatever version.
ALTER TABLE jobs ADD COLUMN held_at INTEGER;
CREATE INDEX jobs_held ON jobs (held_at) WHERE held_at IS NOT NULL;

-- Since when all mails of an account are held by `mail hold`.
ALTER TABLE accounts ADD COLUMN mail_held_at INTEGER;

-- Mailboxes that are not mailed. Only the SHA-256 of a mailbox is stored. The account is nil where the operator decided for all.
CREATE TABLE suppressions (
    mailbox BLOB NOT NULL,
    account_id BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (mailbox, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX suppressions_of_account ON suppressions (account_id);
