//! The runs that this process works on: begun when a session is prompted, stopped on request, their leases renewed; and
//! those of processes that died, which are ended as failed.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agent::models::{Models, ToolSpec};
use agent::run::{Limits, Run, ToolAnswer, Tools};
use agent::tools::{Tool, ToolCall, ToolSession};
use auth::actor::ProjectWrite;
use domain::conversation::PromptText;
use domain::error::Refusal;
use domain::id::{ProcessId, RunId, SessionId};
use domain::project::ProjectRef;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::future::{LocalBoxFuture, join_all};
use link::{Link, Request, Response};
use serde_json::{Map, Value};
use store::runs::NewRun;
use store::runs::work::{Assignment, End};
use store::{Call, CallContext, SessionRef, Store};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tokio_util::task::LocalPoolHandle;

use crate::app::App;
use crate::under_way::UnderWay;

/// Threads that runs go on in; each has many, which mostly wait.
const THREADS: usize = 2;
/// How often leases are renewed, and those of others looked at: several times within a lease.
const LEASE_INTERVAL: Duration = Duration::from_secs(4);
/// How long a session whose run was lost is looked after: longer than its host's lease, which may outlive that of the run.
const ORPHAN_CARE: Duration = Duration::from_secs(30);
/// Longest wait for another process to take up or stop a run, after which this one does it.
const WAIT: Duration = Duration::from_secs(2);

/// The runs of this process. Cheap to clone.
#[derive(Clone)]
pub struct Runs(Arc<Shared>);

struct Shared {
    store: Store,
    link: Link,
    models: Models,
    limits: Limits,
    at_most: u32,
    threads: LocalPoolHandle,
    /// The thread on which leases are renewed, whatever the runs do on theirs.
    keeper: LocalPoolHandle,
    under_way: UnderWay<RunId>,
    /// What tools work on, once there is one.
    app: OnceLock<App>,
}

impl Runs {
    /// None yet, and `at_most` so many at a time. Leases are renewed until the process ends.
    pub fn open(store: Store, link: Link, models: Models, limits: Limits, at_most: u32) -> Self {
        let (threads, keeper) = (LocalPoolHandle::new(THREADS), LocalPoolHandle::new(1));
        let (under_way, app) = (UnderWay::default(), OnceLock::new());
        let runs =
            Self(Arc::new(Shared { store, link, models, limits, at_most, threads, keeper, under_way, app }));
        let keeper = runs.clone();
        runs.0.keeper.spawn_pinned(move || keeper.keep_leases());
        runs
    }

    /// Lets runs begin, whose tools work on `app`.
    pub fn serve(&self, app: App) {
        self.0.app.get_or_init(|| app);
    }

    /// The model of this name, as sessions call it; without one the deployment's first. `None` where there is none.
    pub fn model(&self, name: Option<&str>) -> Option<String> {
        self.0.models.find(name).map(|model| model.name().to_owned())
    }

    /// A run that is to be begun, by a process of this deployment.
    pub fn plan(&self, prompts: Vec<PromptText>, model: String, process: ProcessId) -> NewRun {
        NewRun { prompts, model, process, at_most: self.0.at_most }
    }

    /// Has a run worked on by the process that it was given to, or by this one where that says nothing in time.
    ///
    /// # Errors
    /// `UNAVAILABLE`: the run will fail once its lease has run out.
    pub async fn dispatch(&self, run: RunId, to: ProcessId) -> Result<()> {
        let Shared { link, store, .. } = &*self.0;
        if to != link.process() {
            if let Ok(Some(Response::Done)) = link.ask(to, Request::StartRun { run }, WAIT).await {
                return Ok(());
            }
            // The other may have begun nevertheless.
            if !store.reassign_run(run, link.process()).await? {
                return Ok(());
            }
        }
        self.start(run);
        Ok(())
    }

    /// Works on a run that was given to this process. One that it works on already is left alone.
    pub fn start(&self, run: RunId) {
        let Some(begun) = self.0.under_way.begin(run) else { return };
        let runs = self.clone();
        self.0.threads.spawn_pinned(move || async move {
            if let Err(error) = runs.work(run, &begun.cancel).await {
                tracing::warn!(run.id = %run, "error.chain" = error.chain(), "a run could not be taken up");
            }
            drop(begun);
        });
    }

    /// Stops a run where the process `at` works on it, and waits for its end, within bounds. It may go on after that:
    /// whoever asks writes the end then.
    pub async fn stop(&self, run: RunId, at: ProcessId) {
        let link = &self.0.link;
        if at == link.process() {
            self.cancel(run).await;
        } else if let Err(error) = link.ask(at, Request::StopRun { run }, WAIT).await {
            tracing::info!(run.id = %run, %error, "a run's process could not be asked to stop it");
        }
    }

    /// Stops a run of this process, and waits for its end, within bounds.
    pub async fn cancel(&self, run: RunId) {
        self.0.under_way.end(run, WAIT).await;
    }

    /// Stops all runs of this process, and waits for their ends, within bounds: what a stopping process does before others
    /// take over its sessions.
    pub async fn leave(&self) {
        join_all(self.0.under_way.ids().into_iter().map(|run| self.cancel(run))).await;
    }

