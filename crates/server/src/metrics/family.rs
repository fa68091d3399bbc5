//! Metrics of one name, told apart by labels.

use std::{fmt, sync::atomic::AtomicU64};

use prometheus_client::{
    encoding::{EncodeLabelValue, LabelValueEncoder},
    metrics::{counter, family::Family, gauge, histogram},
    registry::Registry,
};

use super::Declared;

/// The upper bounds of durations in seconds: from an answer out of memory to the time limit of a request.
const SECONDS: [f64; 15] = [
    0.000_25, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

/// The upper bounds of numbers of things, up to a full batch.
const NUMBERS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// The value of a label: one of a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Label {
    /// A word of our own.
    Word(&'static str),
    /// A number, such as a status of HTTP.
    Number(u16),
}

impl From<&'static str> for Label {
    fn from(word: &'static str) -> Self {
        Self::Word(word)
    }
}

impl From<u16> for Label {
    fn from(number: u16) -> Self {
        Self::Number(number)
    }
}

impl EncodeLabelValue for Label {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => word.encode(encoder),
            Self::Number(number) => u64::from(*number).encode(encoder),
        }
    }
}

/// The names and values of a metric's labels.
type Labels<const N: usize> = [(&'static str, Label); N];

/// A number that only grows.
#[derive(Debug)]
pub struct Counter<const N: usize>(Metric<counter::Counter<f64, AtomicU64>, N>);

/// A state, which goes up and down.
#[derive(Debug)]
pub struct Gauge<const N: usize>(Metric<gauge::Gauge<f64, AtomicU64>, N>);

/// How many measured values are at most as large as each of some bounds, their number and their sum.
#[derive(Debug)]
pub struct Histogram<const N: usize>(Metric<histogram::Histogram, N>);

#[derive(Debug)]
struct Metric<M, const N: usize> {
    names: &'static [&'static str],
    family: Family<Labels<N>, M, fn() -> M>,
}

impl<M, const N: usize> Metric<M, N>
where
    M: Clone + Send + Sync + fmt::Debug + 'static,
    Family<Labels<N>, M, fn() -> M>: prometheus_client::registry::Metric,
{
    fn registered(declared: &Declared, registry: &mut Registry, new: fn() -> M) -> Self {
        let family = Family::new_with_constructor(new);
        // The library adds the ending of counters, and the full stop.
        let name = declared.name.trim_end_matches("_total");
        let help = declared.help.trim().trim_end_matches('.');
        registry.register(name, help, family.clone());
        let names = declared.labels;
        Self { names, family }
    }

    fn with<A>(&self, values: [Label; N], use_it: impl FnOnce(&M) -> A) -> A
    where
        M: 'static,
    {
        let mut names = self.names.iter().copied();
        let labels = values.map(|value| (names.next().unwrap_or_default(), value));
        use_it(&self.family.get_or_create(&labels))
    }
}

impl<const N: usize> Counter<N> {
    pub(super) fn registered(declared: &Declared, registry: &mut Registry) -> Self {
        Self(Metric::registered(declared, registry, Default::default))
    }

    /// One more.
    pub fn add_one(&self, labels: [Label; N]) {
        self.0.with(labels, counter::Counter::inc);
    }

    /// It is this by now, as something else has counted.
    pub fn reach(&self, labels: [Label; N], count: f64) {
        self.0.with(labels, |counter| {
            counter.inc_by((count - counter.get()).max(0.0))
        });
    }
}

impl<const N: usize> Gauge<N> {
    pub(super) fn registered(declared: &Declared, registry: &mut Registry) -> Self {
        Self(Metric::registered(declared, registry, Default::default))
    }

    /// It is this now.
    pub fn set(&self, labels: [Label; N], value: f64) {
        self.0.with(labels, |gauge| gauge.set(value));
    }

    /// One more.
    pub fn up(&self, labels: [Label; N]) {
        self.0.with(labels, gauge::Gauge::inc);
    }

    /// One less.
    pub fn down(&self, labels: [Label; N]) {
        self.0.with(labels, gauge::Gauge::dec);
    }
}

impl<const N: usize> Histogram<N> {
    pub(super) fn registered(declared: &Declared, registry: &mut Registry) -> Self {
        let new = if declared.is_time() {
            || histogram::Histogram::new(SECONDS)
        } else {
            || histogram::Histogram::new(NUMBERS)
        };
        Self(Metric::registered(declared, registry, new))
    }

    /// Measures a value, in the metric's unit.
    pub fn observe(&self, labels: [Label; N], value: f64) {
        self.0.with(labels, |histogram| histogram.observe(value));
    }
}
