//! How every Muster binary starts and stops: telemetry, serving HTTP, health, drain.
