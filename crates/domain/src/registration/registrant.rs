//! The data for a mail about a registration, and the choice of the mail.

use uuid::Uuid;

use super::{Party, Status};
use crate::{
    entropy::Entropy,
    event::{Event, TimeAndPlace},
    ids::RegistrationId,
    instant::Instant,
    job::Task,
    registration::CheckInCode,
};

/// A person who registered, with any status of the registration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct Registrant {
    /// The registration.
    pub id: RegistrationId,
    /// The attendee's name.
    pub name: String,
    /// The attendee's email address, as given.
    pub email: String,
    /// The registration's status.
    pub status: Status,
    /// Whether it awaits the attendee's confirmation.
    pub awaits_confirmation: bool,
    /// Whether an organizer added the attendee, who did not register themselves.
    pub is_added: bool,
    /// The people for whom it is.
    pub party: Party,
    /// The code on the attendee's ticket.
    pub check_in_code: CheckInCode,
    /// Whether they want no reminders of the event.
    pub refuses_reminders: bool,
    /// The time and place that they were last told; `None` while it is the event's.
    pub announced: Option<TimeAndPlace>,
    /// Why the organizer declined the registration.
    pub decline_reason: Option<String>,
    /// The event.
    pub event: Event,
    /// The name of the event's owner; `None` if that person was erased.
    pub organizer: Option<String>,
    /// Whether the event's account is trusted with texts that become links.
    pub is_organizer_trusted: bool,
    /// Whether the event's contact address is a member's, or was proven to belong to the account.
    pub is_contact_proven: bool,
}

/// The organizer of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleOrganizer {
    /// The name of the account.
    pub name: Option<String>,
    /// See [`Registrant::is_organizer_trusted`].
    pub is_trusted: bool,
    /// See [`Registrant::is_contact_proven`].
    pub is_contact_proven: bool,
}

/// The status of a registration that is not cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActiveStatus {
    /// Awaits the attendee's confirmation.
    Unconfirmed,
    /// Awaits the organizer's approval.
    Pending,
    /// Holds a seat.
    Confirmed,
    /// Waits for a seat.
    Waitlisted,
}

/// The subject of a mail to a registrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notification {
    /// They are registered.
    Registered(ActiveStatus),
    /// They registered again, and their status is unchanged.
    RegisteredAgain(ActiveStatus),
    /// They got a seat from the waitlist.
    Promoted,
    /// The organizer approved the registration.
    Approved(ActiveStatus),
    /// Their registration is cancelled.
    RegistrationCancelled {
        /// Whether they held a seat, and so have the event in their calendar.
        held_a_seat: bool,
    },
    /// The organizer declined their registration.
    Declined,
    /// The event is cancelled.
    EventCancelled {
        /// Whether they held a seat, and so have the event in their calendar.
        held_a_seat: bool,
    },
    /// The event has a new time or place.
    EventChanged(ActiveStatus),
    /// Their registration has another address.
    AddressCorrected,
    /// The event they have a seat at is soon.
    Reminder,
    /// The organizer wrote a message.
    Message(ActiveStatus),
}

impl Notification {
    /// The registrant's status, unless the event or the registration is cancelled. If there is one, the mail links to the
    /// private page.
    pub const fn active_status(self) -> Option<ActiveStatus> {
        match self {
            Self::Registered(status)
            | Self::RegisteredAgain(status)
            | Self::Approved(status)
            | Self::EventChanged(status)
            | Self::Message(status) => Some(status),
            Self::Promoted | Self::Reminder => Some(ActiveStatus::Confirmed),
            Self::RegistrationCancelled { .. }
            | Self::Declined
            | Self::EventCancelled { .. }
            | Self::AddressCorrected => None,
        }
    }
}

