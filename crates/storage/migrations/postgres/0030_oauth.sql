-- OAuth: apps that act for people by their consent. Secrets are stored as their SHA-256.

CREATE TABLE oauth_clients (
    id UUID NOT NULL PRIMARY KEY,
    -- The hash of a registration, or the URL of a document.
    client_id TEXT NOT NULL UNIQUE,
    -- What the client says of itself, as JSON.
    metadata TEXT NOT NULL,
    -- Its name for people.
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- When it was last registered, or its document read.
    seen_at BIGINT NOT NULL,
    -- Until when a document counts as it was read; null for registrations.
    fresh_until BIGINT,
    -- Whether a person ever agreed to it: then it is kept, since its copies go on using the identifier.
    is_kept BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE INDEX oauth_clients_unused ON oauth_clients (seen_at) WHERE is_kept = FALSE;

CREATE TABLE oauth_authorizations (
    id UUID NOT NULL PRIMARY KEY,
    session_id UUID NOT NULL,
    person_id UUID NOT NULL REFERENCES people (id),
    -- SHA-256 of the browser's secret.
    browser BYTEA NOT NULL,
    client_id UUID NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    state TEXT,
    challenge TEXT NOT NULL,
    scopes TEXT,
    audience TEXT NOT NULL,
    issuer TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX oauth_authorizations_of_session ON oauth_authorizations (session_id);
CREATE INDEX oauth_authorizations_of_person ON oauth_authorizations (person_id);
CREATE INDEX oauth_authorizations_of_client ON oauth_authorizations (client_id);
CREATE INDEX oauth_authorizations_by_age ON oauth_authorizations (created_at);

CREATE TABLE oauth_grants (
    id UUID NOT NULL PRIMARY KEY,
    person_id UUID NOT NULL REFERENCES people (id),
    account_id UUID NOT NULL REFERENCES accounts (id),
    client_id UUID NOT NULL REFERENCES oauth_clients (id),
    redirect_uri TEXT NOT NULL,
    scopes TEXT,
    audience TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    -- When it ends if it is not refreshed any more.
    ends_at BIGINT NOT NULL,
    -- Revoked ones stay as long as the audit log, which names their clients.
    revoked_at BIGINT
);

CREATE INDEX oauth_grants_of_person ON oauth_grants (person_id, client_id);
CREATE INDEX oauth_grants_of_account ON oauth_grants (account_id);
CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);
CREATE INDEX oauth_grants_by_end ON oauth_grants (ends_at);

CREATE TABLE oauth_codes (
    hash BYTEA NOT NULL PRIMARY KEY,
    client_id UUID NOT NULL REFERENCES oauth_clients (id),
    person_id UUID NOT NULL REFERENCES people (id),
    account_id UUID NOT NULL REFERENCES accounts (id),
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    scopes TEXT,
    audience TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- What the code was exchanged for. A used one is kept for a day, so that a second use shows.
    grant_id UUID REFERENCES oauth_grants (id) ON DELETE CASCADE
);

CREATE INDEX oauth_codes_of_client ON oauth_codes (client_id);
CREATE INDEX oauth_codes_of_person ON oauth_codes (person_id);
CREATE INDEX oauth_codes_of_account ON oauth_codes (account_id);
CREATE INDEX oauth_codes_of_grant ON oauth_codes (grant_id);
CREATE INDEX oauth_codes_by_age ON oauth_codes (created_at);

CREATE TABLE oauth_access_tokens (
    hash BYTEA NOT NULL PRIMARY KEY,
    grant_id UUID NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    scopes TEXT,
    audience TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX oauth_access_tokens_of_grant ON oauth_access_tokens (grant_id, created_at);
CREATE INDEX oauth_access_tokens_by_expiry ON oauth_access_tokens (expires_at);

CREATE TABLE oauth_refresh_tokens (
    hash BYTEA NOT NULL PRIMARY KEY,
    grant_id UUID NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    -- The token that it was exchanged for.
    parent BYTEA,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- When it was exchanged itself.
    consumed_at BIGINT
);

CREATE INDEX oauth_refresh_tokens_of_grant ON oauth_refresh_tokens (grant_id, created_at);
CREATE INDEX oauth_refresh_tokens_of_parent ON oauth_refresh_tokens (parent);
CREATE INDEX oauth_refresh_tokens_by_expiry ON oauth_refresh_tokens (expires_at);

-- By which app something was changed, on behalf of the person.
ALTER TABLE audit_log ADD COLUMN grant_id UUID;
