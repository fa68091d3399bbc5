-- How many changes of what the public catalogue shows have been committed. It is the sum over the shards, as the total is, so that
-- changes of different events seldom wait for each other.
ALTER TABLE catalogue_totals ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
