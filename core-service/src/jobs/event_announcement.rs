//! The handler of the jobs that schedule mails about an event's new time or place.

use domain::job::{ClaimedJob, JobKind};

use super::{Attempt, AttemptError, Done, Handler};
use crate::service::{EventJobError, Events};

/// Announces changed events.
#[derive(Debug, Clone)]
pub struct EventAnnouncement {
    events: Events,
}

impl EventAnnouncement {
    /// A handler that announces these events.
    pub const fn new(events: Events) -> Self {
        Self { events }
    }
}

impl Handler for EventAnnouncement {
    fn kinds(&self) -> &'static [JobKind] {
        &[JobKind::EventAnnouncement]
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(async move {
            self.events.announce(job).await?;
            Ok(Done::Recorded)
        })
    }
}

impl From<EventJobError> for AttemptError {
    fn from(error: EventJobError) -> Self {
        match error {
            EventJobError::Payload(error) => error.into(),
            EventJobError::Failed(error) => error.into(),
        }
    }
}
