//! One execution, from its turn to its end.

use std::time::Duration;

use auth::actor::{Actor, ProjectWrite};
use auth::grant::GrantTerms;
use domain::execution::{ExecutionFailure, FailureCode};
use domain::id::ExecutionId;
use domain::project::ProjectRef;
use domain::session::ConnectionId;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use execution::{Answer, Ask, Job, Piece};
use serde_json::{Map, Value, json};
use store::executions::End;
use store::executions::work::Assignment;
use store::{Call, CallContext, SessionRef};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::executions::broker::Request;
use crate::executions::{Executions, Shared};
use crate::routes::evaluation_runs::create;

impl Executions {
    /// Waits for the execution's turn and works on it, until it ends or `cancel` asks for its end.
    pub(super) async fn work(&self, id: ExecutionId, cancel: &CancellationToken) -> Result<()> {
        let Shared { store, link, turns, .. } = &*self.0;
        let _turn = tokio::select! {
            turn = turns.acquire() => turn.map_err(Error::internal)?,
            // Whoever asked writes the end.
            () = cancel.cancelled() => return Ok(()),
        };
        let Some(assignment) = store.begin_execution(id, link.process(), Timestamp::now()).await? else {
            return Ok(());
        };
        let session = assignment.work.session;
        link.announce_events(session);
        let end = tokio::select! {
            end = self.run(&assignment, cancel) => end,
            () = cancel.cancelled() => End::Stopped,
        };
        store.end_execution(&assignment.work, &end, Timestamp::now()).await?;
        link.announce_events(session);
        Ok(())
    }

    async fn run(&self, assignment: &Assignment, cancel: &CancellationToken) -> End {
        let ran = async {
            let app = self.0.app.get().ok_or_else(|| Error::internal("executions are not served yet"))?;
            let terms = app.grants.terms_of_execution(&acting(app, assignment).await?, assignment);
            let context = context(app, assignment, &terms)?;
            let program = &assignment.program;
            let job = Job { language: program.language, source: program.source.clone(), context };
            let say = async |piece: Piece| self.say(assignment, piece, cancel).await;
            let answer = async |ask: Ask| self.answer(app, assignment, &terms, ask).await;
            self.0.engine.run(&job, say, answer).await
        };
        match ran.await {
            Ok(None) => End::Completed,
            Ok(Some(failure)) => End::Failed(failure),
            Err(error) => End::Failed(of_service(&error)),
        }
    }

    /// Keeps what the code wrote.
    async fn say(&self, assignment: &Assignment, piece: Piece, cancel: &CancellationToken) {
        let Shared { store, link, .. } = &*self.0;
        match store.add_output(&assignment.work, &piece.text, piece.truncated, Timestamp::now()).await {
            Ok(true) => link.announce_events(assignment.work.session),
            // Somebody else has ended it.
            Ok(false) => cancel.cancel(),
            Err(error) => {
                tracing::warn!(execution.id = %assignment.work.execution, %error, "output of an execution is lost");
            }
        }
    }

    /// Does what the code asks for; or says why not, for people.
    async fn answer(
        &self,
        app: &App,
        assignment: &Assignment,
        terms: &GrantTerms,
        ask: Ask,
    ) -> std::result::Result<Answer, String> {
        match ask {
            Ask::Fetch { method, url, headers, body } => {
                let request = Request { method, url, headers, body };
                self.0.broker.fetch(&app.grants.data_url, request).await
            }
            Ask::Sleep { millis } => {
                sleep(Duration::from_millis(millis.into())).await;
                Ok(Answer { status: 204, headers: Vec::new(), body: Vec::new() })
            }
            Ask::CreateEvaluationRun {} => {
                let made = evaluation_run(app, assignment, terms).await;
                let body = made.and_then(|made| serde_json::to_vec(&made).map_err(Error::internal));
                let body = body.map_err(|error| error.message)?;
                Ok(Answer { status: 201, headers: Vec::new(), body })
            }
        }
    }
}

/// Who acts: whoever asked for the execution, with what that may still do in the session.
async fn acting(app: &App, of: &Assignment) -> Result<Actor> {
    let now = Timestamp::now();
    let actor = app.store.actor_of_execution(of, now).await?;
    let context = CallContext { now, request_id: of.work.execution.to_string(), idempotency: None };
    let call = Call::<ProjectWrite>::authorise(actor, context)?;
    let project = ProjectRef { project: of.project, branch: Some(of.branch.clone()) };
    let at = SessionRef { project, session: of.work.session };
    app.store.look_at(&call, &at, async |_, session| Ok(session.acting(&call))).await
}

/// What the code finds as `atelier`.
fn context(app: &App, of: &Assignment, terms: &GrantTerms) -> Result<Map<String, Value>> {
    let minted = app.grants.signer.mint(terms, Timestamp::now())?;
    let context = json!({
        "projectId": of.project,
        "ownerId": of.owner,
        "branch": of.branch,
        "sessionId": of.work.session,
        "executionId": of.work.execution,
        "connectionId": ConnectionId::of_execution(of.work.execution),
        "dataPlaneUrl": app.grants.data_plane_url(""),
        "grant": minted.grant.reveal(),
        "input": of.input,
    });
    match context {
        Value::Object(context) => Ok(context),
        _ => Err(Error::internal("a context is no object")),
    }
}

/// What creating an evaluation run answers over HTTP with the execution's grant.
async fn evaluation_run(app: &App, of: &Assignment, terms: &GrantTerms) -> Result<create::Answer> {
    let context =
        CallContext { now: Timestamp::now(), request_id: of.work.execution.to_string(), idempotency: None };
    let call = Call::authorise(Actor::from(terms.clone()), context)?;
    let project = ProjectRef { project: of.project, branch: Some(of.branch.clone()) };
    Ok(create::open(app, &call, project).await?.value)
}

/// Why an execution failed whose code did not.
fn of_service(error: &Error) -> ExecutionFailure {
    let is_refused = matches!(
        error.code,
        Code::Unauthenticated | Code::Forbidden | Code::InsufficientScope | Code::NotFound
    );
    if is_refused {
        let message = "Whoever asked for the execution can't work in its session any more.";
        return ExecutionFailure::new(FailureCode::CredentialEnded, message);
    }
    tracing::error!("error.chain" = error.chain(), "an execution failed by a fault of the service");
    ExecutionFailure::new(FailureCode::ServiceFailed, "The service could not run the code.")
}
