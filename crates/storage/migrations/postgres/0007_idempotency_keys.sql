-- Answers to calls that came with an idempotency key, for when the same call comes again.

CREATE TABLE idempotency_keys (
    -- No reference to accounts: it would share the account's lock, which the same transaction may want alone later.
    account_id UUID NOT NULL,
    -- Derived from the key, and from the key and the request; neither is stored.
    key_hash BYTEA NOT NULL,
    request_hash BYTEA NOT NULL,
    -- Sealed; null only within the transaction that decides.
    answer BYTEA,
    -- Whom the answer tells of, so that it is erased with them.
    registration_id UUID,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, key_hash)
);

CREATE INDEX idempotency_keys_of_registration ON idempotency_keys (registration_id) WHERE registration_id IS NOT NULL;

-- Retention.
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
