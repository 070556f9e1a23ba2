//! Executions of Code objects. The code runs in a confined process of its own; this process answers its requests.

mod broker;

use std::collections::BTreeMap;
use std::time::Duration;

use api::work::evaluation_runs::CreateEvaluationRunResponse;
use auth::actor::Actor;
use auth::grant::{Grant, GrantTerms};
use domain::id::{ExecutionId, SessionId};
use domain::time::Timestamp;
use domain::work::execution::{ExecutionFailure, ExecutionFailureCode};
use domain::work::session::ConnectionId;
use domain::{Code, Error, Result};
use execution::{Ask, CallAnswer, OutputPiece, SourceCode};
use sandbox::Turns;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use store::work::executions::work::CodeExecution;
use store::work::executions::{self, ExecutionEnd};
use store::{Call, JobKind, Tx};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::broker::{Broker, CodeRequest};
use crate::app::App;
use crate::evaluation_runs;
use crate::jobs::Job;

/// The hidden subcommand that runs a worker.
pub const WORKER: &str = "execute";

/// Attempts to start an execution before it is left to its lease.
const START_ATTEMPTS: u32 = 5;
/// The pause between two attempts.
const START_PAUSE: Duration = Duration::from_secs(1);

/// Works on the executions of a process.
pub(super) struct CodeExecutions {
    app: App,
    /// For the requests of executed code.
    client: reqwest::Client,
    /// A permit for each execution that may run at a time. The others wait, queued.
    turns: Turns,
}

impl CodeExecutions {
    /// Runs programs, `at_once` at a time.
    ///
    /// # Errors
    /// The HTTP client for executed code can't be made.
    pub(super) fn new(app: App, at_once: u16) -> anyhow::Result<Self> {
        Ok(Self { app, client: broker::client()?, turns: Turns::new(at_once.into()) })
    }
}

impl Job for CodeExecutions {
    const KIND: &'static JobKind = &executions::CODE_EXECUTION;
    const IS_RESUMED: bool = false;

    /// Waits for its turn, and then works on the execution.
    async fn work(&self, id: Uuid, cancel: &CancellationToken) -> Result<()> {
        let (id, App { store, link, clock, .. }) = (ExecutionId(id), &self.app);
        let find = async || store.queued_execution(id).await;
        let Some(queued) = patiently(find).await? else { return Ok(()) };
        let _turn = tokio::select! {
            turn = self.turns.acquire(queued.user, queued.project) => turn,
            // Still queued: the caller that cancels it writes its end.
            () = cancel.cancelled() => return Ok(()),
        };
        let now = clock.now();
        let begin = async || store.begin_execution(id, link.process(), now).await;
        let Some(execution) = patiently(begin).await? else {
            return Ok(());
        };
        let session = execution.lease.session;
        link.announce_events(session);
        let end = tokio::select! {
            end = self.run(&execution, cancel) => end,
            () = cancel.cancelled() => ExecutionEnd::Stopped,
        };
        store.end_execution(&execution, &end, clock.now()).await?;
        link.announce_events(session);
        Ok(())
    }

    async fn fail_lost(tx: &mut Tx, id: Uuid, session: SessionId, now: Timestamp) -> Result<()> {
        executions::fail_lost(tx, ExecutionId(id), session, now).await
    }
}

impl CodeExecutions {
    async fn run(&self, execution: &CodeExecution, cancel: &CancellationToken) -> ExecutionEnd {
        let ran = async {
            let terms = patiently(async || self.terms(execution).await).await?;
            let App { grants, clock, .. } = &self.app;
            let grant = grants.signer.mint(&terms, clock.now())?.grant;
            let broker = Broker::new(self.client.clone(), grants.data_url.clone(), &grant);
            let context = self.context(execution, &grant)?;
            let program = &execution.program;
            let job = SourceCode { language: program.language, source: program.source.clone(), context };
            let say = async |piece: OutputPiece| self.store_output(execution, piece, cancel).await;
            let answer = async |ask: Ask| self.answer(execution, &terms, &broker, ask).await;
            self.app.engine.run(&job, say, answer).await
        };
        match ran.await {
            Ok(None) => ExecutionEnd::Completed,
            Ok(Some(failure)) => ExecutionEnd::Failed(failure),
            Err(error) => ExecutionEnd::Failed(service_failure(&error)),
        }
    }

