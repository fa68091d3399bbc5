//! Whether a guest's address takes mails.

use super::MailState;
use crate::{email::mailbox_hash, instant::Instant, job::JobKind};

/// A mail to a guest, as far as it says something of their address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestMail {
    /// Its kind.
    pub kind: JobKind,
    /// The hash of the mailbox that it was for.
    pub mailbox: [u8; 32],
    /// What became of it.
    pub state: MailState,
    /// The server's words.
    pub words: Option<String>,
    /// When it was handed over or refused.
    pub sent_at: Instant,
    /// When it was reported as bounced, or as spam.
    pub reported_at: Option<Instant>,
}

/// What an organizer should know of a guest's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailProblem {
    /// The kind of the mail that did not arrive.
    pub kind: JobKind,
    /// What became of it.
    pub state: MailState,
    /// The server's words.
    pub words: Option<String>,
    /// Since when that is known.
    pub at: Instant,
}

impl GuestMail {
    /// Since when its state is known.
    pub fn known_at(&self) -> Instant {
        self.reported_at.unwrap_or(self.sent_at)
    }
}

impl MailProblem {
    /// The latest problem with an address, if no later mail was taken. Mails to another address that the guest had say nothing of it.
    pub fn of(address: &str, mails: &[GuestMail]) -> Option<Self> {
        let mailbox = mailbox_hash(address);
        let own = || mails.iter().filter(|mail| mail.mailbox == mailbox);
        let problems = own().filter(|mail| mail.state.is_problem());
        let last = problems.max_by_key(|mail| mail.known_at())?;
        let is_over =
            own().any(|mail| mail.state == MailState::HandedOver && mail.sent_at > last.known_at());
        (!is_over).then(|| Self {
            kind: last.kind,
            state: last.state,
            words: last.words.clone(),
            at: last.known_at(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(address: &str, state: MailState, sent: i64, reported: Option<i64>) -> GuestMail {
        GuestMail {
            kind: JobKind::RegisteredMail,
            mailbox: mailbox_hash(address),
            state,
            words: None,
            sent_at: Instant::from_micros(sent),
            reported_at: reported.map(Instant::from_micros),
        }
    }

    fn since(mails: &[GuestMail]) -> Option<i64> {
        MailProblem::of("ada@example.org", mails).map(|problem| problem.at.micros())
    }

    #[test]
    fn the_latest_problem_of_the_address_is_shown_until_a_later_mail_is_taken() {
        use MailState::{Bounced, HandedOver, Refused};
        let ada = "ada@example.org";
        assert_eq!(since(&[]), None);
        assert_eq!(since(&[mail(ada, HandedOver, 1, None)]), None);
        assert_eq!(since(&[mail(ada, Refused, 1, None)]), Some(1));
        let both = [mail(ada, Refused, 1, None), mail(ada, Bounced, 2, Some(5))];
        assert_eq!(since(&both), Some(5));
        // Taken before the report came: it will come back, too.
        let early = [
            mail(ada, Bounced, 2, Some(5)),
            mail(ada, HandedOver, 4, None),
        ];
        assert_eq!(since(&early), Some(5));
        let later = [
            mail(ada, Bounced, 2, Some(5)),
            mail(ada, HandedOver, 6, None),
        ];
        assert_eq!(since(&later), None);
        assert_eq!(
            since(&[mail("grace@example.org", Bounced, 1, Some(2))]),
            None
        );
    }
}
