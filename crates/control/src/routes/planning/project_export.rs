//! Export a project as NDJSON.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use api::operation::Raw;
use api::planning::imports::ExportProject;
use auth::actor::CardRead;
use bytes::Bytes;
use domain::content::object::Sha256Hash;
use domain::content::project::ProjectRef;
use domain::planning::project_export::{ExportEnd, ExportLine};
use domain::text::Slug;
use domain::{Error, Result};
use futures_util::StreamExt;
use futures_util::stream::{self, LocalBoxStream};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::planning::cards::history::feed::Horizon;
use store::planning::project_export::{self, ExportPosition};
use store::{Call, Project, Tx};
use wire::{Endpoint, HandlerAnswer, Request, RequestHead, Schemas, endpoint};

use crate::app::App;

/// The media type of JSON on lines.
const NDJSON: &str = "application/x-ndjson";

/// The lines, as they are read.
pub struct Answer {
    slug: Slug,
    stream: LocalBoxStream<'static, Result<Bytes>>,
}

/// The lines that are still to be read.
struct PendingLines {
    app: App,
    call: Call<CardRead>,
    at: ProjectRef,
    horizon: Horizon,
    /// The next page; `None` for the last line.
    position: Option<ExportPosition>,
    lines: u64,
    hash: Sha256,
}

/// The endpoint of exports.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// Streams the lines page by page, each page read in a transaction of its own.
pub async fn handle(app: App, request: Request<CardRead, ExportProject>) -> Result<Answer> {
    let (call, at) = (request.call, request.path.project_id);
    let slug = app.store.find(&call, &at).await?.record.project_slug;
    // Read before the snapshot of any line.
    let horizon = app.store.history_horizon().await?;
    let position = Some(ExportPosition::Head);
    let rest = PendingLines { app, call, at, horizon, position, lines: 0, hash: Sha256::new() };
    // What is wrong with the request is answered before the lines begin.
    let (first, rest) = rest.next().await?;
    let pages = stream::try_unfold(rest, async |rest| match rest {
        Some(rest) => rest.next().await.map(Some),
        None => Ok(None),
    });
    let begin = stream::iter([Ok(first)]);
    Ok(Answer { slug, stream: begin.chain(pages).boxed_local() })
}

impl PendingLines {
    /// The next lines, and what follows them. There is at least one: an empty chunk would end the answer.
    async fn next(mut self) -> Result<(Bytes, Option<Self>)> {
        while let Some(position) = self.position {
            let (call, horizon) = (&self.call, self.horizon);
            let page = async |tx: &mut Tx, project: &Project<CardRead>| {
                project_export::page(tx, project, call, horizon, position).await
            };
            let (lines, next) = self.app.store.read(call, &self.at, page).await?;
            self.position = next;
            if !lines.is_empty() {
                let bytes = written(&lines)?;
                self.hash.update(&bytes);
                self.lines = self.lines.saturating_add(u64::try_from(lines.len()).map_err(Error::internal)?);
                return Ok((bytes.into(), Some(self)));
            }
        }
        Ok((self.end().await?, None))
    }

    /// The last line.
    async fn end(self) -> Result<Bytes> {
        let now = self.app.store.history_horizon().await?;
        let horizons = (self.horizon, now);
        let has_changed = async |tx: &mut Tx, project: &Project<CardRead>| {
            project_export::has_changed(tx, project, &self.call, horizons).await
        };
        let changed = self.app.store.read(&self.call, &self.at, has_changed).await?;
        let sha256 = Sha256Hash(self.hash.finalize().into());
        Ok(written(&[ExportLine::End(ExportEnd { lines: self.lines, sha256, changed })])?.into())
    }
}

fn written(lines: &[ExportLine]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut bytes, line).map_err(Error::internal)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

impl HandlerAnswer for Answer {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let name = format!("attachment; filename=\"{}.ndjson\"", self.slug);
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, NDJSON)).insert_header((CONTENT_DISPOSITION, name));
        Ok(response.streaming(self.stream))
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({ "application/x-ndjson": { "schema": { "type": "string" } } });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
