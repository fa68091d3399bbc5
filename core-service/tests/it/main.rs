//! Core as its callers see it, each test on SQLite and on PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod admin;
mod binary;
mod bounces;
mod covers;
mod delivery;
mod demo;
mod fixtures;
mod jobs;
mod mail;
mod maintenance;
mod service;
mod settings;
mod smtp;
mod stock_covers;
mod storage;
mod upgrade;
