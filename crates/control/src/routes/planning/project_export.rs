//! Export a project as NDJSON.

pub(super) mod lines;

use api::planning::imports::ExportProject;
use auth::actor::CardRead;
use domain::Result;
use futures_util::StreamExt;
use futures_util::stream;
use wire::{Endpoint, Request, endpoint};

use self::lines::{NdjsonFile, PendingLines};
use crate::app::App;

/// The endpoint of exports of projects.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// Streams the lines.
pub async fn handle(app: App, request: Request<CardRead, ExportProject>) -> Result<NdjsonFile> {
    let (call, at) = (request.call, request.path.project_id);
    let name = app.store.find(&call, &at).await?.record.project_slug;
    let pending = PendingLines::begin(app, call, at).await?;
    // What is wrong with the request is answered before the lines begin.
    let (first, rest) = pending.next().await?;
    let pages = stream::try_unfold(rest, async |rest| match rest {
        Some(rest) => rest.next().await.map(Some),
        None => Ok(None),
    });
    let begin = stream::iter([Ok(first)]);
    Ok(NdjsonFile { name, stream: begin.chain(pages).boxed_local() })
}
