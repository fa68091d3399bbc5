-- Webhooks: places to which messages about changes are posted, or which only record them.
CREATE TABLE webhooks (
    id UUID NOT NULL PRIMARY KEY,
    account_id UUID NOT NULL REFERENCES accounts (id),
    -- Within the account, from 1, never given again. The occasion of its jobs.
    number INTEGER NOT NULL,
    -- Of its jobs.
    destination TEXT NOT NULL,
    event_id UUID,
    url TEXT,
    description TEXT,
    -- Names, each between spaces; empty for all.
    types TEXT NOT NULL,
    -- thin or full.
    content TEXT NOT NULL,
    -- v1 or v1a.
    scheme TEXT NOT NULL,
    -- Sealed.
    secret BYTEA NOT NULL,
    former_secret BYTEA,
    former_until BIGINT,
    public_key TEXT,
    -- active, paused or disabled.
    state TEXT NOT NULL,
    disabled_reason TEXT,
    last_success_at BIGINT,
    failing_since BIGINT,
    warned_at BIGINT,
    -- A key, a grant or a person.
    created_by UUID,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX webhooks_of_account ON webhooks (account_id, number);

-- The messages of accounts that have, or had, webhooks. A change of one locks it last, so that numbers follow the order of commits.
CREATE TABLE webhook_streams (
    account_id UUID NOT NULL PRIMARY KEY REFERENCES accounts (id),
    -- Whether there is a webhook.
    is_recording BOOLEAN NOT NULL,
    last_seq INTEGER NOT NULL,
    -- The oldest message that may still be there.
    first_seq INTEGER NOT NULL,
    last_number INTEGER NOT NULL
);

-- What programs learn of a change. It has ids and names of fields alone.
CREATE TABLE webhook_messages (
    id UUID NOT NULL PRIMARY KEY,
    account_id UUID NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL,
    event_id UUID,
    registration_id UUID,
    message_id UUID,
    status TEXT,
    changed TEXT NOT NULL,
    actor TEXT NOT NULL
);

CREATE UNIQUE INDEX webhook_messages_order ON webhook_messages (account_id, seq);
CREATE INDEX webhook_messages_age ON webhook_messages (at);
CREATE INDEX webhook_messages_of_registration ON webhook_messages (registration_id) WHERE registration_id IS NOT NULL;

-- What became of a message to a webhook. It outlives the webhook until maintenance deletes it.
CREATE TABLE webhook_deliveries (
    webhook_id UUID NOT NULL,
    message_id UUID NOT NULL REFERENCES webhook_messages (id) ON DELETE CASCADE,
    -- waiting, delivered or failed.
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    last_status INTEGER,
    last_at BIGINT,
    PRIMARY KEY (webhook_id, message_id)
);

CREATE INDEX webhook_deliveries_of_message ON webhook_deliveries (message_id);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, message_id);

CREATE TABLE webhook_attempts (
    webhook_id UUID NOT NULL,
    message_id UUID NOT NULL,
    at BIGINT NOT NULL,
    took_ms INTEGER NOT NULL,
    status INTEGER,
    answer TEXT,
    error TEXT,
    PRIMARY KEY (webhook_id, message_id, at),
    FOREIGN KEY (webhook_id, message_id) REFERENCES webhook_deliveries (webhook_id, message_id) ON DELETE CASCADE
);

-- Webhooks that were deleted, until maintenance has deleted their deliveries.
CREATE TABLE deleted_webhooks (
    id UUID NOT NULL PRIMARY KEY
);

-- All scopes, as they were before webhooks: whoever gave them to a key or an app did not mean to let it send changes elsewhere.
UPDATE api_keys SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in messages:write account:read' WHERE scopes IS NULL;
UPDATE oauth_authorizations SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in messages:write account:read' WHERE scopes IS NULL;
UPDATE oauth_grants SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in messages:write account:read' WHERE scopes IS NULL;
UPDATE oauth_codes SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in messages:write account:read' WHERE scopes IS NULL;
UPDATE oauth_access_tokens SET scopes = 'events:read events:write events:cancel registrations:read registrations:write registrations:check_in messages:write account:read' WHERE scopes IS NULL;
