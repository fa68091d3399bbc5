//! Copies of an event, and deleting a draft.

use super::{Event, EventIdentity, Refusal, Reminders};
use crate::instant::Instant;

impl Event {
    /// A draft with the same fields and times, also of an event that is cancelled or over. A photograph is not copied: the copy gets
    /// one of its own. What the operator has taken down stays so.
    #[must_use]
    pub fn copied(&self, identity: EventIdentity, now: Instant) -> Self {
        Self {
            id: identity.id,
            account_id: identity.account_id,
            series: None,
            slug: identity.slug,
            is_published: false,
            is_cancelled: false,
            cancel_reason: None,
            cancelled_at: None,
            image_credit: None,
            has_own_cover: false,
            published_start: None,
            window: self.window.copied(now),
            reminders_missed: Reminders::default(),
            sequence: 0,
            version: 1,
            created_at: now,
            updated_at: now,
            ..self.clone()
        }
    }

    /// Refuses to delete the event, which has so many registrations in any status, unless it is a draft for which nobody ever
    /// registered.
    pub const fn check_deletable(&self, registrations: i32) -> Result<(), Refusal> {
        if self.is_published {
            Err(Refusal::Published)
        } else if registrations > 0 {
            Err(Refusal::HasRegistrations)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        event::tests::event_from,
        ids::{AccountId, EventId},
        image_credit::ImageCredit,
    };

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    #[test]
    fn a_copy_is_a_draft_with_the_same_times() {
        let mut event = event_from(NOW).published(NOW).unwrap();
        event.image_credit = Some(ImageCredit::default());
        (event.sequence, event.version) = (3, 7);
        let event = event.cancelled(Some("rain".to_owned()), NOW).unwrap();
        let identity = EventIdentity {
            id: EventId::new(Uuid::from_u128(7)),
            account_id: AccountId::new(Uuid::from_u128(8)),
            slug: "again".to_owned(),
        };
        let later = NOW.plus_seconds(60);
        let expected = Event {
            id: identity.id,
            account_id: identity.account_id,
            slug: "again".to_owned(),
            created_at: later,
            updated_at: later,
            ..event_from(NOW)
        };
        assert_eq!(event.copied(identity, later), expected);
    }

    #[test]
    fn only_a_draft_for_which_nobody_registered_is_deleted() {
        let draft = event_from(NOW);
        assert_eq!(draft.check_deletable(0), Ok(()));
        let refused = draft.check_deletable(1);
        assert_eq!(refused, Err(Refusal::HasRegistrations));
        let published = draft.published(NOW).unwrap();
        let refused = published.check_deletable(0);
        assert_eq!(refused, Err(Refusal::Published));
    }
}
