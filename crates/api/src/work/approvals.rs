//! Questions whether an agent may call a tool.

use domain::content::project::ProjectRef;
use domain::id::{ApprovalId, RunId, SessionId, UserId};
use domain::page::{LimitText, PageMeta};
use domain::time::Timestamp;
use domain::work::approval::{ApprovalDecision, ApprovalReason, ApprovalStatus, ToolEffect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::operation::Json;
use crate::work::sessions::SessionPath;
use crate::{operations, tags};

/// The reason for which no tool answers these questions.
const REASON: &str = "an agent does not answer its own questions";

operations! {
    tag: tags::APPROVALS;

    /// Lists the questions of a session, with the tool and its arguments. Callers who could not use the tool see no
    /// arguments.
    ListApprovals = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/approvals" {
        summary: "List a session's questions about tools",
        path: SessionPath,
        query: ListApprovalsQuery,
        answer: ListApprovalsResponse,
        effect: Reads,
        tool: NotATool(REASON),
    }

    /// Answers a question with the tool, its arguments and its state.
    GetApproval = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/approvals/{approvalId}" {
        summary: "Read a question about a tool",
        path: ApprovalPath,
        answer: ApprovalResponse,
        effect: Reads,
        tool: NotATool(REASON),
    }

    /// Approves or denies the call of a tool, and resumes the run with the rights of the caller. A question that was
    /// answered, or that a new prompt has superseded, is `APPROVAL_NOT_PENDING`. Causes the events `approval.answered`
    /// and `run.status`.
    AnswerApproval = Post "/api/v2/projects/{projectId}/sessions/{sessionId}/approvals/{approvalId}" {
        summary: "Answer a question about a tool",
        path: ApprovalPath,
        body: Json<AnswerApprovalRequest>,
        answer: ApprovalResponse,
        effect: Changes,
        tool: NotATool(REASON),
    }
}

/// A question whether the agent may call a tool.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Id.
    pub approval_id: ApprovalId,
    /// Its session.
    pub session_id: SessionId,
    /// The run that it pauses.
    pub task_id: RunId,
    /// The model's id of the call.
    pub call_id: String,
    /// The tool, as `{toolbox}__{tool}`.
    pub name: String,
    /// The arguments of the call; null for readers who could not use the tool. These can't answer either.
    pub params: Option<Map<String, Value>>,
    /// The effects of the tool.
    pub effects: Vec<ToolEffect>,
    /// Why it is asked.
    pub reason: ApprovalReason,
    /// State.
    pub status: ApprovalStatus,
    /// The user for whom the run acted.
    pub prompted_by: UserId,
    /// Time of the question.
    pub requested_at: Timestamp,
    /// The user who answered; null before, and if it was superseded.
    pub answered_by: Option<UserId>,
    /// Time of the answer, or of what superseded it; null before.
    pub answered_at: Option<Timestamp>,
}

/// One question.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalResponse {
    /// The approval.
    pub approval: Approval,
}

/// The answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerApprovalRequest {
    /// Approve or deny the call.
    pub decision: ApprovalDecision,
}

/// The filter and the page.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListApprovalsQuery {
    /// Only questions in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ApprovalStatus>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of questions, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListApprovalsResponse {
    /// The approvals.
    pub approvals: Vec<Approval>,
    /// The page.
    pub meta: PageMeta,
}

/// The path of an operation on one question.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The session.
    pub session_id: SessionId,
    /// The question.
    pub approval_id: ApprovalId,
}
