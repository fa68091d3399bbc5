-- By occasion as well: what left of one message is counted.
CREATE INDEX mails_of_messages ON mails (event_id, state, kind, occasion);
DROP INDEX mails_of_event;

-- Few fail at a time.
CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE failing_since IS NOT NULL;
