//! How every Muster binary starts and stops: settings, telemetry, serving HTTP, drain.
//!
//! A `main` reads: [`settings::parse`], [`telemetry::init`], [`shutdown::on_signal`], [`serve::bind`], [`serve::serve`],
//! and turns what went wrong into an exit code with [`Failure`].

mod failure;
pub mod networks;
pub mod observe;
pub mod serve;
pub mod settings;
pub mod shutdown;
pub mod tcp;
pub mod telemetry;

pub use failure::Failure;
pub use tokio_util::sync::CancellationToken;
