-- When and where events were to take place before they were changed, for the mails that tell registrants. `fingerprint` is what
-- `registrations.told` has. Rows are removed after some weeks.
CREATE TABLE former_times (
    event_id BLOB NOT NULL REFERENCES events (id),
    fingerprint INTEGER NOT NULL,
    start_local TEXT NOT NULL,
    end_local TEXT,
    timezone TEXT NOT NULL,
    place TEXT NOT NULL,
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (event_id, fingerprint)
) STRICT, WITHOUT ROWID;
