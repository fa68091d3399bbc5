-- What registering needs.

ALTER TABLE events ADD COLUMN requires_approval BOOLEAN NOT NULL DEFAULT FALSE;

ALTER TABLE registrations ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
-- Name and e-mail address in lower case, for the organizer's search.
ALTER TABLE registrations ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
UPDATE registrations SET updated_at = registered_at, search_text = lower(name || ' ' || email), answers = '[]';

-- To erase a person, wherever they registered.
CREATE INDEX registrations_of_email ON registrations (email_norm);

-- Private links, of which only the SHA-256 is kept; a mail has one of its own.
CREATE TABLE registration_links (
    hash BYTEA NOT NULL PRIMARY KEY,
    registration_id UUID NOT NULL REFERENCES registrations (id),
    created_at BIGINT NOT NULL
);

CREATE INDEX registration_links_of_registration ON registration_links (registration_id);

-- Retention.
CREATE INDEX audit_log_by_time ON audit_log (at);
CREATE INDEX jobs_dead ON jobs (dead_at) WHERE dead_at IS NOT NULL;
