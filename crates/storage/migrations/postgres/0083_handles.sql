-- Handles of accounts. One that an account gave up, or whose account was removed, stays for a year, so that nobody else gets its links.
-- So it outlives its account, and does not refer to it.
CREATE TABLE handles (
    handle TEXT NOT NULL PRIMARY KEY,
    account_id UUID NOT NULL,
    taken_at BIGINT NOT NULL,
    -- Absent for the account's present one.
    released_at BIGINT
);

CREATE UNIQUE INDEX handles_of_account ON handles (account_id) WHERE released_at IS NULL;
CREATE INDEX handles_former ON handles (account_id, released_at) WHERE released_at IS NOT NULL;
CREATE INDEX handles_released ON handles (released_at) WHERE released_at IS NOT NULL;

-- What the public page of an account says.
ALTER TABLE accounts ADD COLUMN about TEXT;
ALTER TABLE accounts ADD COLUMN website TEXT;

-- Past events on it, the latest first, and whether there are any.
CREATE INDEX events_public_of_account ON events (account_id, start_at, id, effective_end)
    WHERE is_published = TRUE AND is_listed = TRUE AND is_cancelled = FALSE AND is_hidden = FALSE AND is_account_suspended = FALSE;

-- The account is a word of the search index from now on. Core adds it to the entries of before.
UPDATE events SET indexed_as_of = 0 WHERE live = TRUE;
