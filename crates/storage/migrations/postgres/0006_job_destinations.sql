-- A job says where its work goes, and carries what its kind needs to know, instead of a number that each kind read in its own way.

DROP INDEX jobs_due;
DROP INDEX jobs_dead;

-- Tells repeated jobs of a kind for one subject apart; it means nothing else any more.
ALTER TABLE jobs RENAME COLUMN generation TO occasion;
-- Claims of a job that do not count as tries: the destination did not work, or the job was made due again by hand.
ALTER TABLE jobs RENAME COLUMN excused TO uncounted;
ALTER TABLE jobs RENAME COLUMN dead_at TO failed_at;
ALTER TABLE jobs ADD COLUMN destination TEXT;
-- JSON, for the kinds that need to know something.
ALTER TABLE jobs ADD COLUMN payload TEXT;

UPDATE jobs SET
    destination = CASE kind WHEN 'stock_cover' THEN 'covers' ELSE 'mail' END,
    payload = CASE
        WHEN kind = 'registration_cancelled_mail' AND occasion = 1 THEN '{"held_a_seat":true}'
        WHEN kind = 'registration_cancelled_mail' THEN '{"held_a_seat":false}'
        WHEN kind = 'event_changed_mail' THEN '{"sequence":' || occasion || '}'
    END;

ALTER TABLE jobs ALTER COLUMN destination SET NOT NULL;

-- What is due for a destination, one kind at a time, and which destinations and kinds there are.
CREATE INDEX jobs_due ON jobs (destination, kind, due_at) WHERE failed_at IS NULL;
CREATE INDEX jobs_failed ON jobs (failed_at) WHERE failed_at IS NOT NULL;
