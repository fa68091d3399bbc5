//! Limits on what is done for or to one person, which all cores count together.

use sha2::{Digest as _, Sha256};

use super::{email, ids::AccountId, rate::Limit};

const HOUR_SECONDS: i64 = 3_600;
const DAY_SECONDS: i64 = 86_400;

/// SHA-256 of a browser's secret.
pub type BrowserHash = [u8; 32];

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    SignInMail,
    StepUpMail,
    EmailChangeMail,
    WrongCode,
    InvitationTo,
    InvitationOf,
    Mailbox,
    MailboxByOrganizers,
    ContactMail,
}

/// What causes a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Its recipient, or somebody who says so: a code, or a registration of the public.
    Recipient,
    /// An organizer, or a member of an account.
    Organizer,
}

/// The mails that one mailbox gets in a period, over all causes, accounts and cores. It has fewer by organizers, so that codes and
/// registrations go through whatever organizers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailboxLimits {
    /// All mails.
    pub all: Limit,
    /// Those that organizers cause.
    pub by_organizers: Limit,
}

impl MailboxLimits {
    /// The budgets that a mail to an address takes from; none that are off.
    pub fn budgets(&self, cause: Cause, address: &str) -> Vec<Budget> {
        let mailbox = email::mailbox(address);
        let of = |subject, limit| Budget::of_mailbox(subject, limit, &mailbox);
        let all = of(Subject::Mailbox, self.all);
        let by_organizers = match cause {
            Cause::Recipient => None,
            Cause::Organizer => of(Subject::MailboxByOrganizers, self.by_organizers),
        };
        all.into_iter().chain(by_organizers).collect()
    }
}

/// A limit and whom it is about. Only a hash of that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    hash: [u8; 32],
    limit: i64,
    period_seconds: i64,
}

impl Budget {
    /// Mails with codes to sign in by this address, in any form of its mailbox. A browser in which its owner has signed in before has
    /// a budget of its own, so that strangers cannot use it up.
    pub fn sign_in_mails(address: &str, known: Option<&BrowserHash>) -> Self {
        let mailbox = email::mailbox(address);
        Self::new(Subject::SignInMail, mailbox.as_bytes(), known)
    }

    /// Wrong codes for this address. A known browser has a budget of its own.
    pub fn wrong_codes(address: &str, known: Option<&BrowserHash>) -> Self {
        let address = email::normalised(address);
        Self::new(Subject::WrongCode, address.as_bytes(), known)
    }

    /// Mails with codes for a step-up.
    pub fn step_up_mails(address: &str) -> Self {
        let address = email::normalised(address);
        Self::new(Subject::StepUpMail, address.as_bytes(), None)
    }

    /// Mails with codes to change to this address.
    pub fn email_change_mails(address: &str) -> Self {
        let mailbox = email::mailbox(address);
        Self::new(Subject::EmailChangeMail, mailbox.as_bytes(), None)
    }

    /// Mails with codes to prove an address for questions.
    pub fn contact_mails(address: &str) -> Self {
        let mailbox = email::mailbox(address);
        Self::new(Subject::ContactMail, mailbox.as_bytes(), None)
    }

    /// Invitations to this address.
    pub fn invitations_to(address: &str) -> Self {
        let mailbox = email::mailbox(address);
        Self::new(Subject::InvitationTo, mailbox.as_bytes(), None)
    }

    /// Invitations of an account.
    pub fn invitations_of(account: AccountId) -> Self {
        Self::new(Subject::InvitationOf, account.uuid().as_bytes(), None)
    }

    fn new(subject: Subject, about: &[u8], known: Option<&BrowserHash>) -> Self {
        let mut hash = Sha256::new();
        hash.update([subject as u8]);
        // A fixed length comes first, so that no two of them are the same text.
        hash.update(known.unwrap_or(&[0; 32]));
        hash.update(about);
        Self {
            hash: hash.finalize().into(),
            limit: subject.limit(),
            period_seconds: subject.period_seconds(),
        }
    }

    fn of_mailbox(subject: Subject, limit: Limit, mailbox: &str) -> Option<Self> {
        let Limit::Rate { count, per } = limit else {
            return None;
        };
        Some(Self {
            limit: count.get().into(),
            period_seconds: i64::try_from(per.length().as_secs()).unwrap_or(i64::MAX),
            ..Self::new(subject, mailbox.as_bytes(), None)
        })
    }

    /// What it is stored by.
    pub const fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// How often it may be used in a period.
    pub const fn limit(&self) -> i64 {
        self.limit
    }

    /// The period, which begins with the first use.
    pub const fn period_seconds(&self) -> i64 {
        self.period_seconds
    }
}

impl Subject {
    /// The limit; that of a mailbox is a setting.
    const fn limit(self) -> i64 {
        match self {
            Self::SignInMail
            | Self::StepUpMail
            | Self::EmailChangeMail
            | Self::ContactMail
            | Self::InvitationTo => 5,
            Self::WrongCode => 30,
            Self::InvitationOf => 50,
            Self::Mailbox | Self::MailboxByOrganizers => i64::MAX,
        }
    }

    const fn period_seconds(self) -> i64 {
        match self {
            Self::WrongCode | Self::InvitationTo | Self::InvitationOf => DAY_SECONDS,
            Self::SignInMail
            | Self::StepUpMail
            | Self::EmailChangeMail
            | Self::ContactMail
            | Self::Mailbox
            | Self::MailboxByOrganizers => HOUR_SECONDS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_has_one_budget_whatever_its_address_looks_like() {
        let of = |address| Budget::sign_in_mails(address, None);
        assert_eq!(of("Ada+1@Example.org"), of("ada@example.org"));
        assert_ne!(of("ada@example.org"), of("bob@example.org"));
        assert_ne!(
            of("ada@example.org"),
            Budget::step_up_mails("ada@example.org")
        );
        let known = Budget::sign_in_mails("ada@example.org", Some(&[1; 32]));
        assert_ne!(of("ada@example.org"), known);
    }
}
