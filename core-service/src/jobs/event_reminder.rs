//! The handler of the jobs that schedule the mails of a reminder.

use domain::job::{ClaimedJob, JobKind};

use super::{Attempt, Done, Handler};
use crate::service::Events;

/// Reminds those who hold seats.
#[derive(Debug, Clone)]
pub struct EventReminder {
    events: Events,
}

impl EventReminder {
    /// A handler that reminds of these events.
    pub const fn new(events: Events) -> Self {
        Self { events }
    }
}

impl Handler for EventReminder {
    fn kinds(&self) -> &'static [JobKind] {
        &[JobKind::EventReminder]
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(async move {
            self.events.remind(job).await?;
            Ok(Done::Recorded)
        })
    }
}
