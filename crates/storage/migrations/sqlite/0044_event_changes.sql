-- Which of an account's events have changed, for a core that keeps what their owner's searches look at. Every change of an event takes the next
-- number of its shard, which is locked until the commit: who has seen a number has seen all changes of the shard with lower ones. Numbers of
-- a shard begin at 2^48 times the shard. Events of before have none until they change.
CREATE TABLE event_changes (
    shard INTEGER NOT NULL PRIMARY KEY,
    latest INTEGER NOT NULL
) STRICT;

INSERT INTO event_changes (shard, latest)
VALUES (0, 0), (1, 281474976710656), (2, 562949953421312), (3, 844424930131968),
    (4, 1125899906842624), (5, 1407374883553280), (6, 1688849860263936), (7, 1970324836974592),
    (8, 2251799813685248), (9, 2533274790395904), (10, 2814749767106560), (11, 3096224743817216),
    (12, 3377699720527872), (13, 3659174697238528), (14, 3940649673949184), (15, 4222124650659840);

ALTER TABLE events ADD COLUMN change_number INTEGER NOT NULL DEFAULT 0;
CREATE INDEX events_changed ON events (account_id, change_number) WHERE change_number > 0;

-- Drafts that are gone, for a day.
CREATE TABLE deleted_drafts (
    event_id BLOB NOT NULL PRIMARY KEY,
    account_id BLOB NOT NULL,
    change_number INTEGER NOT NULL,
    deleted_at INTEGER NOT NULL
) STRICT;

CREATE INDEX deleted_drafts_of_account ON deleted_drafts (account_id, change_number);
CREATE INDEX deleted_drafts_by_time ON deleted_drafts (deleted_at);
