//! List a session's questions about tools.

use api::work::approvals::{ListApprovals, ListApprovalsQuery, ListApprovalsResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::id::ApprovalId;
use store::work::approvals;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;
use crate::routes::work::approvals::view;
use crate::sessions::conversation_reader::ConversationReader;

/// Lists the session's questions whether its agent may call a tool, newest first.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListApprovals>,
) -> Result<Reply<ListApprovalsResponse>> {
    let at = request.path.target();
    let ListApprovalsQuery { status, limit, cursor } = request.query;
    let filter = ("approvals", at.session, status);
    let page: PageRequest<_, ApprovalId> = PageRequest::open(&app.cursors, filter, limit, cursor)?;
    let list = async |tx: &mut _, session: &_| {
        let reader = ConversationReader::of(session, &request.call);
        Ok((reader, approvals::list(tx, session, status, page.from, page.rows()).await?))
    };
    let (reader, found) = app.store.read(&request.call, &at, list).await?;
    let (records, meta) = page.cut(found, |approval| approval.id)?;
    let approvals = records.into_iter().map(|record| view(record, &reader)).collect();
    Ok(Reply::ok(ListApprovalsResponse { approvals, meta }))
}
