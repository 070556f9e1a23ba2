//! Both planes as processes, over HTTP and with kills. One file for each concern.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod api_keys;
mod attaching;
mod audit;
mod authentication;
mod clients_going_away;
mod crashes;
mod dependencies;
mod downloads;
mod git_objects;
mod hardening;
mod harness;
mod http;
mod idempotency;
mod input;
mod large_uploads;
mod limits;
mod main_job;
mod migrations;
mod openapi;
mod openapi_conformance;
mod operators;
mod partitions;
mod plans;
mod preconditions;
mod projects;
mod rate_limits;
mod rolling_restarts;
mod routes;
mod schema;
mod sessions;
mod slow_clients;
mod spellings;
mod uploads;
