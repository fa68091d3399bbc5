//! Logs: one line per fact on standard error, as text for people or as JSON for programs.

use std::io::IsTerminal;

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

/// What to log and how; flatten it into a binary's settings.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Logs (on standard error)")]
pub struct LogSettings {
    /// What is logged: error, warn, info, debug or trace, also per module (`info,http_gateway=debug`)
    #[arg(long, env = "MUSTER_LOG", value_name = "FILTER", default_value = "info", value_parser = filter)]
    pub log: String,
    /// How a log line looks: `text` for people, `json` for programs
    #[arg(
        long,
        env = "MUSTER_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "text"
    )]
    pub log_format: LogFormat,
}

/// How a log line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people, coloured on a terminal.
    Text,
    /// For programs: one object per line.
    Json,
}

fn filter(text: &str) -> Result<String, String> {
    match EnvFilter::builder().parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(
            "must be a level such as info, or filters such as info,http_gateway=debug".to_owned(),
        ),
    }
}

/// What libraries say of every request, which our own line says already. The setting can ask for it.
const QUIET: &str = "rmcp=error";

/// Starts logging. Does nothing when something in this process logs already, as in tests.
pub fn init(settings: &LogSettings) {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(format!("{QUIET},{}", settings.log)))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let _already_logging = match settings.log_format {
        LogFormat::Text => subscriber.try_init(),
        LogFormat::Json => subscriber.json().flatten_event(true).try_init(),
    };
}
