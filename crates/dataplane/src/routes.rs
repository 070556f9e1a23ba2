//! The data plane's endpoints. `routes/{resource}.rs` declares those of resumable uploads; the others stand here.

pub mod download;
pub mod lfs;
pub mod place;
pub mod resumable;
pub mod upload;

use domain::session::ConnectionId;
use domain::{Code, Error, Result};
use wire::{Endpoint, Resource, Table, get, post};

use crate::app::App;

/// All endpoints of the data plane.
pub fn table() -> Table<App> {
    let endpoints = files().into_iter().chain(resumable::endpoints());
    Table::new("Atelier data plane", "/api/v1/openapi.json", endpoints)
}

/// The endpoints of whole files.
fn files() -> Vec<Endpoint<App>> {
    Resource::at("/api/v1/file").with([
        post(
            "/upload/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}",
            "uploadFile",
            "Upload a file and attach it to the tree",
            upload::handle,
        ),
        get(
            "/download/{ownerId}/{userId}/{projectId}/{connectionId}/{fileName}",
            "downloadFile",
            "Download a stored file",
            download::handle,
        ),
        get(
            "/lfs/{projectId}/{sha256}",
            "downloadLfsFile",
            "Download a file that a commit points to",
            lfs::handle,
        ),
    ])
}

/// The connection that a path names.
fn connection_id(text: &str) -> Result<ConnectionId> {
    text.parse()
        .map_err(|_| Error::new(Code::InvalidConnectionId, "The connection id must start with `headless-`."))
}
