//! Metrics, which Prometheus reads from a port of their own.
//!
//! [`DECLARED`] has all of them. A process that does not serve them measures nothing: [`on`] is `None`, which costs one look at the memory.
//! What changes with each call is counted where it happens; states are looked at when Prometheus asks ([`watch`]).

mod declared;
mod family;
mod machine;

use std::{
    sync::{Mutex, OnceLock, PoisonError},
    time::Instant,
};

use prometheus_client::{encoding::text, registry::Registry};

pub use declared::{DECLARED, Declared, Metrics};
pub use family::{Counter, Gauge, Histogram, Label};

/// The media type of [`text()`].
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

static SERVED: OnceLock<Served> = OnceLock::new();

struct Served {
    metrics: Metrics,
    registry: Registry,
    watches: Mutex<Vec<Watch>>,
}

type Watch = Box<dyn FnMut(&Metrics) -> bool + Send>;

/// The metrics, if this process serves them.
pub fn on() -> Option<&'static Metrics> {
    SERVED.get().map(|served| &served.metrics)
}

/// Measures, if this process serves metrics.
pub fn measure(measure: impl FnOnce(&Metrics)) {
    if let Some(metrics) = on() {
        measure(metrics);
    }
}

/// When something began that is measured, if this process serves metrics.
pub fn now() -> Option<Instant> {
    on().map(|_| Instant::now())
}

/// Measures how many seconds have passed since then.
pub fn since(began: Option<Instant>, measure: impl FnOnce(&Metrics, f64)) {
    if let (Some(began), Some(metrics)) = (began, on()) {
        measure(metrics, began.elapsed().as_secs_f64());
    }
}

/// Has states looked at whenever the metrics are read, until `watch` returns false: what it looked at is gone.
pub fn watch(watch: impl FnMut(&Metrics) -> bool + Send + 'static) {
    if let Some(served) = SERVED.get() {
        let mut watches = served.watches.lock();
        let watches = watches.as_mut().unwrap_or_else(PoisonError::get_mut);
        watches.push(Box::new(watch));
    }
}

/// From now on, this process measures. To be called before anything that is measured is made.
pub fn begin() {
    SERVED.get_or_init(|| {
        let mut registry = Registry::default();
        Served {
            metrics: Metrics::registered_in(&mut registry),
            registry,
            watches: Mutex::default(),
        }
    });
}

/// All metrics in the format `OpenMetrics`, which Prometheus reads. Empty if this process measures nothing.
pub fn text() -> String {
    let mut written = String::new();
    let Some(served) = SERVED.get() else {
        return written;
    };
    machine::look(&served.metrics);
    let mut watches = served
        .watches
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    watches.retain_mut(|watch| watch(&served.metrics));
    drop(watches);
    // Nothing fails that writes into memory.
    let _infallible = text::encode(&mut written, &served.registry);
    written
}
