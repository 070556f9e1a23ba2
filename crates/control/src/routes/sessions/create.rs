//! Open a session on a project. This process hosts it.

use auth::actor::ProjectWrite;
use domain::conversation::PromptText;
use domain::id::{ProjectId, RunId, SessionId};
use domain::project::{BranchName, ProjectRef};
use domain::session::{SessionRecord, SessionStatus};
use domain::time::Timestamp;
use domain::usage::MicroCredits;
use domain::{Code, Result};
use link::Registration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::runs;
use store::sessions::{self, NewSession};
use store::{Call, Session, SessionRef};
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::{App, DataPlane};
use crate::routes::projects::ProjectPath;

/// What to open the session with; all of it may be left out, and the body, too.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateSessionRequest")]
pub struct Body {
    /// What the agent is to do at once.
    prompt: Option<PromptText>,
    /// The model that answers prompts; the deployment's first unless said.
    model: Option<String>,
    /// The toolboxes that the agent may use; all unless said.
    #[schemars(length(max = 100))]
    toolboxes: Option<Vec<String>>,
    /// What the agent may spend in this session.
    budget: Option<Budget>,
}

/// What the agent may spend in a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SessionBudget")]
pub struct Budget {
    /// Credits, with six decimal places at most. The call of a model that exceeds them is the last.
    #[schemars(with = "f64", range(min = 0))]
    credits: MicroCredits,
}

/// What was opened, as an idempotency key remembers it.
#[derive(Debug, Serialize, Deserialize)]
struct Opened {
    #[serde(flatten)]
    session: SessionRecord,
    /// The run that was begun at once.
    #[serde(default)]
    run: Option<RunId>,
}

/// The session, and how to reach the data plane for it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateSessionResponse")]
pub struct Answer {
    session_id: SessionId,
    project_id: ProjectId,
    branch: BranchName,
    status: SessionStatus,
    created_at: Timestamp,
    data_plane: DataPlane,
}

/// Opens a session on a project and issues a grant for the data plane. A prompt, and the prompt that is staged with the
/// project in its creator's first session, begin a run. A repeat under the same idempotency key answers the same session
/// with a fresh grant.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ProjectPath, NoQuery, Option<Json<Body>>>,
) -> Result<Created<Answer>> {
    let call = &request.call;
    let asked = request.body.map(|body| body.0).unwrap_or_default();
    let model = asked.model(&app)?;
    let (prompt, new) = asked.split();
    // A session that nothing could find is of no use: without Redis none is made.
    app.link.ping().await?;
    let process = app.link.process();
    let opened = app
        .store
        .create_on_branch(call, &request.path.project_id, async |tx, project| {
            let session = sessions::create(tx, project, call, &new).await?;
            let at = Session { record: session.clone(), project: project.clone() };
            let staged = sessions::take_initial_prompt(tx, &at).await?;
            let prompts: Vec<PromptText> = staged.into_iter().chain(prompt.clone()).collect();
            let run = match &model {
                Some(model) if !prompts.is_empty() => {
                    let new = app.runs.plan(prompts, model.clone(), process);
                    Some(runs::start(tx, &at, call, &new).await?.id)
                }
                _ => {
                    for prompt in &prompts {
                        runs::stage(tx, &at, call, prompt).await?;
                    }
                    None
                }
            };
            Ok(Opened { session, run })
        })
        .await?;
    let Opened { session, run } = &opened.value;
    // A repeat, too, of a session that is still open: the process that answered first may have died before it hosted it.
    if !opened.replayed || is_open(&app, call, session).await? {
        host(&app, session).await;
    }
    if let (Some(run), false) = (run, opened.replayed) {
        app.runs.start(*run);
    }
    let data_plane = app.grants.mint(call, session)?;
    Ok(Reply::created(opened.map(|Opened { session, run }| Answer {
        session_id: session.id,
        project_id: session.project,
        branch: session.branch,
        status: run.map_or(SessionStatus::Idle, |_| SessionStatus::Starting),
        created_at: session.created_at,
        data_plane,
    })))
}

impl Body {
    /// The model that would answer; `None` where the deployment has none, and none is asked for.
    fn model(&self, app: &App) -> Result<Option<String>> {
        match app.runs.model(self.model.as_deref()) {
            Err(error) if error.code == Code::ModelNotConfigured && !self.asks_for_one() => Ok(None),
            model => model.map(Some),
        }
    }

    fn asks_for_one(&self) -> bool {
        self.prompt.is_some() || self.model.is_some()
    }

    fn split(self) -> (Option<PromptText>, NewSession) {
        let Self { prompt, model, toolboxes, budget } = self;
        let prompt = prompt.filter(|prompt| !prompt.as_str().trim().is_empty());
        (prompt, NewSession { model, toolboxes, budget: budget.map(|budget| budget.credits) })
    }
}

async fn is_open(app: &App, call: &Call<ProjectWrite>, session: &SessionRecord) -> Result<bool> {
    let project = ProjectRef { project: session.project, branch: Some(session.branch.clone()) };
    let at = SessionRef { project, session: session.id };
    app.store.read(call, &at, async |_, found| Ok(found.record.closed_at.is_none())).await
}

async fn host(app: &App, session: &SessionRecord) {
    let registration = Registration {
        session: session.id,
        project: session.project,
        branch: session.branch.clone(),
        opened_at: session.created_at,
    };
    if let Err(error) = app.link.host_session(registration).await {
        tracing::warn!(session.id = %session.id, "error.chain" = error.chain(), "registering is put off");
    }
}
