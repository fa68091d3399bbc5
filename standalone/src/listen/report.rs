//! What `muster webhook listen` prints.

use std::{
    io::{self, Write},
    time::Duration,
};

use domain::clock::Clock;
use reqwest::Url;

use super::{forward::Outcome, instance::Message};

/// Where it prints.
pub type Output = dyn Write + Send;

/// The longest name of a type, so that what follows is one column.
const TYPE_WIDTH: usize = 28;

/// Prints lines, each with the time.
pub(super) struct Report<'o> {
    clock: Clock,
    output: &'o mut Output,
}

impl<'o> Report<'o> {
    pub(super) fn new(clock: Clock, output: &'o mut Output) -> Self {
        Self { clock, output }
    }

    /// Messages are pulled from now on, and posted there with signatures by this secret.
    pub(super) fn started(&mut self, instance: &str, to: Option<(&Url, &str)>) -> io::Result<()> {
        match to {
            Some((url, secret)) => writeln!(
                self.output,
                "Messages of {instance} are posted to {url}, signed with\n\n  \
                 MUSTER_WEBHOOK_SECRET={secret}\n"
            )?,
            None => writeln!(self.output, "Messages of {instance}:\n")?,
        }
        writeln!(self.output, "Times are UTC. Stop with Ctrl-C.\n")?;
        self.output.flush()
    }

    /// A message, with its body.
    pub(super) fn message(&mut self, message: &Message) -> io::Result<()> {
        let body = String::from_utf8_lossy(&message.body);
        self.line(&format!("{}\n{body}", heading(message)))
    }

    /// A message that was posted.
    pub(super) fn forwarded(&mut self, message: &Message, outcome: &Outcome) -> io::Result<()> {
        self.line(&format!("{}  → {outcome}", heading(message)))
    }

    /// A webhook was created, so that messages are recorded.
    pub(super) fn created(&mut self, id: &str) -> io::Result<()> {
        self.line(&format!(
            "created the webhook {id} without a URL, so that messages are recorded from now on; it stays until you delete it"
        ))
    }

    /// A call failed, and is repeated.
    pub(super) fn retrying(&mut self, why: &str, wait: Duration) -> io::Result<()> {
        self.line(&format!(
            "{why}; trying again in {} s",
            wait.as_millis().div_ceil(1_000)
        ))
    }

    /// A call succeeded after one that failed.
    pub(super) fn recovered(&mut self) -> io::Result<()> {
        self.line("Muster answers again")
    }

    /// It was stopped.
    pub(super) fn stopped(&mut self, cursor: Option<&str>) -> io::Result<()> {
        match cursor {
            Some(cursor) => self.line(&format!("stopped; --cursor {cursor} goes on from here")),
            None => self.line("stopped"),
        }
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        let now = self.clock.now().to_string();
        let time = now.get(11..19).unwrap_or(&now);
        writeln!(self.output, "{time}  {text}")?;
        self.output.flush()
    }
}

fn heading(message: &Message) -> String {
    format!("{:<TYPE_WIDTH$}  {}", message.kind, message.id)
}
