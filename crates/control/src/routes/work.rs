//! Handlers of sessions and of what works in them: agents, tools, approvals, executions, usage.

pub(super) mod approvals;
pub(super) mod executions;
pub(super) mod mcp_servers;
pub(super) mod models;
pub(super) mod sessions;
pub(super) mod usage;

pub mod evaluation_runs;
pub mod mcp;

use wire::Endpoint;

use crate::app::App;

/// These handlers, in the order of a session's tools within a toolbox.
pub(super) fn endpoints() -> Vec<Endpoint<App>> {
    [
        models::endpoints(),
        sessions::endpoints(),
        mcp_servers::endpoints(),
        approvals::endpoints(),
        executions::endpoints(),
        evaluation_runs::endpoints(),
        usage::endpoints(),
        mcp::endpoints(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
