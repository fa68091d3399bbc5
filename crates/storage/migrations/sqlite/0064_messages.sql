-- Messages of organizers to the people who registered for an event. They live as long as it.
CREATE TABLE messages (
    id BLOB NOT NULL PRIMARY KEY,
    event_id BLOB NOT NULL REFERENCES events (id),
    -- Within the event, from 1. The occasion of its mails.
    number INTEGER NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    -- JSON.
    audience TEXT NOT NULL,
    -- now, at, before_start or after_end; the last two follow the event by these hours.
    timing TEXT NOT NULL,
    hours INTEGER,
    due_at INTEGER NOT NULL,
    is_delayed INTEGER NOT NULL,
    -- scheduled, begun, cancelled or stopped.
    state TEXT NOT NULL,
    stop_reason TEXT,
    recipients INTEGER NOT NULL,
    withdrawn INTEGER NOT NULL,
    -- A key or a person.
    author_id BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX messages_order ON messages (event_id, number);

-- Mailboxes that get no messages of an account, by their SHA-256. All other mails still reach them.
CREATE TABLE message_refusals (
    mailbox BLOB NOT NULL,
    account_id BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (mailbox, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX message_refusals_of_account ON message_refusals (account_id);
