//! People who sign in, and their roles in accounts.

use super::{
    account::ApiKey,
    ids::{AccountId, EventId, PersonId},
    instant::Instant,
    names::names,
    schedule::Schedule,
    scope::{Scope, Scopes},
};

/// A member or an invitation that is for some events only is for at most this many.
pub const MAX_MEMBER_EVENTS: usize = 100;

/// Someone who can sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Their identifier.
    pub id: PersonId,
    /// The address that signs in, as entered.
    pub email: String,
    /// Their name.
    pub name: String,
    /// Since when they are known.
    pub created_at: Instant,
}

impl Person {
    /// Someone of whom only the address is known.
    pub fn new(id: PersonId, email: &str, created_at: Instant) -> Self {
        Self {
            id,
            email: email.to_owned(),
            name: Self::first_name(email).to_owned(),
            created_at,
        }
    }

    /// A name to begin with: what stands before the @.
    pub fn first_name(email: &str) -> &str {
        email.split_once('@').map_or(email, |(local, _)| local)
    }
}

/// A person's place in an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The account.
    pub account_id: AccountId,
    /// The account's name.
    pub account_name: String,
    /// What the person may do there.
    pub rights: Rights,
    /// Whether the operator has suspended the account.
    pub is_suspended: bool,
}

/// A member of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Who it is.
    pub person: Person,
    /// What they may do.
    pub rights: Rights,
    /// Since when.
    pub since: Instant,
    /// How many keys of the account they made that are not revoked.
    pub keys: i64,
    /// The events that they are a member for, by start, if not for all.
    pub events: Vec<NamedEvent>,
}

/// An event that someone is a member for, as people recognize it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEvent {
    /// Its identifier.
    pub id: EventId,
    /// Its title.
    pub title: String,
    /// When it takes place.
    pub schedule: Schedule,
}

/// The rights of a member: by their role, for all events of the account or for some only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// Their role.
    pub role: Role,
    /// Whether they are a member for some events only.
    pub only_some_events: bool,
}

impl Rights {
    /// The rights of this role for all events.
    pub const fn everywhere(role: Role) -> Self {
        Self {
            role,
            only_some_events: false,
        }
    }

    /// The scopes of the sessions of members with these rights, and the most that their keys and apps can have. Who is a member for some
    /// events only has those alone that are about events.
    pub fn scopes(self) -> Scopes {
        let scopes = self.role.scopes();
        if !self.only_some_events {
            return scopes;
        }
        scopes.within(Scopes::named([
            Scope::EventsRead,
            Scope::EventsWrite,
            Scope::EventsCancel,
            Scope::RegistrationsRead,
            Scope::RegistrationsWrite,
            Scope::RegistrationsCheckIn,
            Scope::MessagesWrite,
        ]))
    }

    /// The events that a person with these rights reaches.
    pub const fn reach(self, person: PersonId) -> Reach {
        if self.only_some_events {
            Reach::EventsOf(person)
        } else {
            Reach::Account
        }
    }
}

/// The events of an account that someone reaches. Others are not there for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All.
    Account,
    /// Those that this person is a member for.
    EventsOf(PersonId),
}

impl Reach {
    /// The person whose events are reached, if not all are.
    pub const fn person(self) -> Option<PersonId> {
        match self {
            Self::Account => None,
            Self::EventsOf(person) => Some(person),
        }
    }
}

/// What a member is made: a role, and the events that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<'a> {
    /// The role.
    pub role: Role,
    /// The events; absent for all, also those to come.
    pub events: Option<&'a [EventId]>,
}

impl Position<'_> {
    /// The rights that come with it.
    pub const fn rights(self) -> Rights {
        Rights {
            role: self.role,
            only_some_events: self.events.is_some(),
        }
    }
}

impl From<Role> for Position<'_> {
    /// For all events.
    fn from(role: Role) -> Self {
        Self { role, events: None }
    }
}

/// For how many events a role is, unless it is for all, as the other one is.
pub fn for_events(events: Option<usize>, other: Option<usize>) -> String {
    match (events, other) {
        (Some(1), _) => " for one event".to_owned(),
        (Some(events), _) => format!(" for {events} events"),
        (None, Some(_)) => " for all events".to_owned(),
        (None, None) => String::new(),
    }
}

