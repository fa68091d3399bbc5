//! Limits on what is done for or to one person, which all cores count together.

use std::net::IpAddr;

use sha2::{Digest as _, Sha256};

use super::{
    email,
    ids::{AccountId, PersonId},
    instant::DAY_SECONDS,
    rate::{Limit, MailboxLimits},
};

const HOUR_SECONDS: i64 = 3_600;

/// SHA-256 of a browser's secret.
pub type BrowserHash = [u8; 32];

/// Who asks for codes and types them. Strangers use up nothing of a browser in which someone has signed in by the address, and those of
/// one network little of what others may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asker {
    /// A browser in which someone has signed in by the address before.
    Known(BrowserHash),
    /// Another browser, by the SHA-256 of its network.
    Network([u8; 32]),
}

impl Asker {
    /// A browser at this address, which is not always known.
    pub fn at(client: Option<IpAddr>) -> Self {
        let mut hash = Sha256::new();
        match client.map(|client| client.to_canonical()) {
            Some(IpAddr::V4(address)) => {
                let [first, second, third, _] = address.octets();
                hash.update([4, first, second, third]);
            }
            // A site has a /48.
            Some(IpAddr::V6(address)) => {
                let [first, second, third, ..] = address.segments();
                hash.update([6]);
                for part in [first, second, third] {
                    hash.update(part.to_be_bytes());
                }
            }
            None => hash.update([0]),
        }
        Self::Network(hash.finalize().into())
    }
}

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
    SignInMailFrom,
    WrongCodeFrom,
    ContactMailOf,
    EmailChangeMailOf,
    RegistrationFrom,
}

/// What causes a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Its recipient, or someone who says so: a code, or a registration of the public.
    Recipient,
    /// An organizer, or a member of an account.
    Organizer,
}

/// A limit and whom it is about. Only a hash of that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    hash: [u8; 32],
    limit: i64,
    period_seconds: i64,
}

impl Budget {
    /// What a mail to an address takes from the budget of its mailbox; nothing from those that are off.
    pub fn mails_to(limits: MailboxLimits, cause: Cause, address: &str) -> Vec<Self> {
        let mailbox = email::mailbox(address);
        let of = |subject, limit| Self::of_mailbox(subject, limit, &mailbox);
        let all = of(Subject::Mailbox, limits.all);
        let by_organizers = match cause {
            Cause::Recipient => None,
            Cause::Organizer => of(Subject::MailboxByOrganizers, limits.by_organizers),
        };
        all.into_iter().chain(by_organizers).collect()
    }

    /// What a registration of the public for an address takes: from the budget of its mailbox, and half as much from that of its network, so
    /// that one network leaves some of the mailbox's to others. Nothing if the mailbox has no limit.
    pub fn registrations(limits: MailboxLimits, address: &str, asker: &Asker) -> Vec<Self> {
        let mut budgets = Self::mails_to(limits, Cause::Recipient, address);
        if let Some(all) = budgets.first() {
            let (Asker::Known(of) | Asker::Network(of)) = asker;
            let mailbox = email::mailbox(address);
            let half = Self {
                limit: (all.limit / 2).max(1),
                period_seconds: all.period_seconds,
                ..Self::new(Subject::RegistrationFrom, mailbox.as_bytes(), Some(of))
            };
            budgets.push(half);
        }
        budgets
    }

    /// Mails with codes to sign in by this address, in any form of its mailbox, to this asker.
    pub fn sign_in_mails(address: &str, asker: &Asker) -> Vec<Self> {
        let mailbox = email::mailbox(address);
        Self::by_asker(
            asker,
            mailbox.as_bytes(),
            Subject::SignInMailFrom,
            Subject::SignInMail,
        )
    }

    /// Wrong codes for this address, by this asker.
    pub fn wrong_codes(address: &str, asker: &Asker) -> Vec<Self> {
        let address = email::normalised(address);
        Self::by_asker(
            asker,
            address.as_bytes(),
            Subject::WrongCodeFrom,
            Subject::WrongCode,
        )
    }

