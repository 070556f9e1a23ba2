//! Say where Git LFS finds the files that a clone points to: on the data plane, with a grant for nothing else.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use auth::actor::ProjectRead;
use auth::grant;
use domain::object::Sha256Hash;
use domain::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::content::files;
use wire::{Answer, Head, Json, NoQuery, Request, Schemas};

use crate::app::App;
use crate::routes::git::{READ_ONLY, RepositoryPath};

const MEDIA_TYPE: &str = "application/vnd.git-lfs+json";
/// Most files of a request; Git LFS asks for a hundred at a time.
const OBJECTS_MAX: usize = 1_000;
/// The one way to transfer files that every client of Git LFS knows, and the one hash.
const TRANSFER: &str = "basic";
const HASH: &str = "sha256";

/// Which files, in the words of Git LFS. What its clients say beside is passed over, as its protocol wants.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LfsBatchRequest")]
pub struct Body {
    /// What is to be done with them.
    operation: Operation,
    /// The files.
    #[schemars(length(max = OBJECTS_MAX))]
    objects: Vec<Pointer>,
    /// The hash that names them; SHA-256 unless said.
    hash_algo: Option<String>,
}

/// What a client of Git LFS wants to do.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LfsOperation")]
pub enum Operation {
    /// Fetch files.
    Download,
    /// Push files.
    Upload,
}

/// A file, as a commit points to it.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "LfsPointer")]
pub struct Pointer {
    /// Its SHA-256.
    oid: Sha256Hash,
    /// Its size in bytes.
    size: u64,
}

/// Where the files are, in the words of Git LFS.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LfsBatchResponse")]
pub struct Batch {
    transfer: &'static str,
    hash_algo: &'static str,
    objects: Vec<LfsObject>,
}

/// One file: how to download it, or why it can't be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LfsObject {
    oid: Sha256Hash,
    size: u64,
    /// Whether the action needs no credential but its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    authenticated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<LfsActions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<LfsError>,
}

/// What can be done with a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LfsActions {
    download: LfsAction,
}

/// A request that the client is to send.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LfsAction {
    /// To where; on the data plane.
    href: String,
    /// With which headers; the grant is among them.
    header: BTreeMap<&'static str, String>,
    /// Within how many seconds.
    expires_in: i64,
}

/// Why a file can't be downloaded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LfsError {
    /// As an HTTP status.
    code: u16,
    /// For people.
    message: &'static str,
}

/// Answers for each file of the project how it is downloaded, with one grant for all of them.
///
/// # Errors
/// `REPOSITORY_READ_ONLY` where files are to be uploaded.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, RepositoryPath, NoQuery, Json<Body>>,
) -> Result<Batch> {
    let (call, at) = (&request.call, &request.path.project_id);
    let Body { operation, objects, .. } = request.body.0.validate()?;
    let hashes: Vec<Sha256Hash> = objects.iter().map(|pointer| pointer.oid).collect();
    let sizes =
        app.store.read(call, at, async |tx, project| files::sizes(tx, project, &hashes).await).await?;
    if let Operation::Upload = operation {
        return Err(Error::new(Code::RepositoryReadOnly, READ_ONLY));
    }
    let grant = app.grants.mint_for_clone(call, at.project)?;
    let authorization = format!("Bearer {}", grant.reveal());
    let objects = objects.into_iter().map(|Pointer { oid, size }| {
        let href = app.grants.data_plane_url(&format!("/api/v1/file/lfs/{}/{oid}", at.project));
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
    Ok(Batch { transfer: TRANSFER, hash_algo: HASH, objects: objects.collect() })
}

impl Body {
    fn validate(self) -> Result<Self> {
        if self.objects.len() > OBJECTS_MAX {
            let message = format!("must be at most {OBJECTS_MAX}");
            return Err(Error::invalid("objects", "maxItems", message));
        }
        match self.hash_algo.as_deref() {
            None | Some(HASH) => Ok(self),
            Some(_) => Err(Error::invalid("hash_algo", "enum", "must be `sha256`")),
        }
    }
}

impl Answer for Batch {
    fn into_response(self, _: &Head) -> Result<HttpResponse> {
        let body = serde_json::to_vec(&self).map_err(Error::internal)?;
        Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, MEDIA_TYPE)).body(body))
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({ MEDIA_TYPE: { "schema": schemas.answer::<Self>() } });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
