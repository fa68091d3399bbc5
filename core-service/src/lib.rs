//! Muster's business logic as a gRPC service. Only this file composes the modules below it.

pub mod domain;
pub mod storage;
