-- Each change writes a message and its deliveries, so they have as few indexes as they can. Messages are deleted by their ids, which begin
-- with the time; their deliveries with them, by the statement that deletes them.
CREATE TABLE new_messages (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    event_id BLOB,
    registration_id BLOB,
    message_id BLOB,
    status TEXT,
    changed TEXT NOT NULL,
    actor TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE new_deliveries (
    webhook_id BLOB NOT NULL,
    message_id BLOB NOT NULL,
    -- waiting, delivered or failed.
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    last_status INTEGER,
    last_at INTEGER,
    PRIMARY KEY (webhook_id, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE new_attempts (
    webhook_id BLOB NOT NULL,
    message_id BLOB NOT NULL,
    at INTEGER NOT NULL,
    took_ms INTEGER NOT NULL,
    status INTEGER,
    answer TEXT,
    error TEXT,
    -- The registration that the answer is about, so that it is found when that is erased.
    about BLOB,
    PRIMARY KEY (webhook_id, message_id, at),
    FOREIGN KEY (webhook_id, message_id) REFERENCES new_deliveries (webhook_id, message_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO new_messages SELECT id, account_id, seq, kind, at, event_id, registration_id, message_id, status, changed, actor FROM webhook_messages;
INSERT INTO new_deliveries SELECT webhook_id, message_id, state, attempts, last_status, last_at FROM webhook_deliveries;
INSERT INTO new_attempts SELECT webhook_id, message_id, at, took_ms, status, answer, error, CASE WHEN answer IS NOT NULL THEN
    (SELECT m.registration_id FROM webhook_messages m WHERE m.id = webhook_attempts.message_id) END FROM webhook_attempts;

DROP TABLE webhook_attempts;
DROP TABLE webhook_deliveries;
DROP TABLE webhook_messages;

ALTER TABLE new_messages RENAME TO webhook_messages;
ALTER TABLE new_deliveries RENAME TO webhook_deliveries;
ALTER TABLE new_attempts RENAME TO webhook_attempts;

CREATE UNIQUE INDEX webhook_messages_order ON webhook_messages (account_id, seq);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, message_id);
CREATE INDEX webhook_attempts_about ON webhook_attempts (about) WHERE about IS NOT NULL;
