//! A registration as a mail about it needs it, and what such a mail tells.

use super::Status;
use crate::domain::{
    event::Event,
    ids::RegistrationId,
    instant::Instant,
    job::{
        APPROVED_MAIL, CANCELLATION_MAIL, EVENT_CHANGED_MAIL, HELD_A_SEAT, JobKey, PENDING_MAIL,
        PROMOTED_MAIL, REGISTERED_AGAIN_MAIL, REGISTERED_MAIL, REGISTRATION_CANCELLED_MAIL,
        WAITLISTED_MAIL,
    },
};

/// Somebody who registered, whatever became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registrant {
    /// The registration.
    pub id: RegistrationId,
    /// The attendee's name.
    pub name: String,
    /// The attendee's e-mail address, as given.
    pub email: String,
    /// Where the registration stands.
    pub status: Status,
    /// The event.
    pub event: Event,
    /// The name of the event's owner; nothing when that person was erased.
    pub organizer: Option<String>,
}

/// Where a registration stands that was not cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Awaits the organizer's approval.
    Pending,
    /// Holds a seat.
    Seated,
    /// Waits for a seat.
    Waiting,
}

/// What a mail tells a registrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// They are registered.
    Registered(Standing),
    /// They registered again, and stand where they stood.
    RegisteredAgain(Standing),
    /// A seat came free for them.
    Promoted,
    /// The organizer approved them.
    Approved(Standing),
    /// Their registration is cancelled.
    RegistrationCancelled {
        /// Whether they held a seat, and so have the event in their calendar.
        held_a_seat: bool,
    },
    /// The event is cancelled.
    EventCancelled {
        /// Whether they held a seat, and so have the event in their calendar.
        held_a_seat: bool,
    },
    /// The event takes place at another time or place.
    EventChanged(Standing),
}

impl News {
    /// Where the registrant stands, unless all is cancelled: then there is something to see on their private page.
    pub const fn standing(self) -> Option<Standing> {
        match self {
            Self::Registered(standing)
            | Self::RegisteredAgain(standing)
            | Self::Approved(standing)
            | Self::EventChanged(standing) => Some(standing),
            Self::Promoted => Some(Standing::Seated),
            Self::RegistrationCancelled { .. } | Self::EventCancelled { .. } => None,
        }
    }
}

impl Standing {
    const fn of(status: Status) -> Option<Self> {
        match status {
            Status::Pending => Some(Self::Pending),
            Status::Confirmed => Some(Self::Seated),
            Status::Waitlisted => Some(Self::Waiting),
            Status::Cancelled => None,
        }
    }
}

impl Registrant {
    /// What a mail that was scheduled as `job` tells now. Nothing when things have moved on since, so that it would mislead:
    /// a later mail tells how they stand, or there is nothing left to come to.
    pub fn news(&self, job: &JobKey, now: Instant) -> Option<News> {
        if job.kind == REGISTRATION_CANCELLED_MAIL {
            let held_a_seat = job.generation == HELD_A_SEAT;
            return Some(News::RegistrationCancelled { held_a_seat });
        }
        let standing = Standing::of(self.status)?;
        if job.kind == CANCELLATION_MAIL {
            let held_a_seat = standing == Standing::Seated;
            return Some(News::EventCancelled { held_a_seat });
        }
        if !self.event.is_active(now) {
            return None;
        }
        match (&*job.kind, standing) {
            (REGISTERED_MAIL, Standing::Seated)
            | (WAITLISTED_MAIL, Standing::Waiting)
            | (PENDING_MAIL, Standing::Pending) => Some(News::Registered(standing)),
            (PROMOTED_MAIL, Standing::Seated) => Some(News::Promoted),
            (APPROVED_MAIL, _) => Some(News::Approved(standing)),
            (REGISTERED_AGAIN_MAIL, _) => Some(News::RegisteredAgain(standing)),
            (EVENT_CHANGED_MAIL, _) if job.generation == self.event.sequence => {
                Some(News::EventChanged(standing))
            }
            _ => None,
        }
    }

    /// Where the event takes place: its location, and the city unless the location names it.
    pub fn place(&self) -> String {
        let location = &self.event.location;
        match &self.event.city {
            Some(city) if !location.contains(&**city) => format!("{location}, {city}"),
            _ => location.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{event::tests::event_from, job::REGISTRATION_MAILS};

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    fn registrant(status: Status) -> Registrant {
        Registrant {
            id: RegistrationId::new(uuid::Uuid::nil()),
            name: "Grace".to_owned(),
            email: "grace@example.org".to_owned(),
            status,
            event: event_from(NOW),
            organizer: None,
        }
    }

    fn job(kind: &str, generation: i32) -> JobKey {
        JobKey {
            kind: kind.to_owned(),
            subject_id: uuid::Uuid::nil(),
            generation,
        }
    }

    /// The kinds of mail, each as it is first scheduled, that still tell something.
    fn told(registrant: &Registrant, now: Instant) -> Vec<&'static str> {
        let tells = |kind: &&str| registrant.news(&job(kind, 0), now).is_some();
        REGISTRATION_MAILS.into_iter().filter(tells).collect()
    }

    #[test]
    fn a_mail_that_the_registration_has_passed_tells_nothing() {
        let always = [REGISTERED_AGAIN_MAIL, APPROVED_MAIL];
        let last = [
            REGISTRATION_CANCELLED_MAIL,
            CANCELLATION_MAIL,
            EVENT_CHANGED_MAIL,
        ];
        for (status, first) in [
            (Status::Confirmed, vec![REGISTERED_MAIL, PROMOTED_MAIL]),
            (Status::Waitlisted, vec![WAITLISTED_MAIL]),
            (Status::Pending, vec![PENDING_MAIL]),
        ] {
            let mut expected = [first, always.to_vec(), last.to_vec()].concat();
            let mut found = told(&registrant(status), NOW);
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{status}");
        }
        let cancelled = registrant(Status::Cancelled);
        assert_eq!(told(&cancelled, NOW), [REGISTRATION_CANCELLED_MAIL]);
    }

    #[test]
    fn of_an_event_that_is_cancelled_or_over_only_cancellations_are_told() {
        let mut called_off = registrant(Status::Confirmed);
        let over = called_off.event.schedule.effective_end();
        let last = [REGISTRATION_CANCELLED_MAIL, CANCELLATION_MAIL];
        assert_eq!(told(&called_off, over), last);
        called_off.event = called_off.event.cancelled(None, NOW).unwrap();
        assert_eq!(told(&called_off, NOW), last);
    }

    #[test]
    fn of_several_changes_only_the_last_is_told() {
        let mut registrant = registrant(Status::Confirmed);
        registrant.event.sequence = 2;
        assert_eq!(registrant.news(&job(EVENT_CHANGED_MAIL, 1), NOW), None);
        let news = registrant.news(&job(EVENT_CHANGED_MAIL, 2), NOW);
        assert_eq!(news, Some(News::EventChanged(Standing::Seated)));
    }

    #[test]
    fn the_city_is_named_once() {
        let mut registrant = registrant(Status::Confirmed);
        registrant.event.location = "c-base, Berlin".to_owned();
        registrant.event.city = Some("Berlin".to_owned());
        assert_eq!(registrant.place(), "c-base, Berlin");
        registrant.event.location = "c-base".to_owned();
        assert_eq!(registrant.place(), "c-base, Berlin");
        registrant.event.city = None;
        assert_eq!(registrant.place(), "c-base");
    }
}
