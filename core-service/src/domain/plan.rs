//! Plans and their quotas (rule 13 of docs/rules.md).

use std::{fmt, str::FromStr};

/// A plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Plan {
    /// The plan of a new account.
    Free,
    /// A paid plan.
    Premium,
    /// A paid plan.
    Pro,
    /// A paid plan.
    Business,
}

impl Plan {
    /// All plans, the smallest first.
    pub const ALL: [Self; 4] = [Self::Free, Self::Premium, Self::Pro, Self::Business];

    /// Its name in settings, commands and storage.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Premium => "premium",
            Self::Pro => "pro",
            Self::Business => "business",
        }
    }

    /// Whether it may see registrations.
    pub const fn is_paid(self) -> bool {
        !matches!(self, Self::Free)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The text is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no plan '{0}': use free, premium, pro or business")]
pub struct UnknownPlan(String);

impl FromStr for Plan {
    type Err = UnknownPlan;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|plan| plan.name() == name)
            .ok_or_else(|| UnknownPlan(name.to_owned()))
    }
}

/// How many active events each plan allows; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plans {
    free: Option<u32>,
    premium: Option<u32>,
    pro: Option<u32>,
    business: Option<u32>,
}

impl Plans {
    /// How many active events the plan allows; `None` is unlimited.
    pub const fn quota(&self, plan: Plan) -> Option<u32> {
        match plan {
            Plan::Free => self.free,
            Plan::Premium => self.premium,
            Plan::Pro => self.pro,
            Plan::Business => self.business,
        }
    }
}

impl Default for Plans {
    fn default() -> Self {
        Self {
            free: Some(3),
            premium: Some(25),
            pro: Some(100),
            business: None,
        }
    }
}

impl fmt::Display for Plans {
    /// The form that `from_str` reads.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, plan) in Plan::ALL.into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match self.quota(plan) {
                Some(quota) => write!(out, "{comma}{plan}={quota}")?,
                None => write!(out, "{comma}{plan}=unlimited")?,
            }
        }
        Ok(())
    }
}

/// Why a list of quotas is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPlans {
    /// A part that is not `plan=quota`.
    #[error("plans: '{0}' must have the form plan=quota, for example free=3")]
    Form(String),
    /// The text is no plan.
    #[error("plans: {0}")]
    Plan(#[from] UnknownPlan),
    /// A quota that is neither a number nor `unlimited`.
    #[error("plans: the quota of {plan} must be a number or 'unlimited', not '{quota}'")]
    Quota {
        /// The plan.
        plan: Plan,
        /// The invalid text.
        quota: String,
    },
}

impl FromStr for Plans {
    type Err = InvalidPlans;

    /// Reads `free=3,premium=25,pro=100,business=unlimited`; a plan that is absent keeps its default.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut plans = Self::default();
        for part in text.split(',') {
            let (name, quota) = part
                .split_once('=')
                .ok_or_else(|| InvalidPlans::Form(part.to_owned()))?;
            let plan: Plan = name.trim().parse()?;
            let quota = match quota.trim() {
                "unlimited" => None,
                number => Some(number.parse().map_err(|_| InvalidPlans::Quota {
                    plan,
                    quota: number.to_owned(),
                })?),
            };
            *match plan {
                Plan::Free => &mut plans.free,
                Plan::Premium => &mut plans.premium,
                Plan::Pro => &mut plans.pro,
                Plan::Business => &mut plans.business,
            } = quota;
        }
        Ok(plans)
    }
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
        assert_eq!(text.parse(), Ok(Plans::default()));
        assert_eq!(Plans::default().to_string(), text);
    }

    #[test]
    fn a_plan_that_is_left_out_keeps_its_quota() {
        let plans: Plans = "business=7, free=unlimited".parse().unwrap();
        assert_eq!(
            plans.to_string(),
            "free=unlimited,premium=25,pro=100,business=7"
        );
    }

    #[test]
    fn bad_quotas_are_named() {
        for (text, message) in [
            (
                "free",
                "plans: 'free' must have the form plan=quota, for example free=3",
            ),
            (
                "gold=3",
                "plans: there is no plan 'gold': use free, premium, pro or business",
            ),
            (
                "pro=-1",
                "plans: the quota of pro must be a number or 'unlimited', not '-1'",
            ),
        ] {
            assert_eq!(text.parse::<Plans>().unwrap_err().to_string(), message);
        }
    }
}
