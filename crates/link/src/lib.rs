//! Coordination of processes through Redis: hosts of sessions, requests between processes, notifications of new events,
//! and rate limits.
//!
//! PostgreSQL has all durable data. A wipe of Redis loses live connections only, which return within a heartbeat. Not
//! here: durable data, and the handling of requests (`control` and `dataplane`).

mod announcement;
mod connection;
mod events;
mod inbox;
mod keys;
mod link;
mod message;
mod open;
mod rate;
mod registration;
mod registry;
mod rights;
mod scripts;
mod seal;
mod sealing;
mod single_use;

pub use announcement::Announcement;
pub use link::{Link, LinkConfig};
pub use message::{NamedJob, ProcessRequest};
pub use registration::Registration;
pub use registry::{Presence, RegistryEntry};
pub use seal::MessageKey;
