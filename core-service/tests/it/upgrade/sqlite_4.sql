PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO _sqlx_migrations VALUES(1,'initial','2026-11-22 02:10:41',1,X'097a0bd727b5c133d2efc16f7b792dd99d345ab960f2b7639b576b144c16e25c37e889958fc8076dbeed8405cdfa143b',19334512);
INSERT INTO _sqlx_migrations VALUES(2,'registering','2026-11-22 02:10:41',1,X'583e164cca913764ae0b062313ee22df9076dbadd49887343be484ff1fb2d9a503854b34f44eec432cc1ac1cb778b68d',7794267);
INSERT INTO _sqlx_migrations VALUES(3,'excused_jobs','2026-11-22 02:10:41',1,X'a169f785d2c968bbfe8647d314bf88aabf5124de65dd9a53b86407e8fb2d9dcb6e9e3f81b862116a54c72708f859197e',11894251);
INSERT INTO _sqlx_migrations VALUES(4,'stock_covers','2026-11-22 02:10:41',1,X'e28822c4aacff80165e70bb91a09cbd1228dc9c05dde9ba6d9a485adbc9e8be5ae6388210915a75fd16af283601d9079',14190627);
CREATE TABLE accounts (
    id BLOB NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    email_norm TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    timezone TEXT,
    created_at INTEGER NOT NULL
) STRICT;
INSERT INTO accounts VALUES(X'01b8dac5b4007003a86ae9e0c207865f','olga@example.org','olga@example.org','Olga Owner','business',NULL,1893456000000000);
INSERT INTO accounts VALUES(X'01b8dac5b40070019dff29f19d9b0ca8','Free@example.org','free@example.org','Free','free','Europe/Berlin',1893456000000000);
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
INSERT INTO api_keys VALUES(X'01b8dac5b40070019fe3b5885a806df6',X'01b8dac5b4007003a86ae9e0c207865f','laptop',X'3fe40cc45e078d83e0012746260567b7d336f4c684d73f702b6d550f285a6fdf',1893456000000000,NULL,NULL,NULL);
INSERT INTO api_keys VALUES(X'01b8dac5b40070019dbfc40d55ad0ae3',X'01b8dac5b4007003a86ae9e0c207865f','upgrade',X'74d827df4bedd2e215979b2e27b2a231afb32b841a4d7d912c7d7725678a2860',1893456000000000,NULL,NULL,NULL);
INSERT INTO api_keys VALUES(X'01b8dac5b400700385cfb8484329c8f9',X'01b8dac5b4007003a86ae9e0c207865f','lost',X'02a8fc24161fa46dae769669213410ae94d5664c979d54ce9018d1b28c7d27ee',1893456000000000,NULL,NULL,1893456000000000);
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
, requires_approval INTEGER NOT NULL DEFAULT 0, image_credit TEXT) STRICT;
INSERT INTO events VALUES(X'01b8dac5b4007001929d5927d7bfd506',X'01b8dac5b4007003a86ae9e0c207865f','full-house','Full house','Talks.','Hall',NULL,1893459600000000,'2030-01-01T01:00:00',1893463200000000,'2030-01-01T02:00:00','UTC',1893463200000000,1,1,1,0,NULL,NULL,1,NULL,'[]',0,1893456000000000,1893456000000000,0,NULL);
INSERT INTO events VALUES(X'01b8dac69e6070019719efb400f925c4',X'01b8dac5b4007003a86ae9e0c207865f','moved-twice','Moved twice','Talks.','Tempelhof',NULL,1893459600000000,'2030-01-01T01:00:00',1893463200000000,'2030-01-01T02:00:00','UTC',1893463200000000,9,1,1,0,NULL,NULL,1,'crab','[]',2,1893456060000000,1893456060000000,0,NULL);
INSERT INTO events VALUES(X'01b8dac69e607001a709f4e423fda600',X'01b8dac5b4007003a86ae9e0c207865f','asks-first','Asks first','Talks.','Hall',NULL,1893459600000000,'2030-01-01T01:00:00',1893463200000000,'2030-01-01T02:00:00','UTC',1893463200000000,9,1,1,0,NULL,NULL,1,NULL,'[]',0,1893456060000000,1893456060000000,1,NULL);
INSERT INTO events VALUES(X'01b8dac69e607000a2f974d9e498ccc8',X'01b8dac5b4007003a86ae9e0c207865f','called-off','Called off','Talks.','Hall',NULL,1893459600000000,'2030-01-01T01:00:00',1893463200000000,'2030-01-01T02:00:00','UTC',1893463200000000,9,1,1,1,'Rain',1893456060000000,0,NULL,'[]',0,1893456060000000,1893456060000000,0,NULL);
INSERT INTO events VALUES(X'01b8dac69e607003be92f07f99ebe594',X'01b8dac5b4007003a86ae9e0c207865f','draft','Draft','Talks.','Hall',NULL,1893459600000000,'2030-01-01T01:00:00',1893463200000000,'2030-01-01T02:00:00','UTC',1893463200000000,100,0,1,0,NULL,NULL,0,NULL,'[]',0,1893456060000000,1893456060000000,0,NULL);
INSERT INTO events VALUES(X'01b8dac69e607001a6468896ae7944b6',X'01b8dac5b4007003a86ae9e0c207865f','pictured','Pictured','Talks.','Hall',NULL,1893459600000000,'2030-01-01T01:00:00',1893463200000000,'2030-01-01T02:00:00','UTC',1893463200000000,100,1,1,0,NULL,NULL,1,NULL,'[]',0,1893456060000000,1893456060000000,0,'{"title":null,"author":"Lukas Rodriguez","author_url":null,"source":"Pexels","source_url":null,"license":"Pexels License","license_url":null}');
CREATE TABLE event_counters (
    event_id BLOB NOT NULL PRIMARY KEY REFERENCES events (id),
    confirmed INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    waitlisted INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    next_seq INTEGER NOT NULL
) STRICT;
INSERT INTO event_counters VALUES(X'01b8dac5b4007001929d5927d7bfd506',1,0,1,2,5);
INSERT INTO event_counters VALUES(X'01b8dac69e6070019719efb400f925c4',1,0,0,0,2);
INSERT INTO event_counters VALUES(X'01b8dac69e607001a709f4e423fda600',1,1,0,0,3);
INSERT INTO event_counters VALUES(X'01b8dac69e607000a2f974d9e498ccc8',2,0,0,0,3);
INSERT INTO event_counters VALUES(X'01b8dac69e607003be92f07f99ebe594',0,0,0,0,1);
INSERT INTO event_counters VALUES(X'01b8dac69e607001a6468896ae7944b6',0,0,0,0,1);
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
, updated_at INTEGER NOT NULL DEFAULT 0, search_text TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO registrations VALUES(X'01b8dac5b40070038e09288893b1c25c',X'01b8dac5b4007001929d5927d7bfd506',1,'ada','ada@example.org','ada@example.org','Cancelled','[]',NULL,1893456000000000,1893456060000000,'ada ada@example.org');
INSERT INTO registrations VALUES(X'01b8dac5b40070038dc59588f809912f',X'01b8dac5b4007001929d5927d7bfd506',2,'bob','bob@example.org','bob@example.org','Confirmed','[]',NULL,1893456000000000,1893456060000000,'bob bob@example.org');
INSERT INTO registrations VALUES(X'01b8dac5b40070019d61250412dddda1',X'01b8dac5b4007001929d5927d7bfd506',3,'cleo','cleo@example.org','cleo@example.org','Cancelled','[]',NULL,1893456000000000,1893456060000000,'cleo cleo@example.org');
INSERT INTO registrations VALUES(X'01b8dac5b400700195789e0d65d46a5f',X'01b8dac5b4007001929d5927d7bfd506',4,'dan','dan@example.org','dan@example.org','Waitlisted','[]',NULL,1893456000000000,1893456060000000,'dan dan@example.org');
INSERT INTO registrations VALUES(X'01b8dac69e6070039dd24a5566426389',X'01b8dac69e6070019719efb400f925c4',1,'emil','emil@example.org','emil@example.org','Confirmed','[]',NULL,1893456060000000,1893456060000000,'emil emil@example.org');
INSERT INTO registrations VALUES(X'01b8dac69e607001a5fcfa99320037fb',X'01b8dac69e607001a709f4e423fda600',1,'fay','fay@example.org','fay@example.org','Confirmed','[]',1893456060000000,1893456060000000,1893456060000000,'fay fay@example.org');
INSERT INTO registrations VALUES(X'01b8dac69e607001891c9a885ea0d2ff',X'01b8dac69e607001a709f4e423fda600',2,'gus','gus@example.org','gus@example.org','Pending','[]',NULL,1893456060000000,1893456060000000,'gus gus@example.org');
INSERT INTO registrations VALUES(X'01b8dac69e607000bf00a742655e201f',X'01b8dac69e607000a2f974d9e498ccc8',1,'hal','hal@example.org','hal@example.org','Confirmed','[]',NULL,1893456060000000,1893456060000000,'hal hal@example.org');
INSERT INTO registrations VALUES(X'01b8dac69e607001bc1e37cf780cda03',X'01b8dac69e607000a2f974d9e498ccc8',2,'ida','ida@example.org','ida@example.org','Confirmed','[]',NULL,1893456060000000,1893456060000000,'ida ida@example.org');
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
    created_at INTEGER NOT NULL, excused INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, subject_id, generation)
) STRICT, WITHOUT ROWID;
INSERT INTO jobs VALUES('approved_mail',X'01b8dac69e607001a5fcfa99320037fb',0,1,1893456150000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('cancellation_mail',X'01b8dac69e607000bf00a742655e201f',0,1,1893456150000000,1893456060000000,'answers 550',1893456060000000,0);
INSERT INTO jobs VALUES('cancellation_mail',X'01b8dac69e607001bc1e37cf780cda03',0,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('event_changed_mail',X'01b8dac69e6070039dd24a5566426389',1,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('event_changed_mail',X'01b8dac69e6070039dd24a5566426389',2,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('pending_mail',X'01b8dac69e607001891c9a885ea0d2ff',0,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('pending_mail',X'01b8dac69e607001a5fcfa99320037fb',0,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('promoted_mail',X'01b8dac5b40070038dc59588f809912f',0,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('registered_again_mail',X'01b8dac5b400700195789e0d65d46a5f',31557601,1,1893456065000000,NULL,'connection refused',1893456060000000,1);
INSERT INTO jobs VALUES('registered_mail',X'01b8dac5b40070038e09288893b1c25c',0,0,1893456000000000,NULL,NULL,1893456000000000,0);
INSERT INTO jobs VALUES('registered_mail',X'01b8dac69e607000bf00a742655e201f',0,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('registered_mail',X'01b8dac69e607001bc1e37cf780cda03',0,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('registered_mail',X'01b8dac69e6070039dd24a5566426389',0,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('registration_cancelled_mail',X'01b8dac5b40070019d61250412dddda1',0,1,1893456090000000,NULL,'answers 451',1893456060000000,0);
INSERT INTO jobs VALUES('registration_cancelled_mail',X'01b8dac5b40070038e09288893b1c25c',1,1,1893456150000000,1893456060000000,'answers 550',1893456060000000,0);
INSERT INTO jobs VALUES('stock_cover',X'01b8dac69e6070019719efb400f925c4',31557601,0,1893456060000000,NULL,NULL,1893456060000000,0);
INSERT INTO jobs VALUES('waitlisted_mail',X'01b8dac5b400700195789e0d65d46a5f',0,0,1893456000000000,NULL,NULL,1893456000000000,0);
INSERT INTO jobs VALUES('waitlisted_mail',X'01b8dac5b40070019d61250412dddda1',0,0,1893456000000000,NULL,NULL,1893456000000000,0);
INSERT INTO jobs VALUES('waitlisted_mail',X'01b8dac5b40070038dc59588f809912f',0,0,1893456000000000,NULL,NULL,1893456000000000,0);
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
INSERT INTO audit_log VALUES(X'01b8dac5b40070009d4ecdbc8b0f4632',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','admin',NULL,'account.create',X'01b8dac5b4007003a86ae9e0c207865f',NULL,'{"plan":"business"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b400700081a423dd9e1f687d',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','admin',NULL,'key.create',X'01b8dac5b40070019fe3b5885a806df6',NULL,'{"label":"laptop"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b40070038896d5a7b8485086',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','admin',NULL,'key.create',X'01b8dac5b40070019dbfc40d55ad0ae3',NULL,'{"label":"upgrade"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b4007000aa98ac449b038e87',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','admin',NULL,'key.create',X'01b8dac5b400700385cfb8484329c8f9',NULL,'{"label":"lost"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b4007001a8deb5a702d0ced9',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','admin',NULL,'key.revoke',X'01b8dac5b400700385cfb8484329c8f9',NULL,NULL,NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b4007000bd646bcc73b500b9',1893456000000000,X'01b8dac5b40070019dff29f19d9b0ca8','admin',NULL,'account.create',X'01b8dac5b40070019dff29f19d9b0ca8',NULL,'{"plan":"free"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b400700088014208a5e63440',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.create',X'01b8dac5b4007001929d5927d7bfd506',NULL,'{"title":"Full house","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":1,"is_published":true,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":null,"custom_fields":[]}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b40070029e9a8a60f86fd725',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac5b40070038e09288893b1c25c',NULL,'{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506","status":"Confirmed"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b4007002b82241f09904d817',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac5b40070038dc59588f809912f',NULL,'{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506","status":"Waitlisted"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b4007001aed95a45ec730f04',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac5b40070019d61250412dddda1',NULL,'{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506","status":"Waitlisted"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac5b4007002bb07a6274121c7bc',1893456000000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac5b400700195789e0d65d46a5f',NULL,'{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506","status":"Waitlisted"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607003bc579f516de32e84',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.repeat',X'01b8dac5b400700195789e0d65d46a5f',NULL,'{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e6070028d2bb4a0c57bf6dc',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','registration.cancel',X'01b8dac5b40070038e09288893b1c25c','{"status":"Confirmed","checked_in":false}','{"status":"Cancelled","checked_in":false}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607002862d705661afa67d',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.promote_waitlist',X'01b8dac5b4007001929d5927d7bfd506',NULL,'{"promoted":1}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607003a9813d479deb7711',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','registration.cancel',X'01b8dac5b40070019d61250412dddda1','{"status":"Waitlisted","checked_in":false}','{"status":"Cancelled","checked_in":false}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607003a41934bd3e6c4e8f',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.create',X'01b8dac69e6070019719efb400f925c4',NULL,'{"title":"Moved twice","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":9,"is_published":true,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":"crab","custom_fields":[]}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e6070029becad6dcf1adc33',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac69e6070039dd24a5566426389',NULL,'{"event_id":"01b8dac6-9e60-7001-9719-efb400f925c4","status":"Confirmed"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607001b08ab766d1bf8c8a',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.update',X'01b8dac69e6070019719efb400f925c4','{"location":"Hall"}','{"location":"Betahaus"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e60700399a665e6e20ad4be',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.update',X'01b8dac69e6070019719efb400f925c4','{"location":"Betahaus"}','{"location":"Tempelhof"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e6070009688d9006a645b27',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.create',X'01b8dac69e607001a709f4e423fda600',NULL,'{"title":"Asks first","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":9,"is_published":true,"is_listed":true,"requires_approval":true,"is_cancelled":false,"image_query":null,"custom_fields":[]}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607002a9e3c4fa0d2ced29',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac69e607001a5fcfa99320037fb',NULL,'{"event_id":"01b8dac6-9e60-7001-a709-f4e423fda600","status":"Pending"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607001be0728d4333d85f1',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac69e607001891c9a885ea0d2ff',NULL,'{"event_id":"01b8dac6-9e60-7001-a709-f4e423fda600","status":"Pending"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607000b68806f8669c5aca',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','registration.approve',X'01b8dac69e607001a5fcfa99320037fb','{"status":"Pending","checked_in":false}','{"status":"Confirmed","checked_in":false}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e6070038d9312347ff0973c',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','registration.check_in',X'01b8dac69e607001a5fcfa99320037fb','{"status":"Confirmed","checked_in":false}','{"status":"Confirmed","checked_in":true}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607002b38a0f38e3632156',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.create',X'01b8dac69e607000a2f974d9e498ccc8',NULL,'{"title":"Called off","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":9,"is_published":true,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":null,"custom_fields":[]}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607002b6c27d1ea34e970f',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac69e607000bf00a742655e201f',NULL,'{"event_id":"01b8dac6-9e60-7000-a2f9-74d9e498ccc8","status":"Confirmed"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607000bb4fd1423ec489dc',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','attendee',NULL,'registration.create',X'01b8dac69e607001bc1e37cf780cda03',NULL,'{"event_id":"01b8dac6-9e60-7000-a2f9-74d9e498ccc8","status":"Confirmed"}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e6070038be8599403b24c26',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.cancel',X'01b8dac69e607000a2f974d9e498ccc8','{"is_cancelled":false}','{"is_cancelled":true}','Rain');
INSERT INTO audit_log VALUES(X'01b8dac69e607001b5fd8cf4be8ddff3',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.create',X'01b8dac69e607003be92f07f99ebe594',NULL,'{"title":"Draft","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":100,"is_published":false,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":null,"custom_fields":[]}',NULL);
INSERT INTO audit_log VALUES(X'01b8dac69e607001be8ed5611ddf2e45',1893456060000000,X'01b8dac5b4007003a86ae9e0c207865f','key',X'01b8dac5b40070019fe3b5885a806df6','event.create',X'01b8dac69e607001a6468896ae7944b6',NULL,'{"title":"Pictured","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":100,"is_published":true,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":null,"custom_fields":[]}',NULL);
CREATE TABLE catalogue_totals (
    shard INTEGER NOT NULL PRIMARY KEY,
    live INTEGER NOT NULL
) STRICT;
INSERT INTO catalogue_totals VALUES(0,1);
INSERT INTO catalogue_totals VALUES(1,0);
INSERT INTO catalogue_totals VALUES(2,0);
INSERT INTO catalogue_totals VALUES(3,0);
INSERT INTO catalogue_totals VALUES(4,1);
INSERT INTO catalogue_totals VALUES(5,0);
INSERT INTO catalogue_totals VALUES(6,2);
INSERT INTO catalogue_totals VALUES(7,0);
INSERT INTO catalogue_totals VALUES(8,0);
INSERT INTO catalogue_totals VALUES(9,0);
INSERT INTO catalogue_totals VALUES(10,0);
INSERT INTO catalogue_totals VALUES(11,0);
INSERT INTO catalogue_totals VALUES(12,0);
INSERT INTO catalogue_totals VALUES(13,0);
INSERT INTO catalogue_totals VALUES(14,0);
INSERT INTO catalogue_totals VALUES(15,0);
CREATE TABLE registration_links (
    hash BLOB NOT NULL PRIMARY KEY,
    registration_id BLOB NOT NULL REFERENCES registrations (id),
    created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE stock_covers (
    event_id BLOB NOT NULL PRIMARY KEY REFERENCES events (id),
    jpeg BLOB NOT NULL,
    -- SHA-256 of the file.
    digest BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
INSERT INTO stock_covers VALUES(X'01b8dac69e607001a6468896ae7944b6',X'ffd8',X'71563ad80061407ede9c6f316836284bd3710a520c5a792b5eda1cb703690815',1893456000000000);
CREATE INDEX api_keys_of_account ON api_keys (account_id);
CREATE INDEX events_catalogue ON events (live, start_at, id, effective_end);
CREATE INDEX events_live_end ON events (live, effective_end);
CREATE INDEX events_of_account ON events (account_id, start_at, id);
CREATE INDEX events_active_of_account ON events (account_id, effective_end) WHERE is_cancelled = FALSE;
CREATE UNIQUE INDEX registrations_active_email ON registrations (event_id, email_norm) WHERE status <> 'Cancelled';
CREATE UNIQUE INDEX registrations_order ON registrations (event_id, seq);
CREATE INDEX registrations_by_status ON registrations (event_id, status, seq);
CREATE INDEX jobs_due ON jobs (kind, due_at) WHERE dead_at IS NULL;
CREATE INDEX audit_log_of_subject ON audit_log (subject_id, at);
CREATE INDEX registrations_of_email ON registrations (email_norm);
CREATE INDEX registration_links_of_registration ON registration_links (registration_id);
CREATE INDEX audit_log_by_time ON audit_log (at);
CREATE INDEX jobs_dead ON jobs (dead_at) WHERE dead_at IS NOT NULL;
COMMIT;
