-- Of which events another number of seats is left, for edges that keep answers. A shard's number counts its changes and is locked until the
-- commit, so what has a larger number is committed later: nothing that a reader of the numbers has not seen has a number that it has seen.
CREATE TABLE seat_versions (
    shard INTEGER NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
);

INSERT INTO seat_versions (shard, version)
VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0),
    (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0);

-- The last change of each event. A row of an event that is gone does no harm.
CREATE TABLE seat_changes (
    event_id UUID NOT NULL PRIMARY KEY,
    shard INTEGER NOT NULL,
    version BIGINT NOT NULL
);

CREATE INDEX seat_changes_of_shard ON seat_changes (shard, version);
