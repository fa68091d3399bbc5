//! What tries say of mails to registrants.

use domain::{
    email::mailbox_hash,
    instant::Instant,
    mail::{MailState, SentMail, server_words},
};

use super::{Outcome, Try, attempt::Unsent};
use crate::jobs::{Delivery, backoff};

/// A mail that was handed over.
pub(super) fn sent(one: &Try, delivery: &Delivery, now: Instant) -> SentMail {
    SentMail {
        key: one.job.key,
        mailbox: mailbox_hash(&delivery.address),
        state: MailState::HandedOver,
        words: None,
        status: None,
        bounce_token: delivery.bounce_token,
        at: now,
    }
}

/// A mail whose recipient gets no such mails.
pub(super) fn withheld(one: &Try, delivery: &Delivery, now: Instant) -> SentMail {
    SentMail {
        state: MailState::Withheld,
        bounce_token: None,
        ..sent(one, delivery, now)
    }
}

/// A mail that was not handed over, if this was its last try.
pub(super) fn refused(one: &Try, now: Instant) -> Option<SentMail> {
    let Unsent { delivery, why } = one.unsent.as_ref()?;
    let is_last = match one.outcome {
        Outcome::Failed(_) => true,
        Outcome::Retry(_) => backoff::wait_seconds(one.job.tries, one.job.key.subject_id).is_none(),
        _ => false,
    };
    is_last.then(|| SentMail {
        state: MailState::Refused,
        words: server_words(&why.to_string(), &delivery.address),
        status: why.status().filter(|status| !status.is_of_sender()),
        bounce_token: None,
        ..sent(one, delivery, now)
    })
}
