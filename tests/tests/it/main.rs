//! The system as its users see it.

mod smoke;
