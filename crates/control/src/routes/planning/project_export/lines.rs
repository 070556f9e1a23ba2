//! The lines of an export, page by page. Each page is read in a transaction of its own.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use api::operation::Raw;
use auth::actor::CardRead;
use bytes::Bytes;
use domain::content::object::Sha256Hash;
use domain::content::project::ProjectRef;
use domain::planning::project_export::{ExportEnd, ExportLine};
use domain::text::Slug;
use domain::{Error, Result};
use futures_util::stream::LocalBoxStream;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::planning::cards::history::feed::Horizon;
use store::planning::project_export::{self, ExportPosition};
use store::{Call, Project, Tx};
use wire::{HandlerAnswer, RequestHead, Schemas};

use crate::app::App;

/// The media type of JSON on lines.
const NDJSON: &str = "application/x-ndjson";

/// The lines, as they are read.
pub struct NdjsonFile {
    /// The name of the file, without its ending.
    pub name: Slug,
    /// The lines.
    pub stream: LocalBoxStream<'static, Result<Bytes>>,
}

/// The lines of a project that are still to be read.
pub struct PendingLines {
    app: App,
    call: Call<CardRead>,
    at: ProjectRef,
    horizon: Horizon,
    /// The next page; `None` for the last line.
    position: Option<ExportPosition>,
    counted: CountedLines,
}

/// The number and the hash of the lines so far.
#[derive(Default)]
pub struct CountedLines {
    lines: u64,
    hash: Sha256,
}

impl PendingLines {
    /// All lines of a project.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn begin(app: App, call: Call<CardRead>, at: ProjectRef) -> Result<Self> {
        // Read before the snapshot of any line.
        let horizon = app.store.history_horizon().await?;
        let (position, counted) = (Some(ExportPosition::Head), CountedLines::default());
        Ok(Self { app, call, at, horizon, position, counted })
    }

    /// The next lines, and what follows them. There is at least one: an empty chunk would end the answer.
    ///
    /// # Errors
    /// `NOT_FOUND` and `FORBIDDEN` if the caller lost the project, `UNAVAILABLE`.
    pub async fn next(mut self) -> Result<(Bytes, Option<Self>)> {
        while let Some(position) = self.position {
            let (call, horizon) = (&self.call, self.horizon);
            let page = async |tx: &mut Tx, project: &Project<CardRead>| {
                project_export::page(tx, project, call, horizon, position).await
            };
            let (lines, next) = self.app.store.read(call, &self.at, page).await?;
            self.position = next;
            if !lines.is_empty() {
                let bytes = written(&lines)?;
                self.counted.add(&bytes, lines.len())?;
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
        let (lines, sha256) = self.counted.end();
        Ok(written(&[ExportLine::End(ExportEnd { lines, sha256, changed })])?.into())
    }
}

impl CountedLines {
    /// Counts bytes of this many lines.
    ///
    /// # Errors
    /// None in practice: there are fewer lines than numbers.
    pub fn add(&mut self, bytes: &[u8], lines: usize) -> Result<()> {
        self.hash.update(bytes);
        self.lines = self.lines.saturating_add(u64::try_from(lines).map_err(Error::internal)?);
        Ok(())
    }

    /// The number of lines and their hash.
    pub fn end(self) -> (u64, Sha256Hash) {
        (self.lines, Sha256Hash(self.hash.finalize().into()))
    }
}

/// Values as lines.
///
/// # Errors
/// None in practice: lines have no keys but texts.
pub fn written<T: Serialize>(lines: &[T]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut bytes, line).map_err(Error::internal)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

impl HandlerAnswer for NdjsonFile {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let name = format!("attachment; filename=\"{}.ndjson\"", self.name);
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, NDJSON)).insert_header((CONTENT_DISPOSITION, name));
        Ok(response.streaming(self.stream))
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({ "application/x-ndjson": { "schema": { "type": "string" } } });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
