-- Changes of addresses, which can be taken back from the address before for a while.
CREATE TABLE email_changes (
    id UUID NOT NULL PRIMARY KEY,
    person_id UUID NOT NULL REFERENCES people (id),
    -- The address before.
    email TEXT NOT NULL,
    email_norm TEXT NOT NULL,
    changed_by UUID NOT NULL,
    changed_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX email_changes_of_email ON email_changes (email_norm);
CREATE INDEX email_changes_of_person ON email_changes (person_id);
CREATE INDEX email_changes_by_expiry ON email_changes (expires_at);
