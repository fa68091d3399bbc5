-- Since when an account may mail people who did not register themselves as often as its plan allows. Null: only a few a day.
ALTER TABLE accounts ADD COLUMN trusted_at BIGINT;
-- Whoever has an account at the upgrade has had it without this limit, and goes on so.
UPDATE accounts SET trusted_at = created_at;

-- Those of the day's mails that go to people who did not register themselves.
ALTER TABLE accounts ADD COLUMN stranger_mails INTEGER NOT NULL DEFAULT 0;

-- Who registered themselves with an account that is not trusted, and pressed a button on their page: SHA-256 of the mailbox. The rows go
-- when the account is trusted. There is no foreign key, which would lock the account after the event.
CREATE TABLE trust_proofs (
    account_id UUID NOT NULL,
    mailbox BYTEA NOT NULL,
    PRIMARY KEY (account_id, mailbox)
);

CREATE INDEX trust_proofs_of_mailbox ON trust_proofs (mailbox);
