//! Mailboxes that get no messages and reminders (rule 48 of docs/rules.md): mails to them fail for good, or their owner called one spam.
//! What somebody needs is still tried: confirmations, changes, cancellations and codes.

use domain::{
    instant::{DAY_SECONDS, Instant},
    mail::{FAILURE_DAYS, MAX_FAILURES, PermanentStatus, StopReason},
};
use storage::Tx;

/// Stops messages and reminders to a mailbox for which a mail has just been recorded that failed for good: at once if its address is wrong
/// or gone, else when that happened several times.
pub(crate) async fn stop_after_failure(
    tx: &mut Tx,
    mailbox: &[u8; 32],
    status: PermanentStatus,
    now: Instant,
) -> Result<(), storage::Error> {
    let since = now.plus_seconds(-FAILURE_DAYS * DAY_SECONDS);
    let is_gone = status.is_of_address()
        || tx.count_permanent_failures(mailbox, since).await? >= MAX_FAILURES;
    if is_gone {
        tx.put_mail_stop(mailbox, StopReason::Bounced, now).await?;
    }
    Ok(())
}
