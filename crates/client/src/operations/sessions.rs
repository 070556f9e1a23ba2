//! Sessions, with their conversation, questions, tools and uploads.

use api::approvals::{AnswerApprovalRequest, ApprovalResponse, ListApprovalsQuery, ListApprovalsResponse};
use api::page::PageQuery;
use api::sessions::{
    CloseSessionResponse, CreateSessionRequest, CreateSessionResponse, GetSessionResponse, GetUploadResponse,
    InvokeToolRequest, ListMessagesResponse, ListSessionsResponse, ListToolsResponse, ListUploadsResponse,
    PromptSessionRequest, PromptSessionResponse, RenewGrantResponse, StopRunResponse, StreamEventsQuery,
    UpdateSessionRequest,
};
use api::usage::UsageQuery;
use domain::id::{ApprovalId, ProjectId, SessionId, UploadId};
use domain::project::ProjectRef;
use domain::usage::report::UsageReport;
use serde_json::Value;

operations! {
    /// Lists a project's open sessions.
    list_sessions "listSessions" Repeatable GET "/api/v2/projects/{projectId}/sessions"
        (project: ProjectRef) query PageQuery => ListSessionsResponse;
    /// Opens a session. [`crate::Session::open`] also keeps its grant valid.
    create_session "createSession" Creates POST "/api/v2/projects/{projectId}/sessions"
        (project: ProjectRef) body CreateSessionRequest => CreateSessionResponse;
    /// Reads a session.
    get_session "getSession" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}"
        (project: ProjectId, session: SessionId) => GetSessionResponse;
    /// Changes a session's budget.
    update_session "updateSession" Changes PATCH "/api/v2/projects/{projectId}/sessions/{sessionId}"
        (project: ProjectId, session: SessionId) body UpdateSessionRequest => GetSessionResponse;
    /// Closes a session, which ends its grants.
    close_session "closeSession" Repeatable DELETE "/api/v2/projects/{projectId}/sessions/{sessionId}"
        (project: ProjectId, session: SessionId) => CloseSessionResponse;
    /// Mints another grant of a session.
    renew_grant "renewGrant" Repeatable POST "/api/v2/projects/{projectId}/sessions/{sessionId}/grant"
        (project: ProjectId, session: SessionId) => RenewGrantResponse;
    /// Prompts a session's agent.
    prompt_session "promptSession" Creates POST "/api/v2/projects/{projectId}/sessions/{sessionId}/prompt"
        (project: ProjectId, session: SessionId) body PromptSessionRequest => PromptSessionResponse;
    /// Stops a session's run.
    stop_run "stopRun" Repeatable POST "/api/v2/projects/{projectId}/sessions/{sessionId}/stop"
        (project: ProjectId, session: SessionId) => StopRunResponse;
    /// Reads a session's conversation.
    list_messages "listMessages" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/messages"
        (project: ProjectId, session: SessionId) query PageQuery => ListMessagesResponse;
    /// Follows a session's events. [`crate::Session::events`] reconnects.
    stream_events "streamEvents" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/events"
        (project: ProjectId, session: SessionId) query StreamEventsQuery => ();
    /// Lists the tools of a session.
    list_tools "listTools" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/tools"
        (project: ProjectId, session: SessionId) query PageQuery => ListToolsResponse;
    /// Invokes a tool.
    invoke_tool "invokeTool" Creates POST "/api/v2/projects/{projectId}/sessions/{sessionId}/tools/invoke"
        (project: ProjectId, session: SessionId) body InvokeToolRequest => Value;
    /// Lists a session's uploads in pieces.
    list_uploads "listUploads" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/uploads"
        (project: ProjectId, session: SessionId) query PageQuery => ListUploadsResponse;
    /// Reads the state of an upload.
    get_upload "getUpload" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/uploads/{uploadId}"
        (project: ProjectId, session: SessionId, upload: UploadId) => GetUploadResponse;
    /// Lists a session's questions about tools.
    list_approvals "listApprovals" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/approvals"
        (project: ProjectId, session: SessionId) query ListApprovalsQuery => ListApprovalsResponse;
    /// Reads a question about a tool.
    get_approval "getApproval" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/approvals/{approvalId}"
        (project: ProjectId, session: SessionId, approval: ApprovalId) => ApprovalResponse;
    /// Answers a question about a tool.
    answer_approval "answerApproval" Changes POST "/api/v2/projects/{projectId}/sessions/{sessionId}/approvals/{approvalId}"
        (project: ProjectId, session: SessionId, approval: ApprovalId) body AnswerApprovalRequest => ApprovalResponse;
    /// Reports the usage of a session.
    get_session_usage "getSessionUsage" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/usage"
        (project: ProjectId, session: SessionId) query UsageQuery => UsageReport;
}
