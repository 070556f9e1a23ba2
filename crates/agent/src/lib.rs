//! The agent of a session: models, tools, and the run loop that joins them.

pub mod mcp;
pub mod models;
pub mod outbound;
pub mod run;
pub mod tools;
