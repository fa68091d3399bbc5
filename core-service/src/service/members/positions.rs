//! The events that a member or an invitation is for.

use std::cmp::Ordering;

use domain::{
    ids::{AccountId, EventId, PersonId},
    invitation::SentInvitation,
    person::{MAX_MEMBER_EVENTS, Position, Role},
    violation::FieldViolation,
};

use crate::service::{Context, Error};

/// The members and invitations of an account name at most this many events together: a list of members has them all.
const MAX_NAMED: usize = 2_000;

/// What is wrong with events that are not the account's.
pub const UNKNOWN_EVENTS: &str = "must be events of this account";

/// For which events of an account someone is to be a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventChoice {
    /// For all, also those to come.
    All,
    /// For these.
    Only(Vec<EventId>),
}

/// What a member is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPosition {
    /// The role.
    pub role: Role,
    /// The events; absent for those of before.
    pub events: Option<EventChoice>,
}

impl From<Role> for NewPosition {
    /// For the events of before.
    fn from(role: Role) -> Self {
        Self { role, events: None }
    }
}

/// The position that someone holds, or is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) role: Role,
    /// The events that it is for, by start, if not for all.
    events: Option<Vec<EventId>>,
}

impl From<SentInvitation> for Held {
    fn from(sent: SentInvitation) -> Self {
        let events = sent.events.into_iter().map(|event| event.id);
        let rights = sent.invitation.rights;
        Self {
            role: rights.role,
            events: rights.only_some_events.then(|| events.collect()),
        }
    }
}

impl Held {
    /// The position of a member.
    pub(super) async fn read(
        context: &mut Context,
        account: AccountId,
        person: PersonId,
    ) -> Result<Option<Self>, Error> {
        let Some(rights) = context.tx.find_rights(account, person).await? else {
            return Ok(None);
        };
        let events = if rights.only_some_events {
            Some(context.tx.list_events_of_member(account, person).await?)
        } else {
            None
        };
        Ok(Some(Self {
            role: rights.role,
            events,
        }))
    }

    pub(super) fn position(&self) -> Position<'_> {
        Position {
            role: self.role,
            events: self.events.as_deref(),
        }
    }

    /// The position with another role, and for these events, or those of before.
    pub(super) async fn moved(
        &self,
        context: &mut Context,
        account: AccountId,
        new: &NewPosition,
    ) -> Result<Self, Error> {
        let role = new.role;
        let events = match &new.events {
            Some(choice) => {
                let replaced = self.events.as_ref().map_or(0, Vec::len);
                checked(context, account, role, choice.clone(), replaced).await?
            }
            None if role == Role::Owner && self.events.is_some() => return Err(owner_of_some()),
            None => self.events.clone(),
        };
        Ok(Self { role, events })
    }
}

/// The events that were chosen, by start, if not all. So many that were named before are named no longer.
pub(super) async fn checked(
    context: &mut Context,
    account: AccountId,
    role: Role,
    choice: EventChoice,
    replaced: usize,
) -> Result<Option<Vec<EventId>>, Error> {
    let EventChoice::Only(mut ids) = choice else {
        return Ok(None);
    };
    if role == Role::Owner {
        return Err(owner_of_some());
    }
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() || ids.len() > MAX_MEMBER_EVENTS {
        let message = format!("must name from 1 to {MAX_MEMBER_EVENTS} events");
        return Err(invalid("events.ids", &message));
    }
    let found = context.tx.list_named_events(account, &ids).await?;
    if found.len() < ids.len() {
        return Err(invalid("events.ids", UNKNOWN_EVENTS));
    }
    let named = context.tx.count_named_events(account, context.now).await?;
    let named = usize::try_from(named).unwrap_or(usize::MAX);
    if named.saturating_add(found.len()) > MAX_NAMED + replaced {
        return Err(Error::Conflict(format!(
            "members and invitations of an account may name {MAX_NAMED} events together: let someone be a member for all"
        )));
    }
    Ok(Some(found.into_iter().map(|event| event.id).collect()))
}

/// Of two positions the one with the better role. Of the same role, it is for the events of both, so that nobody gets more than either says.
pub(super) fn better(before: Held, offered: Held) -> Result<Held, Error> {
    // The better role is the lesser one.
    match before.role.cmp(&offered.role) {
        Ordering::Less => return Ok(before),
        Ordering::Greater => return Ok(offered),
        Ordering::Equal => {}
    }
    let role = before.role;
    let (Some(mut events), Some(others)) = (before.events, offered.events) else {
        return Ok(Held { role, events: None });
    };
    for event in others {
        if !events.contains(&event) {
            events.push(event);
        }
    }
    if events.len() > MAX_MEMBER_EVENTS {
        return Err(Error::Conflict(format!(
            "you would be a member for more than {MAX_MEMBER_EVENTS} events: ask to become one for all"
        )));
    }
    let events = Some(events);
    Ok(Held { role, events })
}

fn owner_of_some() -> Error {
    invalid(
        "events",
        "must be all events: an owner has the whole account",
    )
}

fn invalid(field: &str, message: &str) -> Error {
    Error::Invalid(vec![FieldViolation {
        field: field.to_owned(),
        message: message.to_owned(),
    }])
}
