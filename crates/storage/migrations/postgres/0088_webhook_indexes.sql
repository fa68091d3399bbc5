-- Each change writes a message and its deliveries, so they have as few indexes as they can. Messages are deleted by their ids, which begin
-- with the time; their deliveries with them, by the statement that deletes them.
DROP INDEX webhook_messages_age;
ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_message_id_fkey;
DROP INDEX webhook_deliveries_of_message;
