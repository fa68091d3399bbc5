-- Claims of a job that do not count as tries: the destination did not work, or the job was made due again by hand.
ALTER TABLE jobs ADD COLUMN excused INTEGER NOT NULL DEFAULT 0;
