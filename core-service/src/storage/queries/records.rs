//! Records of events, whose statements are still compiled for each engine.

use crate::{
    domain::{date_time::EventTime, event::Event, registration::Counters, schedule::Schedule},
    storage::record::record,
};

record! {
    Event as e {
        id, account_id, slug, title, description, location, city,
        schedule { start_at, start_local, end_at, end_local, timezone },
        max_capacity, is_published, is_listed, requires_approval, confirm_by_email, is_cancelled, cancel_reason, cancelled_at,
        image_query, image_credit, custom_fields, organizer_name, contact_email, published_start,
        sequence, version, created_at, updated_at, is_hidden, is_account_suspended,
    }
}

record! {
    Schedule as e { start { start_at, start_local }, end { end_at, end_local }, timezone }
}

record! {
    EventTime as e { at = "e.start_at", local = "e.start_local" }
}

record! {
    Counters as c { confirmed, pending, unconfirmed, held, waitlisted, cancelled, checked_in }
}
