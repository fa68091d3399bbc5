//! Commands that cannot be undone ask before they act.

use std::io::{self, BufRead, IsTerminal, Write};

use clap::Args;
use serde_json::Value;
use server::Failure;

use super::Output;

/// The options of commands that cannot be undone. On a terminal they show what they would do, and ask.
#[derive(Debug, Clone, Copy, Args)]
pub struct Consent {
    /// Do not ask for confirmation; needed where nobody can answer, as in a script
    #[arg(long)]
    yes: bool,
    /// Show what would be done, and do nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

impl Consent {
    /// Whether it has to be asked for.
    pub(super) const fn is_open(self) -> bool {
        !self.yes && !self.dry_run
    }

    /// The same command, only to say what it would do.
    pub(super) const fn withhold(&mut self) {
        self.dry_run = true;
    }

    /// Someone said yes.
    pub(super) const fn give(&mut self) {
        (self.yes, self.dry_run) = (true, false);
    }

    /// What to answer in place of acting; nothing if the command may act.
    ///
    /// # Errors
    /// [`Failure::Settings`] when `--yes` is missing.
    pub(super) fn instead_of(
        self,
        plan: impl FnOnce() -> String,
        mut json: Value,
    ) -> Result<Option<Output>, Failure> {
        if self.yes {
            return Ok(None);
        }
        if self.dry_run {
            json["dry_run"] = true.into();
            return Ok(Some(Output::new(plan(), json)));
        }
        Err(Failure::Settings(vec![format!(
            "--yes is missing: {}",
            plan().replace('\n', "; ")
        )]))
    }
}

/// Whether a person can be asked.
pub(super) fn is_someone_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Shows what would be done, and asks for it.
///
/// # Errors
/// [`Failure::Environment`] when the answer is not yes.
pub(super) fn ask(plan: &str) -> Result<(), Failure> {
    let asked = write!(io::stderr(), "{plan}\nGo on? [y/N] ").and_then(|()| io::stderr().flush());
    let mut answer = String::new();
    let read = asked.and_then(|()| io::stdin().lock().read_line(&mut answer));
    if read.is_ok() && is_yes(&answer) {
        return Ok(());
    }
    Err(Failure::Environment("nothing was done".to_owned()))
}

fn is_yes(answer: &str) -> bool {
    matches!(&*answer.trim().to_ascii_lowercase(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_yes() {
        for (answer, is) in [
            ("y\n", true),
            ("YES\r\n", true),
            ("\n", false),
            ("", false),
            ("yesterday", false),
            ("n", false),
        ] {
            assert_eq!(is_yes(answer), is, "{answer:?}");
        }
    }
}
