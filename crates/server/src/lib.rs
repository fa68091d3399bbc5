//! How every Muster binary starts and stops: settings, telemetry, serving HTTP, drain.
//!
//! `main` calls [`program::run`], which reads the settings, starts logging, and turns a [`Failure`] into an exit code. A
//! program calls [`shutdown::on_signal`], [`serve::bind`] and [`serve::serve`] in this order. [`probe`] asks a running one whether it serves.

pub mod accepting;
pub mod adaptive_limit;
pub mod brand;
pub mod budget;
mod command_line;
pub mod connection_limit;
pub mod cors;
pub mod exposure;
mod failure;
mod log_writer;
pub mod metrics;
mod metrics_port;
pub mod networks;
pub mod observe;
pub mod open_files;
pub mod probe;
pub mod program;
pub mod serve;
pub mod settings;
pub mod shutdown;
pub mod tcp;
pub mod telemetry;
pub mod traces;

pub use command_line::command_line;
pub use failure::Failure;
pub use metrics_port::MetricsSettings;
pub use tokio_util::sync::CancellationToken;

/// The value of `Strict-Transport-Security` (RFC 6797) where the public URL is https: a year. Other hosts below this one's name are not its
/// own to decide about.
pub const ONLY_HTTPS: http::HeaderValue = http::HeaderValue::from_static("max-age=31536000");
