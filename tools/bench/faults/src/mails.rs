//! Everyone who was told that they are registered must have got one mail.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use tokio::time::sleep;

use crate::{load::Record, system::System};

/// How long mails may take. A core that was killed holds its mails for a minute and a half, and after a long absence of the mail server
/// it is asked again every six minutes.
const TIMEOUT: Duration = Duration::from_mins(10);

/// How often it is looked whether mails have come.
const POLL: Duration = Duration::from_millis(500);

/// The mails of guests.
#[derive(Debug, Default)]
pub(crate) struct Mails {
    /// People without one.
    pub(crate) lost: usize,
    /// Mails beyond the first to the same person, of another id.
    pub(crate) doubled: usize,
    /// Mails that came once more with the same id: mail programs show them once.
    pub(crate) repeated: usize,
    /// When all were there.
    pub(crate) complete: Option<Instant>,
}

impl Mails {
    pub(crate) fn add(&mut self, other: &Self) {
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.repeated += other.repeated;
        self.complete = self.complete.max(other.complete);
    }
}

/// Waits for the mails of a record, and perhaps until none may be sent once more.
pub(crate) async fn check(
    system: &System,
    record: &Record,
    awaits_repetitions: bool,
) -> anyhow::Result<Mails> {
    let until = Instant::now() + TIMEOUT;
    let (mut complete, mut seen) = (None, 0);
    loop {
        let now = Instant::now();
        let count = system.mails.count();
        if complete.is_none() && count > seen {
            seen = count;
            complete = (missing(system, record) == 0).then_some(now);
        }
        let is_complete = complete.is_some() || record.registered.is_empty();
        let may_come = || {
            system
                .waiting_mails()
                .map(|waiting| waiting.unwrap_or(0) > 0)
        };
        if is_complete && !(awaits_repetitions && may_come()?) || now > until {
            break;
        }
        sleep(POLL).await;
    }
    Ok(Mails {
        lost: missing(system, record),
        complete,
        ..surplus(system)
    })
}

fn missing(system: &System, record: &Record) -> usize {
    let mails = system.mails.mails();
    let told: HashSet<_> = mails.iter().flat_map(|mail| &mail.recipients).collect();
    let mut registered = record.registered.iter();
    let missing = registered
        .by_ref()
        .filter(|(_, email)| !told.contains(email));
    missing.count()
}

fn surplus(system: &System) -> Mails {
    let mails = system.mails.mails();
    let mut ids: HashMap<&str, HashSet<&str>> = HashMap::new();
    let mut surplus = Mails::default();
    for mail in &mails {
        let Some(recipient) = mail.recipients.first() else {
            continue;
        };
        let of_recipient = ids.entry(recipient).or_default();
        let is_first = of_recipient.is_empty();
        let is_new = of_recipient.insert(mail.message_id().unwrap_or_default());
        surplus.repeated += usize::from(!is_new);
        surplus.doubled += usize::from(is_new && !is_first && recipient.starts_with("guest-"));
    }
    surplus
}
