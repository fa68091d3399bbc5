-- No time at which registration closes meant until the event is over, and means until it starts from now on. Events that have begun go on
-- taking registrations, and so do those whose registration opens when they begin or later: until their end, or for the three hours that an
-- event without one lasts at least.
UPDATE events SET
    registration_closes_at = CASE WHEN end_at > start_at THEN end_at ELSE start_at + 10800000000 END,
    registration_closes_local = CASE WHEN end_at > start_at THEN end_local ELSE to_char(CAST(start_local AS TIMESTAMP) + INTERVAL '3 hours', 'YYYY-MM-DD"T"HH24:MI:SS') END
WHERE registration_closes_at IS NULL AND is_cancelled = FALSE AND (registration_opens_at >= start_at
    OR (is_published = TRUE AND CAST(extract(EPOCH FROM now()) * 1000000 AS BIGINT) BETWEEN start_at AND CASE WHEN end_at > start_at THEN end_at ELSE start_at + 10800000000 END));
