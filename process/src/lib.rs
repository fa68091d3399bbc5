//! How every Muster binary starts and stops: settings, telemetry, serving HTTP, drain.
//!
//! A `main` is [`program::run`]: it reads settings, starts logging, and turns what went wrong into an exit code with [`Failure`].
//! A program reads: [`shutdown::on_signal`], [`serve::bind`], [`serve::serve`].

mod failure;
pub mod networks;
pub mod observe;
pub mod program;
pub mod serve;
pub mod settings;
pub mod shutdown;
pub mod tcp;
pub mod telemetry;

pub use failure::Failure;
pub use tokio_util::sync::CancellationToken;
