//! What was acknowledged must be there afterwards: each event and each registration. Mails are in [`crate::mails`].

use std::collections::HashSet;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::{
    asked::Asked,
    balancer::Caller,
    load::Record,
    mails::{self, Mails},
    requests::text,
    system::{Event, System},
    target::Target,
};

/// Checks at a time.
const AT_A_TIME: usize = 8;

/// The longest page of registrations.
const PAGE: usize = 200;

/// What is missing of what was acknowledged, and what is too much.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    pub(crate) events: usize,
    pub(crate) registrations: usize,
    pub(crate) mails: Mails,
}

impl Lost {
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.registrations += other.registrations;
        self.mails.add(&other.mails);
    }

    /// Of what was acknowledged.
    pub(crate) const fn acknowledged(&self) -> usize {
        self.events + self.registrations
    }
}

/// Looks for everything that the record has.
pub(crate) async fn check(
    system: &System,
    target: &Target,
    record: &Record,
    awaits_repetitions: bool,
) -> anyhow::Result<Lost> {
    let mut registrations = 0;
    for (place, event) in system.events.iter().enumerate() {
        let registered = registered(target, event).await?;
        let missing = |(at, email): &&(usize, String)| *at == place && !registered.contains(email);
        registrations += record.registered.iter().filter(missing).count();
    }
    Ok(Lost {
        events: missing_events(system, target, &record.created).await?,
        registrations,
        mails: mails::check(system, record, awaits_repetitions).await?,
    })
}

async fn missing_events(
    system: &System,
    target: &Target,
    created: &[(usize, String)],
) -> anyhow::Result<usize> {
    let mut checks = JoinSet::new();
    for share in created.chunks(created.len().div_ceil(AT_A_TIME).max(1)) {
        let (share, events) = (share.to_vec(), system.events.clone());
        let mut caller = Caller::of(&target.api);
        checks.spawn(async move {
            let mut missing = 0;
            for (place, id) in share {
                let key = &events.get(place).context("each account has an event")?.key;
                let asked = Asked::get(format!("/api/v1/me/events/{id}"), Some(key));
                let answer = caller.call(&asked).await.answer;
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
async fn registered(target: &Target, event: &Event) -> anyhow::Result<HashSet<String>> {
    let mut caller = Caller::of(&target.api);
    let mut addresses = HashSet::new();
    for from in (0..).step_by(PAGE) {
        let path = format!(
            "/api/v1/me/events/{}/registrations?limit={PAGE}&offset={from}",
            event.id
        );
        let asked = Asked::get(path, Some(&event.key));
        let answer = caller.call(&asked).await.answer;
        ensure!(asked.is_done(&answer), "{answer:?}");
        let page = asked.content(&answer);
        let items = page.as_ref().and_then(|page| page.get("items"));
        let items = items.and_then(Value::as_array);
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
