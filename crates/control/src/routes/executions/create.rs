//! Execute a Code object. This process queues and runs it.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::execution::check_input;
use domain::id::ObjectId;
use domain::job::JobId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use store::executions::{self, NewExecution};
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::executions::{ExecutionAnswer, ExecutionView};
use crate::routes::sessions::SessionPath;

/// The code and its input.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateExecutionRequest")]
pub struct Body {
    /// An object of type `Code` of the session's branch, in JavaScript or Python.
    object_id: ObjectId,
    /// Value of `atelier.input` for the code, at most 256 KiB.
    #[serde(default)]
    input: Map<String, Value>,
}

/// Executes the current text of a Code object in a sandbox that can reach only the data plane. Its output appears in
/// the session's events and in the execution.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, SessionPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<ExecutionAnswer>> {
    let call = &request.call;
    let at = request.path.target();
    let Body { object_id: object, input } = request.body.0;
    check_input(&input)?;
    let new = NewExecution { object, input, process: app.link.process() };
    let queued = app
        .store
        .create(call, &at, async |tx, session| executions::create(tx, session, call, &new).await)
        .await?;
    if !queued.replayed {
        app.link.announce_events(at.session);
        app.jobs.start(JobId::CodeExecution(queued.value.id));
    }
    let answer = |record| ExecutionAnswer { execution: ExecutionView::of(record, Some(String::new())) };
    Ok(Reply::created(queued.map(answer)).etag_of_body())
}
