//! Evaluation runs: sandboxes that running executions request, each with its own grant.

pub mod create;

use wire::{Endpoint, Resource, post};

use crate::app::App;

/// The endpoints of evaluation runs.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/evaluation-runs").with([post(
        "",
        "createEvaluationRun",
        "Create an evaluation run with the grant of a running execution",
        create::handle,
    )
    .shows_secret()
    .not_a_tool("only for the grants of executions")])
}
