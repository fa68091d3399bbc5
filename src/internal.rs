//! What only Muster's own processes say to each other: plain gRPC, in no document and not in reflection.

pub mod v1;
