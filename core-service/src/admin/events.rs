//! `event hide` and `event show`: take-downs; `event clocks`.

mod clocks;

use clap::{Args, Subcommand};
use serde_json::json;
use server::{Failure, command_line};

use super::{Format, Output, failure, words};
use crate::service::{Commands, Suspensions};

/// A command on events.
#[derive(Debug, Clone, Subcommand)]
pub enum EventCommand {
    /// Take an event down: it leaves the site, lists, feeds, sitemaps and search at once, and takes no registrations
    ///
    /// Its owner sees that it is hidden, and emails to its registrants are held. Private links of registrants keep working. `event show`
    /// shows it again.
    Hide {
        /// The event.
        #[command(flatten)]
        which: Which,
        /// Why. The members of the account read it
        #[arg(long, value_parser = words)]
        reason: Option<String>,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Show an event again that was taken down, and send the held emails that are still correct
    Show {
        /// The event.
        #[command(flatten)]
        which: Which,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
    /// Keep the local time of events after a new time zone database
    ///
    /// Where its rules differ, an event would otherwise start at another time by local clocks. Maintenance does the same within a minute
    /// after an upgrade. Organizers get an email, guests get none.
    Clocks {
        /// Change nothing, and only show what would be changed
        #[arg(long)]
        dry_run: bool,
        /// The output.
        #[command(flatten)]
        format: Format,
    },
}

/// Which event.
#[derive(Debug, Clone, Args)]
pub struct Which {
    /// The event, by the URL of its page or the last part of it
    #[arg(value_name = "EVENT", value_parser = slug)]
    slug: String,
}

/// What follows `/events/` in a URL, or the whole text.
fn slug(text: &str) -> Result<String, String> {
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit_once("/events/").map_or(path, |(_, name)| name);
    let name = name.split('/').next().unwrap_or_default();
    if name.is_empty() {
        return Err("must be the URL of an event's page, or the last part of it".to_owned());
    }
    Ok(name.to_owned())
}

impl EventCommand {
    pub(super) async fn run(&self, commands: Commands) -> Result<Output, Failure> {
        match self {
            Self::Clocks { dry_run, .. } => clocks::run(&commands, *dry_run).await,
            Self::Hide { which, reason, .. } => {
                let slug = &which.slug;
                let suspensions = Suspensions::new(commands);
                let done = suspensions.hide(slug, true, reason.as_deref()).await;
                let (event, is_new) = done.map_err(failure)?;
                let text = if is_new {
                    format!(
                        "hid \"{}\"; show it again with: {}",
                        event.title,
                        command_line(&format!("event show {slug}"))
                    )
                } else {
                    format!("\"{}\" was hidden already", event.title)
                };
                Ok(output(text, slug, true))
            }
            Self::Show { which, .. } => {
                let slug = &which.slug;
                let suspensions = Suspensions::new(commands);
                let done = suspensions.hide(slug, false, None).await;
                let (event, is_new) = done.map_err(failure)?;
                let text = if event.is_account_suspended {
                    format!(
                        "\"{}\" is not hidden, but its account is suspended: end that with: {}",
                        event.title,
                        command_line(&format!("account resume --id {}", event.account_id))
                    )
                } else if is_new {
                    format!("\"{}\" is shown again", event.title)
                } else {
                    format!("\"{}\" was not hidden", event.title)
                };
                Ok(output(text, slug, false))
            }
        }
    }

    pub(super) const fn format(&self) -> Format {
        match self {
            Self::Hide { format, .. } | Self::Show { format, .. } | Self::Clocks { format, .. } => {
                *format
            }
        }
    }
}

fn output(text: String, slug: &str, is_hidden: bool) -> Output {
    Output::new(text, json!({ "slug": slug, "is_hidden": is_hidden }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_named_by_its_url_or_its_slug() {
        for text in [
            "rust-meetup",
            "/events/rust-meetup",
            "https://muster.example/events/rust-meetup",
            "https://muster.example/events/rust-meetup/register?x=1#top",
        ] {
            assert_eq!(slug(text).unwrap(), "rust-meetup", "{text}");
        }
        assert!(slug("https://muster.example/events/").is_err());
    }
}
