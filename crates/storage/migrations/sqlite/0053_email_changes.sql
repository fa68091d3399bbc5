-- Changes of addresses, which can be taken back from the address before for a while.
CREATE TABLE email_changes (
    id BLOB NOT NULL PRIMARY KEY,
    person_id BLOB NOT NULL REFERENCES people (id),
    -- The address before.
    email TEXT NOT NULL,
    email_norm TEXT NOT NULL,
    changed_by BLOB NOT NULL,
    changed_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX email_changes_of_email ON email_changes (email_norm);
CREATE INDEX email_changes_of_person ON email_changes (person_id);
CREATE INDEX email_changes_by_expiry ON email_changes (expires_at);
