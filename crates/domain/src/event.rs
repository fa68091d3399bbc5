//! Events and their states.

mod changes;
mod clocks;
mod copy;
mod create;
mod custom_field;
mod field_id;
mod listed;
mod patch;
mod reminders;
mod repeat;
mod time_and_place;
mod window;

pub use changes::Changes;
pub use clocks::Clocks;
pub use create::{EventDefaults, EventIdentity, NewEvent};
pub use custom_field::{CustomField, FieldType};
pub use field_id::FieldId;
pub use listed::ListedEvent;
pub use patch::EventPatch;
pub use reminders::{Reminder, ReminderPlan, Reminders};
pub use repeat::{Dates, LeftOut, LeftOutReason, MAX_REPEATS, NewRepetition, Repetition};
pub use time_and_place::{ByAudience, TimeAndPlace, WhenAndWhere};
pub use window::{Window, WindowChange, WindowState};

use super::{
    ids::{AccountId, EventId, SeriesId},
    image_credit::ImageCredit,
    instant::Instant,
    schedule::{EventTime, Schedule},
    violation::FieldViolation,
};

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, as the contract states them"
)]
pub struct Event {
    /// Its identifier.
    pub id: EventId,
    /// Its owner.
    pub account_id: AccountId,
    /// The series that it is one date of.
    pub series: Option<SeriesId>,
    /// Its public identifier in paths; never changes.
    pub slug: String,
    /// Title, 3 to 200 characters.
    pub title: String,
    /// Description, 1 to 20,000 characters.
    pub description: String,
    /// Where it takes place, 1 to 500 characters.
    pub location: String,
    /// Whether only guests see the location.
    pub is_location_private: bool,
    /// Information for guests only: Markdown, 1 to 5,000 characters.
    pub attendee_info: Option<String>,
    /// City, at most 120 characters.
    pub city: Option<String>,
    /// When it takes place.
    pub schedule: Schedule,
    /// When the public can register.
    pub window: Window,
    /// Seats, 1 to 10,000.
    pub max_capacity: i32,
    /// Whether it is published.
    pub is_published: bool,
    /// Whether a published event appears in the catalogue.
    pub is_listed: bool,
    /// Whether registrations await the owner's approval.
    pub requires_approval: bool,
    /// Whether registrations by the public await the attendee's confirmation, from a mail.
    pub confirm_by_email: bool,
    /// Whether guests may change their own answers until it begins.
    pub allows_answer_changes: bool,
    /// How many people one registration may be for.
    pub max_party: i32,
    /// Whether it is cancelled, which is final.
    pub is_cancelled: bool,
    /// Why it was cancelled.
    pub cancel_reason: Option<String>,
    /// When it was cancelled.
    pub cancelled_at: Option<Instant>,
    /// Search words for its cover; no cover if absent.
    pub image_query: Option<String>,
    /// Which of the pictures that the words have, from 1.
    pub image_variant: i32,
    /// The credit of the stock photograph; none if the cover is drawn.
    pub image_credit: Option<ImageCredit>,
    /// Whether its cover is a picture that the organizer sent.
    pub has_own_cover: bool,
    /// The questions to registrants.
    pub custom_fields: Vec<CustomField>,
    /// Name of the organizer to show with it, 1 to 200 characters.
    pub organizer_name: Option<String>,
    /// Email address for questions, which the public sees.
    pub contact_email: Option<String>,
    /// Its reminders.
    pub reminders: Reminders,
    /// Those of them that were not sent, since nobody was able to in time.
    pub reminders_missed: Reminders,
    /// Whether the operator has taken it down.
    pub is_hidden: bool,
    /// Whether the operator has suspended its account.
    pub is_account_suspended: bool,
    /// The start at which it was published last; `None` if it never was.
    pub published_start: Option<Instant>,
    /// Increases with each change of time or place; part of calendar entries.
    pub sequence: i32,
    /// Increases with each edit of its fields, so that of two people who edit it the second is told. From 1.
    pub version: i32,
    /// The release of the time zone database by which its moments were made of its wall times; empty if that is unknown.
    pub zone_release: String,
    /// When it was created.
    pub created_at: Instant,
    /// When it was last changed.
    pub updated_at: Instant,
}

/// The location that the public sees of an event whose location is for guests only and which names no city.
const FOR_GUESTS_ONLY: &str = "Place for guests only";

