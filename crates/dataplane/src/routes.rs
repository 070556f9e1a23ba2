//! The data plane's endpoints: one line each. Method, path, operation id, summary, handler; the rest comes from
//! the handler's types.

pub mod download;
pub mod lfs;
pub mod place;
pub mod resumable;
pub mod upload;

use domain::session::ConnectionId;
use domain::{Code, Error, Result};
use wire::{Table, for_tus};

use crate::app::App;

/// Every endpoint of the data plane.
#[rustfmt::skip]
pub fn table() -> Table<App> {
    Table::new("Atelier data plane")
        .post("/api/v1/file/upload/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}", "uploadFile", "Upload a file and attach it to the tree", upload::handle)
        .get("/api/v1/file/download/{ownerId}/{userId}/{projectId}/{connectionId}/{fileName}", "downloadFile", "Download a stored file", download::handle)
        .get("/api/v1/file/lfs/{projectId}/{sha256}", "downloadLfsFile", "Download a file that a commit points to", lfs::handle)
        .tus_options::<place::UploadPlace, _>("/api/v1/file/resumable/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}", "describeResumableUploads", "Read what resumable uploads can do", resumable::describe::handle)
        .post("/api/v1/file/resumable/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}", "createResumableUpload", "Begin an upload in pieces", for_tus(resumable::create::handle))
        .tus_options::<resumable::UploadPath, _>("/api/v1/file/resumable/{projectId}/{uploadId}", "describeResumableUpload", "Read what a resumable upload can do", resumable::describe::handle)
        .get("/api/v1/file/resumable/{projectId}/{uploadId}", "getResumableUpload", "Read how far an upload in pieces is, and what it created", for_tus(resumable::get::handle))
        .patch("/api/v1/file/resumable/{projectId}/{uploadId}", "appendResumableUpload", "Upload the next piece", for_tus(resumable::append::handle))
        .delete("/api/v1/file/resumable/{projectId}/{uploadId}", "deleteResumableUpload", "Give up an upload in pieces", for_tus(resumable::delete::handle))
        .post("/api/v1/file/resumable/{projectId}/{uploadId}", "overrideResumableUpload", "PATCH or DELETE as `X-HTTP-Method-Override` says, for clients that can't", for_tus(resumable::method_override::handle))
        .openapi_at("/api/v1/openapi.json")
}

/// The connection that a path names.
fn connection_id(text: &str) -> Result<ConnectionId> {
    text.parse()
        .map_err(|_| Error::new(Code::InvalidConnectionId, "The connection id must start with `headless-`."))
}
