//! Advertise a repository's references to a client that clones or fetches, and refuse a push.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use auth::actor::ProjectRead;
use domain::Result;
use git::upload_pack::{ProtocolVersion, refuse_push};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::content::clone;
use wire::{HandlerAnswer, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::git::{READ_ONLY, RepositoryPath};

const FETCH: &str = "application/x-git-upload-pack-advertisement";
const PUSH: &str = "application/x-git-receive-pack-advertisement";

/// The purpose of the request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// The service that the client will use.
    service: GitService,
}

/// A Git service.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "GitService")]
pub enum GitService {
    /// Clone and fetch.
    GitUploadPack,
    /// Push.
    GitReceivePack,
}

/// An advertisement in Git's wire protocol.
pub struct Advertisement {
    media_type: &'static str,
    body: Vec<u8>,
}

/// Answers in the protocol version that `Git-Protocol` requests: 2 or 0.
pub async fn handle<R: RepositoryPath>(
    app: App,
    request: Request<ProjectRead, R, Query>,
) -> Result<Advertisement> {
    let at = request.path.project(&app, &request.call).await?;
    let references =
        app.store.read(&request.call, &at, async |tx, project| clone::references(tx, project).await).await?;
    let version = ProtocolVersion::of_header(request.head.header("git-protocol"));
    Ok(match request.query.service {
        GitService::GitUploadPack => {
            Advertisement { media_type: FETCH, body: version.advertisement(&references) }
        }
        GitService::GitReceivePack => Advertisement { media_type: PUSH, body: refuse_push(READ_ONLY) },
    })
}

impl HandlerAnswer for Advertisement {
    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, self.media_type)).body(self.body))
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let bytes = json!({ "schema": { "type": "string", "format": "binary" } });
        vec![(200, json!({ "description": "Success", "content": { FETCH: bytes, PUSH: bytes } }))]
    }
}
