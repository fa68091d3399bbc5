//! Work that a committed change leaves to be done outside its transaction.

use uuid::Uuid;

use super::instant::Instant;

/// Tells a registrant that the event is cancelled; the subject is the registration.
pub const CANCELLATION_MAIL: &str = "cancellation_mail";

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
