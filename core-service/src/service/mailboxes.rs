//! The mails that one mailbox gets: one budget over all causes, accounts and cores, which survives restarts.
//!
//! Mails that one request causes take from it with the request, which is refused beyond it. All others take from it when they are sent, and
//! wait beyond it (`mail_permits.rs`).

use std::{collections::HashMap, time::Duration};

use domain::{
    budget::{Budget, Cause},
    instant::Instant,
    rate::MailboxLimits,
};

use super::{Context, Error};

/// Takes one mail from the budgets of a mailbox.
///
/// # Errors
/// [`Error::RateLimited`] when they are used up.
pub(super) async fn spend(context: &mut Context, cause: Cause, address: &str) -> Result<(), Error> {
    let mut allowance = Allowance::of(context, [(cause, address)]).await?;
    context.note_write();
    allowance.take(cause, address)
}

/// Takes one mail from the budgets of a mailbox, and refuses nobody: for what only the mailbox's owner can cause.
pub(super) async fn count(
    context: &mut Context,
    cause: Cause,
    address: &str,
) -> Result<(), storage::Error> {
    Allowance::of(context, [(cause, address)]).await?;
    context.note_write();
    Ok(())
}

/// What the mails of a transaction may take from the budgets of their mailboxes. All of it is taken before it is used, so that another
/// transaction waits and sees what is left.
#[derive(Debug)]
pub(super) struct Allowance {
    limits: MailboxLimits,
    now: Instant,
    shares: HashMap<[u8; 32], Share>,
}

/// What was taken from one budget.
#[derive(Debug)]
struct Share {
    budget: Budget,
    taken: i64,
    /// How much of it the budget allows.
    allowed: i64,
    used: i64,
    resets_at: Instant,
}

impl Allowance {
    /// Takes one for each of these mails.
    pub(super) async fn of(
        context: &mut Context,
        mails: impl IntoIterator<Item = (Cause, &str)>,
    ) -> Result<Self, storage::Error> {
        let limits = context.mailbox_limits();
        let mails = mails.into_iter();
        let budgets = mails.flat_map(|(cause, address)| Budget::mails_to(limits, cause, address));
        Self::of_budgets(context, budgets.collect()).await
    }

    /// Takes one from each of these budgets.
    pub(super) async fn of_budgets(
        context: &mut Context,
        budgets: Vec<Budget>,
    ) -> Result<Self, storage::Error> {
        let (limits, now) = (context.mailbox_limits(), context.now);
        let mut shares: HashMap<[u8; 32], Share> = HashMap::new();
        for budget in budgets {
            let share = shares.entry(*budget.hash()).or_insert(Share {
                budget,
                taken: 0,
                allowed: 0,
                used: 0,
                resets_at: now,
            });
            share.taken += 1;
        }
        let asked: Vec<_> = shares
            .values()
            .map(|one| (&one.budget, one.taken))
            .collect();
        let found = context.tx.use_budgets(&asked, now).await?;
        for (hash, share) in &mut shares {
            if let Some((used, resets_at)) = found.get(hash) {
                let before = used - share.taken;
                share.allowed = share.budget.limit().saturating_sub(before);
                share.resets_at = *resets_at;
            }
        }
        Ok(Self {
            limits,
            now,
            shares,
        })
    }

    /// Uses what was taken for one mail.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when the mailbox has no more mails.
    pub(super) fn take(&mut self, cause: Cause, address: &str) -> Result<(), Error> {
        self.take_of(&Budget::mails_to(self.limits, cause, address))
    }

    /// Uses what was taken from these budgets for one mail.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when one of them is used up.
    pub(super) fn take_of(&mut self, budgets: &[Budget]) -> Result<(), Error> {
        let shares = |budget: &Budget| self.shares.get(budget.hash());
        let mut empty = budgets.iter().filter_map(shares);
        if let Some(share) = empty.find(|share| share.used >= share.allowed) {
            let micros = share.resets_at.micros().saturating_sub(self.now.micros());
            return Err(Error::RateLimited {
                wait: Duration::from_micros(u64::try_from(micros).unwrap_or(0)),
                allowance: None,
            });
        }
        self.use_of(budgets);
        Ok(())
    }

    /// The limits of mailboxes.
    pub(super) const fn limits(&self) -> MailboxLimits {
        self.limits
    }

    /// Uses what was taken for one mail, also beyond what the budgets allow.
    pub(super) fn take_anyway(&mut self, cause: Cause, address: &str) {
        self.use_of(&Budget::mails_to(self.limits, cause, address));
    }

    fn use_of(&mut self, budgets: &[Budget]) {
        for budget in budgets {
            if let Some(share) = self.shares.get_mut(budget.hash()) {
                share.used += 1;
            }
        }
    }

    /// Gives back what was taken and not used.
    pub(super) async fn give_back(&self, context: &mut Context) -> Result<(), storage::Error> {
        let unused = self
            .shares
            .values()
            .filter(|share| share.used < share.taken);
        let unused: Vec<_> = unused
            .map(|share| (&share.budget, share.taken - share.used))
            .collect();
        context.tx.give_back_several(&unused).await
    }
}