impl Registrant {
    /// Nobody in particular, with a seat at the event: to show what a mail will say.
    pub fn sample(event: Event, organizer: SampleOrganizer, entropy: &Entropy) -> Self {
        Self {
            id: RegistrationId::new(Uuid::nil()),
            name: "[name]".to_owned(),
            email: "name@example.org".to_owned(),
            status: Status::Confirmed,
            awaits_confirmation: false,
            is_added: false,
            refuses_reminders: false,
            party: Party::default(),
            check_in_code: CheckInCode::generate(entropy),
            announced: None,
            decline_reason: None,
            organizer: event.organizer_name.clone().or(organizer.name),
            is_organizer_trusted: organizer.is_trusted,
            is_contact_proven: organizer.is_contact_proven,
            event,
        }
    }

    const fn active_status(&self) -> Option<ActiveStatus> {
        match self.status {
            Status::Pending if self.awaits_confirmation => Some(ActiveStatus::Unconfirmed),
            Status::Pending => Some(ActiveStatus::Pending),
            Status::Confirmed => Some(ActiveStatus::Confirmed),
            Status::Waitlisted => Some(ActiveStatus::Waitlisted),
            Status::Cancelled => None,
        }
    }

    /// The notification that a mail scheduled as `task` must give now. `None` if it is out of date: a later mail gives the
    /// current status, or the event is over.
    pub fn notification(&self, task: Task, now: Instant) -> Option<Notification> {
        if let Task::RegistrationCancelledMail { held_a_seat } = task {
            return Some(Notification::RegistrationCancelled { held_a_seat });
        }
        if task == Task::DeclinedMail {
            return Some(Notification::Declined);
        }
        if let Task::AddressCorrectedMail { .. } = task {
            return Some(Notification::AddressCorrected);
        }
        let status = self.active_status()?;
        if task == Task::CancellationMail {
            let held_a_seat = status == ActiveStatus::Confirmed;
            return Some(Notification::EventCancelled { held_a_seat });
        }
        // Whether it still goes to them is a question to the message. It may follow the event's end.
        if task == Task::MessageMail {
            return Some(Notification::Message(status));
        }
        if !self.event.is_ahead(now) {
            return None;
        }
        match (task, status) {
            (Task::RegisteredMail, ActiveStatus::Confirmed)
            | (Task::WaitlistedMail, ActiveStatus::Waitlisted)
            | (Task::PendingMail, ActiveStatus::Pending)
            | (Task::ConfirmationMail, ActiveStatus::Unconfirmed) => {
                Some(Notification::Registered(status))
            }
            (Task::PromotedMail, ActiveStatus::Confirmed) => Some(Notification::Promoted),
            (Task::ApprovedMail, _) => Some(Notification::Approved(status)),
            (Task::RegisteredAgainMail, _) => Some(Notification::RegisteredAgain(status)),
            // Whoever has not confirmed gets no more mails than needed: perhaps someone else registered the address.
            (Task::EventChangedMail { .. }, ActiveStatus::Unconfirmed) => None,
            // A later change has mails of its own.
            (Task::EventChangedMail { sequence }, _)
                if sequence == self.event.sequence && !self.knows_time_and_place() =>
            {
                Some(Notification::EventChanged(status))
            }
            // Of another time or place a mail of its own tells.
            (Task::ReminderMail { hours, sequence }, ActiveStatus::Confirmed)
                if sequence == self.event.sequence
                    && self.event.is_published
                    && !self.refuses_reminders
                    && !self.event.reminder(hours).is_too_late(now) =>
            {
                Some(Notification::Reminder)
            }
            _ => None,
        }
    }

    /// The time and place of which a mail tells the registrant something new.
    pub fn unannounced(&self) -> Option<TimeAndPlace> {
        let current = self.time_and_place();
        self.announced
            .filter(|known| *known != current)
            .map(|_| current)
    }

    /// The time and place that they may be told.
    fn time_and_place(&self) -> TimeAndPlace {
        self.event
            .seen_by(self.status == Status::Confirmed)
            .time_and_place()
    }

    /// Whether they were last told the event's time and place. Unknown for mails of earlier versions.
    fn knows_time_and_place(&self) -> bool {
        self.announced == Some(self.time_and_place())
    }

