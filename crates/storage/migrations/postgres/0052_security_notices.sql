-- People notice what is done in their name: where they are signed in, whether they ever were, and a trail of what happened to them.

-- The network of the client that signed in, without its last part; empty if it is not known.
ALTER TABLE sessions ADD COLUMN network TEXT NOT NULL DEFAULT '';

-- When the person signed in for the first time, as far as that is known.
ALTER TABLE people ADD COLUMN signed_in_at BIGINT;
UPDATE people SET signed_in_at = (SELECT MIN(b.signed_in_at) FROM known_browsers b WHERE b.person_id = people.id);

-- How often it happened on a day, for what strangers can cause.
ALTER TABLE audit_log ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
-- A person's own entries are about no account.
CREATE INDEX audit_log_of_person ON audit_log (subject_id, at, id) WHERE account_id IS NULL;
