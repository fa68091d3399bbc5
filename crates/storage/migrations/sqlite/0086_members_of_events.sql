-- Members for some events of an account only, and invitations to become one. Without rows they are for none.
ALTER TABLE memberships ADD COLUMN only_some_events INTEGER NOT NULL DEFAULT 0;
ALTER TABLE invitations ADD COLUMN only_some_events INTEGER NOT NULL DEFAULT 0;

CREATE TABLE member_events (
    account_id BLOB NOT NULL,
    person_id BLOB NOT NULL,
    event_id BLOB NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    PRIMARY KEY (account_id, person_id, event_id),
    FOREIGN KEY (account_id, person_id) REFERENCES memberships (account_id, person_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX member_events_of_event ON member_events (event_id);

CREATE TABLE invitation_events (
    invitation_id BLOB NOT NULL REFERENCES invitations (id) ON DELETE CASCADE,
    event_id BLOB NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    PRIMARY KEY (invitation_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX invitation_events_of_event ON invitation_events (event_id);
