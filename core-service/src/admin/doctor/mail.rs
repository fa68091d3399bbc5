//! Checks of the mail server and of the mail queue.

use domain::{email::Email, entropy::Entropy, instant::Instant};
use server::command_line;
use storage::{MailQueue, Store};

use super::{finding::Finding, place};
use crate::{
    email::Mailer,
    settings::{DataSettings, MailSettings},
};

/// The advice when sending does not work.
const ADVICE: &str = "check --smtp-url (MUSTER_SMTP_URL), --mail-from and the server's log";

/// A mail that the server accepted may still be lost or marked as spam.
const SENT: &str = "check that it arrives, and that it is not marked as spam";

/// Checks the mail server, or the folder that replaces it, and sends a test mail on request.
pub(super) async fn goes_out(
    data: &DataSettings,
    settings: &MailSettings,
    to: Option<&Email>,
    now: Instant,
    entropy: &Entropy,
) -> Finding {
    let mailer = match settings.mailer(data) {
        Ok(mailer) => mailer,
        Err(failure) => return Finding::new("mail", Err(failure.to_string())),
    };
    let Some(folder) = mailer.folder() else {
        return match by_server(&mailer, to, now, entropy).await {
            Ok(found) if mailer.sender().address().ends_with("@localhost") => Finding::note(
                "mail",
                format!(
                    "{found}; few servers accept emails from localhost: set --mail-from (MUSTER_MAIL_FROM)"
                ),
            ),
            found => Finding::new("mail", found),
        };
    };
    if folder.exists()
        && let Err(error) = place::is_writable(folder)
    {
        let problem = format!("cannot write to {}: {error}", folder.display());
        return Finding::new("mail", Err(problem));
    }
    let message = format!(
        "no email is sent: without --smtp-url (MUSTER_SMTP_URL), emails are written to {}",
        folder.display()
    );
    Finding::note("mail", message)
}

async fn by_server(
    mailer: &Mailer,
    to: Option<&Email>,
    now: Instant,
    entropy: &Entropy,
) -> Result<String, String> {
    let advise = |problem: String| format!("{problem}; {ADVICE}");
    let found = mailer.check().await.map_err(advise)?;
    let Some(to) = to else {
        return Ok(format!("{found}; --mail-to ADDRESS sends a test email"));
    };
    let sent = mailer.send_test(to, entropy.uuid_v7(now), now).await;
    sent.map_err(|undelivered| advise(undelivered.to_string()))?;
    Ok(format!("{found}, and accepted the test email; {SENT}"))
}

/// Waiting and failed mails. Neither is an error: recipients' servers are down at times, and some addresses do not exist.
pub(super) async fn queue(store: &Store) -> Finding {
    let MailQueue {
        waiting,
        oldest,
        held,
        failed,
    } = match store.mail_queue().await {
        Ok(queue) => queue,
        Err(error) => return Finding::new("mails", Err(error.to_string())),
    };
    let waits = match oldest {
        None => "none waiting".to_owned(),
        Some(oldest) => format!(
            "{waiting} waiting, the oldest since {}",
            oldest.to_the_second()
        ),
    };
    let waits = match held {
        0 => waits,
        held => format!("{waits}, {held} held"),
    };
    if failed == 0 {
        return Finding::new("mails", Ok(format!("{waits}, none failed")));
    }
    let message = format!(
        "{waits}, {failed} failed; `{}` says why, `{}` sends them again",
        command_line("mail failed"),
        command_line("mail retry")
    );
    Finding::note("mails", message)
}
