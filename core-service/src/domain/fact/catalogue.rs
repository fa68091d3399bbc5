//! Whether a fact changes what the public catalogue shows.

use super::Fact;
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
}
