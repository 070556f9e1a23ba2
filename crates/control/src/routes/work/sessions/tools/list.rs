//! List the tools that can be used in a session.

use agent::tools::{ToolList, ToolSession};
use api::work::sessions::tools::{ListTools, ListToolsResponse};
use auth::actor::ProjectRead;
use domain::Result;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;
use crate::routes::work::sessions::refuse_lapsed;

/// Lists the tools that the caller can use in a session, by toolbox and name.
pub async fn handle(app: App, request: Request<ProjectRead, ListTools>) -> Result<Reply<ListToolsResponse>> {
    let page: PageRequest<_, (String, String)> =
        PageRequest::of(request.query, &app.cursors, ("tools", request.path.target().session))?;
    let session = ToolSession::open(&app.store, &request.call, &request.path.target()).await?;
    refuse_lapsed(&app, session.record.id).await?;
    let ToolList { tools, left_out, changes } = app.tools.list(&session).await?;
    let (tools, meta) = page.cut_sorted(tools, |tool| (tool.toolbox.clone(), tool.name.clone()))?;
    let languages = app.engine.languages().await;
    Ok(Reply::ok(ListToolsResponse { tools, left_out, changes, languages, meta }))
}
