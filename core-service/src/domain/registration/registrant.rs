//! A registration as a mail about it needs it, and what such a mail tells.

use super::Status;
use crate::domain::{event::Event, ids::RegistrationId, instant::Instant, job::Task};

/// A person who registered, whatever the registration's status is now.
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
    /// What a mail that was scheduled as `task` tells now. Nothing when things have moved on since, so that it would mislead:
    /// a later mail tells how they stand, or there is nothing left to come to.
    pub fn news(&self, task: Task, now: Instant) -> Option<News> {
        if let Task::RegistrationCancelledMail { held_a_seat } = task {
            return Some(News::RegistrationCancelled { held_a_seat });
        }
        let standing = Standing::of(self.status)?;
        if task == Task::CancellationMail {
            let held_a_seat = standing == Standing::Seated;
            return Some(News::EventCancelled { held_a_seat });
        }
        if !self.event.is_active(now) {
            return None;
        }
        match (task, standing) {
            (Task::RegisteredMail, Standing::Seated)
            | (Task::WaitlistedMail, Standing::Waiting)
            | (Task::PendingMail, Standing::Pending) => Some(News::Registered(standing)),
            (Task::PromotedMail, Standing::Seated) => Some(News::Promoted),
            (Task::ApprovedMail, _) => Some(News::Approved(standing)),
            (Task::RegisteredAgainMail, _) => Some(News::RegisteredAgain(standing)),
            (Task::EventChangedMail { sequence }, _) if sequence == self.event.sequence => {
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
    use crate::domain::event::tests::event_from;

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

    const CANCELLED: Task = Task::RegistrationCancelledMail { held_a_seat: true };

    /// Every mail, each as it is first scheduled.
    const MAILS: [Task; 9] = [
        Task::RegisteredMail,
        Task::WaitlistedMail,
        Task::PendingMail,
        Task::RegisteredAgainMail,
        Task::PromotedMail,
        Task::ApprovedMail,
        CANCELLED,
        Task::CancellationMail,
        Task::EventChangedMail { sequence: 0 },
    ];

    /// The mails that still tell something.
    fn told(registrant: &Registrant, now: Instant) -> Vec<Task> {
        let tells = |task: &Task| registrant.news(*task, now).is_some();
        MAILS.into_iter().filter(tells).collect()
    }

    #[test]
    fn a_mail_that_the_registration_has_passed_tells_nothing() {
        let always = [
            Task::RegisteredAgainMail,
            Task::ApprovedMail,
            CANCELLED,
            Task::CancellationMail,
            Task::EventChangedMail { sequence: 0 },
        ];
        for (status, first) in [
            (
                Status::Confirmed,
                vec![Task::RegisteredMail, Task::PromotedMail],
            ),
            (Status::Waitlisted, vec![Task::WaitlistedMail]),
            (Status::Pending, vec![Task::PendingMail]),
        ] {
            let found = told(&registrant(status), NOW);
            let is_expected = |task: &Task| first.contains(task) || always.contains(task);
            let expected: Vec<Task> = MAILS.into_iter().filter(is_expected).collect();
            assert_eq!(found, expected, "{status}");
        }
        let cancelled = registrant(Status::Cancelled);
        assert_eq!(told(&cancelled, NOW), [CANCELLED]);
    }

    #[test]
    fn of_an_event_that_is_cancelled_or_over_only_cancellations_are_told() {
        let mut called_off = registrant(Status::Confirmed);
        let over = called_off.event.schedule.effective_end();
        let last = [CANCELLED, Task::CancellationMail];
        assert_eq!(told(&called_off, over), last);
        called_off.event = called_off.event.cancelled(None, NOW).unwrap();
        assert_eq!(told(&called_off, NOW), last);
    }

    #[test]
    fn of_several_changes_only_the_last_is_told() {
        let mut registrant = registrant(Status::Confirmed);
        registrant.event.sequence = 2;
        let changed = |sequence| Task::EventChangedMail { sequence };
        assert_eq!(registrant.news(changed(1), NOW), None);
        let news = registrant.news(changed(2), NOW);
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