    /// Those of a known browser, or those of a network and, larger, of all networks together.
    fn by_asker(asker: &Asker, about: &[u8], own: Subject, all: Subject) -> Vec<Self> {
        match asker {
            Asker::Known(browser) => vec![Self::new(own, about, Some(browser))],
            Asker::Network(network) => vec![
                Self::new(own, about, Some(network)),
                Self::new(all, about, None),
            ],
        }
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

    /// Mails with codes that an account asks for to prove addresses for questions.
    pub fn contact_mails_of(account: AccountId) -> Self {
        Self::new(Subject::ContactMailOf, account.uuid().as_bytes(), None)
    }

    /// Mails with codes that a person asks for to change their address.
    pub fn email_change_mails_of(person: PersonId) -> Self {
        Self::new(Subject::EmailChangeMailOf, person.uuid().as_bytes(), None)
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
    /// The limit; those of a mailbox are settings.
    const fn limit(self) -> i64 {
        match self {
            Self::SignInMailFrom
            | Self::StepUpMail
            | Self::EmailChangeMail
            | Self::ContactMail
            | Self::InvitationTo => 5,
            Self::SignInMail => 20,
            Self::WrongCodeFrom => 30,
            Self::WrongCode => 100,
            Self::ContactMailOf | Self::EmailChangeMailOf => 10,
            Self::InvitationOf => 50,
            Self::Mailbox | Self::MailboxByOrganizers | Self::RegistrationFrom => i64::MAX,
        }
    }

    const fn period_seconds(self) -> i64 {
        match self {
            Self::WrongCodeFrom
            | Self::InvitationTo
            | Self::InvitationOf
            | Self::ContactMailOf
            | Self::EmailChangeMailOf => DAY_SECONDS,
            Self::WrongCode
            | Self::SignInMail
            | Self::SignInMailFrom
            | Self::StepUpMail
            | Self::EmailChangeMail
            | Self::ContactMail
            | Self::Mailbox
            | Self::MailboxByOrganizers
            | Self::RegistrationFrom => HOUR_SECONDS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Period;

    #[test]
    fn a_mailbox_has_one_budget_whatever_its_address_looks_like() {
        let anyone = Asker::at(None);
        let of = |address| Budget::sign_in_mails(address, &anyone);
        assert_eq!(of("Ada+1@Example.org"), of("ada@example.org"));
        assert_ne!(of("ada@example.org"), of("bob@example.org"));
        let step_up = Budget::step_up_mails("ada@example.org");
        assert!(!of("ada@example.org").contains(&step_up));
    }

    #[test]
    fn networks_share_one_budget_beside_their_own_and_a_known_browser_has_its_own() {
        let of = |asker| Budget::sign_in_mails("ada@example.org", &asker);
        let at = |address: &str| of(Asker::at(Some(address.parse().unwrap())));
        assert_eq!(at("192.0.2.1"), at("::ffff:192.0.2.200"));
        assert_eq!(at("2001:db8:1::1"), at("2001:db8:1:ffff::1"));
        for (one, other) in [
            ("192.0.2.1", "192.0.3.1"),
            ("2001:db8:1::1", "2001:db8:2::1"),
        ] {
            assert_ne!(at(one)[0], at(other)[0]);
            assert_eq!(at(one)[1], at(other)[1]);
        }
        let limits = at("192.0.2.1")
            .iter()
            .map(Budget::limit)
            .collect::<Vec<_>>();
        assert_eq!(limits, [5, 20]);
        let known = of(Asker::Known([1; 32]));
        assert_eq!(known.iter().map(Budget::limit).collect::<Vec<_>>(), [5]);
        assert!(known.iter().all(|one| !at("192.0.2.1").contains(one)));
    }
    #[test]
    fn one_network_registers_for_half_of_what_a_mailbox_gets() {
        let half = |all| {
            let limits = MailboxLimits {
                all,
                by_organizers: Limit::Off,
            };
            let of = Budget::registrations(limits, "ada@example.org", &Asker::at(None));
            of.last().map(|own| (own.limit(), own.period_seconds()))
        };
        assert_eq!(half(Limit::new(20, Period::Hour)), Some((10, 3_600)));
        assert_eq!(half(Limit::new(5, Period::Day)), Some((2, 86_400)));
        assert_eq!(half(Limit::new(1, Period::Hour)), Some((1, 3_600)));
        assert_eq!(half(Limit::Off), None);
    }
}
