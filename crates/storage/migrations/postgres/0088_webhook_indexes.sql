-- Each change writes a message and its deliveries, so they have as few indexes as they can. Messages are deleted by their ids, which begin
-- with the time; their deliveries with them, by the statement that deletes them.
DROP INDEX webhook_messages_age;
DROP INDEX webhook_messages_of_registration;
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_message_id_fkey;
DROP INDEX webhook_deliveries_of_message;

-- Whom an answer is about, so that it is found when they are erased.
ALTER TABLE webhook_attempts ADD COLUMN about UUID;
UPDATE webhook_attempts SET about = (SELECT m.registration_id FROM webhook_messages m WHERE m.id = webhook_attempts.message_id)
    WHERE answer IS NOT NULL;
CREATE INDEX webhook_attempts_about ON webhook_attempts (about) WHERE about IS NOT NULL;
