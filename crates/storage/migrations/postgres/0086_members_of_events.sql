-- Members for some events of an account only, and invitations to become one. Without rows they are for none.
ALTER TABLE memberships ADD COLUMN only_some_events BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE invitations ADD COLUMN only_some_events BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE member_events (
    account_id UUID NOT NULL,
    person_id UUID NOT NULL,
    event_id UUID NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    PRIMARY KEY (account_id, person_id, event_id),
    FOREIGN KEY (account_id, person_id) REFERENCES memberships (account_id, person_id) ON DELETE CASCADE
);

CREATE INDEX member_events_of_event ON member_events (event_id);

CREATE TABLE invitation_events (
    invitation_id UUID NOT NULL REFERENCES invitations (id) ON DELETE CASCADE,
    event_id UUID NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    PRIMARY KEY (invitation_id, event_id)
);

CREATE INDEX invitation_events_of_event ON invitation_events (event_id);
