//! The data plane's endpoints. `routes/{resource}.rs` declares those of resumable uploads; the others stand here.

pub mod download;
pub mod lfs;
pub mod place;
pub mod replace;
pub mod resumable;
pub mod upload;
pub mod upload_archive;
pub mod upload_files;

use bytes::Bytes;
use domain::session::ConnectionId;
use domain::{Code, Error, Result};
use serde_json::Value;
use wire::{Documentation, Endpoint, Header, Resource, StaticContent, Table, get, page, post, put};

use crate::app::App;

/// The descriptions and examples of the OpenAPI document.
const DOCUMENTATION: Documentation<'_> = Documentation {
    texts: include_str!("routes/operations.md"),
    examples: include_str!("routes/examples.json"),
};

/// All endpoints of the data plane.
pub fn table() -> Table<App> {
    let endpoints = files().into_iter().chain(resumable::endpoints());
    let table = Table::new("Atelier data plane", "/api/v1/openapi.json", DOCUMENTATION, endpoints);
    let index = Bytes::from(Value::Object(table.index()).to_string());
    let index = StaticContent::new("application/json", index);
    table.with_pages([page("/", "readIndex", move |head, _| index.respond(head))]).elsewhere(&[
        ("/api/v2/", CONTROL_PLANE),
        ("/git/", CONTROL_PLANE),
        ("/docs", CONTROL_PLANE),
    ])
}

/// The hint for paths of the other plane.
const CONTROL_PLANE: &str = "It belongs to the control plane.";

/// The endpoints of whole files.
fn files() -> Vec<Endpoint<App>> {
    Resource::at("/api/v1/file").with([
        post(
            "/upload/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}",
            "uploadFile",
            "Upload a file and attach it to the tree",
            upload::handle,
        ),
        post(
            "/bulk/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}",
            upload_files::OPERATION,
            "Upload several files with their folders",
            upload_files::handle,
        ),
        put(
            "/replace/{ownerId}/{userId}/{projectId}/{connectionId}/{objectId}",
            "replaceFile",
            "Replace an object's file by a new version",
            replace::handle,
        )
        .conditional(),
        post(
            "/archive/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}",
            upload_archive::OPERATION,
            "Unpack an archive into the tree",
            upload_archive::handle,
        ),
        get(
            "/download/{ownerId}/{userId}/{projectId}/{connectionId}/{fileName}",
            "downloadFile",
            "Download a stored file",
            download::handle,
        )
        .reads(&READ_CONDITIONS)
        .answers(&OF_FILE),
        get(
            "/lfs/{projectId}/{sha256}",
            "downloadLfsFile",
            "Download a file that a commit points to",
            lfs::handle,
        )
        .reads(&READ_CONDITIONS)
        .answers(&OF_FILE),
    ])
}

/// Headers that a download reads.
const READ_CONDITIONS: [Header; 6] = [
    ("If-Match", "The `ETag` that the client expects; 412 for another state."),
    ("If-Unmodified-Since", "The time of the state that the client expects; 412 for a newer one."),
    ("If-None-Match", "A state that the client has; 304 if it is the current one."),
    ("If-Modified-Since", "The time of the state that the client has; 304 if it is the current one."),
    ("Range", "The wanted bytes, for example `bytes=0-1023`."),
    ("If-Range", "The `ETag` for which the range is meant; of another state the whole file is sent."),
];
/// Headers of a file.
const OF_FILE: [Header; 4] = [
    ("Last-Modified", "When the project got these bytes for the first time."),
    ("Accept-Ranges", "`bytes`: parts of the file can be read."),
    ("Content-Range", "The sent bytes and the file's size, with 206."),
    ("Content-Disposition", "The name under which to save the file."),
];

/// The connection that a path names.
fn connection_id(text: &str) -> Result<ConnectionId> {
    text.parse()
        .map_err(|_| Error::new(Code::InvalidConnectionId, "The connection id must start with `headless-`."))
}
