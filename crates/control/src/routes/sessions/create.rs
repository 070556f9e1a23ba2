//! Open a session on a project. This process hosts it.

use auth::actor::ProjectWrite;
use domain::conversation::PromptText;
use domain::id::{ProjectId, RunId, SessionId};
use domain::job::JobId;
use domain::project::{BranchName, ProjectRef};
use domain::session::{SessionRecord, SessionStatus};
use domain::time::Timestamp;
use domain::usage::MicroCredits;
use domain::{Error, Result};
use link::Registration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::runs::{self, NewRun};
use store::sessions::{self, NewSession};
use store::{Call, SessionRef};
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::credentials::grants::DataPlane;
use crate::routes::projects::ProjectPath;
use crate::routes::sessions::{model_name, no_model, refuse_blank};

/// Most toolboxes that a session can name.
const TOOLBOXES_MAX: usize = 100;
/// Longest name of a toolbox, in characters.
const TOOLBOX_MAX_CHARS: usize = 64;

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
    #[schemars(length(max = TOOLBOXES_MAX))]
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
    let at = &request.path.project_id;
    let asked = request.body.map(|body| body.0).unwrap_or_default();
    let model = asked.model(&app)?;
    let (prompt, new) = asked.checked()?;
    // Whoever can't open a session here is not told first what is missing or down.
    app.store.read(call, at, async |_, _| Ok(())).await?;
    // A session that nothing could find is of no use: without Redis none is made.
    app.link.ping().await?;
    let process = app.link.process();
    let opened = app
        .store
        .create_on_branch(call, at, async |tx, project| {
            if model.is_none() && (prompt.is_some() || new.model.is_some()) {
                return Err(no_model());
            }
            let session = sessions::create(tx, project, call, &new).await?;
            let staged = sessions::take_initial_prompt(tx, &session).await?;
            let prompts: Vec<PromptText> = staged.into_iter().chain(prompt.clone()).collect();
            let run = match &model {
                Some(model) if !prompts.is_empty() => {
                    let new = NewRun { prompts, model: model.clone(), process, at_most: app.max_runs };
                    Some(runs::start(tx, &session, call, &new).await?.id)
                }
                _ => {
                    for prompt in &prompts {
                        runs::stage(tx, &session, call, prompt).await?;
                    }
                    None
                }
            };
            Ok(Opened { session: session.record, run })
        })
        .await?;
    let Opened { session, run } = &opened.value;
    // A repeat, too, of a session that is still open: the process that answered first may have died before it hosted it.
    if !opened.replayed || is_open(&app, call, session).await? {
        host(&app, session).await;
    }
    if let (Some(run), false) = (run, opened.replayed) {
        app.jobs.start(JobId::AgentRun(*run));
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
    /// The model that would answer; `None` where the deployment has none.
    fn model(&self, app: &App) -> Result<Option<String>> {
        match (model_name(app, self.model.as_deref()), model_name(app, None)) {
            (None, Some(_)) => Err(Error::invalid("model", "exists", "is no model of this deployment")),
            (model, _) => Ok(model),
        }
    }

    fn checked(self) -> Result<(Option<PromptText>, NewSession)> {
        let Self { prompt, model, toolboxes, budget } = self;
        prompt.as_ref().map(refuse_blank).transpose()?;
        toolboxes.as_deref().map(check_toolboxes).transpose()?;
        Ok((prompt, NewSession { model, toolboxes, budget: budget.map(|budget| budget.credits) }))
    }
}

/// Whether there is a toolbox of each name is not asked: those of a project come and go while a session lasts, and a name
/// without a toolbox gives no tools.
fn check_toolboxes(names: &[String]) -> Result<()> {
    if names.len() > TOOLBOXES_MAX {
        let message = format!("must be at most {TOOLBOXES_MAX}");
        return Err(Error::invalid("toolboxes", "maxItems", message));
    }
    let is_name = |name: &str| {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        plain && (1..=TOOLBOX_MAX_CHARS).contains(&name.len())
    };
    match names.iter().position(|name| !is_name(name)) {
        Some(position) => {
            let path = format!("toolboxes[{position}]");
            let message = format!("must be 1 to {TOOLBOX_MAX_CHARS} letters, digits and hyphens");
            Err(Error::invalid(path, "pattern", message))
        }
        None => Ok(()),
    }
}

async fn is_open(app: &App, call: &Call<ProjectWrite>, session: &SessionRecord) -> Result<bool> {
    let project = ProjectRef { project: session.project, branch: Some(session.branch.clone()) };
    let at = SessionRef { project, session: session.id };
    app.store.read_without_tx(call, &at, async |_, found| Ok(found.record.closed_at.is_none())).await
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
