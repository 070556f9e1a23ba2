//! Answer a request of a client that clones or fetches: with the branches, or with a pack of the missing objects. The
//! pack is built while it is sent.

mod sending;

use api::operation::{Operation, Raw};
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::Result;
use futures_util::stream::{self, BoxStream, StreamExt};
use git::pkt;
use git::upload_pack::{GitRequest, ProtocolVersion};
use packs::PackKey;
use serde_json::{Value, json};
use store::content::clone::{self, FetchPlan};
use wire::{HandlerAnswer, RawBody, Request, RequestBody, RequestHead, Schemas, aside};

use crate::app::App;
use crate::routes::content::git::RepositoryPath;

const REQUEST: &str = "application/x-git-upload-pack-request";
const RESULT: &str = "application/x-git-upload-pack-result";
/// Limit of a request in bytes, sent and inflated: a partial clone names some 300,000 objects at once.
const LIMIT_BYTES: u64 = 16 * 1024 * 1024;

/// A request in Git's wire protocol. Git compresses long requests.
pub struct UploadPackRequest(Bytes);

/// An answer in Git's wire protocol.
pub enum UploadPackAnswer {
    /// A complete answer.
    Whole(Vec<u8>),
    /// An answer with a pack, as a stream.
    Pack(BoxStream<'static, Result<Bytes>>),
}

/// Answers a request in the protocol version of `Git-Protocol`.
pub async fn handle<O: Operation<Path: RepositoryPath>>(
    app: App,
    request: Request<ProjectRead, O, UploadPackRequest>,
) -> Result<UploadPackAnswer> {
    let Request { call, path, head, body: UploadPackRequest(body), .. } = request;
    let at = path.project(&app, &call).await?;
    let version = ProtocolVersion::of_header(head.header("git-protocol"));
    let command = aside::run_if_long(body.len(), move || GitRequest::parse(version, &body)).await??;
    let fetch = match command {
        GitRequest::LsRefs(asked) => {
            let read = async |tx: &mut _, project: &_| clone::references(tx, project).await;
            return Ok(UploadPackAnswer::Whole(asked.answer(&app.store.read(&call, &at, read).await?)));
        }
        GitRequest::Probe => {
            app.store.find(&call, &at).await?;
            return Ok(UploadPackAnswer::Whole(Vec::new()));
        }
        GitRequest::Refused(reason) => {
            // The project's existence is checked first.
            app.store.find(&call, &at).await?;
            return Ok(UploadPackAnswer::refused(&reason));
        }
        GitRequest::Fetch(fetch) => Arc::new(fetch),
    };
    let plan = app.store.read(&call, &at, async |tx, project| clone::plan(tx, project, &fetch).await).await?;
    Ok(match plan {
        FetchPlan::Refused(reason) => UploadPackAnswer::refused(&reason),
        FetchPlan::Negotiate(answer) => UploadPackAnswer::Whole(answer),
        FetchPlan::Send { preamble, content } => {
            let start = stream::iter([Ok(Bytes::from(preamble))]);
            let project = at.project;
            let (key, content) = aside::run(move || (PackKey::of(project, &content), content)).await?;
            let pack = match app.packs.find(&key).await {
                Some(pack) => sending::kept(app, call, at, pack),
                None => {
                    let objects = async |tx: &mut _, project: &_| clone::objects(tx, project, &content).await;
                    let objects = app.store.read(&call, &at, objects).await?;
                    sending::made(app, call, at, key, objects)?
                }
            };
            UploadPackAnswer::Pack(start.chain(sending::framed(pack, fetch.has_side_band())).boxed())
        }
    })
}

impl UploadPackAnswer {
    /// A message for the user, with which Git ends.
    fn refused(reason: &str) -> Self {
        let mut out = Vec::new();
        pkt::error(&mut out, reason);
        Self::Whole(out)
    }
}

impl HandlerAnswer for UploadPackAnswer {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, RESULT));
        Ok(match self {
            Self::Whole(body) => response.body(body),
            Self::Pack(stream) => response.streaming(stream),
        })
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let bytes = json!({ RESULT: { "schema": { "type": "string", "format": "binary" } } });
        vec![(200, json!({ "description": "Success", "content": bytes }))]
    }
}

impl RequestBody for UploadPackRequest {
    type Declared = Raw;

    async fn read(raw: RawBody, _: &mut Bytes) -> Result<Self> {
        raw.require_media_type(REQUEST)?;
        raw.inflated(LIMIT_BYTES).await.map(Self)
    }

    fn describe(_: &mut Schemas) -> Option<Value> {
        let example = "0014command=ls-refs\n0000";
        let bytes =
            json!({ REQUEST: { "schema": { "type": "string", "format": "binary" }, "example": example } });
        Some(json!({ "required": true, "content": bytes }))
    }
}