/// Why a change of an event is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Fields that break rules.
    #[error("the event's fields break rules")]
    Invalid(Vec<FieldViolation>),
    /// Cancelling is final.
    #[error("the event is cancelled")]
    Cancelled,
    /// An ended event cannot be published.
    #[error("the event has ended")]
    Ended,
    /// Only drafts are deleted.
    #[error("the event is published")]
    Published,
    /// What people registered for is not deleted.
    #[error("the event has registrations")]
    HasRegistrations,
    /// The patch was made for an earlier version.
    #[error("the event has been edited since")]
    Edited,
    /// More seats are taken than the new capacity allows.
    #[error("max_capacity must be at least {confirmed}, the number of spots that are taken")]
    CapacityBelowConfirmed {
        /// The number of taken seats.
        confirmed: i32,
    },
}

impl Event {
    /// Whether it is over for its organizers and guests. The contract ends an event without an end when it starts, see
    /// [`Event::is_active`].
    pub fn has_ended(&self, now: Instant) -> bool {
        self.schedule.is_over(now)
    }

    /// Whether it takes place at this moment.
    pub fn is_running(&self, now: Instant) -> bool {
        !self.is_cancelled && self.schedule.start.at <= now && !self.has_ended(now)
    }

    /// Whether it will take place, or does: people can be added, and mails about it make sense.
    pub fn is_ahead(&self, now: Instant) -> bool {
        !self.is_cancelled && !self.has_ended(now)
    }

    /// Whether it is active in the contract's words: neither cancelled, nor is its effective end past. It counts against its owner's
    /// quota then, drafts as well (rule 13 of docs/rules.md).
    pub fn is_active(&self, now: Instant) -> bool {
        !self.is_cancelled && self.schedule.effective_end() > now
    }

    /// Whether the public may see it by its link: published, and not withdrawn by the operator.
    pub const fn is_shown(&self) -> bool {
        self.is_published && !self.is_withdrawn()
    }

    /// Whether the operator has withdrawn it from the public, alone or with its account. Private links of registrants go on working.
    pub const fn is_withdrawn(&self) -> bool {
        self.is_hidden || self.is_account_suspended
    }

    /// Whether the public catalogue has it: shown, listed, not cancelled and not ended.
    pub fn is_live(&self, now: Instant) -> bool {
        self.is_shown() && self.is_listed && self.is_active(now)
    }

    /// Whether it takes place online alone: its location is a web address and nothing else.
    pub fn is_online(&self) -> bool {
        let location = self.location.trim();
        let url = url::Url::parse(location).ok();
        url.is_some_and(|url| {
            let is_web = matches!(url.scheme(), "http" | "https") && url.username().is_empty();
            is_web && !location.contains(char::is_whitespace)
        })
    }

    /// The event as everybody may see it: without information for guests only.
    #[must_use]
    pub fn for_public(&self) -> Self {
        let mut shown = self.clone();
        shown.attendee_info = None;
        if self.is_location_private {
            let city = self.city.as_deref().filter(|city| !city.is_empty());
            city.unwrap_or(FOR_GUESTS_ONLY)
                .clone_into(&mut shown.location);
        }
        shown
    }

    /// The event as someone sees it who holds a seat, or does not.
    #[must_use]
    pub fn seen_by(&self, is_guest: bool) -> Self {
        if is_guest {
            self.clone()
        } else {
            self.for_public()
        }
    }

    /// Where it takes place: its location, and the city unless the location names it.
    pub fn place(&self) -> String {
        let location = &self.location;
        match &self.city {
            Some(city) if !location.contains(&**city) => format!("{location}, {city}"),
            _ => location.clone(),
        }
    }

    /// The event, published; unchanged if it already was.
    pub fn published(&self, now: Instant) -> Result<Self, Refusal> {
        if self.is_cancelled {
            return Err(Refusal::Cancelled);
        }
        // Publishing promises that the public list has it, which goes by the effective end.
        if self.schedule.effective_end() <= now {
            return Err(Refusal::Ended);
        }
        let published_start = if self.is_published {
            self.published_start
        } else {
            Some(self.schedule.start.at)
        };
        Ok(Self {
            published_start,
            ..self.with_publication(true, now)
        })
    }

    /// The event as a draft; unchanged if it already was.
    pub fn unpublished(&self, now: Instant) -> Result<Self, Refusal> {
        if self.is_cancelled {
            return Err(Refusal::Cancelled);
        }
        Ok(self.with_publication(false, now))
    }

    /// The start at which it was published, in its zone, if its start is another now.
    pub fn previous_start(&self) -> Option<EventTime> {
        let published = self.published_start.filter(|_| self.is_published)?;
        (published != self.schedule.start.at).then(|| self.schedule.time_of(published))
    }

