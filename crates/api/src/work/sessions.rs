//! Sessions with their events, messages, tools and uploads.

pub mod conversation;
pub mod tools;
pub mod uploads;

use domain::content::project::{BranchName, ProjectRef};
use domain::id::{OwnerId, ProjectId, SessionId, UserId};
use domain::page::PageMeta;
use domain::patch::Patch;
use domain::secret::Secret;
use domain::time::Timestamp;
use domain::work::approval::ApprovableEffect;
use domain::work::conversation::PromptText;
use domain::work::session::{ConnectionId, SessionStatus};
use domain::work::usage::MicroCredits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::page::PageQuery;
use crate::{operations, tags};

operations! {
    tag: tags::SESSIONS;

    /// Lists a project's open sessions.
    ListSessions = Get "/api/v2/projects/{projectId}/sessions" {
        summary: "List a project's open sessions",
        path: ProjectPath,
        query: PageQuery,
        answer: ListSessionsResponse,
        effect: Reads,
        tool: ClientsOnly("sessions", "controls the session itself"),
    }

    /// Opens a session on a branch; `dataPlane` has the address, grant and connection for uploads and downloads. A
    /// grant lives for 15 minutes. With `prompt`, a run of the agent starts at once; without a configured model that is
    /// `MODEL_NOT_CONFIGURED`. Too many open sessions of a user are `LIMIT_REACHED`. Causes the event
    /// `session.created`.
    CreateSession = Post "/api/v2/projects/{projectId}/sessions" {
        summary: "Open a session",
        path: ProjectPath,
        body: Option<Json<CreateSessionRequest>>,
        answer: CreateSessionResponse,
        effect: Creates,
        tool: NotATool("controls the session itself"),
        also: secret(),
    }

    /// Answers a session's state, among others whether a run is in progress. A closed session answers `no_session`.
    GetSession = Get "/api/v2/projects/{projectId}/sessions/{sessionId}" {
        summary: "Read a session",
        path: SessionPath,
        answer: GetSessionResponse,
        effect: Reads,
        tool: ClientsOnly("sessions", "controls the session itself"),
    }

    /// Changes the budget of a session's agent, so that one with a spent budget goes on at the next prompt; `null`
    /// makes it unlimited. A run in progress has the new budget from its next call of the model.
    UpdateSession = Patch "/api/v2/projects/{projectId}/sessions/{sessionId}" {
        summary: "Change a session's budget",
        path: SessionPath,
        body: Json<UpdateSessionRequest>,
        answer: GetSessionResponse,
        effect: Changes,
        tool: NotATool("controls the session itself"),
        also: conditional(),
    }

    /// Closes a session. Its grants end at once, its run is stopped, its open questions are superseded. Uncommitted
    /// changes stay on the branch. Causes `session.closed`, the last event.
    CloseSession = Delete "/api/v2/projects/{projectId}/sessions/{sessionId}" {
        summary: "Close a session",
        path: SessionPath,
        answer: CloseSessionResponse,
        effect: Idempotent,
        tool: NotATool("controls the session itself"),
        also: conditional(),
    }

    /// Answers a new grant for an open session. The old one works until it expires. Renew every ten minutes during long
    /// work.
    RenewGrant = Post "/api/v2/projects/{projectId}/sessions/{sessionId}/grant" {
        summary: "Renew a session's grant",
        path: SessionPath,
        answer: RenewGrantResponse,
        effect: Idempotent,
        tool: NotATool("controls the session itself"),
        also: secret(),
    }
}

/// Maximum number of toolboxes of a session.
pub const TOOLBOXES_MAX: usize = 100;
/// The name of a toolbox.
pub const TOOLBOX_PATTERN: &str = "^[A-Za-z0-9-]{1,64}$";

/// Access to the data plane for a session.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataPlane {
    /// Where.
    pub url: String,
    /// The grant, shown here alone.
    pub token: Secret,
    /// The session's connection.
    pub connection_id: ConnectionId,
    /// Expiry of the grant.
    pub expires_at: Timestamp,
}

