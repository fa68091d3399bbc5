-- A registration is only written while its event's counters are held, which are the event's own: it is known to be there, and no
-- event is ever removed. Looking for it again at each row took longer than writing the row.
ALTER TABLE registrations DROP CONSTRAINT registrations_event_id_fkey;
