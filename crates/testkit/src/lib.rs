//! Shared test support: databases, both services as processes, HTTP callers, and servers that may be killed. It knows
//! no rule of the service.

pub mod answer;
pub mod caller;
pub mod database;
pub mod deployment;
pub mod document;
pub mod environment;
pub mod events;
pub mod examples;
pub mod guide;
pub mod images;
pub mod invariants;
mod keys;
pub mod mail_server;
pub mod mcp_server;
pub mod model_server;
pub mod noon;
pub mod open_session;
pub mod past;
pub mod plan;
pub mod postgres;
pub mod process;
pub mod proxy;
pub mod random;
pub mod raw;
pub mod redis;
pub mod registry;
pub mod repository;
mod reserved;
pub mod seed;
pub mod session;
pub mod small_disk;
pub mod stub;
pub mod upload;
