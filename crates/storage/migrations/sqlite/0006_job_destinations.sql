-- A job says where its work goes, and carries what its kind needs to know, instead of a number that each kind read in its own way.

ALTER TABLE jobs RENAME TO jobs_before;
DROP INDEX jobs_due;
DROP INDEX jobs_dead;

CREATE TABLE jobs (
    kind TEXT NOT NULL,
    subject_id BLOB NOT NULL,
    -- Tells repeated jobs of a kind for one subject apart; it means nothing else.
    occasion INTEGER NOT NULL,
    -- Where the work goes.
    destination TEXT NOT NULL,
    -- JSON, for the kinds that need to know something.
    payload TEXT,
    -- Counts the claims, and so tells a lease from the one that follows it.
    attempts INTEGER NOT NULL,
    -- Claims that do not count as tries: the destination did not work, or the job was made due again by hand.
    uncounted INTEGER NOT NULL,
    -- Not to be claimed before; a lease moves it to the lease's end.
    due_at INTEGER NOT NULL,
    failed_at INTEGER,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (kind, subject_id, occasion)
) STRICT, WITHOUT ROWID;

INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, failed_at, last_error, created_at)
SELECT kind, subject_id, generation,
    CASE kind WHEN 'stock_cover' THEN 'covers' ELSE 'mail' END,
    CASE
        WHEN kind = 'registration_cancelled_mail' AND generation = 1 THEN '{"held_a_seat":true}'
        WHEN kind = 'registration_cancelled_mail' THEN '{"held_a_seat":false}'
        WHEN kind = 'event_changed_mail' THEN '{"sequence":' || generation || '}'
    END,
    attempts, excused, due_at, dead_at, last_error, created_at
FROM jobs_before;

DROP TABLE jobs_before;

-- What is due for a destination, one kind at a time, and which destinations and kinds there are.
CREATE INDEX jobs_due ON jobs (destination, kind, due_at) WHERE failed_at IS NULL;
CREATE INDEX jobs_failed ON jobs (failed_at) WHERE failed_at IS NOT NULL;
