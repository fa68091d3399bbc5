//! Mails to members of an account about registrations, collected: a rush of registrations is one mail.

use super::{
    ids::{AccountId, EventId, PersonId},
    instant::Instant,
    names::names,
    person::{Rights, Role},
};

/// How long registrations are collected before the first mail.
const COLLECT_SECONDS: i64 = 60;

/// How long a member has no other mail after one.
const PAUSE_SECONDS: i64 = 15 * 60;

/// How much earlier than its audit row is seen a registration may have been made: longer than any transaction takes, and than clocks differ.
const LATE_SECONDS: i64 = 30;

/// Names of registrants in a mail, for each event.
pub const MAX_NAMES: usize = 5;

names! {
    /// About which registrations a member is mailed.
    #[derive(Default)]
    MailChoice / UnknownMailChoice: "must be approvals, all or none" {
        /// What awaits the organizer's approval.
        #[default]
        Approvals = "approvals",
        /// Every registration.
        All = "all",
        /// None.
        Nothing = "none",
    }
}

/// The time whose registrations are in one mail: after the first moment, until the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// After this.
    pub since: Instant,
    /// Until this.
    pub until: Instant,
}

/// When the registrations of an account are mailed to its organizers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection {
    /// Those made after this are still to be mailed.
    pub since: Instant,
    /// When they are mailed.
    pub due_at: Instant,
}

impl Collection {
    /// The collection that the first registration begins.
    pub const fn begun(now: Instant) -> Self {
        Self {
            since: now.plus_seconds(-LATE_SECONDS),
            due_at: now.plus_seconds(COLLECT_SECONDS),
        }
    }

    /// The collection after the registrations until a moment were mailed, or nobody wanted such a mail.
    pub const fn after(until: Instant, now: Instant, were_told: bool) -> Self {
        let seconds = if were_told {
            PAUSE_SECONDS
        } else {
            COLLECT_SECONDS
        };
        Self {
            since: until,
            due_at: now.plus_seconds(seconds),
        }
    }

    /// Until when registrations are all seen at `now`.
    pub const fn seen_until(now: Instant) -> Instant {
        now.plus_seconds(-LATE_SECONDS)
    }
}

/// New registrations and changed answers for an event that is neither cancelled nor over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventUpdates {
    /// The event.
    pub event: EventId,
    /// Its title.
    pub title: String,
    /// How many people registered in the time.
    pub new: i32,
    /// How many people changed their own answers in the time.
    pub changed: i32,
    /// How many registrations await the organizer's approval by now.
    pub awaiting: i32,
    /// The seats that are taken by now.
    pub taken: i32,
    /// The seats.
    pub max_capacity: i32,
    /// The names of some who registered, the latest first; none on plans that do not show registrations.
    pub names: Vec<String>,
}

/// A member whom a mail may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organizer {
    /// Their name.
    pub name: String,
    /// Their address.
    pub email: String,
    /// The account's name.
    pub account_name: String,
    /// Their rights.
    pub rights: Rights,
    /// Their choice.
    pub choice: MailChoice,
    /// Whether the account's plan shows registrations.
    pub sees_registrations: bool,
    /// Whether the account is trusted: others' texts are shown without links.
    pub is_account_trusted: bool,
}

impl Organizer {
    /// Whether there are updates that they get. Door staff get none.
    pub fn is_mailed(&self) -> bool {
        self.rights.role != Role::Door && self.choice != MailChoice::Nothing
    }

    /// The updates that they get; nothing at all means no mail.
    pub fn wanted(&self, updates: &[EventUpdates]) -> Vec<EventUpdates> {
        if !self.is_mailed() {
            return Vec::new();
        }
        let wants = |event: &&EventUpdates| match self.choice {
            MailChoice::Nothing => false,
            // Guests change answers only where the organizer wants it.
            MailChoice::Approvals => event.awaiting > 0 || event.changed > 0,
            MailChoice::All => true,
        };
        updates.iter().filter(wants).cloned().collect()
    }
}

/// A mail to a member that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrganizerMail {
    /// The account.
    pub account: AccountId,
    /// The member.
    pub person: PersonId,
    /// The time that it is about.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    fn updates(awaiting: i32, changed: i32) -> EventUpdates {
        EventUpdates {
            event: EventId::new(uuid::Uuid::nil()),
            title: "Rust Meetup".to_owned(),
            new: 1,
            changed,
            awaiting,
            taken: 0,
            max_capacity: 9,
            names: Vec::new(),
        }
    }

    #[test]
    fn each_member_is_mailed_what_they_chose_and_door_staff_nothing() {
        let wanted = |role, choice| {
            let organizer = Organizer {
                name: "Ada".to_owned(),
                email: "ada@example.org".to_owned(),
                account_name: "Ada".to_owned(),
                rights: Rights::everywhere(role),
                choice,
                sees_registrations: true,
                is_account_trusted: true,
            };
            let updates = [updates(0, 0), updates(2, 0), updates(0, 1)];
            organizer.wanted(&updates).len()
        };
        for role in [Role::Owner, Role::Organizer] {
            assert_eq!(
                MailChoice::ALL.map(|choice| wanted(role, choice)),
                [2, 3, 0]
            );
        }
        assert_eq!(
            MailChoice::ALL.map(|choice| wanted(Role::Door, choice)),
            [0; 3]
        );
    }

    #[test]
    fn every_choice_is_found_by_its_name() {
        for choice in MailChoice::ALL {
            assert_eq!(choice.name().parse(), Ok(choice));
        }
        assert_eq!("All".parse::<MailChoice>(), Err(UnknownMailChoice));
    }

    #[test]
    fn a_minute_is_collected_and_then_fifteen_pass() {
        let first = Collection::begun(NOW);
        assert_eq!(first.due_at, NOW.plus_seconds(60));
        assert!(first.since < NOW);
        let next = Collection::after(NOW, NOW.plus_seconds(60), true);
        assert_eq!(next.since, NOW);
        assert_eq!(next.due_at, NOW.plus_seconds(16 * 60));
    }
}
