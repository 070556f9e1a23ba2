//! Advertise a repository's references to a client that clones or fetches, and refuse a push.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, LOCATION};
use api::content::git::{GitReferencesQuery, GitService};
use api::operation::{Operation, Raw};
use auth::actor::ProjectRead;
use domain::Result;
use git::upload_pack::{ProtocolVersion, refuse_push};
use serde_json::{Value, json};
use store::content::clone;
use wire::{HandlerAnswer, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::content::git::{READ_ONLY, RepositoryPath};

const FETCH: &str = "application/x-git-upload-pack-advertisement";
const PUSH: &str = "application/x-git-receive-pack-advertisement";

/// The beginning of a conversation with a Git client.
pub enum Advertisement {
    /// An advertisement in Git's wire protocol.
    Sent {
        /// Its media type.
        media_type: &'static str,
        /// Its bytes.
        body: Vec<u8>,
    },
    /// The address to which the project moved. Git shows it to its user, and goes on there.
    Moved(String),
}

/// Answers in the protocol version that `Git-Protocol` requests: 2 or 0.
pub async fn handle<O>(app: App, request: Request<ProjectRead, O>) -> Result<Advertisement>
where
    O: Operation<Path: RepositoryPath, Query = GitReferencesQuery>,
{
    let at = request.path.project(&app, &request.call).await?;
    let (references, moved_to) = app
        .store
        .read(&request.call, &at, async |tx, project| {
            Ok((clone::references(tx, project).await?, request.path.moved_to(&project.record)))
        })
        .await?;
    let version = ProtocolVersion::of_header(request.head.header("git-protocol"));
    Ok(match (request.query.service, moved_to) {
        (GitService::GitUploadPack, Some(address)) => {
            Advertisement::Moved(format!("{address}?service=git-upload-pack"))
        }
        (GitService::GitUploadPack, None) => {
            Advertisement::Sent { media_type: FETCH, body: version.advertisement(&references) }
        }
        (GitService::GitReceivePack, _) => {
            Advertisement::Sent { media_type: PUSH, body: refuse_push(READ_ONLY) }
        }
    })
}

impl HandlerAnswer for Advertisement {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        Ok(match self {
            Self::Sent { media_type, body } => {
                HttpResponse::Ok().insert_header((CONTENT_TYPE, media_type)).body(body)
            }
            Self::Moved(address) => {
                HttpResponse::MovedPermanently().insert_header((LOCATION, address)).finish()
            }
        })
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let bytes = json!({ "schema": { "type": "string", "format": "binary" } });
        vec![
            (200, json!({ "description": "Success", "content": { FETCH: bytes, PUSH: bytes } })),
            (301, json!({ "description": "The project moved to the address in `Location`" })),
        ]
    }
}
