//! Sessions in this process: requests to their host, streams of their events, and what readers see of a conversation.

pub mod conversation_reader;
pub mod events;
pub mod host;