/// Addresses of files on the data plane: URI templates (RFC 6570), of which a client fills in the last segment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileUrls {
    /// Uploads a file: a URI template (RFC 6570) with `{parentId}`, the object under which the file is attached.
    pub upload_url: String,
    /// Uploads several files: a URI template with `{parentId}`.
    pub bulk_url: String,
    /// Unpacks an archive: a URI template with `{parentId}`.
    pub archive_url: String,
    /// Creates an upload in pieces: a URI template with `{parentId}`.
    pub resumable_url: String,
    /// Replaces the file of an object: a URI template with `{objectId}`.
    pub replace_url: String,
    /// Downloads a file: a URI template with `{fileName}`, an object's id followed by its `extension`.
    pub download_url: String,
}

/// A session, as the members of its project see it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Id.
    pub session_id: SessionId,
    /// The project that it opened.
    pub project_id: ProjectId,
    /// The session's branch.
    pub branch: BranchName,
    /// The project's owner.
    pub owner_id: OwnerId,
    /// The addresses of its files.
    #[serde(flatten)]
    pub urls: FileUrls,
    /// Run status.
    pub status: SessionStatus,
    /// The session's creator.
    pub created_by: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of closing; null while it is open.
    pub closed_at: Option<Timestamp>,
    /// The model that answers prompts; null: the deployment's first.
    pub model: Option<String>,
    /// The toolboxes that the agent can use; null: all.
    pub toolboxes: Option<Vec<String>>,
    /// The agent's budget; null: unlimited.
    pub budget: Option<SessionBudget>,
    /// The effects that the agent's tools may have without a question.
    pub auto_approve: Vec<ApprovableEffect>,
}

/// One session.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetSessionResponse {
    /// The session.
    pub session: SessionView,
}

/// The closed session.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CloseSessionResponse {
    /// Always true.
    pub deleted: bool,
    /// The session.
    pub session_id: SessionId,
}

/// Options of the session; the body is optional.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateSessionRequest {
    /// The agent's first task, which starts a run at once.
    #[schemars(extend("format" = "visible-text"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptText>,
    /// The model that answers prompts. Defaults to the deployment's first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The toolboxes that the agent can use: those of the service, and the project's MCP servers. Defaults to all.
    #[schemars(length(max = TOOLBOXES_MAX), inner(regex(pattern = TOOLBOX_PATTERN)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolboxes: Option<Vec<String>>,
    /// The agent's budget in this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<SessionBudget>,
    /// The effects that the agent's tools may have without a question. Every other call pauses the run until a person
    /// approves or denies it, and so does one that sends out after the agent has read text of others. Defaults to
    /// `read` and `write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_approve: Option<Vec<ApprovableEffect>>,
}

/// Changes of a session. Absent fields stay.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateSessionRequest {
    /// The agent's budget in this session, all that it has spent included. Clearing it makes it unlimited.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub budget: Patch<SessionBudget>,
}

/// The agent's budget in a session.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionBudget {
    /// Credits, with at most six decimal places. A call of the model that may cost more than what is left is not made.
    #[schemars(with = "f64", range(min = 0))]
    pub credits: MicroCredits,
}

/// The session, with its access to the data plane.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateSessionResponse {
    /// The session.
    pub session_id: SessionId,
    /// The project.
    pub project_id: ProjectId,
    /// The project's owner.
    pub owner_id: OwnerId,
    /// The branch.
    pub branch: BranchName,
    /// Run status.
    pub status: SessionStatus,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The addresses of its files.
    #[serde(flatten)]
    pub urls: FileUrls,
    /// The access to the data plane.
    pub data_plane: DataPlane,
}

/// A page of sessions, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListSessionsResponse {
    /// The sessions.
    pub sessions: Vec<SessionView>,
    /// The page.
    pub meta: PageMeta,
}

/// The access to the data plane.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenewGrantResponse {
    /// The access to the data plane.
    pub data_plane: DataPlane,
}

/// The path of an operation on one session.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The session.
    pub session_id: SessionId,
}
