-- People sign in, and are members of accounts. Whoever an account belonged to until now is its first owner, under the account's id.

CREATE TABLE people (
    id UUID NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    email_norm TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE memberships (
    account_id UUID NOT NULL REFERENCES accounts (id),
    person_id UUID NOT NULL REFERENCES people (id),
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, person_id)
);

CREATE INDEX memberships_of_person ON memberships (person_id);

INSERT INTO people (id, email, email_norm, name, created_at)
SELECT id, email, email_norm, name, created_at FROM accounts WHERE email_norm NOT LIKE 'erased-%@erased.invalid';
INSERT INTO memberships (account_id, person_id, role, created_at)
SELECT id, id, 'owner', created_at FROM people;

-- For whom a key acts; null once that person is erased.
ALTER TABLE api_keys ADD COLUMN person_id UUID REFERENCES people (id);
UPDATE api_keys SET person_id = account_id WHERE account_id IN (SELECT id FROM people);
CREATE INDEX api_keys_of_person ON api_keys (person_id);

-- Who changed something, when it was a person who had signed in.
ALTER TABLE audit_log ADD COLUMN person_id UUID;

-- The address is the owner's alone. Both columns stay and say nothing, since SQLite cannot drop a unique one.
UPDATE accounts SET email = '', email_norm = replace(CAST(id AS TEXT), '-', '');
