//! The plan of an account, in kind words.

use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{Account, GetAccountRequest, bindings::GetAccount},
};

use crate::{caller::Caller, field::FormModel, words::capitalized};

/// What an account has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// `Free`.
    pub(crate) name: String,
    pub(crate) is_paid: bool,
    pub(crate) is_full: bool,
    /// `2 of 3 active events`.
    pub(crate) words: String,
}

/// The account with its plan, for those who may see it.
pub(super) async fn account(caller: &Caller) -> Result<Option<Account>, Problem> {
    if !caller.viewer.may(Scope::AccountRead) {
        return Ok(None);
    }
    let account = caller.ask::<GetAccount>(GetAccountRequest {}).await?;
    Ok(Some(account))
}

impl Plan {
    /// The plan, for those who may see it.
    pub(super) async fn read(caller: &Caller) -> Result<Option<Self>, Problem> {
        Ok(account(caller).await?.as_ref().map(Self::of))
    }

    /// Says in the form of an event what this plan does not include.
    pub(super) fn explain(&self, model: &mut FormModel) {
        let mut fields = model.fields_mut();
        let approval = fields.find(|field| field.name == "requires_approval");
        if let Some(field) = approval.filter(|_| !self.is_paid) {
            let words = "Needs a paid plan: without one you could not see who asks.";
            field.hint = Some(words.to_owned());
        }
    }

    pub(crate) fn of(account: &Account) -> Self {
        let (used, limit) = (account.active_events, account.active_events_limit);
        Self {
            name: capitalized(&account.plan),
            is_paid: account.is_paid,
            is_full: limit.is_some_and(|limit| used >= limit),
            words: match (used, limit) {
                (_, Some(limit)) => format!("{used} of {limit} active events"),
                (1, None) => "1 active event".to_owned(),
                (_, None) => format!("{used} active events"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_says_what_is_used_and_what_is_left() {
        let mut account = Account {
            plan: "free".to_owned(),
            active_events: 3,
            active_events_limit: Some(3),
            ..Account::default()
        };
        let plan = Plan::of(&account);
        assert_eq!(
            (&*plan.name, &*plan.words),
            ("Free", "3 of 3 active events")
        );
        assert!(plan.is_full);
        account.active_events_limit = None;
        assert!(!Plan::of(&account).is_full);
    }
}
