//! Read a question about a tool.

use api::work::approvals::{ApprovalResponse, GetApproval};
use auth::actor::ProjectRead;
use domain::Result;
use store::work::approvals;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::target::PathTarget;
use crate::routes::work::approvals::view;
use crate::sessions::conversation_reader::ConversationReader;

/// Reads a question whether the session's agent may call a tool.
pub async fn handle(app: App, request: Request<ProjectRead, GetApproval>) -> Result<Reply<ApprovalResponse>> {
    let at = request.path.target();
    let read = async |tx: &mut _, session: &_| {
        let reader = ConversationReader::of(session, &request.call);
        Ok((reader, approvals::get(tx, session, request.path.approval_id).await?))
    };
    let (reader, record) = app.store.read_without_tx(&request.call, &at, read).await?;
    Ok(Reply::ok(ApprovalResponse { approval: view(record, &reader) }))
}
