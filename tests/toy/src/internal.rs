//! What only the toy's own processes say to each other.

/// Package `toy.internal.v1`, generated.
pub mod v1 {
    #[expect(
        clippy::all,
        clippy::pedantic,
        clippy::allow_attributes,
        reason = "prost and tonic write this; its documentation is the proto's"
    )]
    mod messages {
        include!(concat!(env!("OUT_DIR"), "/toy.internal.v1/messages.rs"));
    }

    pub use messages::*;

    mod validation {
        include!(concat!(env!("OUT_DIR"), "/toy.internal.v1/validation.rs"));
    }

    /// Who may call which rpc, and the services' validating decorators.
    pub mod services {
        include!(concat!(env!("OUT_DIR"), "/toy.internal.v1/services.rs"));
    }

    /// Each rpc.
    pub mod bindings {
        include!(concat!(env!("OUT_DIR"), "/toy.internal.v1/bindings.rs"));
    }
}