    /// The event, cancelled; `None` if it already was, since the first reason stays.
    pub fn cancelled(&self, reason: Option<String>, now: Instant) -> Option<Self> {
        (!self.is_cancelled).then(|| Self {
            is_cancelled: true,
            cancel_reason: reason,
            cancelled_at: Some(now),
            updated_at: now,
            ..self.clone()
        })
    }

    /// The event, without the name and the address of its organizer.
    #[must_use]
    pub fn without_contact(&self, now: Instant) -> Self {
        Self {
            organizer_name: None,
            contact_email: None,
            version: self.version.saturating_add(1),
            updated_at: now,
            ..self.clone()
        }
    }

    fn with_publication(&self, is_published: bool, now: Instant) -> Self {
        if self.is_published == is_published {
            return self.clone();
        }
        Self {
            is_published,
            updated_at: now,
            ..self.clone()
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) use super::create::tests::event_from;
    use super::*;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    fn draft(seconds_to_end: i64) -> Event {
        let mut event = event_from(NOW);
        event.schedule.start.at = NOW.plus_seconds(seconds_to_end - 3_600);
        event.schedule.end = Some(super::super::schedule::EventTime {
            at: NOW.plus_seconds(seconds_to_end),
            ..event.schedule.start
        });
        event
    }

    #[test]
    fn an_event_is_over_at_its_effective_end_to_the_microsecond() {
        let event = draft(1);
        let end = event.schedule.effective_end();
        assert!(!event.has_ended(Instant::from_micros(end.micros() - 1)));
        assert!(event.has_ended(end));
    }

    #[test]
    fn an_event_is_live_when_published_listed_not_cancelled_and_not_over() {
        let event = draft(10);
        assert!(!event.is_live(NOW));
        let published = event.published(NOW).unwrap();
        assert!(published.is_live(NOW));
        assert!(!published.is_live(NOW.plus_seconds(10)));
        assert!(!published.cancelled(None, NOW).unwrap().is_live(NOW));
        let unlisted = Event {
            is_listed: false,
            ..published.clone()
        };
        assert!(!unlisted.is_live(NOW));
        assert!(unlisted.is_active(NOW));
        let hidden = Event {
            is_hidden: true,
            ..published.clone()
        };
        let suspended = Event {
            is_account_suspended: true,
            ..published
        };
        for withdrawn in [hidden, suspended] {
            assert!(!withdrawn.is_live(NOW) && !withdrawn.is_shown());
            assert!(withdrawn.is_active(NOW));
        }
    }

    #[test]
    fn publishing_and_unpublishing_twice_change_nothing_more() {
        let later = NOW.plus_seconds(5);
        let published = draft(10).published(NOW).unwrap();
        assert_eq!(published.published(later).unwrap(), published);
        let draft = published.unpublished(NOW).unwrap();
        assert_eq!(draft.unpublished(later).unwrap(), draft);
    }

    #[test]
    fn the_start_at_which_it_was_published_is_known_once_it_has_another() {
        let draft = draft(10);
        assert_eq!(draft.previous_start(), None);
        let published = draft.published(NOW).unwrap();
        assert_eq!(published.previous_start(), None);
        let moved = |event: &Event, seconds| {
            let mut event = event.clone();
            event.schedule.start.at = event.schedule.start.at.plus_seconds(seconds);
            event
        };
        let later = moved(&published, 60).published(NOW).unwrap();
        let before = later.previous_start().unwrap();
        assert_eq!(before.at, draft.schedule.start.at);
        assert_eq!(moved(&later, -60).previous_start(), None);
        let draft = later.unpublished(NOW).unwrap();
        assert_eq!(draft.previous_start(), None);
        let again = draft.published(NOW).unwrap();
        assert_eq!(again.previous_start(), None, "it is published as it is now");
    }

    #[test]
    fn an_ended_event_is_not_published_but_may_be_unpublished() {
        assert_eq!(draft(0).published(NOW), Err(Refusal::Ended));
        assert!(draft(0).unpublished(NOW).is_ok());
    }

    #[test]
    fn a_cancelled_event_stays_as_it_is() {
        let cancelled = draft(10).cancelled(Some("rain".to_owned()), NOW).unwrap();
        assert_eq!(cancelled.published(NOW), Err(Refusal::Cancelled));
        assert_eq!(cancelled.unpublished(NOW), Err(Refusal::Cancelled));
        assert_eq!(cancelled.cancelled(Some("snow".to_owned()), NOW), None);
        let patch = EventPatch::default();
        assert_eq!(cancelled.patched(patch, 0, NOW), Err(Refusal::Cancelled));
    }
}
