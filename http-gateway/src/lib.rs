//! The binding table as JSON over HTTP.
