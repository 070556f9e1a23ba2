//! List the tools that can be used in a session.

use agent::tools::{Tool, ToolSession};
use auth::actor::ProjectRead;
use domain::Result;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};
use crate::routes::sessions::{SessionPath, refuse_lapsed};

/// A page of tools, by toolbox and name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListToolsResponse")]
pub struct Answer {
    tools: Vec<Tool>,
    meta: PageMeta,
}

/// Lists the tools that the caller can use in a session, by toolbox and name.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath, PageQuery>,
) -> Result<Reply<Answer>> {
    let page: PageRequest<_, (String, String)> =
        request.query.open(&app.cursors, ("tools", request.path.target().session))?;
    let session = ToolSession::open(&app.store, &request.call, &request.path.target()).await?;
    refuse_lapsed(&app, session.record.id).await?;
    let found = app.tools.list(&session).await?;
    let (tools, meta) = page.cut_sorted(found, |tool| (tool.toolbox.clone(), tool.name.clone()))?;
    Ok(Reply::ok(Answer { tools, meta }))
}
