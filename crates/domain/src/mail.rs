//! What became of the mails to registrants. It says only what is known: whether somebody read a mail, or whether it arrived, is not.

mod bounce_token;
mod problem;
pub mod quota;
mod status;
mod words;

pub use bounce_token::BounceToken;
pub use problem::{GuestMail, MailProblem};
pub use status::PermanentStatus;
pub use words::server_words;

use crate::{instant::Instant, job::JobKey, names::names};

/// For how many days it is known what became of a mail.
pub const MAIL_DAYS: u32 = 90;

/// Permanent failures of one mailbox within [`FAILURE_DAYS`] that stop messages and reminders to it.
pub const MAX_FAILURES: i64 = 3;

/// See [`MAX_FAILURES`].
pub const FAILURE_DAYS: i64 = 30;

names! {
    /// What is known of a mail that is no job any more.
    #[derive(Hash, PartialOrd, Ord)]
    MailState / UnknownMailState: "is no state of a mail" {
        /// The mail server took it.
        HandedOver = "handed_over",
        /// The mail server refused it, or every try failed.
        Refused = "refused",
        /// A server took it, and reported later that it cannot be delivered.
        Bounced = "bounced",
        /// Its recipient called it spam.
        Complained = "complained",
        /// It was not sent, since its recipient gets no such mails.
        Withheld = "withheld",
    }

    /// Why a mailbox gets no messages and reminders, whoever they are from.
    StopReason / UnknownStopReason: "is no reason to stop mails" {
        /// Mails to it were refused or came back for good.
        Bounced = "bounced",
        /// Its owner called a mail spam.
        Complained = "complained",
    }
}

impl MailState {
    /// Whether the organizer should look at the address.
    pub const fn is_problem(self) -> bool {
        matches!(self, Self::Refused | Self::Bounced | Self::Complained)
    }
}

/// A mail to a registrant whose job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMail {
    /// The key of its job, with which its Message-ID begins.
    pub key: JobKey,
    /// The hash of the mailbox that it was for.
    pub mailbox: [u8; 32],
    /// What became of it.
    pub state: MailState,
    /// The words of the server that refused it, without addresses of others.
    pub words: Option<String>,
    /// The permanent status with which it was refused.
    pub status: Option<PermanentStatus>,
    /// The hash of the token in its envelope, by which a report names it.
    pub bounce_token: Option<[u8; 32]>,
    /// When.
    pub at: Instant,
}

/// What a server or a provider reports about a mail that was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailReport {
    /// Which mail, as far as the report says.
    pub mail: ReportedMail,
    /// What became of it.
    pub event: ReportedEvent,
}

/// Which mail a report is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportedMail {
    /// The one with this token in its envelope: whoever knows it got the mail or handled it.
    Token(BounceToken),
    /// The one with this key; if the report has none, some mail to this address, nobody knows which. Only for reports of someone who proved who they are.
    Trusted {
        /// The key in its Message-ID.
        key: Option<JobKey>,
        /// The recipient's address.
        address: Option<String>,
    },
}

/// What is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportedEvent {
    /// It cannot be delivered, for good.
    Bounced {
        /// The status.
        status: PermanentStatus,
        /// The server's words, which may name others.
        words: Option<String>,
    },
    /// Its recipient called it spam.
    Complained,
}

impl ReportedEvent {
    /// The state of a mail of which this is reported.
    pub const fn state(&self) -> MailState {
        match self {
            Self::Bounced { .. } => MailState::Bounced,
            Self::Complained => MailState::Complained,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_they_are_written() {
        for state in MailState::ALL {
            assert_eq!(state.name().parse(), Ok(state));
        }
        assert_eq!("delivered".parse::<MailState>(), Err(UnknownMailState));
        for reason in [StopReason::Bounced, StopReason::Complained] {
            assert_eq!(reason.name().parse(), Ok(reason));
        }
    }
}
