//! Spans for OpenTelemetry: how long a request, a call, a statement or a job took, and what it was part of.
//!
//! They are exported by OTLP over gRPC if an endpoint is set, and not made otherwise: [`span!`](crate::span) and [`now`] cost one look at the
//! memory then. They are not part of the log, and the log's lines not part of them. Attributes are words of ours and numbers, as the labels of
//! metrics are, and the request's id, by which a span is found in the log: no path, query or other text of a client.

mod carrier;
mod exporter;

use std::{
    sync::OnceLock,
    time::{Duration, SystemTime},
};

use http::{HeaderMap, HeaderValue};
use opentelemetry::{
    Context, KeyValue,
    propagation::TextMapPropagator as _,
    trace::{Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _, TracerProvider as _},
};
use opentelemetry_sdk::{
    propagation::TraceContextPropagator,
    trace::{SdkTracer, SdkTracerProvider},
};
use tracing::Metadata;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{Layer, Registry, filter::filter_fn};

use carrier::{Read, Write};
pub use exporter::TraceSettings;
#[doc(hidden)]
pub use tracing;

/// The target of all spans, by which the log leaves them out.
pub const TARGET: &str = "muster::span";

/// How long the last spans may take to leave when the program ends.
const FLUSH: Duration = Duration::from_secs(3);

static EXPORTING: OnceLock<Exporting> = OnceLock::new();

struct Exporting {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    propagator: TraceContextPropagator,
}

/// A span with these fields, if spans are exported.
#[macro_export]
macro_rules! span {
    ($name:literal, $($fields:tt)*) => {
        if $crate::traces::is_on() {
            $crate::traces::tracing::info_span!(target: $crate::traces::TARGET, $name, $($fields)*)
        } else {
            $crate::traces::tracing::Span::none()
        }
    };
}

/// Whether spans are exported.
pub fn is_on() -> bool {
    EXPORTING.get().is_some()
}

/// Begins to export spans, if an endpoint is set. Returns what makes spans of `tracing` such ones. Must be called within a Tokio runtime.
///
/// # Errors
/// One line that says what is wrong with the settings.
pub fn begin(
    settings: &TraceSettings,
    program: &str,
) -> Result<Option<impl Layer<Registry> + Send + Sync + use<>>, String> {
    let Some(provider) = exporter::provider(settings, program)? else {
        return Ok(None);
    };
    let tracer = provider.tracer("muster");
    let layer = tracing_opentelemetry::layer()
        .with_tracer(tracer.clone())
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_context_activation(false);
    EXPORTING.get_or_init(|| Exporting {
        provider,
        tracer,
        propagator: TraceContextPropagator::new(),
    });
    Ok(Some(layer.with_filter(filter_fn(is_ours))))
}

/// Whether it is one of these spans.
pub fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target() == TARGET
}

/// The same span as part of the trace that a caller names in these headers (W3C `traceparent`), or as the first of its own.
#[must_use]
pub fn called(span: tracing::Span, headers: &HeaderMap) -> tracing::Span {
    if let Some(exporting) = EXPORTING.get().filter(|_| !span.is_none()) {
        let caller = exporting
            .propagator
            .extract_with_context(&Context::new(), &Read(headers));
        // It fails only for spans that nobody exports.
        let _part_of = span.set_parent(caller);
    }
    span
}

/// Names a span in the headers of a call, in place of what they had.
pub fn name_in(span: &tracing::Span, headers: &mut HeaderMap) {
    if let Some(exporting) = EXPORTING.get().filter(|_| !span.is_none()) {
        let context = span.context();
        exporting
            .propagator
            .inject_context(&context, &mut Write(headers));
    }
}

/// The W3C `traceparent` of a span, to be kept for what it leaves to be done later; none if nobody sees its trace.
pub fn named(span: &tracing::Span) -> Option<String> {
    if span.is_none() || !is_on() {
        return None;
    }
    let context = span.context();
    let named = context.span().span_context().clone();
    let is_seen = named.is_valid() && named.is_sampled();
    is_seen.then(|| format!("00-{}-{}-01", named.trace_id(), named.span_id()))
}

/// The same span with a link to the one that made its work, by what [`named`] kept. It is also part of that trace if `is_part`, and otherwise
/// the first of its own.
#[must_use]
pub fn made(span: tracing::Span, by: &str, is_part: bool) -> tracing::Span {
    let (Some(exporting), Ok(by)) = (EXPORTING.get(), HeaderValue::try_from(by)) else {
        return span;
    };
    let mut headers = HeaderMap::new();
    headers.insert("traceparent", by);
    let maker = exporting
        .propagator
        .extract_with_context(&Context::new(), &Read(&headers));
    span.add_link(maker.span().span_context().clone());
    if is_part {
        // It fails only for spans that nobody exports.
        let _part_of = span.set_parent(maker);
    }
    span
}

/// Names a span anew, by what is known at its end.
pub fn rename(span: &tracing::Span, name: String) {
    if !span.is_none() {
        span.context().span().update_name(name);
    }
}

/// The current span, if it is exported.
pub fn current() -> tracing::Span {
    if is_on() {
        tracing::Span::current()
    } else {
        tracing::Span::none()
    }
}

/// When something began that is part of the current span, if that is exported.
pub fn now() -> Option<SystemTime> {
    (is_on() && !tracing::Span::current().is_none()).then(time)
}

/// Exports what was asked of another system and has ended now, as part of the current span.
pub fn ended(
    began: Option<SystemTime>,
    system: &'static str,
    operation: &'static str,
    is_well: bool,
) {
    let (Some(began), Some(exporting)) = (began, EXPORTING.get()) else {
        return;
    };
    let part_of = tracing::Span::current().context();
    if !part_of.span().span_context().is_sampled() {
        return;
    }
    let span = exporting
        .tracer
        .span_builder(operation)
        .with_kind(SpanKind::Client)
        .with_start_time(began)
        .with_attributes([
            KeyValue::new("peer.service", system),
            KeyValue::new("operation.name", operation),
        ]);
    let mut span = exporting.tracer.build_with_context(span, &part_of);
    if !is_well {
        span.set_status(Status::error(""));
    }
    span.end_with_timestamp(time());
}

/// Exports what has ended by now, within a limit. Blocks.
pub fn flush() {
    if let Some(exporting) = EXPORTING.get() {
        // Spans are lost rather than the program kept from ending.
        let _unsent = exporting.provider.force_flush();
    }
}

/// Exports the last spans, within a limit. To be called before the process ends.
pub(crate) async fn end() {
    let Some(exporting) = EXPORTING.get() else {
        return;
    };
    let last = tokio::task::spawn_blocking(|| exporting.provider.shutdown_with_timeout(FLUSH));
    let _unsent = tokio::time::timeout(FLUSH, last).await;
}

#[expect(
    clippy::disallowed_methods,
    reason = "spans have the machine's time, as log lines have"
)]
fn time() -> SystemTime {
    SystemTime::now()
}
