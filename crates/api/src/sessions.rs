//! Sessions with their events, messages, tools and uploads.

use domain::approval::ApprovableEffect;
use domain::conversation::{Message, PromptText};
use domain::execution::LanguageVersion;
use domain::id::{OwnerId, ProjectId, RunId, SessionId, UserId};
use domain::page::PageMeta;
use domain::patch::Patch;
use domain::project::BranchName;
use domain::secret::Secret;
use domain::session::{ConnectionId, SessionStatus};
use domain::time::Timestamp;
use domain::tool::{LeftOutTool, Tool, ToolChange};
use domain::upload::{ResumableUpload, UploadState};
use domain::usage::MicroCredits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    /// approves or denies it, and so does one that sends out after the agent has read text of others. Defaults to `read` and
    /// `write`.
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

/// The range of events.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StreamEventsQuery {
    /// Only events with a greater sequence. Defaults to all that are kept. `Last-Event-ID` takes precedence.
    #[schemars(range(min = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// Wait for new events after the existing ones. Defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
}

/// A page of sessions, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListSessionsResponse {
    /// The sessions.
    pub sessions: Vec<SessionView>,
    /// The page.
    pub meta: PageMeta,
}

/// A page of messages, in their order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListMessagesResponse {
    /// The messages.
    pub messages: Vec<Message>,
    /// The page.
    pub meta: PageMeta,
}

/// The prompt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromptSessionRequest {
    /// The agent's task.
    #[schemars(extend("format" = "visible-text"))]
    pub prompt: PromptText,
}

/// The run that answers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptSessionResponse {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub task_id: RunId,
    /// State.
    pub status: SessionStatus,
}

/// The access to the data plane.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RenewGrantResponse {
    /// The access to the data plane.
    pub data_plane: DataPlane,
}

/// The result of stopping.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StopRunResponse {
    /// The session.
    pub session_id: SessionId,
    /// The stopped run; empty if there was none.
    pub task_id: String,
    /// True if a run was stopped.
    pub stopped: bool,
    /// The status after the request.
    pub status: SessionStatus,
}

/// The tool and its arguments.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvokeToolRequest {
    /// The toolbox.
    pub toolbox: String,
    /// The tool.
    pub tool: String,
    /// The tool's arguments.
    #[serde(default)]
    pub params: Map<String, Value>,
}

/// A page of tools, by toolbox and name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListToolsResponse {
    /// The tools.
    pub tools: Vec<Tool>,
    /// The tools that the agent is not given, with the reason. Each page has all of them; absent where every tool is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutTool>,
    /// The changes of tools that providers of models refuse as their servers describe them. Each page has all of them; absent
    /// without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ToolChange>,
    /// The languages of executed code, with the versions of their interpreters.
    #[serde(default)]
    pub languages: Vec<LanguageVersion>,
    /// The page.
    pub meta: PageMeta,
}

/// An upload.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetUploadResponse {
    /// The upload.
    pub upload: UploadState,
}

/// A page of uploads, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListUploadsResponse {
    /// The uploads.
    pub uploads: Vec<ResumableUpload>,
    /// The page.
    pub meta: PageMeta,
}
