//! Plans and their quotas (rule 13 of docs/rules.md).

use std::fmt;

use super::names::names;

names! {
    /// A plan, from the smallest to the largest.
    #[derive(Hash)]
    Plan / UnknownPlan(String): "there is no plan \"{0}\": use free, premium, pro or business" {
        /// The plan of a new account.
        Free = "free",
        /// A paid plan.
        Premium = "premium",
        /// A paid plan.
        Pro = "pro",
        /// A paid plan.
        Business = "business",
    }
}

impl Plan {
    /// Whether it may see registrations.
    pub const fn is_paid(self) -> bool {
        !matches!(self, Self::Free)
    }
}

/// How many people a day who did not register themselves an account may mail that is not trusted, unless the operator says otherwise.
pub const NEW_ACCOUNT_MAILS: u32 = 20;

/// The quotas of each plan; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plans {
    /// How many active events it allows.
    pub active_events: Quotas,
    /// How many mails a day it allows to people who did not ask for them: about changes of events, and to people whom the
    /// organizer adds.
    pub daily_mails: Quotas,
    /// How many people a day who did not register themselves an account may mail that is not trusted; `None` if each account is trusted.
    pub new_account_mails: Option<u32>,
}

impl Plans {
    /// The defaults of the settings.
    pub const DEFAULT: Self = Self {
        active_events: Quotas {
            free: Some(3),
            premium: Some(25),
            pro: Some(100),
            business: None,
        },
        // A paid plan can import the largest event, or move it, on any day; the free plan a company's party.
        daily_mails: Quotas {
            free: Some(500),
            premium: Some(10_000),
            pro: Some(50_000),
            business: Some(200_000),
        },
        new_account_mails: Some(NEW_ACCOUNT_MAILS),
    };
}

impl Default for Plans {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// One quota of each plan; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    free: Option<u32>,
    premium: Option<u32>,
    pro: Option<u32>,
    business: Option<u32>,
}

impl Quotas {
    /// The quota of a plan; `None` is unlimited.
    pub const fn of(&self, plan: Plan) -> Option<u32> {
        match plan {
            Plan::Free => self.free,
            Plan::Premium => self.premium,
            Plan::Pro => self.pro,
            Plan::Business => self.business,
        }
    }

    /// Reads `free=3,premium=25,pro=100,business=unlimited`; a plan that is absent keeps its quota.
    ///
    /// # Errors
    /// When a part is not `plan=quota`.
    pub fn with(mut self, text: &str) -> Result<Self, InvalidQuotas> {
        for part in text.split(',') {
            let (name, quota) = part
                .split_once('=')
                .ok_or_else(|| InvalidQuotas::Form(part.to_owned()))?;
            let plan: Plan = name.trim().parse()?;
            let quota = match quota.trim() {
                "unlimited" => None,
                number => Some(number.parse().map_err(|_| InvalidQuotas::Quota {
                    plan,
                    quota: number.to_owned(),
                })?),
            };
            *match plan {
                Plan::Free => &mut self.free,
                Plan::Premium => &mut self.premium,
                Plan::Pro => &mut self.pro,
                Plan::Business => &mut self.business,
            } = quota;
        }
        Ok(self)
    }
}

impl fmt::Display for Quotas {
    /// The form that [`Quotas::with`] reads.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, plan) in Plan::ALL.into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match self.of(plan) {
                Some(quota) => write!(out, "{comma}{plan}={quota}")?,
                None => write!(out, "{comma}{plan}=unlimited")?,
            }
        }
        Ok(())
    }
}

/// Why a list of quotas is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidQuotas {
    /// A part that is not `plan=quota`.
    #[error("must have the form plan=quota, for example free=3, not \"{0}\"")]
    Form(String),
    /// The text is no plan.
    #[error("{0}")]
    Plan(#[from] UnknownPlan),
    /// A quota that is neither a number nor `unlimited`.
    #[error("the quota of {plan} must be a number or unlimited, not \"{quota}\"")]
    Quota {
        /// The plan.
        plan: Plan,
        /// The invalid text.
        quota: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_is_found_by_its_name() {
        for plan in Plan::ALL {
            assert_eq!(plan.name().parse(), Ok(plan));
        }
        assert!("Free".parse::<Plan>().is_err());
    }

    #[test]
    fn only_the_free_plan_is_not_paid() {
        assert_eq!(Plan::ALL.map(Plan::is_paid), [false, true, true, true]);
    }

    #[test]
    fn quotas_print_as_they_are_read() {
        let text = "free=3,premium=25,pro=100,business=unlimited";
        let Plans {
            active_events,
            daily_mails,
            new_account_mails: _,
        } = Plans::DEFAULT;
        assert_eq!(active_events.to_string(), text);
        assert_eq!(daily_mails.with(text), Ok(active_events));
    }

    #[test]
    fn a_plan_that_is_left_out_keeps_its_quota() {
        let changed = Plans::DEFAULT
            .active_events
            .with("business=7, free=unlimited");
        assert_eq!(
            changed.unwrap().to_string(),
            "free=unlimited,premium=25,pro=100,business=7"
        );
    }

    #[test]
    fn bad_quotas_are_named() {
        for (text, message) in [
            (
                "free",
                "must have the form plan=quota, for example free=3, not \"free\"",
            ),
            (
                "gold=3",
                "there is no plan \"gold\": use free, premium, pro or business",
            ),
            (
                "pro=-1",
                "the quota of pro must be a number or unlimited, not \"-1\"",
            ),
        ] {
            let refused = Plans::DEFAULT.active_events.with(text).unwrap_err();
            assert_eq!(refused.to_string(), message);
        }
    }
}
