//! Package `toy.v1`, generated. Reasons and scopes are Muster's, since generated code names those of `muster_api`.

#[expect(
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    reason = "prost and tonic write this; its documentation is the proto's"
)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/toy.v1/messages.rs"));
}

pub use messages::*;

mod validation {
    include!(concat!(env!("OUT_DIR"), "/toy.v1/validation.rs"));
}

/// Who may call which rpc, and the services' validating decorators.
pub mod services {
    include!(concat!(env!("OUT_DIR"), "/toy.v1/services.rs"));
}

/// Each rpc at each of its HTTP routes.
pub mod bindings {
    include!(concat!(env!("OUT_DIR"), "/toy.v1/bindings.rs"));
}
