-- What became of the mails to registrants whose jobs ended, for 90 days. A mail that waits is a job.
CREATE TABLE mails (
    -- The key of its job. The subject is a registration.
    subject_id UUID NOT NULL,
    kind TEXT NOT NULL,
    occasion INTEGER NOT NULL,
    event_id UUID NOT NULL,
    -- SHA-256 of the mailbox that it was for.
    mailbox BYTEA NOT NULL,
    state TEXT NOT NULL,
    -- What the server said that refused it, without addresses of others.
    words TEXT,
    -- The permanent status with which it was refused or came back.
    status TEXT,
    -- SHA-256 of the token in its envelope.
    bounce_token BYTEA,
    sent_at BIGINT NOT NULL,
    -- When it was reported as bounced, or as spam.
    reported_at BIGINT,
    PRIMARY KEY (subject_id, kind, occasion)
);

CREATE INDEX mails_of_event ON mails (event_id, state, kind);
CREATE INDEX mails_of_mailbox ON mails (mailbox);
CREATE UNIQUE INDEX mails_by_bounce_token ON mails (bounce_token) WHERE bounce_token IS NOT NULL;
CREATE INDEX mails_by_age ON mails (sent_at);

-- Mailboxes that get no messages and reminders, whoever they are from: mails to them came back, or their owner called one spam.
CREATE TABLE mail_stops (
    mailbox BYTEA NOT NULL PRIMARY KEY,
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
