//! The person who is signed in, and what they may do in the account that they look at.

use muster_api::{
    Scope,
    internal::v1::{Membership, ReceivedInvitation, Session},
};

/// The signed-in person, as pages show them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Viewer {
    pub(crate) name: String,
    pub(crate) email: String,
    /// The account that the pages are about; `None` if the person is in none.
    pub(crate) account: Option<Membership>,
    /// The person's other accounts.
    pub(crate) others: Vec<Membership>,
    pub(crate) invitations: Vec<ReceivedInvitation>,
    /// Whether the person has proven lately that the address is theirs.
    pub(crate) is_proven: bool,
}

/// A role of a member. A role of a newer core counts as the least one; its scopes say what it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    Owner,
    Organizer,
    #[default]
    Door,
}

impl Role {
    /// All roles, the one with the most rights first.
    pub(crate) const ALL: [Self; 3] = [Self::Owner, Self::Organizer, Self::Door];

    /// Its name in the API.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Organizer => "organizer",
            Self::Door => "door",
        }
    }

    pub(crate) fn of(code: &str) -> Self {
        let found = Self::ALL.into_iter().find(|role| role.code() == code);
        found.unwrap_or_default()
    }

    /// Its name for people.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Owner => "Owner",
            Self::Organizer => "Organizer",
            Self::Door => "Door staff",
        }
    }

    /// What it may do.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Owner => "Full access, including members.",
            Self::Organizer => "Runs events and registrations, and makes API keys.",
            Self::Door => "Sees who is registered and checks people in.",
        }
    }

    /// What it may do, also for some events only.
    pub(crate) const fn words_for(self, only_some_events: bool) -> &'static str {
        match (self, only_some_events) {
            (Self::Organizer, true) => "Runs these events and their registrations.",
            (Self::Door, true) => {
                "Sees who is registered for these events and checks people in there."
            }
            _ => self.words(),
        }
    }
}

impl Viewer {
    pub(crate) fn of(session: Session) -> Self {
        let person = session.person.unwrap_or_default();
        let account = session.current;
        let current = account.as_ref().map(|one| one.account_id.clone());
        let mut others = session.memberships;
        others.retain(|one| Some(&one.account_id) != current.as_ref());
        Self {
            name: person.name,
            email: person.email,
            others,
            account,
            invitations: session.invitations,
            is_proven: session.stepped_up_until.is_some(),
        }
    }

    /// Whether the person may do this in the account.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        let account = self.account.as_ref();
        account.is_some_and(|account| account.scopes.iter().any(|one| one == scope.name()))
    }

    /// Whether the person is a member of the account for some events only.
    pub(crate) fn only_some_events(&self) -> bool {
        let account = self.account.as_ref();
        account.is_some_and(|account| account.only_some_events)
    }

    /// Whether the person may make new events, also from others.
    pub(crate) fn may_create_events(&self) -> bool {
        self.may(Scope::EventsWrite) && !self.only_some_events()
    }

    pub(crate) fn role(&self) -> Role {
        let account = self.account.as_ref();
        account.map_or(Role::Door, |account| Role::of(&account.role))
    }

    /// The account's identifier; empty if the person is in none.
    pub(crate) fn account_id(&self) -> &str {
        let account = self.account.as_ref();
        account.map_or("", |account| &account.account_id)
    }

    /// Whether a form that names this account is about the one that is chosen. One that names none is.
    pub(crate) fn is_in(&self, account_id: Option<&str>) -> bool {
        account_id.is_none_or(|id| id == self.account_id())
    }

    pub(crate) fn account_name(&self) -> &str {
        let account = self.account.as_ref();
        account.map_or("", |account| &account.account_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn membership(id: &str, role: &str, scopes: &[&str]) -> Membership {
        Membership {
            account_id: id.to_owned(),
            account_name: id.to_uppercase(),
            role: role.to_owned(),
            scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
            is_suspended: false,
            only_some_events: false,
        }
    }

    #[test]
    fn a_person_may_do_what_the_role_in_the_chosen_account_may() {
        let door = membership(
            "a",
            "door",
            &["registrations:read", "registrations:check_in"],
        );
        let owner = membership("b", "owner", &["events:write"]);
        let viewer = Viewer::of(Session {
            current: Some(door.clone()),
            memberships: vec![door, owner],
            ..Session::default()
        });
        assert_eq!((viewer.role(), viewer.account_name()), (Role::Door, "A"));
        assert!(viewer.may(Scope::RegistrationsCheckIn) && viewer.may(Scope::RegistrationsRead));
        assert!(!viewer.may(Scope::EventsWrite) && !viewer.may(Scope::KeysWrite));
        let others: Vec<_> = viewer.others.iter().map(|one| &*one.account_id).collect();
        assert_eq!(others, ["b"]);
    }

    #[test]
    fn a_member_for_some_events_makes_none() {
        let mut organizer = membership("a", "organizer", &["events:write"]);
        for only_some_events in [false, true] {
            organizer.only_some_events = only_some_events;
            let viewer = Viewer::of(Session {
                current: Some(organizer.clone()),
                ..Session::default()
            });
            assert!(viewer.may(Scope::EventsWrite));
            assert_eq!(viewer.may_create_events(), !only_some_events);
        }
    }

    #[test]
    fn a_person_without_an_account_may_do_nothing_in_one() {
        let viewer = Viewer::of(Session::default());
        assert!(
            Scope::ALL_OF_SESSIONS
                .iter()
                .all(|scope| !viewer.may(*scope))
        );
        assert_eq!(Role::of("auditor"), Role::Door);
    }
}
