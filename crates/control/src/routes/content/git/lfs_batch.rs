//! Tell Git LFS the URLs of a clone's files on the data plane, with a grant for these only.

use api::content::git::{LFS_OBJECTS_MAX, LfsBatchRequest, LfsOperation, LfsPointer};
use api::content::uploads::{DownloadLfsFile, LfsPath};
use api::operation::{Json, Operation, Raw};
use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use auth::actor::ProjectRead;
use auth::grant;
use domain::content::object::Sha256Hash;
use domain::{Code, Error, Result, Rule};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::content::files;
use wire::{HandlerAnswer, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::content::git::{READ_ONLY, RepositoryPath};

const MEDIA_TYPE: &str = "application/vnd.git-lfs+json";
/// The transfer adapter and the hash that every Git LFS client supports.
const TRANSFER: &str = "basic";
const HASH: &str = "sha256";

/// The locations of the files, in the form of Git LFS.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LfsBatchResponse")]
pub struct LfsBatch {
    transfer: &'static str,
    hash_algo: &'static str,
    objects: Vec<LfsObject>,
}

/// A file with its download, or with a failure.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LfsObject {
    oid: Sha256Hash,
    size: u64,
    /// True if the action needs only its own credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    authenticated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<LfsActions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<LfsError>,
}

/// The actions on a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LfsActions {
    download: LfsAction,
}

/// A request for the client to send.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LfsAction {
    /// The URL, on the data plane.
    href: String,
    /// The headers, including the grant.
    header: BTreeMap<&'static str, String>,
    /// Lifetime of the action, in seconds.
    expires_in: i64,
}

/// The reason why a file can't be downloaded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LfsError {
    /// An HTTP status.
    code: u16,
    /// A message for people.
    message: &'static str,
}

/// Answers the download of each file, with one grant for all of them.
///
/// # Errors
/// `REPOSITORY_READ_ONLY` for uploads.
pub async fn handle<O>(app: App, request: Request<ProjectRead, O>) -> Result<LfsBatch>
where
    O: Operation<Path: RepositoryPath, Body = Json<LfsBatchRequest>>,
{
    let call = &request.call;
    let at = request.path.project(&app, call).await?;
    let LfsBatchRequest { operation, objects, .. } = validated(request.body.0)?;
    let hashes: Vec<Sha256Hash> = objects.iter().map(|pointer| pointer.oid).collect();
    let sizes =
        app.store.read(call, &at, async |tx, project| files::sizes(tx, project, &hashes).await).await?;
    if let LfsOperation::Upload = operation {
        return Err(Error::new(Code::RepositoryReadOnly, READ_ONLY));
    }
    let grant = app.grants.mint_for_downloads(call, at.project)?;
    let authorization = format!("Bearer {}", grant.token.reveal());
    let objects = objects.into_iter().map(|LfsPointer { oid, size }| {
        let file = LfsPath { project_id: at.project.into(), sha256: oid };
        let href = app.grants.data_plane_url(&DownloadLfsFile::DECLARATION.path_with(&file));
        let header = BTreeMap::from([("Authorization", authorization.clone())]);
        let download = LfsAction { href, header, expires_in: grant::LIFETIME_SECS };
        let error = match sizes.get(&oid) {
            None => Some(LfsError { code: 404, message: "The project has no such file." }),
            Some(stored) if *stored != size => {
                Some(LfsError { code: 422, message: "The file is of another size." })
            }
            Some(_) => None,
        };
        let is_there = error.is_none();
        let actions = is_there.then_some(LfsActions { download });
        LfsObject { oid, size, authenticated: is_there.then_some(true), actions, error }
    });
    Ok(LfsBatch { transfer: TRANSFER, hash_algo: HASH, objects: objects.collect() })
}

/// Refuses too many files, and another hash.
fn validated(request: LfsBatchRequest) -> Result<LfsBatchRequest> {
    if request.objects.len() > LFS_OBJECTS_MAX {
        return Err(Error::broken("objects", Rule::MaxItems(LFS_OBJECTS_MAX)));
    }
    match request.hash_algo.as_deref() {
        None | Some(HASH) => Ok(request),
        Some(_) => Err(Error::broken("hash_algo", Rule::Enum(vec![HASH.into()]))),
    }
}

impl HandlerAnswer for LfsBatch {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let body = serde_json::to_vec(&self).map_err(Error::internal)?;
        Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, MEDIA_TYPE)).body(body))
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({ MEDIA_TYPE: { "schema": schemas.answer::<Self>() } });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
