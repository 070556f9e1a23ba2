//! Work on projects by sessions: agents, tools, approvals, executions, and what they cost.

pub mod approval;
pub mod conversation;
pub mod execution;
pub mod mcp_server;
pub mod session;
pub mod tool;
pub mod usage;
