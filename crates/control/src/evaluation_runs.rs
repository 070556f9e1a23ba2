//! The creation of evaluation runs: over HTTP, and by code that this process runs.

use api::work::evaluation_runs::CreateEvaluationRunResponse;
use auth::actor::AutomationOnly;
use domain::Result;
use domain::content::project::ProjectRef;
use store::work::executions;
use store::{Call, Outcome, OwnExecutionRef};

use crate::app::App;

/// Creates an evaluation run for a running execution, with a grant of its own.
///
/// # Errors
/// `UNAUTHENTICATED` if the execution has ended; `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
pub async fn create(
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
