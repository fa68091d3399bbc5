//! The daily quotas of the organizers who register people in a batch.

use std::collections::HashMap;

use domain::{
    account::Account, ids::AccountId, instant::Instant, mail::quota::MailCount,
    registration::Requester,
};

use super::{Batcher, Request};
use crate::service::{
    Context, Error,
    mail_quota::{self, Needed},
};

/// The organizers of a batch, whose accounts are locked.
#[derive(Default)]
pub(super) struct Organizers(HashMap<AccountId, Organizer>);

struct Organizer {
    account: Account,
    stored: MailCount,
    /// With the mails of this batch.
    count: MailCount,
}

impl Organizers {
    /// Locks the accounts of the organizers, lowest id first. It must come before events are locked.
    pub(super) async fn lock(
        context: &mut Context,
        requests: &[Request],
    ) -> Result<Self, storage::Error> {
        let owner = |request: &Request| match request.requester {
            Requester::Owner(account) => Some(account),
            Requester::Public => None,
        };
        let mut ids: Vec<AccountId> = requests.iter().filter_map(owner).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut organizers = HashMap::new();
        for id in ids {
            let account = context.tx.lock_account(id).await?;
            let stored = context.tx.find_mail_count(id).await?;
            let organizer = account.zip(stored).map(|(account, stored)| Organizer {
                account,
                stored,
                count: stored,
            });
            organizers.extend(organizer.map(|organizer| (id, organizer)));
        }
        Ok(Self(organizers))
    }

    /// Refuses one more mail than the quotas of the request's organizer allow. Counts nothing.
    pub(super) fn check(
        &self,
        batcher: &Batcher,
        requester: Requester,
        now: Instant,
    ) -> Result<(), Error> {
        let Requester::Owner(id) = requester else {
            return Ok(());
        };
        let Organizer { account, count, .. } = self.0.get(&id).ok_or(Error::Unauthorized)?;
        mail_quota::allowed(
            &batcher.plans,
            account,
            count.today(now),
            Needed::ADDED,
            now,
        )?;
        Ok(())
    }

    /// Refuses all the mails that were counted, if they are more than the quotas allow.
    pub(super) fn check_list(&self, batcher: &Batcher, now: Instant) -> Result<(), Error> {
        for organizer in self.0.values() {
            let Organizer {
                account,
                stored,
                count,
            } = organizer;
            let (before, after) = (stored.today(now), count.today(now));
            let needed = Needed {
                mails: after.mails - before.mails,
                strangers: after.strangers - before.strangers,
            };
            mail_quota::allowed(&batcher.plans, account, before, needed, now)?;
        }
        Ok(())
    }

    /// Counts the mails to a person.
    pub(super) fn count(&mut self, requester: Requester, needed: Needed, now: Instant) {
        if let Requester::Owner(id) = requester
            && let Some(Organizer { count, .. }) = self.0.get_mut(&id)
        {
            let today = count.today(now);
            *count = MailCount {
                mails: today.mails.saturating_add(needed.mails),
                strangers: today.strangers.saturating_add(needed.strangers),
                ..today
            };
        }
    }

    pub(super) async fn write(&self, context: &mut Context) -> Result<(), storage::Error> {
        for (id, organizer) in &self.0 {
            if organizer.count != organizer.stored {
                context.tx.set_mail_count(*id, organizer.count).await?;
            }
        }
        Ok(())
    }
}
