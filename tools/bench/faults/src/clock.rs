//! A core whose clock is ahead, by libfaketime.

use std::{path::Path, time::Duration};

use anyhow::{Context as _, ensure};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tokio::time::sleep;

use crate::{
    asked::Asked,
    balancer::Caller,
    requests::{create, text},
    target::Target,
};

/// Where Debian's package has it.
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

/// How far it is ahead, as libfaketime takes it.
const AHEAD: &str = "+5s";

/// A time that is ahead by so much is not this machine's.
const SURELY_AHEAD: SignedDuration = SignedDuration::from_secs(3);

/// How many guests register to see it: half of them by the other core.
const GUESTS: usize = 16;

/// The pause between them, so that each is decided alone.
const PAUSE: Duration = Duration::from_millis(20);

/// The environment of a program whose clock is ahead. Waits and deadlines are by another clock, which goes as before.
///
/// # Errors
/// Where libfaketime is not installed.
pub(crate) fn ahead() -> anyhow::Result<Vec<(String, String)>> {
    let library = LIBRARIES.iter().find(|path| Path::new(path).exists());
    let library = library.context("libfaketime is not installed")?;
    let environment = [
        ("LD_PRELOAD", *library),
        ("FAKETIME", AHEAD),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    let owned = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(owned.to_vec())
}

/// Checks that some guests are registered at a time that is still to come.
#[expect(
    clippy::disallowed_methods,
    reason = "the clock of a core is compared with this machine's"
)]
pub(crate) async fn check(target: &Target) -> anyhow::Result<()> {
    let mut caller = Caller::of(&target.api);
    let (_, account) = target.event(0);
    let asked = create(&account.key, true);
    let created = asked.content(&caller.call(&asked).await.answer);
    let event = created.context("the event to look at the clock is not made")?;
    let (id, slug) = (text(&event, "id")?, text(&event, "slug")?);
    let path = format!("/api/v1/events/{slug}/registrations");
    for number in 0..GUESTS {
        let guest = json!({"name": "Guest", "email": format!("clock-{number}-{slug}@example.org")});
        caller.call(&Asked::post(path.clone(), None, &guest)).await;
        sleep(PAUSE).await;
    }
    let now = Timestamp::now();
    let path = format!("/api/v1/me/events/{id}/registrations");
    let asked = Asked::get(path, Some(&account.key));
    let listed = asked.content(&caller.call(&asked).await.answer);
    let listed = listed.context("the registrations are not listed")?;
    let mut ahead = 0;
    for one in listed["items"].as_array().into_iter().flatten() {
        let at: Timestamp = text(one, "registered_at")?.parse()?;
        ahead += usize::from(at.duration_since(now) > SURELY_AHEAD);
    }
    ensure!(
        ahead > 0,
        "no core's clock is ahead: libfaketime has no effect"
    );
    eprintln!("{ahead} of {GUESTS} guests registered at a time that is to come");
    Ok(())
}
