//! Open a session on a project. This process hosts it.

use api::work::sessions::{
    CreateSession, CreateSessionRequest, CreateSessionResponse, TOOLBOX_PATTERN, TOOLBOXES_MAX,
};
use auth::actor::ProjectWrite;
use domain::content::project::ProjectRef;
use domain::id::RunId;
use domain::work::conversation::PromptText;
use domain::work::mcp_server::OWN_TOOLBOXES;
use domain::work::session::{SessionRecord, SessionSettings, SessionStatus};
use domain::{Error, Result, Rule};
use link::Registration;
use serde::{Deserialize, Serialize};
use store::work::runs::{self, NewRun};
use store::work::{mcp_servers, sessions};
use store::{Call, Project, SessionRef, Tx};
use wire::{ETag, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::work::sessions::{answer, file_urls, model_name, no_model, refuse_blank};

/// Maximum length of a toolbox's name, in characters.
const TOOLBOX_MAX_CHARS: usize = 64;

/// The outcome that an idempotency key keeps.
#[derive(Debug, Serialize, Deserialize)]
struct SessionOutcome {
    #[serde(flatten)]
    session: SessionRecord,
    /// The run that starts at once.
    #[serde(default)]
    run: Option<RunId>,
}

/// Opens a session on a project and issues a grant for the data plane. A prompt starts a run, as does the prompt
/// staged with the project, in its creator's first session. A repeat under the same idempotency key answers the same
/// session with a new grant.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateSession>,
) -> Result<TaggedCreated<CreateSessionResponse>> {
    let call = &request.call;
    let at = &request.path.project_id;
    let asked = request.body.map(|body| body.0).unwrap_or_default();
    let model = requested_model(&asked, &app)?;
    let (prompt, settings) = validate(asked)?;
    // Access is checked first: a caller without it learns nothing about missing dependencies.
    let owner_id = app.store.find(call, at).await?.record.owner_id;
    // Without Redis, nothing could find the session, so none is created.
    app.link.check().await?;
    let process = app.link.process();
    let opened = app
        .store
        .create_on_branch(call, at, async |tx, project| {
            if model.is_none() && (prompt.is_some() || settings.model.is_some()) {
                return Err(no_model());
            }
            refuse_unknown_toolboxes(tx, project, settings.toolboxes.as_deref().unwrap_or_default()).await?;
            let session =
                sessions::create(tx, project, call, settings.clone(), app.bounds.sessions_per_user).await?;
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
            Ok(SessionOutcome { session: session.record, run })
        })
        .await?;
    let SessionOutcome { session, run } = &opened.value;
    // Also for a replay: the process that answered first may have died before it hosted the session.
    if !opened.replayed || is_open(&app, call, session).await? {
        host(&app, session).await;
    }
    if let (Some(run), false) = (run, opened.replayed) {
        app.jobs.start(*run);
    }
    let data_plane = app.grants.mint(call, session)?;
    let status = run.map_or(SessionStatus::Idle, |_| SessionStatus::Starting);
    let etag = ETag::of_json(&answer(&app, owner_id, session.clone(), status))?;
    let urls = file_urls(&app, owner_id, session);
    let answer = |SessionOutcome { session, run: _ }: SessionOutcome| CreateSessionResponse {
        session_id: session.id,
        project_id: session.project,
        owner_id,
        branch: session.branch,
        status,
        created_at: session.created_at,
        urls,
        data_plane,
    };
    Ok(Reply::created(opened.map(answer)).etag(etag))
}

/// The model that would answer; `None` in a deployment without models.
fn requested_model(body: &CreateSessionRequest, app: &App) -> Result<Option<String>> {
    match (model_name(app, body.model.as_deref()), model_name(app, None)) {
        (None, Some(_)) => Err(Error::invalid("model", Rule::Exists, "is no model of this deployment")),
        (model, _) => Ok(model),
    }
}

/// Validates the options.
fn validate(body: CreateSessionRequest) -> Result<(Option<PromptText>, SessionSettings)> {
    let CreateSessionRequest { prompt, model, toolboxes, budget, auto_approve } = body;
    let is_prompt = prompt.as_ref().map_or(Ok(()), refuse_blank);
    Error::all([is_prompt, toolboxes.as_deref().map_or(Ok(()), check_toolboxes)])?;
    let budget = budget.map(|budget| budget.credits);
    Ok((prompt, SessionSettings { model, toolboxes, budget, auto_approved: auto_approve }))
}

/// Names are not checked against the existing toolboxes: a project's toolboxes change during a session, and an
/// unknown name yields no tools.
fn check_toolboxes(names: &[String]) -> Result<()> {
    if names.len() > TOOLBOXES_MAX {
        return Err(Error::broken("toolboxes", Rule::MaxItems(TOOLBOXES_MAX)));
    }
    let is_name = |name: &str| {
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        plain && (1..=TOOLBOX_MAX_CHARS).contains(&name.len())
    };
    let checked = names.iter().enumerate().map(|(position, name)| match is_name(name) {
        true => Ok(()),
        false => {
            Err(Error::broken(format!("toolboxes[{position}]"), Rule::Pattern(TOOLBOX_PATTERN.to_owned())))
        }
    });
    Error::all(checked).map(drop)
}

/// Refuses toolboxes that are neither the service's nor an MCP server of the project.
async fn refuse_unknown_toolboxes(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    names: &[String],
) -> Result<()> {
    let foreign: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !OWN_TOOLBOXES.contains(name)).collect();
    if foreign.is_empty() {
        return Ok(());
    }
    let known = mcp_servers::names_among(tx, project, &foreign).await?;
    let checked = names.iter().enumerate().map(|(position, name)| {
        if OWN_TOOLBOXES.contains(&name.as_str()) || known.contains(name) {
            return Ok(());
        }
        let own = OWN_TOOLBOXES.join(", ");
        let message = format!("must be one of {own}, or the name of an MCP server of the project");
        Err(Error::invalid(format!("toolboxes[{position}]"), Rule::Exists, message))
    });
    Error::all(checked).map(drop)
}

async fn is_open(app: &App, call: &Call<ProjectWrite>, session: &SessionRecord) -> Result<bool> {
    let project = ProjectRef { project: session.project, branch: Some(session.branch.clone()) };
    let at = SessionRef { project, session: session.id };
    Ok(app.store.find(call, &at).await?.record.closed_at.is_none())
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
