//! Rate limits, as operators write them: `30/minute`, or `off`.

use std::{fmt, num::NonZeroU32, str::FromStr, time::Duration};

use super::names::names;

/// A rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// No limit.
    Off,
    /// A number of times per period, all at once or spread over it.
    Rate {
        /// How many times.
        count: NonZeroU32,
        /// The period.
        per: Period,
    },
}

/// The mails that one mailbox gets in a period, over all causes, accounts and cores. It has fewer by organizers, so that codes and
/// registrations go through whatever organizers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailboxLimits {
    /// All mails.
    pub all: Limit,
    /// Those that organizers cause.
    pub by_organizers: Limit,
}

/// Rate limits on calls and registrations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitSettings {
    /// Registrations from one client address. A larger network may make [`Self::NETWORKS_PER_SITE`] times as many.
    pub per_address: Limit,
    /// Registrations of the public for one event.
    pub per_event: Limit,
    /// Mails to one mailbox.
    pub mailboxes: MailboxLimits,
    /// Covers that are drawn for one client address. Those that were drawn lately do not count.
    pub covers: Limit,
    /// Calls of one account that change nothing.
    pub account_reads: Limit,
    /// Calls of one account that may change something.
    pub account_writes: Limit,
}

impl LimitSettings {
    /// The number of clients that one site (an IPv6 /48, which has 65,536 networks) counts for at most.
    pub const NETWORKS_PER_SITE: u32 = 10;

    /// No limits.
    pub const OFF: Self = Self {
        per_address: Limit::Off,
        per_event: Limit::Off,
        mailboxes: MailboxLimits {
            all: Limit::Off,
            by_organizers: Limit::Off,
        },
        covers: Limit::Off,
        account_reads: Limit::Off,
        account_writes: Limit::Off,
    };
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            // Enough for an office behind one address, too low for mass registrations.
            per_address: Limit::new(60, Period::Minute),
            // Enough for the largest event to be filled three times.
            per_event: Limit::new(30_000, Period::Hour),
            mailboxes: MailboxLimits {
                // Enough for a person who tries, cancels and tries again, and too low to flood someone.
                all: Limit::new(20, Period::Hour),
                // Enough for a person who comes to several events.
                by_organizers: Limit::new(10, Period::Hour),
            },
            // Several pages of the catalogue, whose events all have a picture, by many people behind one address; a twentieth of a
            // processor.
            covers: Limit::new(240, Period::Minute),
            // A program that reads all the time, and nothing that could slow others down.
            account_reads: Limit::new(6_000, Period::Minute),
            // The largest event is imported in two and a half minutes: 3,000 registrations at once, then 50 a second.
            account_writes: Limit::new(3_000, Period::Minute),
        }
    }
}

names! {
    /// The period of a rate.
    Period {
        /// A second.
        Second = "second",
        /// A minute.
        Minute = "minute",
        /// An hour.
        Hour = "hour",
        /// A day.
        Day = "day",
    }
}

/// The text is no rate limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a number per second, minute, hour or day, for example 30/minute, or off")]
pub struct InvalidLimit;

impl Period {
    /// How long it is.
    pub const fn length(self) -> Duration {
        Duration::from_secs(match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
        })
    }
}

impl Limit {
    /// A number of times per period; no limit if the number is 0.
    pub const fn new(count: u32, per: Period) -> Self {
        match NonZeroU32::new(count) {
            Some(count) => Self::Rate { count, per },
            None => Self::Off,
        }
    }

    /// That many times the limit.
    #[must_use]
    pub const fn times(self, factor: u32) -> Self {
        match self {
            Self::Off => Self::Off,
            Self::Rate { count, per } => Self::new(count.get().saturating_mul(factor), per),
        }
    }
}

impl FromStr for Limit {
    type Err = InvalidLimit;

    fn from_str(text: &str) -> Result<Self, InvalidLimit> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let (count, period) = text.split_once('/').ok_or(InvalidLimit)?;
        Ok(Self::Rate {
            count: count.parse().map_err(|_| InvalidLimit)?,
            per: Period::named(period).ok_or(InvalidLimit)?,
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => out.write_str("off"),
            Self::Rate { count, per } => write!(out, "{count}/{per}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_reads_as_it_is_written() {
        for text in ["off", "1/second", "30/minute", "20000/hour", "5/day"] {
            assert_eq!(text.parse::<Limit>().unwrap().to_string(), text);
        }
        for text in ["", "30", "0/minute", "-1/minute", "30/week", "30/", "OFF"] {
            assert_eq!(text.parse::<Limit>(), Err(InvalidLimit), "{text}");
        }
    }
}
