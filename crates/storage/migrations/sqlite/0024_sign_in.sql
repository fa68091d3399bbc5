-- Signing in: codes by mail, sessions, and what limits both; and invitations to accounts.

-- Mails with codes for people, one at a time for each browser or session that asked. The code is stored as it is: whoever reads it
-- lacks the secret of the browser or the session, and a hash of 8 digits would hide nothing.
CREATE TABLE codes (
    id BLOB NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    -- SHA-256 of the browser's secret, or the session's id.
    holder BLOB NOT NULL,
    email TEXT NOT NULL,
    email_norm TEXT NOT NULL,
    code TEXT NOT NULL,
    tries INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX codes_of_holder ON codes (purpose, holder);
CREATE INDEX codes_of_email ON codes (email_norm);
CREATE INDEX codes_by_expiry ON codes (expires_at);

CREATE TABLE sessions (
    id BLOB NOT NULL PRIMARY KEY,
    person_id BLOB NOT NULL REFERENCES people (id),
    hash BLOB NOT NULL UNIQUE,
    -- The account that the session is about.
    account_id BLOB REFERENCES accounts (id),
    device TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    stepped_up_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_of_person ON sessions (person_id);
CREATE INDEX sessions_of_account ON sessions (account_id);
CREATE INDEX sessions_by_use ON sessions (last_used_at);

-- Browsers in which somebody signed in: SHA-256 of their secrets.
CREATE TABLE known_browsers (
    browser BLOB NOT NULL,
    person_id BLOB NOT NULL REFERENCES people (id),
    signed_in_at INTEGER NOT NULL,
    PRIMARY KEY (browser, person_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX known_browsers_of_person ON known_browsers (person_id);
CREATE INDEX known_browsers_by_time ON known_browsers (signed_in_at);

-- Links that operators print. A used one is deleted.
CREATE TABLE sign_in_links (
    hash BLOB NOT NULL PRIMARY KEY,
    person_id BLOB NOT NULL REFERENCES people (id),
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sign_in_links_of_person ON sign_in_links (person_id);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);

-- How often something was done since a moment, so that a limit is exact over all cores. What it was, and whose, is hashed.
CREATE TABLE budgets (
    hash BLOB NOT NULL PRIMARY KEY,
    used INTEGER NOT NULL,
    resets_at INTEGER NOT NULL
) STRICT;

CREATE INDEX budgets_by_reset ON budgets (resets_at);

CREATE TABLE invitations (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id),
    email TEXT NOT NULL,
    email_norm TEXT NOT NULL,
    role TEXT NOT NULL,
    -- Who invited; null once they are erased.
    person_id BLOB REFERENCES people (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX invitations_of_account ON invitations (account_id, email_norm);
CREATE INDEX invitations_of_email ON invitations (email_norm);
CREATE INDEX invitations_of_person ON invitations (person_id);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
