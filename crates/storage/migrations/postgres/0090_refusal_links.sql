-- Links by which a mailbox refuses the mails of an account, after they no longer lead to a registration: its address was corrected.
CREATE TABLE refusal_links (
    hash BYTEA NOT NULL PRIMARY KEY,
    mailbox BYTEA NOT NULL,
    account_id UUID NOT NULL,
    -- Of the mail that has the link.
    event_id UUID NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX refusal_links_of_account ON refusal_links (account_id);
CREATE INDEX refusal_links_of_mailbox ON refusal_links (mailbox);
CREATE INDEX refusal_links_by_age ON refusal_links (created_at);
