//! Whether mail goes out, and what has not.

use super::{finding::Finding, place};
use crate::{
    domain::{email::Email, entropy::Entropy, instant::Instant},
    email::Mailer,
    settings::{DataSettings, MailSettings},
    storage::{MailQueue, Store},
};

/// How to mend a way of sending that does not work.
const MEND: &str = "look at --smtp-url (MUSTER_SMTP_URL), --mail-from and at the server's own log";

/// What a test mail that has left proves, and what not.
const SENT: &str = "look whether it arrives, and not among the spam";

/// Looks at the mail server, or at the folder that stands in for one, and sends a test mail when asked to.
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
                    "{found}; few servers pass mails from localhost on: give --mail-from (MUSTER_MAIL_FROM)"
                ),
            ),
            found => Finding::new("mail", found),
        };
    };
    if folder.exists()
        && let Err(error) = place::is_writable(folder)
    {
        let problem = format!("cannot write into {}: {error}", folder.display());
        return Finding::new("mail", Err(problem));
    }
    let told = format!(
        "nobody gets any: without --smtp-url (MUSTER_SMTP_URL) mails are written into {}",
        folder.display()
    );
    Finding::note("mail", told)
}

async fn by_server(
    mailer: &Mailer,
    to: Option<&Email>,
    now: Instant,
    entropy: &Entropy,
) -> Result<String, String> {
    let mend = |problem: String| format!("{problem}; {MEND}");
    let found = mailer.check().await.map_err(mend)?;
    let Some(to) = to else {
        return Ok(format!("{found}; --mail-to ADDRESS sends a test mail"));
    };
    let sent = mailer.send_test(to, entropy.uuid_v7(now), now).await;
    sent.map_err(|undelivered| mend(undelivered.to_string()))?;
    Ok(format!("{found}, and took the test mail: {SENT}"))
}

/// What waits, and what failed. Neither is wrong by itself: recipients' servers are away at times, and some
/// addresses don't exist.
pub(super) async fn queue(store: &Store) -> Finding {
    let MailQueue {
        waiting,
        oldest,
        failed,
    } = match store.mail_queue().await {
        Ok(queue) => queue,
        Err(error) => return Finding::new("mails", Err(error.to_string())),
    };
    let waits = match oldest {
        None => "none waits".to_owned(),
        Some(oldest) => format!(
            "{waiting} wait, one of them since {}",
            oldest.to_the_second()
        ),
    };
    if failed == 0 {
        return Finding::new("mails", Ok(format!("{waits}, none failed")));
    }
    let told =
        format!("{waits}, {failed} failed: `mail failed` says why, `mail retry` sends them again");
    Finding::note("mails", told)
}
