//! Package `muster.v1`, generated.

#[expect(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "prost and tonic write this; its documentation is the proto's"
)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/muster.v1/messages.rs"));
}

pub use messages::*;

mod validation {
    include!(concat!(env!("OUT_DIR"), "/muster.v1/validation.rs"));
}

/// Access rules of rpcs, and the services' validating decorators.
pub mod services {
    include!(concat!(env!("OUT_DIR"), "/muster.v1/services.rs"));
}

/// Reasons of failures.
#[expect(
    clippy::match_same_arms,
    reason = "tables with one line for each reason"
)]
pub mod reasons {
    include!(concat!(env!("OUT_DIR"), "/muster.v1/reasons.rs"));
}

/// The rpcs and their HTTP routes.
pub mod bindings {
    include!(concat!(env!("OUT_DIR"), "/muster.v1/bindings.rs"));
}
