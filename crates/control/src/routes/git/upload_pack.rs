//! Answer one request of a client that clones or fetches: what branches there are, or a pack of what it lacks. The pack
//! is made while it is sent.

mod sending;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::Result;
use futures_util::stream::{self, BoxStream, StreamExt};
use git::pkt;
use git::upload_pack::{Command, ProtocolVersion};
use serde_json::{Value, json};
use store::content::clone::{self, Plan};
use wire::{Answer, Body, Head, NoQuery, RawBody, Request, Schemas};

use crate::app::App;
use crate::packs::PackKey;
use crate::routes::git::RepositoryPath;

const REQUEST: &str = "application/x-git-upload-pack-request";
const RESULT: &str = "application/x-git-upload-pack-result";
/// Most bytes of a request, as sent and inflated: some 80,000 commits that a client wants or has.
const LIMIT_BYTES: u64 = 4 * 1024 * 1024;

/// A request in Git's wire protocol. Git compresses long ones.
pub struct Question(Bytes);

/// An answer in Git's wire protocol.
pub enum Reply {
    /// One that is known as a whole.
    Whole(Vec<u8>),
    /// One with a pack.
    Pack(BoxStream<'static, Result<Bytes>>),
}

/// Answers a request in the version of the protocol that `Git-Protocol` says.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, RepositoryPath, NoQuery, Question>,
) -> Result<Reply> {
    let Request { call, path, head, body: Question(body), .. } = request;
    let at = path.project_id;
    let command = Command::parse(ProtocolVersion::of_header(head.header("git-protocol")), &body)?;
    let fetch = match command {
        Command::LsRefs(asked) => {
            let read = async |tx: &mut _, project: &_| clone::references(tx, project).await;
            return Ok(Reply::Whole(asked.answer(&app.store.read(&call, &at, read).await?)));
        }
        Command::Probe => {
            app.store.read(&call, &at, async |_, _| Ok(())).await?;
            return Ok(Reply::Whole(Vec::new()));
        }
        Command::Refused(reason) => {
            // Whether there is a project comes first.
            app.store.read(&call, &at, async |_, _| Ok(())).await?;
            return Ok(Reply::refused(&reason));
        }
        Command::Fetch(fetch) => fetch,
    };
    let plan = app.store.read(&call, &at, async |tx, project| clone::plan(tx, project, &fetch).await).await?;
    Ok(match plan {
        Plan::Unknown(oid) => Reply::refused(&format!("not our commit {oid}")),
        Plan::Negotiate { common, selection } => Reply::Whole(fetch.preamble(&common, &selection)),
        Plan::Send { common, selection } => {
            let start = stream::iter([Ok(Bytes::from(fetch.preamble(&common, &selection)))]);
            let key = PackKey::of(at.project, &selection);
            let pack = match app.packs.find(&key).await {
                Some(pack) => sending::kept(app, call, at, pack),
                None => {
                    let objects =
                        async |tx: &mut _, project: &_| clone::objects(tx, project, &selection).await;
                    let objects = app.store.read(&call, &at, objects).await?;
                    sending::made(app, call, at, key, objects)?
                }
            };
            Reply::Pack(start.chain(sending::framed(pack, fetch.has_side_band())).boxed())
        }
    })
}

impl Reply {
    /// What Git shows to its user, and ends.
    fn refused(reason: &str) -> Self {
        let mut out = Vec::new();
        pkt::error(&mut out, reason);
        Self::Whole(out)
    }
}

impl Answer for Reply {
    fn into_response(self, _: &Head) -> Result<HttpResponse> {
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

impl Body for Question {
    async fn read(raw: RawBody) -> Result<Self> {
        raw.require_media_type(REQUEST)?;
        raw.inflated(LIMIT_BYTES).await.map(Self)
    }

    fn describe(_: &mut Schemas) -> Option<Value> {
        let bytes = json!({ REQUEST: { "schema": { "type": "string", "format": "binary" } } });
        Some(json!({ "required": true, "content": bytes }))
    }
}