    /// The terms of the code's grant: the rights that the execution's author has in the session now.
    async fn terms(&self, execution: &CodeExecution) -> Result<GrantTerms> {
        let App { store, clock, grants, .. } = &self.app;
        let call = store.call_of_job(&execution.lease, clock.now()).await?;
        let at = execution.lease.session_ref();
        let actor = store.find(&call, &at).await?.acting(&call);
        Ok(grants.terms_of_execution(&actor, execution))
    }

    /// The properties of `atelier` in the code.
    fn context(&self, execution: &CodeExecution, grant: &Grant) -> Result<BTreeMap<String, Box<RawValue>>> {
        let context = json!({
            "projectId": execution.lease.project,
            "ownerId": execution.owner,
            "branch": execution.lease.branch,
            "sessionId": execution.lease.session,
            "executionId": execution.id,
            "connectionId": ConnectionId::of_execution(execution.id),
            "dataPlaneUrl": self.app.grants.data_plane_url(""),
            "grant": grant.reveal(),
        });
        let mut context: BTreeMap<String, Box<RawValue>> =
            serde_json::from_value(context).map_err(Error::internal)?;
        context.insert("input".to_owned(), to_raw_value(&execution.input).map_err(Error::internal)?);
        Ok(context)
    }

    /// Stores output of the code; cancels the execution if its lease was lost.
    async fn store_output(&self, execution: &CodeExecution, piece: OutputPiece, cancel: &CancellationToken) {
        let App { store, link, clock, .. } = &self.app;
        match store.add_output(execution, &piece.text, piece.truncated, clock.now()).await {
            Ok(true) => link.announce_events(execution.lease.session),
            Ok(false) => cancel.cancel(),
            Err(error) => tracing::warn!(execution.id = %execution.id, %error, "output of execution lost"),
        }
    }

    /// Answers a request of the code; or says why not, for people.
    async fn answer(
        &self,
        execution: &CodeExecution,
        terms: &GrantTerms,
        broker: &Broker,
        ask: Ask,
    ) -> std::result::Result<CallAnswer, String> {
        match ask {
            Ask::Fetch { method, url, headers, body } => {
                let request = CodeRequest { method, url, headers, body };
                broker.fetch(request).await
            }
            Ask::Sleep { millis } => {
                sleep(Duration::from_millis(millis.into())).await;
                Ok(CallAnswer { status: 204, headers: Vec::new(), body: Vec::new() })
            }
            Ask::CreateEvaluationRun => {
                let created = self.create_evaluation_run(execution, terms).await;
                let created = created.inspect(|created| broker.add_grant(created.grant().to_owned()));
                let body = created.and_then(|created| serde_json::to_vec(&created).map_err(Error::internal));
                let body = body.map_err(|error| error.to_string())?;
                Ok(CallAnswer { status: 201, headers: Vec::new(), body })
            }
        }
    }

    /// Creates an evaluation run, as the endpoint does with the execution's grant.
    async fn create_evaluation_run(
        &self,
        execution: &CodeExecution,
        terms: &GrantTerms,
    ) -> Result<CreateEvaluationRunResponse> {
        let context = execution.lease.call_context(self.app.clock.now());
        let call = Call::authorise(Actor::from(terms.clone()), context)?;
        Ok(evaluation_runs::create(&self.app, &call, execution.lease.project_ref()).await?.value)
    }
}

/// Repeats `work`, which may be repeated, while the database is away. The execution's lease is renewed meanwhile.
async fn patiently<T>(work: impl AsyncFn() -> Result<T>) -> Result<T> {
    for _ in 1..START_ATTEMPTS {
        match work().await {
            Err(error) if error.code == Code::Unavailable => {
                tracing::warn!("error.chain" = error.chain(), "start of an execution is repeated");
                sleep(START_PAUSE).await;
            }
            done => return done,
        }
    }
    work().await
}

/// The failure of an execution that the service, not the code, is to blame for.
fn service_failure(error: &Error) -> ExecutionFailure {
    let is_refused = matches!(
        error.code,
        Code::Unauthenticated
            | Code::CredentialExpired
            | Code::Forbidden
            | Code::InsufficientScope
            | Code::NotFound
    );
    if is_refused {
        let message = "The access of the user who requested the execution has ended.";
        return ExecutionFailure::new(ExecutionFailureCode::CredentialEnded, message);
    }
    tracing::error!("error.chain" = error.chain(), "execution failed: internal error");
    ExecutionFailure::new(ExecutionFailureCode::ServiceFailed, "The service could not run the code.")
}
