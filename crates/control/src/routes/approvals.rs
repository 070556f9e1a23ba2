//! Questions of a session whether its agent may call a tool.

pub mod answer;
pub mod get;
pub mod list;

use api::approvals::Approval;
use domain::approval::ApprovalRecord;
use domain::id::{ApprovalId, SessionId};
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use store::SessionRef;
use wire::{Endpoint, Resource, get, post};

use crate::app::App;
use crate::sessions::conversation_reader::ConversationReader;

/// Why no tool answers these questions.
const REASON: &str = "an agent does not answer its own questions";

/// The endpoints of approvals.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/sessions/{sessionId}/approvals").with([
        get("", "listApprovals", "List a session's questions about tools", list::handle).not_a_tool(REASON),
        get("/{approvalId}", "getApproval", "Read a question about a tool", get::handle).not_a_tool(REASON),
        post("/{approvalId}", "answerApproval", "Answer a question about a tool", answer::handle)
            .not_a_tool(REASON),
    ])
}

/// The path of an operation on one question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The session.
    session_id: SessionId,
    /// The question.
    approval_id: ApprovalId,
}

impl ApprovalPath {
    fn session(&self) -> SessionRef {
        SessionRef { project: self.project_id.clone(), session: self.session_id }
    }
}

/// A question as `reader` may see it.
fn view(record: ApprovalRecord, reader: &ConversationReader) -> Approval {
    let may_read = reader.may_read_call(&record.tool, record.prompted_by);
    Approval {
        approval_id: record.id,
        session_id: record.session,
        task_id: record.run,
        call_id: record.call_id,
        name: record.tool,
        params: may_read.then_some(record.params),
        effects: record.effects,
        reason: record.reason,
        status: record.status,
        prompted_by: record.prompted_by,
        requested_at: record.requested_at,
        answered_by: record.answered_by,
        answered_at: record.answered_at,
    }
}
