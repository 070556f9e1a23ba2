//! Create an evaluation run with the grant of a running execution.

use api::work::evaluation_runs::{CreateEvaluationRun, CreateEvaluationRunResponse};
use auth::actor::AutomationOnly;
use domain::Result;
use wire::{Created, Reply, Request};

use crate::app::App;
use crate::evaluation_runs;

/// Creates a sandbox for an evaluation, with a grant whose rights don't exceed those of the presented one. The
/// presented grant stays valid. Only the grant of a running execution is accepted.
pub async fn handle(
    app: App,
    request: Request<AutomationOnly, CreateEvaluationRun>,
) -> Result<Created<CreateEvaluationRunResponse>> {
    Ok(Reply::created(evaluation_runs::create(&app, &request.call, request.path.project_id).await?))
}
