CREATE TABLE public._sqlx_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
);
CREATE TABLE public.accounts (
    id uuid NOT NULL,
    email text NOT NULL,
    email_norm text NOT NULL,
    name text NOT NULL,
    plan text NOT NULL,
    timezone text,
    created_at bigint NOT NULL
);
CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    label text NOT NULL,
    hash bytea NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint,
    expires_at bigint,
    revoked_at bigint
);
CREATE TABLE public.audit_log (
    id uuid NOT NULL,
    at bigint NOT NULL,
    account_id uuid,
    actor text NOT NULL,
    key_id uuid,
    action text NOT NULL,
    subject_id uuid NOT NULL,
    before text,
    after text,
    reason text
);
CREATE TABLE public.catalogue_totals (
    shard integer NOT NULL,
    live bigint NOT NULL
);
CREATE TABLE public.event_counters (
    event_id uuid NOT NULL,
    confirmed integer NOT NULL,
    pending integer NOT NULL,
    waitlisted integer NOT NULL,
    cancelled integer NOT NULL,
    next_seq bigint NOT NULL
);
CREATE TABLE public.events (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    slug text NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    location text NOT NULL,
    city text,
    start_at bigint NOT NULL,
    start_local text NOT NULL,
    end_at bigint,
    end_local text,
    timezone text NOT NULL,
    effective_end bigint NOT NULL,
    max_capacity integer NOT NULL,
    is_published boolean NOT NULL,
    is_listed boolean NOT NULL,
    is_cancelled boolean NOT NULL,
    cancel_reason text,
    cancelled_at bigint,
    live boolean NOT NULL,
    image_query text,
    custom_fields text NOT NULL,
    sequence integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    requires_approval boolean DEFAULT false NOT NULL,
    image_credit text
);
CREATE TABLE public.jobs (
    kind text NOT NULL,
    subject_id uuid NOT NULL,
    generation integer NOT NULL,
    attempts integer NOT NULL,
    due_at bigint NOT NULL,
    dead_at bigint,
    last_error text,
    created_at bigint NOT NULL,
    excused integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.registration_links (
    hash bytea NOT NULL,
    registration_id uuid NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.registrations (
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    seq bigint NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    email_norm text NOT NULL,
    status text NOT NULL,
    answers text NOT NULL,
    checked_in_at bigint,
    registered_at bigint NOT NULL,
    updated_at bigint DEFAULT 0 NOT NULL,
    search_text text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.stock_covers (
    event_id uuid NOT NULL,
    jpeg bytea NOT NULL,
    digest bytea NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE ONLY public.stock_covers ALTER COLUMN jpeg SET STORAGE EXTERNAL;
INSERT INTO public._sqlx_migrations VALUES (1, 'initial', '2026-11-22 02:10:44.807436+00', true, '\x348b9e385e2505c325c81c4efe5158b253211d51b289db241066c8f6da5336ca06901f6ddb83f53e624788d3e798ee0d', 61354322);
INSERT INTO public._sqlx_migrations VALUES (2, 'registering', '2026-11-22 02:10:44.879425+00', true, '\xad039f1485887211de61bf093aad549ba8e883710944b34622eac1bec057440ebe2df99df5dcfc3bf1eb0449cb71d6d0', 23677494);
INSERT INTO public._sqlx_migrations VALUES (3, 'excused_jobs', '2026-11-22 02:10:44.907424+00', true, '\xa169f785d2c968bbfe8647d314bf88aabf5124de65dd9a53b86407e8fb2d9dcb6e9e3f81b862116a54c72708f859197e', 15743305);
INSERT INTO public._sqlx_migrations VALUES (4, 'stock_covers', '2026-11-22 02:10:44.927423+00', true, '\x9d60ba61f9db07ae583031873cb194e0fc5fefdc1244192638e4e5df24175c6bf18c9e1f181ce605329e8cd4e1c6bcf9', 12326816);
INSERT INTO public._sqlx_migrations VALUES (5, 'events_known_to_be_there', '2026-11-22 02:10:44.936504+00', true, '\x97648a063666345d767720420a983ed92c3f3f52424cf892c4bbb9529f36345d85de072589af147c1fe71f35ea37d6fe', 1025792);
INSERT INTO public.accounts VALUES ('01b8dac5-b400-7003-a86a-e9e0c207865f', 'olga@example.org', 'olga@example.org', 'Olga Owner', 'business', NULL, 1893456000000000);
INSERT INTO public.accounts VALUES ('01b8dac5-b400-7001-9dff-29f19d9b0ca8', 'Free@example.org', 'free@example.org', 'Free', 'free', 'Europe/Berlin', 1893456000000000);
INSERT INTO public.api_keys VALUES ('01b8dac5-b400-7001-9fe3-b5885a806df6', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'laptop', '\x3fe40cc45e078d83e0012746260567b7d336f4c684d73f702b6d550f285a6fdf', 1893456000000000, NULL, NULL, NULL);
INSERT INTO public.api_keys VALUES ('01b8dac5-b400-7001-9dbf-c40d55ad0ae3', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'upgrade', '\x74d827df4bedd2e215979b2e27b2a231afb32b841a4d7d912c7d7725678a2860', 1893456000000000, NULL, NULL, NULL);
INSERT INTO public.api_keys VALUES ('01b8dac5-b400-7003-85cf-b8484329c8f9', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'lost', '\x02a8fc24161fa46dae769669213410ae94d5664c979d54ce9018d1b28c7d27ee', 1893456000000000, NULL, NULL, 1893456000000000);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7000-9d4e-cdbc8b0f4632', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'admin', NULL, 'account.create', '01b8dac5-b400-7003-a86a-e9e0c207865f', NULL, '{"plan":"business"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7000-81a4-23dd9e1f687d', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'admin', NULL, 'key.create', '01b8dac5-b400-7001-9fe3-b5885a806df6', NULL, '{"label":"laptop"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7003-8896-d5a7b8485086', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'admin', NULL, 'key.create', '01b8dac5-b400-7001-9dbf-c40d55ad0ae3', NULL, '{"label":"upgrade"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7000-aa98-ac449b038e87', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'admin', NULL, 'key.create', '01b8dac5-b400-7003-85cf-b8484329c8f9', NULL, '{"label":"lost"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7001-a8de-b5a702d0ced9', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'admin', NULL, 'key.revoke', '01b8dac5-b400-7003-85cf-b8484329c8f9', NULL, NULL, NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7000-bd64-6bcc73b500b9', 1893456000000000, '01b8dac5-b400-7001-9dff-29f19d9b0ca8', 'admin', NULL, 'account.create', '01b8dac5-b400-7001-9dff-29f19d9b0ca8', NULL, '{"plan":"free"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7000-8801-4208a5e63440', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.create', '01b8dac5-b400-7001-929d-5927d7bfd506', NULL, '{"title":"Full house","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":1,"is_published":true,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":null,"custom_fields":[]}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7002-9e9a-8a60f86fd725', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac5-b400-7003-8e09-288893b1c25c', NULL, '{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506","status":"Confirmed"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7002-b822-41f09904d817', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac5-b400-7003-8dc5-9588f809912f', NULL, '{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506","status":"Waitlisted"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7001-aed9-5a45ec730f04', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac5-b400-7001-9d61-250412dddda1', NULL, '{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506","status":"Waitlisted"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac5-b400-7002-bb07-a6274121c7bc', 1893456000000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac5-b400-7001-9578-9e0d65d46a5f', NULL, '{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506","status":"Waitlisted"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7003-bc57-9f516de32e84', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.repeat', '01b8dac5-b400-7001-9578-9e0d65d46a5f', NULL, '{"event_id":"01b8dac5-b400-7001-929d-5927d7bfd506"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7002-8d2b-b4a0c57bf6dc', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'registration.cancel', '01b8dac5-b400-7003-8e09-288893b1c25c', '{"status":"Confirmed","checked_in":false}', '{"status":"Cancelled","checked_in":false}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7002-862d-705661afa67d', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.promote_waitlist', '01b8dac5-b400-7001-929d-5927d7bfd506', NULL, '{"promoted":1}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7003-a981-3d479deb7711', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'registration.cancel', '01b8dac5-b400-7001-9d61-250412dddda1', '{"status":"Waitlisted","checked_in":false}', '{"status":"Cancelled","checked_in":false}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7003-a419-34bd3e6c4e8f', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.create', '01b8dac6-9e60-7001-9719-efb400f925c4', NULL, '{"title":"Moved twice","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":9,"is_published":true,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":"crab","custom_fields":[]}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7002-9bec-ad6dcf1adc33', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac6-9e60-7003-9dd2-4a5566426389', NULL, '{"event_id":"01b8dac6-9e60-7001-9719-efb400f925c4","status":"Confirmed"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7001-b08a-b766d1bf8c8a', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.update', '01b8dac6-9e60-7001-9719-efb400f925c4', '{"location":"Hall"}', '{"location":"Betahaus"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7003-99a6-65e6e20ad4be', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.update', '01b8dac6-9e60-7001-9719-efb400f925c4', '{"location":"Betahaus"}', '{"location":"Tempelhof"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7000-9688-d9006a645b27', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.create', '01b8dac6-9e60-7001-a709-f4e423fda600', NULL, '{"title":"Asks first","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":9,"is_published":true,"is_listed":true,"requires_approval":true,"is_cancelled":false,"image_query":null,"custom_fields":[]}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7002-a9e3-c4fa0d2ced29', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac6-9e60-7001-a5fc-fa99320037fb', NULL, '{"event_id":"01b8dac6-9e60-7001-a709-f4e423fda600","status":"Pending"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7001-be07-28d4333d85f1', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac6-9e60-7001-891c-9a885ea0d2ff', NULL, '{"event_id":"01b8dac6-9e60-7001-a709-f4e423fda600","status":"Pending"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7000-b688-06f8669c5aca', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'registration.approve', '01b8dac6-9e60-7001-a5fc-fa99320037fb', '{"status":"Pending","checked_in":false}', '{"status":"Confirmed","checked_in":false}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7003-8d93-12347ff0973c', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'registration.check_in', '01b8dac6-9e60-7001-a5fc-fa99320037fb', '{"status":"Confirmed","checked_in":false}', '{"status":"Confirmed","checked_in":true}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7002-b38a-0f38e3632156', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.create', '01b8dac6-9e60-7000-a2f9-74d9e498ccc8', NULL, '{"title":"Called off","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":9,"is_published":true,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":null,"custom_fields":[]}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7002-b6c2-7d1ea34e970f', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac6-9e60-7000-bf00-a742655e201f', NULL, '{"event_id":"01b8dac6-9e60-7000-a2f9-74d9e498ccc8","status":"Confirmed"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7000-bb4f-d1423ec489dc', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'attendee', NULL, 'registration.create', '01b8dac6-9e60-7001-bc1e-37cf780cda03', NULL, '{"event_id":"01b8dac6-9e60-7000-a2f9-74d9e498ccc8","status":"Confirmed"}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7003-8be8-599403b24c26', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.cancel', '01b8dac6-9e60-7000-a2f9-74d9e498ccc8', '{"is_cancelled":false}', '{"is_cancelled":true}', 'Rain');
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7001-b5fd-8cf4be8ddff3', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.create', '01b8dac6-9e60-7003-be92-f07f99ebe594', NULL, '{"title":"Draft","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":100,"is_published":false,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":null,"custom_fields":[]}', NULL);
INSERT INTO public.audit_log VALUES ('01b8dac6-9e60-7001-be8e-d5611ddf2e45', 1893456060000000, '01b8dac5-b400-7003-a86a-e9e0c207865f', 'key', '01b8dac5-b400-7001-9fe3-b5885a806df6', 'event.create', '01b8dac6-9e60-7001-a646-8896ae7944b6', NULL, '{"title":"Pictured","description":"Talks.","location":"Hall","city":null,"start_date":"2030-01-01T01:00:00Z","end_date":"2030-01-01T02:00:00Z","timezone":"UTC","max_capacity":100,"is_published":true,"is_listed":true,"requires_approval":false,"is_cancelled":false,"image_query":null,"custom_fields":[]}', NULL);
INSERT INTO public.catalogue_totals VALUES (1, 0);
INSERT INTO public.catalogue_totals VALUES (2, 0);
INSERT INTO public.catalogue_totals VALUES (3, 0);
INSERT INTO public.catalogue_totals VALUES (5, 0);
INSERT INTO public.catalogue_totals VALUES (7, 0);
INSERT INTO public.catalogue_totals VALUES (9, 0);
INSERT INTO public.catalogue_totals VALUES (10, 0);
INSERT INTO public.catalogue_totals VALUES (11, 0);
INSERT INTO public.catalogue_totals VALUES (12, 0);
INSERT INTO public.catalogue_totals VALUES (13, 0);
INSERT INTO public.catalogue_totals VALUES (14, 0);
INSERT INTO public.catalogue_totals VALUES (15, 0);
INSERT INTO public.catalogue_totals VALUES (4, 1);
INSERT INTO public.catalogue_totals VALUES (0, 1);
INSERT INTO public.catalogue_totals VALUES (8, 0);
INSERT INTO public.catalogue_totals VALUES (6, 2);
INSERT INTO public.event_counters VALUES ('01b8dac5-b400-7001-929d-5927d7bfd506', 1, 0, 1, 2, 5);
INSERT INTO public.event_counters VALUES ('01b8dac6-9e60-7001-9719-efb400f925c4', 1, 0, 0, 0, 2);
INSERT INTO public.event_counters VALUES ('01b8dac6-9e60-7001-a709-f4e423fda600', 1, 1, 0, 0, 3);
INSERT INTO public.event_counters VALUES ('01b8dac6-9e60-7000-a2f9-74d9e498ccc8', 2, 0, 0, 0, 3);
INSERT INTO public.event_counters VALUES ('01b8dac6-9e60-7003-be92-f07f99ebe594', 0, 0, 0, 0, 1);
INSERT INTO public.event_counters VALUES ('01b8dac6-9e60-7001-a646-8896ae7944b6', 0, 0, 0, 0, 1);
INSERT INTO public.events VALUES ('01b8dac5-b400-7001-929d-5927d7bfd506', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'full-house', 'Full house', 'Talks.', 'Hall', NULL, 1893459600000000, '2030-01-01T01:00:00', 1893463200000000, '2030-01-01T02:00:00', 'UTC', 1893463200000000, 1, true, true, false, NULL, NULL, true, NULL, '[]', 0, 1893456000000000, 1893456000000000, false, NULL);
INSERT INTO public.events VALUES ('01b8dac6-9e60-7001-9719-efb400f925c4', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'moved-twice', 'Moved twice', 'Talks.', 'Tempelhof', NULL, 1893459600000000, '2030-01-01T01:00:00', 1893463200000000, '2030-01-01T02:00:00', 'UTC', 1893463200000000, 9, true, true, false, NULL, NULL, true, 'crab', '[]', 2, 1893456060000000, 1893456060000000, false, NULL);
INSERT INTO public.events VALUES ('01b8dac6-9e60-7001-a709-f4e423fda600', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'asks-first', 'Asks first', 'Talks.', 'Hall', NULL, 1893459600000000, '2030-01-01T01:00:00', 1893463200000000, '2030-01-01T02:00:00', 'UTC', 1893463200000000, 9, true, true, false, NULL, NULL, true, NULL, '[]', 0, 1893456060000000, 1893456060000000, true, NULL);
INSERT INTO public.events VALUES ('01b8dac6-9e60-7000-a2f9-74d9e498ccc8', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'called-off', 'Called off', 'Talks.', 'Hall', NULL, 1893459600000000, '2030-01-01T01:00:00', 1893463200000000, '2030-01-01T02:00:00', 'UTC', 1893463200000000, 9, true, true, true, 'Rain', 1893456060000000, false, NULL, '[]', 0, 1893456060000000, 1893456060000000, false, NULL);
INSERT INTO public.events VALUES ('01b8dac6-9e60-7003-be92-f07f99ebe594', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'draft', 'Draft', 'Talks.', 'Hall', NULL, 1893459600000000, '2030-01-01T01:00:00', 1893463200000000, '2030-01-01T02:00:00', 'UTC', 1893463200000000, 100, false, true, false, NULL, NULL, false, NULL, '[]', 0, 1893456060000000, 1893456060000000, false, NULL);
INSERT INTO public.events VALUES ('01b8dac6-9e60-7001-a646-8896ae7944b6', '01b8dac5-b400-7003-a86a-e9e0c207865f', 'pictured', 'Pictured', 'Talks.', 'Hall', NULL, 1893459600000000, '2030-01-01T01:00:00', 1893463200000000, '2030-01-01T02:00:00', 'UTC', 1893463200000000, 100, true, true, false, NULL, NULL, true, NULL, '[]', 0, 1893456060000000, 1893456060000000, false, '{"title":null,"author":"Lukas Rodriguez","author_url":null,"source":"Pexels","source_url":null,"license":"Pexels License","license_url":null}');
INSERT INTO public.jobs VALUES ('registered_mail', '01b8dac5-b400-7003-8e09-288893b1c25c', 0, 0, 1893456000000000, NULL, NULL, 1893456000000000, 0);
INSERT INTO public.jobs VALUES ('waitlisted_mail', '01b8dac5-b400-7003-8dc5-9588f809912f', 0, 0, 1893456000000000, NULL, NULL, 1893456000000000, 0);
INSERT INTO public.jobs VALUES ('waitlisted_mail', '01b8dac5-b400-7001-9d61-250412dddda1', 0, 0, 1893456000000000, NULL, NULL, 1893456000000000, 0);
INSERT INTO public.jobs VALUES ('waitlisted_mail', '01b8dac5-b400-7001-9578-9e0d65d46a5f', 0, 0, 1893456000000000, NULL, NULL, 1893456000000000, 0);
INSERT INTO public.jobs VALUES ('promoted_mail', '01b8dac5-b400-7003-8dc5-9588f809912f', 0, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('registered_mail', '01b8dac6-9e60-7003-9dd2-4a5566426389', 0, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('event_changed_mail', '01b8dac6-9e60-7003-9dd2-4a5566426389', 1, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('event_changed_mail', '01b8dac6-9e60-7003-9dd2-4a5566426389', 2, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('pending_mail', '01b8dac6-9e60-7001-a5fc-fa99320037fb', 0, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('pending_mail', '01b8dac6-9e60-7001-891c-9a885ea0d2ff', 0, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('registered_mail', '01b8dac6-9e60-7000-bf00-a742655e201f', 0, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('registered_mail', '01b8dac6-9e60-7001-bc1e-37cf780cda03', 0, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('cancellation_mail', '01b8dac6-9e60-7001-bc1e-37cf780cda03', 0, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('stock_cover', '01b8dac6-9e60-7001-9719-efb400f925c4', 31557601, 0, 1893456060000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('registration_cancelled_mail', '01b8dac5-b400-7003-8e09-288893b1c25c', 1, 1, 1893456150000000, 1893456060000000, 'answers 550', 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('registration_cancelled_mail', '01b8dac5-b400-7001-9d61-250412dddda1', 0, 1, 1893456090000000, NULL, 'answers 451', 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('cancellation_mail', '01b8dac6-9e60-7000-bf00-a742655e201f', 0, 1, 1893456150000000, 1893456060000000, 'answers 550', 1893456060000000, 0);
INSERT INTO public.jobs VALUES ('registered_again_mail', '01b8dac5-b400-7001-9578-9e0d65d46a5f', 31557601, 1, 1893456065000000, NULL, 'connection refused', 1893456060000000, 1);
INSERT INTO public.jobs VALUES ('approved_mail', '01b8dac6-9e60-7001-a5fc-fa99320037fb', 0, 1, 1893456150000000, NULL, NULL, 1893456060000000, 0);
INSERT INTO public.registrations VALUES ('01b8dac5-b400-7001-9578-9e0d65d46a5f', '01b8dac5-b400-7001-929d-5927d7bfd506', 4, 'dan', 'dan@example.org', 'dan@example.org', 'Waitlisted', '[]', NULL, 1893456000000000, 1893456060000000, 'dan dan@example.org');
INSERT INTO public.registrations VALUES ('01b8dac5-b400-7003-8e09-288893b1c25c', '01b8dac5-b400-7001-929d-5927d7bfd506', 1, 'ada', 'ada@example.org', 'ada@example.org', 'Cancelled', '[]', NULL, 1893456000000000, 1893456060000000, 'ada ada@example.org');
INSERT INTO public.registrations VALUES ('01b8dac5-b400-7003-8dc5-9588f809912f', '01b8dac5-b400-7001-929d-5927d7bfd506', 2, 'bob', 'bob@example.org', 'bob@example.org', 'Confirmed', '[]', NULL, 1893456000000000, 1893456060000000, 'bob bob@example.org');
INSERT INTO public.registrations VALUES ('01b8dac5-b400-7001-9d61-250412dddda1', '01b8dac5-b400-7001-929d-5927d7bfd506', 3, 'cleo', 'cleo@example.org', 'cleo@example.org', 'Cancelled', '[]', NULL, 1893456000000000, 1893456060000000, 'cleo cleo@example.org');
INSERT INTO public.registrations VALUES ('01b8dac6-9e60-7003-9dd2-4a5566426389', '01b8dac6-9e60-7001-9719-efb400f925c4', 1, 'emil', 'emil@example.org', 'emil@example.org', 'Confirmed', '[]', NULL, 1893456060000000, 1893456060000000, 'emil emil@example.org');
INSERT INTO public.registrations VALUES ('01b8dac6-9e60-7001-891c-9a885ea0d2ff', '01b8dac6-9e60-7001-a709-f4e423fda600', 2, 'gus', 'gus@example.org', 'gus@example.org', 'Pending', '[]', NULL, 1893456060000000, 1893456060000000, 'gus gus@example.org');
INSERT INTO public.registrations VALUES ('01b8dac6-9e60-7001-a5fc-fa99320037fb', '01b8dac6-9e60-7001-a709-f4e423fda600', 1, 'fay', 'fay@example.org', 'fay@example.org', 'Confirmed', '[]', 1893456060000000, 1893456060000000, 1893456060000000, 'fay fay@example.org');
INSERT INTO public.registrations VALUES ('01b8dac6-9e60-7000-bf00-a742655e201f', '01b8dac6-9e60-7000-a2f9-74d9e498ccc8', 1, 'hal', 'hal@example.org', 'hal@example.org', 'Confirmed', '[]', NULL, 1893456060000000, 1893456060000000, 'hal hal@example.org');
INSERT INTO public.registrations VALUES ('01b8dac6-9e60-7001-bc1e-37cf780cda03', '01b8dac6-9e60-7000-a2f9-74d9e498ccc8', 2, 'ida', 'ida@example.org', 'ida@example.org', 'Confirmed', '[]', NULL, 1893456060000000, 1893456060000000, 'ida ida@example.org');
INSERT INTO public.stock_covers VALUES ('01b8dac6-9e60-7001-a646-8896ae7944b6', '\xffd8', '\x71563ad80061407ede9c6f316836284bd3710a520c5a792b5eda1cb703690815', 1893456000000000);
ALTER TABLE ONLY public._sqlx_migrations
    ADD CONSTRAINT _sqlx_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_email_norm_key UNIQUE (email_norm);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.catalogue_totals
    ADD CONSTRAINT catalogue_totals_pkey PRIMARY KEY (shard);
ALTER TABLE ONLY public.event_counters
    ADD CONSTRAINT event_counters_pkey PRIMARY KEY (event_id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (kind, subject_id, generation);
ALTER TABLE ONLY public.registration_links
    ADD CONSTRAINT registration_links_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.registrations
    ADD CONSTRAINT registrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stock_covers
    ADD CONSTRAINT stock_covers_pkey PRIMARY KEY (event_id);
CREATE INDEX api_keys_of_account ON public.api_keys USING btree (account_id);
CREATE INDEX audit_log_by_time ON public.audit_log USING btree (at);
CREATE INDEX audit_log_of_subject ON public.audit_log USING btree (subject_id, at);
CREATE INDEX events_active_of_account ON public.events USING btree (account_id, effective_end) WHERE (is_cancelled = false);
CREATE INDEX events_catalogue ON public.events USING btree (live, start_at, id, effective_end);
CREATE INDEX events_live_end ON public.events USING btree (live, effective_end);
CREATE INDEX events_of_account ON public.events USING btree (account_id, start_at, id);
CREATE INDEX jobs_dead ON public.jobs USING btree (dead_at) WHERE (dead_at IS NOT NULL);
CREATE INDEX jobs_due ON public.jobs USING btree (kind, due_at) WHERE (dead_at IS NULL);
CREATE INDEX registration_links_of_registration ON public.registration_links USING btree (registration_id);
CREATE UNIQUE INDEX registrations_active_email ON public.registrations USING btree (event_id, email_norm) WHERE (status <> 'Cancelled'::text);
CREATE INDEX registrations_by_status ON public.registrations USING btree (event_id, status, seq);
CREATE INDEX registrations_of_email ON public.registrations USING btree (email_norm);
CREATE UNIQUE INDEX registrations_order ON public.registrations USING btree (event_id, seq);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.event_counters
    ADD CONSTRAINT event_counters_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.registration_links
    ADD CONSTRAINT registration_links_registration_id_fkey FOREIGN KEY (registration_id) REFERENCES public.registrations(id);
ALTER TABLE ONLY public.stock_covers
    ADD CONSTRAINT stock_covers_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);
