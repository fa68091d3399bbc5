//! Reports of servers and providers about mails that were handed over: that they came back, or that someone called them spam.

use std::time::Duration;

use domain::{
    audit::Actor,
    email::mailbox_hash,
    mail::{MailReport, ReportedEvent, ReportedMail, StopReason, server_words},
};
use server::metrics;
use storage::FoundMail;
use tokio::time::sleep;

use super::{Commands, Context, Error, SharedSecrets, stop_after_failure};

/// How often a mail is looked for that is not there.
const LOOKS: u32 = 6;

/// The pause between two of them.
const PAUSE: Duration = Duration::from_millis(500);

/// Takes reports about mails.
#[derive(Debug, Clone)]
pub struct MailReports {
    commands: Commands,
    secrets: SharedSecrets,
}

/// What a report changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// The mail's state, or whether its mailbox gets messages.
    Recorded,
    /// Nothing: it was reported before.
    Repeated,
    /// Nothing: it names no mail, and may be about that mail alone.
    Ignored,
    /// Nothing: no such mail was sent, or too long ago.
    Unknown,
}

impl MailReports {
    /// Reports about the mails in the database of these commands, from providers that know one of these secrets.
    pub const fn new(commands: Commands, secrets: SharedSecrets) -> Self {
        Self { commands, secrets }
    }

    /// Checks the secret of a provider.
    ///
    /// # Errors
    /// [`Error::Unauthorized`] for a wrong one, and that there is no such place if none is set.
    pub fn check(&self, secret: &str) -> Result<(), Error> {
        if self.secrets.count() == 0 {
            return Err(Error::NotFound {
                what: "place for mail events",
            });
        }
        if self.secrets.accept(secret.as_bytes()) {
            Ok(())
        } else {
            Err(Error::Unauthorized)
        }
    }

    /// Records reports. One may come before the core that handed its mail over has recorded that, which takes it about a second: a mail that is
    /// not there is looked for again.
    pub async fn take(&self, reports: &[MailReport]) -> Result<Vec<Taken>, Error> {
        let mut all = vec![Taken::Unknown; reports.len()];
        for look in 0..LOOKS {
            if look > 0 {
                sleep(PAUSE).await;
            }
            for (report, taken) in reports.iter().zip(&mut all) {
                if *taken == Taken::Unknown {
                    *taken = self.take_one(report).await?;
                }
            }
            if !all.contains(&Taken::Unknown) {
                break;
            }
        }
        for (report, taken) in reports.iter().zip(&all) {
            let state = match taken {
                Taken::Recorded => report.event.state().name(),
                Taken::Repeated => "repeated",
                Taken::Ignored => "ignored",
                Taken::Unknown => "unknown",
            };
            metrics::measure(|all| all.mail_reports.add_one([state.into()]));
        }
        Ok(all)
    }

    async fn take_one(&self, report: &MailReport) -> Result<Taken, Error> {
        let decide = async |context: &mut Context| {
            let mail = match &report.mail {
                ReportedMail::Token(token) => context.tx.find_mail_by_token(&token.hash()).await?,
                // A code to sign in, say, is none of the mails that are on record.
                ReportedMail::Trusted { key: Some(key), .. } => {
                    context.tx.find_sent_mail(key).await?
                }
                ReportedMail::Trusted { key: None, address } => {
                    let mailbox = address.as_deref().map(mailbox_hash);
                    return stop(context, mailbox, &report.event).await;
                }
            };
            match mail {
                Some(mail) => record(context, &mail, &report.event).await,
                None => Ok(Taken::Unknown),
            }
        };
        self.commands.run(Actor::System, decide).await
    }
}

/// Stops messages and reminders to a mailbox if that much is certain. It is not known which mail the report is about, so none changes its
/// state.
async fn stop(
    context: &mut Context,
    mailbox: Option<[u8; 32]>,
    event: &ReportedEvent,
) -> Result<Taken, Error> {
    let Some(mailbox) = mailbox else {
        return Ok(Taken::Unknown);
    };
    if !context.tx.has_mails_to(&mailbox).await? {
        return Ok(Taken::Unknown);
    }
    let reason = match event {
        ReportedEvent::Bounced { status, .. } if status.is_of_address() => StopReason::Bounced,
        ReportedEvent::Bounced { .. } => return Ok(Taken::Ignored),
        ReportedEvent::Complained => StopReason::Complained,
    };
    context.note_write();
    let is_new = context.tx.put_mail_stop(&mailbox, reason, context.now);
    Ok(if is_new.await? {
        Taken::Recorded
    } else {
        Taken::Repeated
    })
}

async fn record(
    context: &mut Context,
    mail: &FoundMail,
    event: &ReportedEvent,
) -> Result<Taken, Error> {
    let now = context.now;
    context.note_write();
    let tx = &mut context.tx;
    let is_new = match event {
        ReportedEvent::Bounced { status, words } => {
            let counts = Some(*status).filter(|status| !status.is_of_sender());
            let words = words
                .as_deref()
                .and_then(|words| server_words(words, own_address(mail)));
            let is_new = tx
                .record_bounce(&mail.key, counts, words.as_deref(), now)
                .await?;
            if is_new && let Some(status) = counts {
                stop_after_failure(tx, &mail.mailbox, status, now).await?;
            }
            is_new
        }
        ReportedEvent::Complained => {
            let is_new = tx.record_complaint(&mail.key, now).await?;
            if is_new {
                tx.put_mail_stop(&mail.mailbox, StopReason::Complained, now)
                    .await?;
            }
            is_new
        }
    };
    Ok(if is_new {
        Taken::Recorded
    } else {
        Taken::Repeated
    })
}

/// The address that a mail was for, if its registration still has it: words about it may name it.
fn own_address(mail: &FoundMail) -> &str {
    let email = mail.email.as_deref();
    let email = email.filter(|email| mailbox_hash(email) == mail.mailbox);
    email.unwrap_or_default()
}
