//! Sessions in this process: streams of their events, and what readers see of a conversation.

pub mod conversation_reader;
pub mod events;
