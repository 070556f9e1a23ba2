//! Operations of sessions and of what works in them: agents, tools, approvals, executions, usage.

pub mod approvals;
pub mod evaluation_runs;
pub mod executions;
pub mod mcp;
pub mod mcp_servers;
pub mod models;
pub mod sessions;
pub mod usage;