    async fn work(&self, run: RunId, cancel: &CancellationToken) -> Result<()> {
        let Shared { store, link, models, limits, .. } = &*self.0;
        let Some(assignment) = store.begin_run(run, link.process(), Timestamp::now()).await? else {
            return Ok(());
        };
        link.announce_events(assignment.work.session);
        let Some(model) = models.find(Some(&assignment.model)) else {
            let error = Error::new(Code::ModelNotConfigured, "This deployment has no such model any more.");
            store.end_run(&assignment.work, &End::failed(Refusal::from(error)), Timestamp::now()).await?;
            return Ok(());
        };
        let tools = self.tools(&assignment).await;
        let (store, link, limits) = (store.clone(), link.clone(), *limits);
        Run { store, link, work: assignment.work, model, limits }.work(tools, cancel).await;
        Ok(())
    }

    /// The tools that a run may use, by the authority of who prompted it; of these, those that its session was opened with.
    async fn tools(&self, of: &Assignment) -> Result<Tools> {
        let app = self.0.app.get().cloned().ok_or_else(|| Error::internal("runs are not served yet"))?;
        let mut listed = app.tools.list(&acting(&app, of).await?).await?;
        if let Some(toolboxes) = &of.toolboxes {
            listed.retain(|tool| toolboxes.contains(&tool.toolbox));
        }
        let spec = |tool: Tool| ToolSpec {
            name: tool.full_name(),
            description: tool.description,
            input_schema: tool.input_schema,
        };
        let specs: Vec<ToolSpec> = listed.into_iter().map(spec).collect();
        let names: Rc<HashSet<String>> = Rc::new(specs.iter().map(|tool| tool.name.clone()).collect());
        let of = of.clone();
        let invoke = move |name: String, params| -> LocalBoxFuture<'static, Result<ToolAnswer>> {
            let (app, of, names) = (app.clone(), of.clone(), Rc::clone(&names));
            Box::pin(async move {
                if names.contains(&name) {
                    use_tool(&app, &of, &name, params).await
                } else {
                    Ok(no_such_tool())
                }
            })
        };
        Ok(Tools { specs, invoke: Box::new(invoke) })
    }

    async fn keep_leases(self) {
        let mut ticks = interval(LEASE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut orphans = Vec::new();
        loop {
            ticks.tick().await;
            match self.keep_leases_once().await {
                Ok(lost) => orphans.extend(lost.into_iter().map(|session| (session, Instant::now()))),
                Err(error) => {
                    tracing::warn!("error.chain" = error.chain(), "the leases of runs can't be kept");
                }
            }
            orphans.retain(|(_, since)| since.elapsed() < ORPHAN_CARE);
            for (session, _) in &orphans {
                self.take_over(*session).await;
            }
        }
    }

    /// Renews leases; returns the sessions whose runs were lost.
    async fn keep_leases_once(&self) -> Result<Vec<SessionId>> {
        let Shared { store, link, under_way, .. } = &*self.0;
        let mut mine = under_way.ids();
        if !mine.is_empty() {
            let renewed = store.renew_runs(link.process(), &mine).await?;
            mine.retain(|run| !renewed.contains(run));
        }
        let lost = store.fail_lost_runs(Timestamp::now()).await?;
        for session in &lost {
            tracing::warn!(session.id = %session, "a run has failed, as its process died");
            link.announce_events(*session);
        }
        // They have ended here meanwhile, or somebody has ended them: this process, too, where it slept.
        mine.into_iter().for_each(|lost| under_way.ask_to_end(lost));
        Ok(lost)
    }

    /// The session whose run was lost lives on, here where nobody else has it.
    async fn take_over(&self, session: SessionId) {
        if let Err(error) = self.0.link.ensure_hosted(session).await {
            tracing::info!(session.id = %session, %error, "a session's host can't be told");
        }
    }
}

/// The session as who prompted the run may work in it now: rights that are taken are gone with the next tool.
async fn acting(app: &App, of: &Assignment) -> Result<ToolSession> {
    let now = Timestamp::now();
    let actor = app.store.actor_of_run(of, now).await?;
    let context = CallContext { now, request_id: of.work.run.to_string(), idempotency: None };
    let call = Call::<ProjectWrite>::authorise(actor, context)?;
    let project = ProjectRef { project: of.work.project, branch: Some(of.branch.clone()) };
    ToolSession::open(&app.store, &call, &SessionRef { project, session: of.work.session }).await
}

async fn use_tool(app: &App, of: &Assignment, name: &str, params: Map<String, Value>) -> Result<ToolAnswer> {
    let session = acting(app, of).await?;
    let (toolbox, tool) = ToolCall::split_name(name);
    let (now, request_id) = (Timestamp::now(), of.work.run.to_string());
    let call = ToolCall { toolbox, tool, params, idempotency_key: None, now, request_id };
    match app.tools.invoke(app, &session, &call).await {
        Ok(result) => Ok(ToolAnswer { is_error: result.is_error, text: result.content.text }),
        // What the model has to know, and may do without.
        Err(error) if matches!(error.code, Code::ToolNotFound | Code::ToolTimeout) => {
            Ok(ToolAnswer { is_error: true, text: error.message })
        }
        Err(error) => Err(error),
    }
}

/// The deployment has no model that could answer.
pub fn no_model() -> Error {
    Error::new(Code::ModelNotConfigured, "This deployment has no model that could answer.")
}

fn no_such_tool() -> ToolAnswer {
    ToolAnswer { is_error: true, text: "There is no such tool in this session.".to_owned() }
}