/// What a person may do in an account, and whether anyone may do anything there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Their rights.
    pub rights: Rights,
    /// Whether the operator has suspended the account.
    pub is_suspended: bool,
}

/// A key, with the person for whom it acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberKey {
    /// The key.
    pub key: ApiKey,
    /// The name of that person; empty once they are erased.
    pub person_name: String,
    /// Their rights in the key's account, if they are a member.
    pub rights: Option<Rights>,
}

names! {
    /// What a member may do in an account. The more powerful role is the lesser one.
    #[derive(PartialOrd, Ord, Hash)]
    Role / UnknownRole: "must be owner, organizer or door" {
        /// Everything.
        Owner = "owner",
        /// Everything but changing members and removing the account.
        Organizer = "organizer",
        /// Seeing events and registrations, and checking attendees in.
        Door = "door",
    }
}

impl Role {
    /// The scopes of the sessions of members with this role, and the most that their keys can have.
    pub fn scopes(self) -> Scopes {
        let all = Scope::ALL_OF_SESSIONS.iter().copied();
        match self {
            Self::Owner => Scopes::named(all),
            Self::Organizer => Scopes::named(
                all.filter(|one| !matches!(one, Scope::MembersWrite | Scope::AccountRemove)),
            ),
            Self::Door => Scopes::named([
                Scope::EventsRead,
                Scope::RegistrationsRead,
                Scope::RegistrationsCheckIn,
            ]),
        }
    }

    /// Whether the role sees the addresses and answers of guests. At the door, names are enough.
    pub const fn sees_addresses(self) -> bool {
        match self {
            Self::Owner | Self::Organizer => true,
            Self::Door => false,
        }
    }
}

/// Longer names are not shown in mails: they are not real names.
const MAX_GREETED_CHARACTERS: usize = 80;

/// What reads as a dot in the name of a host.
pub const DOTS: [char; 4] = ['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'];

/// The name, unless it may contain a link: anyone can register any address under any name, and must not be able to send
/// messages that way.
pub fn greeted(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_spaced = |(at, dot): (usize, &str)| {
        let after = name.get(at + dot.len()..).unwrap_or_default();
        matches!(after.chars().next(), None | Some(' '))
    };
    let is_name = name.chars().count() <= MAX_GREETED_CHARACTERS
        && !name.contains(['/', '@', ':', '<', '>', '\n'])
        && name.match_indices(DOTS).all(is_spaced);
    (is_name && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_may_do_less_than_the_one_before() {
        let [owner, organizer, door] = Role::ALL.map(|role| role.scopes().iter().count());
        assert_eq!(owner, Scope::ALL_OF_SESSIONS.len());
        assert_eq!(organizer, owner - 2);
        assert_eq!(door, 3);
        for role in Role::ALL {
            assert_eq!(role.name().parse(), Ok(role));
        }
        assert_eq!("admin".parse::<Role>(), Err(UnknownRole));
    }

    #[test]
    fn a_member_for_some_events_has_only_what_is_about_events() {
        let limited = |role| Rights {
            role,
            only_some_events: true,
        };
        assert_eq!(
            limited(Role::Organizer).scopes().joined(" "),
            "events:read events:write events:cancel registrations:read registrations:write registrations:check_in messages:write"
        );
        assert_eq!(limited(Role::Door).scopes(), Role::Door.scopes());
        for role in Role::ALL {
            assert_eq!(Rights::everywhere(role).scopes(), role.scopes());
        }
    }

    #[test]
    fn a_key_has_what_it_was_given_as_far_as_the_role_goes() {
        let of_key = |scopes: Scopes, role: Role| scopes.within(role.scopes()).joined(" ");
        assert_eq!(
            of_key(Scopes::All, Role::Door),
            "events:read registrations:read registrations:check_in"
        );
        let some = Scopes::named([Scope::EventsWrite, Scope::RegistrationsRead]);
        assert_eq!(of_key(some, Role::Door), "registrations:read");
        assert_eq!(of_key(some, Role::Owner), some.joined(" "));
        // What only sessions have, no key has.
        let most: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
        assert_eq!(of_key(Scopes::All, Role::Owner), most.join(" "));
    }

    #[test]
    fn a_name_to_begin_with_is_in_the_address() {
        assert_eq!(Person::first_name("ada.l@example.org"), "ada.l");
    }
}
