//! `muster webhook listen`: pulls the messages of an account and posts them to a program on this machine, signed as deliveries are. A developer
//! tries a receiver with it that no URL reaches.

mod forward;
mod instance;
mod report;
mod settings;

use std::{
    io::{self, ErrorKind},
    time::Duration,
};

use domain::{
    clock::Clock,
    entropy::Entropy,
    webhook::{Scheme, SigningKey},
};
use server::Failure;
use tokio::{
    signal,
    time::{Instant, sleep},
};

use self::{
    forward::Forward,
    instance::{Instance, LATEST, Page, PullError},
    report::Report,
};

pub use report::Output;
pub use settings::{ListenSettings, Options};

/// The pause after the first failed call; each further one is twice as long.
const INITIAL_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause: a developer who starts Muster again does not want to wait for longer.
const MAX_PAUSE: Duration = Duration::from_secs(15);

/// How long a call waits for a message: the longest time that the API allows.
const WAIT_SECONDS: u8 = 20;

/// The pause after an answer that came at once without anything: Muster lets a bounded number of calls wait.
const MIN_INTERVAL: Duration = Duration::from_secs(2);

/// Why it ends before it is stopped.
enum Ended {
    /// The output cannot be written.
    Output(io::Error),
    /// Anything else.
    Failure(Failure),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Completes when a person at the terminal presses Ctrl-C.
pub async fn interrupt() {
    if signal::ctrl_c().await.is_err() {
        // Without a handler the signal ends the process.
        std::future::pending::<()>().await;
    }
}

/// Pulls, prints and forwards messages until it is stopped.
///
/// # Errors
/// [`Failure::Settings`] when the key is refused; [`Failure::Environment`] when the account records no messages, or those after the cursor are
/// gone.
pub async fn listen(
    options: &Options,
    clock: Clock,
    entropy: &Entropy,
    output: &mut Output,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), Failure> {
    let key = match &options.secret {
        Some(secret) => SigningKey::from_secret(secret).ok(),
        None => SigningKey::generate(Scheme::V1, entropy),
    };
    let key = key.ok_or_else(|| Failure::Internal("the secret cannot be used".to_owned()))?;
    let mut listener = Listener {
        instance: Instance::new(&options.url, &options.api_key, clock.clone())?,
        report: Report::new(clock.clone(), output),
        cursor: options.cursor.clone(),
        options,
    };
    let secret = key.secret().unwrap_or_default();
    let forward = options.forward.as_ref();
    let forward = forward
        .map(|url| Forward::new(url, key, clock))
        .transpose()?;
    let running = listener.run(forward.as_ref(), &secret);
    let ended = tokio::select! {
        ended = running => ended,
        () = stop => listener.report.stopped(listener.cursor.as_deref()).map_err(Ended::from),
    };
    match ended {
        // A reader that stops early, as `head` does, is no failure.
        Err(Ended::Output(error)) if error.kind() != ErrorKind::BrokenPipe => Err(
            Failure::Environment(format!("cannot write to standard output: {error}")),
        ),
        Err(Ended::Failure(failure)) => Err(failure),
        Ok(()) | Err(Ended::Output(_)) => Ok(()),
    }
}

struct Listener<'o> {
    instance: Instance,
    report: Report<'o>,
    /// Where the next call goes on; none before the first answer.
    cursor: Option<String>,
    options: &'o Options,
}

impl Listener<'_> {
    async fn run(&mut self, forward: Option<&Forward>, secret: &str) -> Result<(), Ended> {
        if self.cursor.is_none() {
            // A receiver is tried with what happens from now on.
            self.cursor = Some(self.pull(0).await?.next_cursor);
        }
        let to = self.options.forward.as_ref().map(|url| (url, secret));
        self.report.started(&self.options.url, to)?;
        loop {
            let began = Instant::now();
            let page = self.pull(WAIT_SECONDS).await?;
            let is_same = self.cursor.as_ref() == Some(&page.next_cursor);
            if is_same && began.elapsed() < MIN_INTERVAL {
                sleep(MIN_INTERVAL).await;
            }
            for message in &page.messages {
                let Some(forward) = forward else {
                    self.report.message(message)?;
                    continue;
                };
                let outcome = forward.post(message).await;
                self.report.forwarded(message, &outcome)?;
            }
            // Only now: a message that was not forwarded is pulled again from the cursor that is printed at the end.
            self.cursor = Some(page.next_cursor);
        }
    }

    /// The messages after the cursor, or after the newest one. While Muster cannot be reached, it is tried again.
    async fn pull(&mut self, wait_seconds: u8) -> Result<Page, Ended> {
        let mut pause = INITIAL_PAUSE;
        let mut has_failed = false;
        loop {
            let cursor = self.cursor.as_deref().unwrap_or(LATEST);
            let types = &self.options.types;
            match self.instance.pull(cursor, types, wait_seconds).await {
                Ok(page) => {
                    if has_failed {
                        self.report.recovered()?;
                    }
                    return Ok(page);
                }
                Err(PullError::Failure(failure)) => return Err(failure.into()),
                Err(PullError::NoWebhook) if self.options.creates_webhook => {
                    let id = self.instance.create_webhook().await?;
                    self.report.created(&id)?;
                }
                Err(PullError::NoWebhook) => {
                    return Err(instance::without_webhook(&self.options.url).into());
                }
                Err(PullError::Temporary { why, retry_after }) => {
                    let wait = retry_after.unwrap_or(pause).min(MAX_PAUSE).max(pause);
                    self.report.retrying(&why, wait)?;
                    sleep(wait).await;
                    pause = (pause * 2).min(MAX_PAUSE);
                    has_failed = true;
                }
            }
        }
    }
}
