//! Invitations to become a member of an account.

use super::{
    ids::{AccountId, InvitationId, PersonId},
    instant::{DAY_SECONDS, Instant},
    person::{NamedEvent, Rights},
};

/// For how long an invitation is valid.
pub const VALID_SECONDS: i64 = 7 * DAY_SECONDS;

/// The mail and the page of an invitation name at most this many of its events.
pub const MAX_NAMED_EVENTS: usize = 3;

/// An invitation. It is for the address alone: whoever signs in with it may accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Its identifier.
    pub id: InvitationId,
    /// The account.
    pub account_id: AccountId,
    /// The invited address, as entered.
    pub email: String,
    /// The rights that it offers.
    pub rights: Rights,
    /// Who invited. The invitation ends when they may no longer invite.
    pub invited_by: Option<PersonId>,
    /// Since when.
    pub created_at: Instant,
    /// When it lapses.
    pub expires_at: Instant,
}

/// An invitation, with what people see of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentInvitation {
    /// The invitation.
    pub invitation: Invitation,
    /// The name of the account.
    pub account_name: String,
    /// The name of the member who invited.
    pub invited_by: String,
    /// The events that it is for, by start, if not for all.
    pub events: Vec<NamedEvent>,
}
