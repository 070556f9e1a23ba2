//! Sessions and what works in them: runs of agents, approvals, executions, usage.

pub mod approvals;
pub mod conversation;
pub mod executions;
pub mod mcp_servers;
pub mod runs;
pub mod session_events;
pub mod sessions;
pub mod usage;
