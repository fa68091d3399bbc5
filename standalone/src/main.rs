//! All of Muster in one process.
fn main() {}
