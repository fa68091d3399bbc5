//! What a program tells its operators: logs on standard error, as text or as JSON; metrics; spans.

mod chain;

use std::io::IsTerminal;

use clap::ValueEnum;
use tracing::Subscriber;
use tracing_subscriber::{
    Layer,
    filter::{FilterExt as _, LevelFilter, Targets, filter_fn},
    layer::SubscriberExt as _,
    registry::LookupSpan,
    util::SubscriberInitExt as _,
};

use crate::{
    Failure, log_writer,
    metrics_port::MetricsSettings,
    traces::{self, TraceSettings},
};

pub use chain::chain;

/// Settings of what a program tells its operators. Flatten them into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
pub struct TelemetrySettings {
    /// Its log
    #[command(flatten)]
    pub log: LogSettings,
    /// Its metrics
    #[command(flatten)]
    pub metrics: MetricsSettings,
    /// Its spans
    #[command(flatten)]
    pub traces: TraceSettings,
}

/// Settings of the log.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Logs (on standard error)")]
pub struct LogSettings {
    /// Log level: error, warn, info, debug (or verbose) or trace, also for each module (`info,http_gateway=debug`)
    #[arg(long, env = "MUSTER_LOG", value_name = "FILTER", default_value = "info", value_parser = filter)]
    pub log: Targets,
    /// Format of log lines
    #[arg(
        long,
        env = "MUSTER_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "text"
    )]
    pub log_format: LogFormat,
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text, coloured on a terminal.
    Text,
    /// One JSON object per line.
    Json,
}

fn filter(text: &str) -> Result<Targets, String> {
    let directives = text.split(',').map(str::trim);
    let directives: Vec<String> = directives
        .filter(|text| !text.is_empty())
        .map(directive)
        .collect();
    let filter = Some(directives.join(",")).filter(|text| !text.is_empty());
    let filter = filter.and_then(|text| text.parse().ok());
    filter.ok_or_else(|| {
        "must be a level (error, warn, info, debug or trace; verbose is debug) or filters such as info,http_gateway=debug"
            .to_owned()
    })
}

/// One filter. Many programs call a level verbose that has no such name here.
fn directive(text: &str) -> String {
    let (module, level) = text.rsplit_once('=').unwrap_or(("", text));
    match (level.trim().eq_ignore_ascii_case("verbose"), module) {
        (false, _) => text.to_owned(),
        (true, "") => "debug".to_owned(),
        (true, module) => format!("{module}=debug"),
    }
}

/// A library whose log lines repeat our own line for each request. The setting can turn them on.
const QUIET: &str = "rmcp";

/// What is logged with this setting.
pub fn what(log: &Targets) -> Targets {
    let quiet = Targets::new().with_target(QUIET, LevelFilter::ERROR);
    let quiet = quiet.with_targets(log.iter());
    match log.default_level() {
        Some(level) => quiet.with_default(level),
        None => quiet,
    }
}

/// Starts logging, and exporting spans of the program with this name. Does not log if this process already logs, as in tests. Must be called
/// within a Tokio runtime.
///
/// # Errors
/// [`Failure::Settings`] when spans cannot be exported as the settings say.
pub fn init(settings: &TelemetrySettings, program: &str) -> Result<(), Failure> {
    let spans = traces::begin(&settings.traces, program).map_err(Failure::setting)?;
    let subscriber = tracing_subscriber::registry().with(spans);
    let _already_logging = subscriber.with(lines(&settings.log)).try_init();
    Ok(())
}

/// What makes lines of events.
fn lines<S>(settings: &LogSettings) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(log_writer::start())
        .with_ansi(std::io::stderr().is_terminal());
    // Our spans are exported only, and not part of lines.
    let not_spans = filter_fn(|metadata| !traces::is_ours(metadata));
    let logged = what(&settings.log).and(not_spans);
    match settings.log_format {
        LogFormat::Text => lines.with_filter(logged).boxed(),
        LogFormat::Json => {
            let lines = lines.json().flatten_event(true);
            lines.with_filter(logged).boxed()
        }
    }
}
