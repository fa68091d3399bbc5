//! Numbers with their units.

use std::{
    fmt::{self, Display, Formatter},
    time::Duration,
};

/// A number and its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figure {
    pub(super) value: f64,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Seconds,
    PerSecond,
    Percent,
    Megabytes,
}

impl Figure {
    /// A time.
    pub(crate) const fn seconds(value: f64) -> Self {
        let unit = Unit::Seconds;
        Self { value, unit }
    }

    /// So many in each second.
    pub(crate) const fn per_second(value: f64) -> Self {
        let unit = Unit::PerSecond;
        Self { value, unit }
    }

    /// So many of a hundred.
    pub(crate) const fn percent(value: f64) -> Self {
        let unit = Unit::Percent;
        Self { value, unit }
    }

    /// Memory.
    pub(crate) const fn megabytes(value: f64) -> Self {
        let unit = Unit::Megabytes;
        Self { value, unit }
    }
}

impl From<Duration> for Figure {
    fn from(time: Duration) -> Self {
        Self::seconds(time.as_secs_f64())
    }
}

impl Display for Figure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let value = self.value;
        match self.unit {
            Unit::Seconds if value < 1e-3 => write!(f, "{:.1} µs", value * 1e6),
            Unit::Seconds if value < 1.0 => write!(f, "{:.2} ms", value * 1e3),
            Unit::Seconds => write!(f, "{value:.1} s"),
            Unit::PerSecond => write!(f, "{value:.0}/s"),
            Unit::Percent => write!(f, "{value:.2} %"),
            Unit::Megabytes => write!(f, "{value:.0} MB"),
        }
    }
}
