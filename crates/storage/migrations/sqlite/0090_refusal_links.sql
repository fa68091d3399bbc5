-- Links by which a mailbox refuses the mails of an account, after they no longer lead to a registration: its address was corrected.
CREATE TABLE refusal_links (
    hash BLOB NOT NULL PRIMARY KEY,
    mailbox BLOB NOT NULL,
    account_id BLOB NOT NULL,
    -- Of the mail that has the link.
    event_id BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX refusal_links_of_account ON refusal_links (account_id);
CREATE INDEX refusal_links_of_mailbox ON refusal_links (mailbox);
CREATE INDEX refusal_links_by_age ON refusal_links (created_at);
