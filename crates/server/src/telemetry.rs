//! What a program tells its operators: logs on standard error, as text or as JSON; metrics; spans.

mod gather;
mod line;

use std::io::IsTerminal;

use clap::ValueEnum;
use tracing_subscriber::{
    Layer, Registry,
    filter::{FilterExt as _, LevelFilter, Targets, filter_fn},
    fmt::format::{self, JsonFields},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{
    Failure,
    metrics::MetricsSettings,
    traces::{self, TraceSettings},
};
use gather::Gather;
use line::Lines;

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
    let is_terminal = std::io::stderr().is_terminal();
    let gather = if is_terminal {
        Gather::nothing()
    } else {
        Gather::begin()
    };
    match spans {
        None => log(&settings.log, gather, is_terminal),
        Some(spans) => log_beside(spans, &settings.log, gather, is_terminal),
    }
    Ok(())
}

fn log(settings: &LogSettings, gather: Gather, is_terminal: bool) {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_writer(gather)
        .with_ansi(is_terminal);
    let (format, logged) = (settings.log_format, what(&settings.log));
    let _already_logging = match format {
        LogFormat::Text => {
            let lines = Lines::new(format, format::format());
            let subscriber = subscriber.event_format(lines).finish();
            subscriber.with(logged).try_init()
        }
        LogFormat::Json => {
            let others = format::format().json().flatten_event(true);
            let lines = Lines::new(format, others);
            let subscriber = subscriber.fmt_fields(JsonFields::new()).event_format(lines);
            subscriber.finish().with(logged).try_init()
        }
    };
}

/// The same beside spans, each with a filter of its own: lines are not part of spans.
fn log_beside(
    spans: impl Layer<Registry> + Send + Sync,
    settings: &LogSettings,
    gather: Gather,
    is_terminal: bool,
) {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(gather)
        .with_ansi(is_terminal);
    let not_spans = filter_fn(|metadata| !traces::is_ours(metadata));
    let logged = what(&settings.log).and(not_spans);
    let spans = tracing_subscriber::registry().with(spans);
    let format = settings.log_format;
    let _already_logging = match format {
        LogFormat::Text => {
            let text = Lines::new(format, format::format());
            let lines = lines.event_format(text).with_filter(logged);
            spans.with(lines).try_init()
        }
        LogFormat::Json => {
            let json = format::format().json().flatten_event(true);
            let json = Lines::new(format, json);
            let lines = lines.fmt_fields(JsonFields::new()).event_format(json);
            spans.with(lines.with_filter(logged)).try_init()
        }
    };
}

/// Writes what is logged but not written yet, and from now on everything at once. To be called before the process ends.
pub fn end() {
    gather::end();
}
