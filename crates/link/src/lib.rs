//! Redis, and only coordination: which process hosts which session, requests from process to process, and
//! word of new events.
//!
//! PostgreSQL is the truth. Wiping Redis loses live connections, which come back within a heartbeat, and nothing
//! else. Not here: anything that must survive, and what the requests mean (`control` and `dataplane` know).

mod connection;
mod events;
mod inbox;
mod keys;
mod link;
pub mod message;
mod rate;
mod registry;

pub use inbox::HostReply;
pub use link::{Link, LinkConfig};
pub use message::{Request, Response, SentUpload};
pub use registry::{Presence, Registered, Registration};
