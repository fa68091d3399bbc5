//! The internal API between Muster's own processes: plain gRPC, without documents and reflection.

pub mod v1;
