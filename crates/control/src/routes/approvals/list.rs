//! List a session's questions about tools.

use auth::actor::ProjectRead;
use domain::Result;
use domain::approval::ApprovalStatus;
use domain::id::ApprovalId;
use domain::page::{LimitText, PageMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::approvals;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::approvals::ApprovalView;
use crate::routes::page::PageRequest;
use crate::routes::sessions::SessionPath;
use crate::sessions::conversation_reader::ConversationReader;

/// The filter and the page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only questions in this state.
    status: Option<ApprovalStatus>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of questions, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListApprovalsResponse")]
pub struct Answer {
    approvals: Vec<ApprovalView>,
    meta: PageMeta,
}

/// Lists the session's questions whether its agent may call a tool, newest first.
pub async fn handle(app: App, request: Request<ProjectRead, SessionPath, Query>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let Query { status, limit, cursor } = request.query;
    let filter = ("approvals", at.session, status);
    let page: PageRequest<_, ApprovalId> = PageRequest::open(&app.cursors, filter, limit, cursor)?;
    let list = async |tx: &mut _, session: &_| {
        let reader = ConversationReader::of(session, &request.call);
        Ok((reader, approvals::list(tx, session, status, page.from, page.rows()).await?))
    };
    let (reader, found) = app.store.read(&request.call, &at, list).await?;
    let (records, meta) = page.cut(found, |approval| approval.id)?;
    let approvals = records.into_iter().map(|record| ApprovalView::of(record, &reader)).collect();
    Ok(Reply::ok(Answer { approvals, meta }))
}
