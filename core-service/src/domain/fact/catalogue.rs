//! Whether a fact changes what the public catalogue shows, and of which event another number of seats is left.

use super::{Fact, RegistrationChange};
use crate::domain::{ids::EventId, instant::Instant};

impl Fact<'_> {
    /// The event whose entry in the public catalogue changes. Registrations change nothing there.
    pub fn catalogue_change(&self, now: Instant) -> Option<EventId> {
        match *self {
            Self::EventCreated { event } | Self::CoverStored { event } => {
                event.is_live(now).then_some(event.id)
            }
            // It is in the catalogue, or would be.
            Self::EventTakenDown { event, .. } | Self::EventWithdrawn { event } => {
                (event.is_published && event.is_listed && event.is_active(now)).then_some(event.id)
            }
            Self::EventChanged { before, after, .. } => {
                (before.is_live(now) || after.is_live(now)).then_some(after.id)
            }
            Self::EventDeleted { .. }
            | Self::EventMoved { .. }
            | Self::EventAnnounced { .. }
            | Self::WaitlistPromoted { .. }
            | Self::RegistrationMade { .. }
            | Self::RegistrationRepeated { .. }
            | Self::RegistrationChanged { .. }
            | Self::RegistrationEdited { .. }
            | Self::DetailsTakenOver { .. }
            | Self::SeatsReleased { .. }
            | Self::RegistrationsLapsed { .. }
            | Self::RegistrationErased { .. }
            | Self::AccountCreated { .. }
            | Self::PlanSet { .. }
            | Self::AccountChanged { .. }
            | Self::CodeMade { .. }
            | Self::MemberInvited { .. }
            | Self::InvitationEnded { .. }
            | Self::MemberChanged { .. }
            | Self::OrganizerMailDue { .. }
            | Self::KeyCreated { .. }
            | Self::KeyRevoked { .. }
            | Self::AppConnected { .. }
            | Self::AppDisconnected { .. }
            | Self::MailRetried { .. }
            | Self::PrivateLinksMade => None,
        }
    }

    /// The event of which another number of seats may be left. What changes the event itself is a [`Fact::catalogue_change`].
    pub fn seat_change(&self) -> Option<EventId> {
        match *self {
            Self::RegistrationMade { event, .. } | Self::RegistrationErased { event, .. } => {
                Some(event)
            }
            Self::SeatsReleased { event, .. }
            | Self::RegistrationsLapsed { event, .. }
            | Self::WaitlistPromoted { event, .. } => Some(event.id),
            Self::RegistrationChanged { change, after, .. } => match change {
                RegistrationChange::Approved
                | RegistrationChange::Confirmed
                | RegistrationChange::Cancelled
                | RegistrationChange::Declined => Some(after.event_id),
                RegistrationChange::CheckedIn | RegistrationChange::CheckInUndone => None,
            },
            Self::EventCreated { .. }
            | Self::CoverStored { .. }
            | Self::EventTakenDown { .. }
            | Self::EventWithdrawn { .. }
            | Self::EventChanged { .. }
            | Self::EventDeleted { .. }
            | Self::EventMoved { .. }
            | Self::EventAnnounced { .. }
            | Self::RegistrationRepeated { .. }
            | Self::RegistrationEdited { .. }
            | Self::DetailsTakenOver { .. }
            | Self::AccountCreated { .. }
            | Self::PlanSet { .. }
            | Self::AccountChanged { .. }
            | Self::CodeMade { .. }
            | Self::MemberInvited { .. }
            | Self::InvitationEnded { .. }
            | Self::MemberChanged { .. }
            | Self::OrganizerMailDue { .. }
            | Self::KeyCreated { .. }
            | Self::KeyRevoked { .. }
            | Self::AppConnected { .. }
            | Self::AppDisconnected { .. }
            | Self::MailRetried { .. }
            | Self::PrivateLinksMade => None,
        }
    }
}
