//! Work that a committed change leaves to be done outside its transaction.

use uuid::Uuid;

use super::instant::Instant;

/// Tells a registrant that they hold a seat. The subject of every mail is the registration.
pub const REGISTERED_MAIL: &str = "registered_mail";

/// Tells a registrant that they wait for a seat.
pub const WAITLISTED_MAIL: &str = "waitlisted_mail";

/// Tells a registrant that the organizer has to approve them.
pub const PENDING_MAIL: &str = "pending_mail";

/// Tells somebody who registered again where their registration stands. The generation is the minute since the epoch, so
/// that mails in different minutes have ids of their own, and more in one minute are one.
pub const REGISTERED_AGAIN_MAIL: &str = "registered_again_mail";

/// Tells a registrant that a seat came free for them.
pub const PROMOTED_MAIL: &str = "promoted_mail";

/// Tells a registrant that the organizer approved them; where they stand is in the registration.
pub const APPROVED_MAIL: &str = "approved_mail";

/// Tells a registrant that their registration is cancelled.
pub const REGISTRATION_CANCELLED_MAIL: &str = "registration_cancelled_mail";

/// Tells a registrant that the event is cancelled.
pub const CANCELLATION_MAIL: &str = "cancellation_mail";

/// Tells a registrant that the event takes place at another time or place. The generation is the event's `sequence`.
pub const EVENT_CHANGED_MAIL: &str = "event_changed_mail";

/// Every kind whose subject is a registration.
pub const REGISTRATION_MAILS: [&str; 9] = [
    REGISTERED_MAIL,
    WAITLISTED_MAIL,
    PENDING_MAIL,
    REGISTERED_AGAIN_MAIL,
    PROMOTED_MAIL,
    APPROVED_MAIL,
    REGISTRATION_CANCELLED_MAIL,
    CANCELLATION_MAIL,
    EVENT_CHANGED_MAIL,
];

/// Which job: at most one of a kind for a subject and generation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JobKey {
    /// What is to be done, for example `cancellation_mail`.
    pub kind: String,
    /// What it is done to, for example a registration.
    pub subject_id: Uuid,
    /// Tells repeated jobs of a kind for one subject apart, from 0.
    pub generation: i32,
}

/// A job that a runner holds a lease on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    /// Which job.
    pub key: JobKey,
    /// How many times it was started, this time included.
    pub attempt: i32,
    /// Until when it is nobody else's.
    pub leased_until: Instant,
}