    /// Where the event takes place: its location, and the city unless the location names it.
    pub fn place(&self) -> String {
        self.event.place()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::tests::event_from;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    fn registrant(status: Status) -> Registrant {
        Registrant {
            id: RegistrationId::new(uuid::Uuid::nil()),
            name: "Grace".to_owned(),
            email: "grace@example.org".to_owned(),
            status,
            awaits_confirmation: false,
            is_added: false,
            refuses_reminders: false,
            party: Party::default(),
            check_in_code: CheckInCode::generate(&Entropy::seeded(1)),
            announced: None,
            decline_reason: None,
            event: event_from(NOW),
            organizer: None,
            is_organizer_trusted: true,
            is_contact_proven: true,
        }
    }

    const CANCELLED: Task = Task::RegistrationCancelledMail { held_a_seat: true };

    /// Every mail, each as it is first scheduled.
    const MAILS: [Task; 11] = [
        Task::RegisteredMail,
        Task::WaitlistedMail,
        Task::PendingMail,
        Task::ConfirmationMail,
        Task::RegisteredAgainMail,
        Task::PromotedMail,
        Task::ApprovedMail,
        CANCELLED,
        Task::DeclinedMail,
        Task::CancellationMail,
        Task::EventChangedMail { sequence: 0 },
    ];

    /// The mails that are still up to date.
    fn current(registrant: &Registrant, now: Instant) -> Vec<Task> {
        let is_current = |task: &Task| registrant.notification(task.clone(), now).is_some();
        MAILS.into_iter().filter(is_current).collect()
    }

    #[test]
    fn a_mail_that_the_registration_has_passed_tells_nothing() {
        let always = [
            Task::RegisteredAgainMail,
            Task::ApprovedMail,
            CANCELLED,
            Task::DeclinedMail,
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
            let found = current(&registrant(status), NOW);
            let is_expected = |task: &Task| first.contains(task) || always.contains(task);
            let expected: Vec<Task> = MAILS.into_iter().filter(is_expected).collect();
            assert_eq!(found, expected, "{status}");
        }
        let cancelled = registrant(Status::Cancelled);
        assert_eq!(current(&cancelled, NOW), [CANCELLED, Task::DeclinedMail]);
    }

    #[test]
    fn of_an_event_that_is_cancelled_or_over_only_cancellations_are_sent() {
        let mut called_off = registrant(Status::Confirmed);
        let over = called_off.event.schedule.over_at();
        let last = [CANCELLED, Task::DeclinedMail, Task::CancellationMail];
        assert_eq!(current(&called_off, over), last);
        called_off.event = called_off.event.cancelled(None, NOW).unwrap();
        assert_eq!(current(&called_off, NOW), last);
    }

    #[test]
    fn who_has_yet_to_confirm_is_not_told_of_changes() {
        let unconfirmed = Registrant {
            awaits_confirmation: true,
            ..registrant(Status::Pending)
        };
        let expected = [
            Task::ConfirmationMail,
            Task::RegisteredAgainMail,
            Task::ApprovedMail,
            CANCELLED,
            Task::DeclinedMail,
            Task::CancellationMail,
        ];
        assert_eq!(current(&unconfirmed, NOW), expected);
    }

    #[test]
    fn of_several_changes_only_the_last_is_sent() {
        let mut registrant = registrant(Status::Confirmed);
        registrant.event.sequence = 2;
        let changed = |sequence| Task::EventChangedMail { sequence };
        assert_eq!(registrant.notification(changed(1), NOW), None);
        let notification = registrant.notification(changed(2), NOW);
        assert_eq!(
            notification,
            Some(Notification::EventChanged(ActiveStatus::Confirmed))
        );
    }

    #[test]
    fn a_change_that_they_know_already_is_not_told() {
        let mut registrant = registrant(Status::Confirmed);
        let before = registrant.event.time_and_place();
        let changed = Task::EventChangedMail { sequence: 0 };
        registrant.announced = Some(before);
        assert_eq!(registrant.notification(changed.clone(), NOW), None);
        assert_eq!(registrant.unannounced(), None);
        "Elsewhere".clone_into(&mut registrant.event.location);
        assert!(registrant.notification(changed, NOW).is_some());
        assert_eq!(
            registrant.unannounced(),
            Some(registrant.event.time_and_place())
        );
        assert_ne!(registrant.unannounced(), Some(before));
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
