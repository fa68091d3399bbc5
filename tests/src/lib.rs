//! Whole-system tests: one scenario through gRPC and HTTP, on both databases.
