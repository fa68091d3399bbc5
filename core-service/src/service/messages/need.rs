//! The mails that a message needs, of those that its account has left on a day (rules 29 and 41 of docs/rules.md).

use domain::{
    account::Account,
    ids::EventId,
    instant::Instant,
    mail::quota::{MailCount, needed_for_change},
    message::Audience,
    plan::Plans,
};
use storage::Reads;

use crate::service::{
    Error,
    mail_quota::{self, Needed},
};

/// The mails that a message needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    /// How many people get it.
    pub(super) recipients: i32,
    /// How many of them an organizer added, if their number is limited.
    pub(super) max_added: Option<i32>,
    /// How many whom an organizer added get none, since the account is new.
    pub(super) left_out: i32,
    needed: Needed,
}

impl Need {
    /// What a message to this audience needs now. The mails of a whole day are enough for any: otherwise a large event could never write.
    pub(super) async fn of(
        reads: &Reads,
        plans: &Plans,
        account: &Account,
        today: MailCount,
        (event, audience): (EventId, &Audience),
    ) -> Result<Self, storage::Error> {
        let (all, added) = reads.count_audience(event, audience).await?;
        let limit = account.stranger_mails(plans);
        let max_added = limit.map(|limit| today.strangers_left(limit).min(added));
        let left_out = max_added.map_or(0, |most| added - most);
        let recipients = all - left_out;
        Ok(Self {
            recipients,
            max_added,
            left_out,
            needed: Needed {
                mails: needed_for_change(recipients, plans.daily_mails.of(account.plan)),
                strangers: max_added.unwrap_or(0),
            },
        })
    }

    /// The count of the day with these mails, if the quotas allow them.
    pub(super) fn allowed(
        &self,
        plans: &Plans,
        account: &Account,
        today: MailCount,
        now: Instant,
    ) -> Result<MailCount, Error> {
        mail_quota::allowed(plans, account, today, self.needed, now)
    }

    /// Refuses a message that is sent now, if nobody gets it or the mails of the day are used up.
    pub(super) fn check_now(
        &self,
        plans: &Plans,
        account: &Account,
        today: MailCount,
        now: Instant,
    ) -> Result<(), Error> {
        if self.recipients == 0 {
            // Those whom the limit of a new account leaves out say so.
            let strangers = Needed {
                mails: 0,
                strangers: self.left_out,
            };
            mail_quota::allowed(plans, account, today, strangers, now)?;
            let nobody = "nobody would get it: no one is in its audience now";
            return Err(Error::NotAllowedNow(nobody));
        }
        self.allowed(plans, account, today, now).map(|_| ())
    }
}
