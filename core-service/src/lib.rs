//! Muster's business logic as a gRPC service. Only this file composes the modules below it.

pub mod content;
pub mod domain;
pub mod jobs;
pub mod service;
pub mod storage;
