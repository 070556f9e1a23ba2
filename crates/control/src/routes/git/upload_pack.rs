//! Answer one request of a client that clones or fetches: what branches there are, or a pack of what it lacks. The pack
//! is made while it is sent, and is never held as a whole.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use auth::actor::ProjectRead;
use bytes::Bytes;
use domain::project::ProjectRef;
use domain::{Error, Result};
use futures_util::Stream;
use futures_util::stream::{self, BoxStream, StreamExt};
use git::pkt::{self, Band};
use git::upload_pack::{Command, Version};
use git::{Kind, Oid, PackWriter};
use serde_json::{Value, json};
use store::Call;
use store::content::clone::{self, Plan};
use tokio::sync::mpsc;
use wire::{Answer, Body, Head, NoQuery, RawBody, Request, Schemas};

use crate::app::App;
use crate::routes::git::RepositoryPath;

const REQUEST: &str = "application/x-git-upload-pack-request";
const RESULT: &str = "application/x-git-upload-pack-result";
/// Most bytes of a request, as sent and inflated: some 80,000 commits that a client wants or has.
const LIMIT_BYTES: u64 = 4 * 1024 * 1024;
/// Batches of objects that may wait to be packed.
const BATCHES_AHEAD: usize = 1;

/// A request in Git's wire protocol. Git compresses long ones.
pub struct Question(Bytes);

/// An answer in Git's wire protocol.
pub enum Reply {
    /// One that is known as a whole.
    Whole(Vec<u8>),
    /// One with a pack.
    Pack(BoxStream<'static, Result<Bytes>>),
}

/// Objects in the order of the pack, with their kinds.
type Batch = Vec<(Kind, Vec<u8>)>;

/// A pack in the making.
struct Packing {
    writer: PackWriter,
    has_side_band: bool,
    /// Bytes of the pack that have not been sent.
    unsent: Vec<u8>,
    /// Objects that the pack still lacks.
    lacking: usize,
}

/// Answers a request in the version of the protocol that `Git-Protocol` says.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, RepositoryPath, NoQuery, Question>,
) -> Result<Reply> {
    let Request { call, path, head, body: Question(body), .. } = request;
    let at = path.project_id;
    let command = Command::parse(Version::of_header(head.header("git-protocol")), &body)?;
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
        Plan::Send { common, selection, objects } => {
            let start = fetch.preamble(&common, &selection);
            let packing = Packing::begin(objects.len(), fetch.has_side_band())?;
            let start = stream::iter([Ok(Bytes::from(start))]);
            Reply::Pack(start.chain(packing.stream(load(app, call, at, objects))).boxed())
        }
    })
}

/// Loads the objects batch by batch, one ahead of what is being packed, until nobody takes them any more.
fn load(
    app: App,
    call: Call<ProjectRead>,
    at: ProjectRef,
    objects: Vec<Oid>,
) -> mpsc::Receiver<Result<Batch>> {
    let (sender, receiver) = mpsc::channel(BATCHES_AHEAD);
    // On this thread, as all work of the store.
    tokio::task::spawn_local(async move {
        let mut rest = objects.as_slice();
        while !rest.is_empty() {
            let loaded = app.store.read(&call, &at, async |tx, project| clone::load(tx, project, rest).await);
            let loaded = loaded.await;
            rest = match &loaded {
                Ok(batch) => rest.get(batch.len()..).unwrap_or_default(),
                Err(_) => &[],
            };
            if sender.send(loaded).await.is_err() {
                return;
            }
        }
    });
    receiver
}

impl Packing {
    fn begin(objects: usize, has_side_band: bool) -> Result<Self> {
        let mut unsent = Vec::new();
        let writer = PackWriter::begin(objects, &mut unsent)?;
        Ok(Self { writer, has_side_band, unsent, lacking: objects })
    }

    /// The pack as it is sent. Where it can't be completed, Git is told so, and what is wrong is logged.
    fn stream(self, batches: mpsc::Receiver<Result<Batch>>) -> impl Stream<Item = Result<Bytes>> + Send {
        stream::unfold(Some((self, batches)), async |state| {
            let (packing, mut batches) = state?;
            let has_side_band = packing.has_side_band;
            match packing.advance(&mut batches).await {
                Ok((bytes, packing)) => Some((Ok(bytes), packing.map(|packing| (packing, batches)))),
                Err(error) => {
                    let cause: &dyn std::error::Error = &error;
                    tracing::warn!(error = cause, "a pack was not completed");
                    let mut told = Vec::new();
                    pkt::side_band(&mut told, Band::Error, error.message.as_bytes());
                    let told = if has_side_band { Ok(Bytes::from(told)) } else { Err(error) };
                    Some((told, None))
                }
            }
        })
    }

    /// Packs the next batch, or ends the pack; returns the bytes to send, and the pack where it is not at its end.
    async fn advance(mut self, batches: &mut mpsc::Receiver<Result<Batch>>) -> Result<(Bytes, Option<Self>)> {
        if self.lacking == 0 {
            let Self { writer, has_side_band, mut unsent, .. } = self;
            writer.end(&mut unsent);
            let mut bytes = framed(unsent, has_side_band);
            if has_side_band {
                bytes.extend_from_slice(pkt::FLUSH);
            }
            return Ok((bytes.into(), None));
        }
        let batch = batches.recv().await.ok_or_else(|| Error::internal("nobody loads the objects"))??;
        // Compression may take a while, and others wait for this thread.
        let packed = tokio::task::spawn_blocking(move || {
            self.lacking = self.lacking.saturating_sub(batch.len());
            for (kind, data) in batch {
                self.writer.object(kind, &data, &mut self.unsent)?;
            }
            let bytes = framed(std::mem::take(&mut self.unsent), self.has_side_band);
            Ok((bytes.into(), Some(self)))
        });
        packed.await.map_err(Error::internal)?
    }
}

/// A part of the pack as it travels.
fn framed(pack: Vec<u8>, has_side_band: bool) -> Vec<u8> {
    if !has_side_band {
        return pack;
    }
    let mut bytes = Vec::with_capacity(pack.len() + pack.len() / 1024);
    pkt::side_band(&mut bytes, Band::Pack, &pack);
    bytes
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
