//! Create an evaluation run with the grant of a running execution.

use api::evaluation_runs::{CreateEvaluationRun, CreateEvaluationRunResponse};
use auth::actor::AutomationOnly;
use domain::Result;
use domain::project::ProjectRef;
use store::{Call, Outcome, OwnExecutionRef, executions};
use wire::{Created, Reply, Request};

use crate::app::App;

/// Creates a sandbox for an evaluation, with a grant whose rights don't exceed those of the presented one. The
/// presented grant stays valid. Only the grant of a running execution is accepted.
pub async fn handle(
    app: App,
    request: Request<AutomationOnly, CreateEvaluationRun>,
) -> Result<Created<CreateEvaluationRunResponse>> {
    Ok(Reply::created(open(&app, &request.call, request.path.project_id).await?))
}

/// Creates an evaluation run for an execution of this process, as over HTTP.
///
/// # Errors
/// `UNAUTHENTICATED` if the execution has ended; `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
pub async fn open(
    app: &App,
    call: &Call<AutomationOnly>,
    project: ProjectRef,
) -> Result<Outcome<CreateEvaluationRunResponse>> {
    let at = OwnExecutionRef { project };
    let made = app
        .store
        .create(call, &at, async |tx, execution| {
            executions::create_evaluation_run(tx, execution, call.now).await
        })
        .await?;
    let data_plane = app.grants.mint_for_evaluation_run(call, &made.value)?;
    Ok(made.map(|run| CreateEvaluationRunResponse {
        evaluation_run_id: run.id,
        project_id: run.project,
        branch: run.branch,
        execution_id: run.execution,
        created_at: run.created_at,
        data_plane,
    }))
}
