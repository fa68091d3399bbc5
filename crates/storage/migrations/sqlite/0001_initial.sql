-- Times are microseconds since the epoch, ids are the 16 bytes of a UUID, JSON is text; see docs of core-service/src/storage.rs.

CREATE TABLE accounts (
    id BLOB NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    email_norm TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    timezone TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id),
    label TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;

CREATE INDEX api_keys_of_account ON api_keys (account_id);

CREATE TABLE events (
    id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL REFERENCES accounts (id),
    slug TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    location TEXT NOT NULL,
    city TEXT,
    start_at INTEGER NOT NULL,
    start_local TEXT NOT NULL,
    end_at INTEGER,
    end_local TEXT,
    timezone TEXT NOT NULL,
    effective_end INTEGER NOT NULL,
    max_capacity INTEGER NOT NULL,
    is_published INTEGER NOT NULL,
    is_listed INTEGER NOT NULL,
    is_cancelled INTEGER NOT NULL,
    cancel_reason TEXT,
    cancelled_at INTEGER,
    -- Published, listed, not cancelled and, as far as the sweeper has come, not ended.
    live INTEGER NOT NULL,
    image_query TEXT,
    custom_fields TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- A page of the catalogue is read from this index alone; the rows of the page are joined afterwards.
CREATE INDEX events_catalogue ON events (live, start_at, id, effective_end);
-- What the sweeper clears, and what the catalogue's total leaves out until then.
CREATE INDEX events_live_end ON events (live, effective_end);
CREATE INDEX events_of_account ON events (account_id, start_at, id);
-- The active-event quota.
CREATE INDEX events_active_of_account ON events (account_id, effective_end) WHERE is_cancelled = FALSE;

-- Narrow and apart from events, so that edits and seats do not contend; its row is the event's mutex.
CREATE TABLE event_counters (
    event_id BLOB NOT NULL PRIMARY KEY REFERENCES events (id),
    confirmed INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    waitlisted INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    next_seq INTEGER NOT NULL
) STRICT;

CREATE TABLE registrations (
    id BLOB NOT NULL PRIMARY KEY,
    event_id BLOB NOT NULL REFERENCES events (id),
    seq INTEGER NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    email_norm TEXT NOT NULL,
    status TEXT NOT NULL,
    answers TEXT NOT NULL,
    checked_in_at INTEGER,
    registered_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX registrations_active_email ON registrations (event_id, email_norm) WHERE status <> 'Cancelled';
CREATE UNIQUE INDEX registrations_order ON registrations (event_id, seq);
-- Promotion from the waitlist.
CREATE INDEX registrations_by_status ON registrations (event_id, status, seq);

CREATE TABLE jobs (
    kind TEXT NOT NULL,
    subject_id BLOB NOT NULL,
    generation INTEGER NOT NULL,
    -- Counts the claims, and so tells a lease from the one that follows it.
    attempts INTEGER NOT NULL,
    -- Not to be claimed before; a lease moves it to the lease's end.
    due_at INTEGER NOT NULL,
    dead_at INTEGER,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (kind, subject_id, generation)
) STRICT, WITHOUT ROWID;

CREATE INDEX jobs_due ON jobs (kind, due_at) WHERE dead_at IS NULL;

CREATE TABLE audit_log (
    id BLOB NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    account_id BLOB,
    actor TEXT NOT NULL,
    key_id BLOB,
    action TEXT NOT NULL,
    subject_id BLOB NOT NULL,
    before TEXT,
    after TEXT,
    reason TEXT
) STRICT;

CREATE INDEX audit_log_of_subject ON audit_log (subject_id, at);

-- How many events are live, in shards so that creates do not queue for one row.
CREATE TABLE catalogue_totals (
    shard INTEGER NOT NULL PRIMARY KEY,
    live INTEGER NOT NULL
) STRICT;

INSERT INTO catalogue_totals (shard, live)
VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0),
    (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0);
