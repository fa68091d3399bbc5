//! Package `muster.internal.v1`, generated.

#[expect(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "prost and tonic write this; its documentation is the proto's"
)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/muster.internal.v1/messages.rs"));
}

pub use messages::*;

mod validation {
    include!(concat!(
        env!("OUT_DIR"),
        "/muster.internal.v1/validation.rs"
    ));
}

/// Access rules of rpcs, and the services' validating decorators.
pub mod services {
    include!(concat!(env!("OUT_DIR"), "/muster.internal.v1/services.rs"));
}

/// The rpcs.
pub mod bindings {
    include!(concat!(env!("OUT_DIR"), "/muster.internal.v1/bindings.rs"));
}
