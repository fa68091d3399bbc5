-- Whether guests may change their own answers until the event begins.
ALTER TABLE events ADD COLUMN allows_answer_changes BOOLEAN NOT NULL DEFAULT FALSE;
