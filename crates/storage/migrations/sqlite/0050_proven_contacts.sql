-- Addresses for questions that were proven to belong to an account, by a code that was mailed to them. Mails name no others, except those
-- of members.
CREATE TABLE proven_contacts (
    account_id BLOB NOT NULL REFERENCES accounts (id),
    email_norm TEXT NOT NULL,
    proven_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, email_norm)
) STRICT, WITHOUT ROWID;

CREATE INDEX proven_contacts_of_email ON proven_contacts (email_norm);
