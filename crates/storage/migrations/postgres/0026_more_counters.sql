-- How many registrations of an event await the attendee's confirmation, and how many were checked in.
ALTER TABLE event_counters ADD COLUMN unconfirmed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_counters ADD COLUMN checked_in INTEGER NOT NULL DEFAULT 0;

UPDATE event_counters SET unconfirmed = counted.unconfirmed, checked_in = counted.checked_in
FROM (
    SELECT event_id, count(confirm_until) AS unconfirmed, count(checked_in_at) AS checked_in
    FROM registrations WHERE confirm_until IS NOT NULL OR checked_in_at IS NOT NULL GROUP BY event_id
) counted
WHERE counted.event_id = event_counters.event_id;
