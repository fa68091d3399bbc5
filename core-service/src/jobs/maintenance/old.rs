//! What maintenance deletes because it is old.

use domain::{
    handle::BLOCKED_SECONDS,
    instant::{DAY_SECONDS, Instant},
    mail::MAIL_DAYS,
    oauth::grant::{AUTHORIZATION_SECONDS, CODE_MEMORY_SECONDS},
    retention::Retention,
};

use super::Write;
use crate::service::{MAX_UNUSED_CLIENTS, UNUSED_CLIENT_DAYS};

/// For how long a browser in which someone signed in has budgets of its own.
const KNOWN_BROWSER_DAYS: u32 = 180;

/// For how long a link in a mail refuses the mails of an account after its registration got another address.
const REFUSAL_LINK_DAYS: u32 = 730;

/// A kind of rows: its step's name, the moment since when they are old, and what deletes them.
pub(super) type Kind = (&'static str, Instant, Write);

macro_rules! kinds {
    ($($delete:ident $(($max:expr))?: $since:expr;)+) => {
        [$((
            stringify!($delete),
            $since,
            |tx, since, limit| Box::pin(tx.$delete(since, $($max,)? limit)),
        )),+]
    };
}

/// Returns all kinds. Grants are of use as long as the audit log names them.
pub(super) fn kinds(now: Instant, retention: Retention) -> [Kind; 21] {
    let seconds = |seconds: i64| now.plus_seconds(-seconds);
    let days = |days: u32| seconds(i64::from(days) * DAY_SECONDS);
    kinds! {
        delete_audit: days(retention.audit_days);
        delete_failed_jobs: days(retention.failed_job_days);
        delete_webhook_messages: days(retention.webhook_days);
        delete_held_mails: days(retention.failed_job_days);
        delete_old_mails: days(MAIL_DAYS);
        delete_old_refusal_links: days(REFUSAL_LINK_DAYS);
        delete_old_answers: now;
        delete_expired_details: now;
        delete_expired_codes: now;
        delete_expired_email_changes: now;
        delete_ended_sessions: now;
        delete_expired_links: now;
        delete_old_budgets: now;
        delete_expired_invitations: now;
        delete_old_browsers: days(KNOWN_BROWSER_DAYS);
        delete_expired_tokens: now;
        delete_old_authorizations: seconds(AUTHORIZATION_SECONDS);
        delete_old_authorization_codes: seconds(CODE_MEMORY_SECONDS);
        delete_former_handles: seconds(BLOCKED_SECONDS);
        delete_old_grants: days(retention.audit_days);
        delete_unused_clients(MAX_UNUSED_CLIENTS): days(UNUSED_CLIENT_DAYS);
    }
}
