//! What was acknowledged must be there afterwards: each event, each registration, and each mail.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::{
    client::{Asked, Client},
    load::Record,
    system::{Event, System, text},
};

/// How long mails may take: their first tries may have met the fault, and the next come after half a minute.
const MAILS: Duration = Duration::from_mins(3);

/// How often it is looked whether mails have come.
const POLL: Duration = Duration::from_millis(100);

/// Checks at a time.
const AT_A_TIME: usize = 8;

/// The longest page of registrations.
const PAGE: usize = 200;

/// What is missing of what was acknowledged.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) events: usize,
    pub(crate) registrations: usize,
    pub(crate) mails: usize,
}

impl Lost {
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.registrations += other.registrations;
        self.mails += other.mails;
    }

    /// The number, and what it consists of.
    pub(crate) fn text(&self) -> String {
        match self.sum() {
            0 => "0".to_owned(),
            sum => format!(
                "{sum} ({} events, {} registrations, {} mails)",
                self.events, self.registrations, self.mails
            ),
        }
    }

    pub(crate) fn sum(&self) -> usize {
        self.events + self.registrations + self.mails
    }
}

/// Looks for everything that the record has.
pub(crate) async fn check(system: &System, record: &Record) -> anyhow::Result<Lost> {
    let mut lost = Lost {
        events: missing_events(system, &record.created).await?,
        ..Lost::default()
    };
    for (place, event) in system.events.iter().enumerate() {
        let registered = registrations(system, event).await?;
        let missing = |(at, email): &&(usize, String)| *at == place && !registered.contains(email);
        lost.registrations += record.registered.iter().filter(missing).count();
    }
    lost.mails = missing_mails(system, record).await;
    Ok(lost)
}

async fn missing_events(system: &System, created: &[(usize, String)]) -> anyhow::Result<usize> {
    let mut checks = JoinSet::new();
    for share in created.chunks(created.len().div_ceil(AT_A_TIME).max(1)) {
        let (share, events, address) = (share.to_vec(), system.events.clone(), system.address);
        checks.spawn(async move {
            let mut client = Client::new(address);
            let mut missing = 0;
            for (place, id) in share {
                let key = &events.get(place).context("each account has an event")?.key;
                let asked = Asked::get(format!("/api/v1/me/events/{id}"), Some(key));
                let answer = client.ask(&asked).await;
                let status = answer.status.context("no answer to a check")?;
                ensure!(status.is_success() || status.as_u16() == 404, "{answer:?}");
                missing += usize::from(!status.is_success());
            }
            anyhow::Ok(missing)
        });
    }
    let mut missing = 0;
    while let Some(share) = checks.join_next().await {
        missing += share??;
    }
    Ok(missing)
}

/// The addresses of all who are registered for an event.
async fn registrations(system: &System, event: &Event) -> anyhow::Result<HashSet<String>> {
    let mut client = Client::new(system.address);
    let mut addresses = HashSet::new();
    for from in (0..).step_by(PAGE) {
        let path = format!(
            "/api/v1/me/events/{}/registrations?limit={PAGE}&offset={from}",
            event.id
        );
        let page = client.ask(&Asked::get(path, Some(&event.key))).await;
        let page = page.json()?;
        let items = page.get("items").and_then(Value::as_array);
        let items = items.context("a page has items")?;
        for item in items {
            addresses.insert(text(item, "email")?);
        }
        if items.len() < PAGE {
            break;
        }
    }
    Ok(addresses)
}

/// How many people who were told that they are registered get no mail.
async fn missing_mails(system: &System, record: &Record) -> usize {
    let until = Instant::now() + MAILS;
    loop {
        let mails = system.mails.mails();
        let told: HashSet<_> = mails.iter().flat_map(|mail| &mail.recipients).collect();
        let missing = record
            .registered
            .iter()
            .filter(|(_, email)| !told.contains(email));
        let missing = missing.count();
        if missing == 0 || Instant::now() > until {
            return missing;
        }
        tokio::time::sleep(POLL).await;
    }
}
