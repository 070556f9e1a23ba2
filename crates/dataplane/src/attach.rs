//! From stored bytes to objects of the tree: what every way of uploading ends with, and the only way in which one joins.
//!
//! The host of the session's live connection applies the change, so that the session sees it; where there is none, or
//! it does not answer, this process applies the same change itself. Whoever comes second finds it applied.

use std::time::Duration;

use auth::grant::GrantTerms;
use domain::Result;
use domain::id::ObjectId;
use domain::object::{FILE_TYPE, FileRef, Object, ObjectKind};
use domain::session::ConnectionId;
use domain::time::Timestamp;
use domain::upload::{Attached, Attachment, NewFile, ObjectMap};
use serde_json::Map;
use store::uploads::FinishedUpload;

use crate::app::{self, App};
use crate::blobs::{BlobKey, Stored};
use crate::uploaded_name::UploadedName;

/// Longest wait for a session's host.
const HOST_WAIT: Duration = Duration::from_secs(2);

/// An upload whose bytes are stored, and nothing more.
#[derive(Debug)]
pub struct StoredUpload {
    /// Where its bytes lie; named by the upload's id.
    pub blob: BlobKey,
    /// Their size and hash.
    pub stored: Stored,
    /// What the client calls the file.
    pub name: UploadedName,
    /// The object that it goes under.
    pub parent: ObjectId,
    /// The connection that its path named.
    pub connection: ConnectionId,
    /// By whose authority it is attached.
    pub terms: GrantTerms,
    /// When the request began that brought the last of it.
    pub now: Timestamp,
    /// That request.
    pub request_id: String,
}

/// Makes objects of a stored upload and lets them join the tree, exactly once; returns what it created. A blob that
/// the project turns out not to need, as it has the same bytes already, is removed; one whose upload fails is left to
/// the sweep, as the host may yet apply what it was asked.
///
/// # Errors
/// `UNAUTHENTICATED` where the session was closed meanwhile; `NOT_FOUND` where project or parent are gone;
/// `UNAVAILABLE` where the database is: the upload may then be repeated.
pub async fn attach(app: &App, upload: StoredUpload) -> Result<ObjectMap> {
    let blob = upload.blob;
    // Any other connection is none of this session's, and is served by an ephemeral one.
    let own = &app::granted_session(&upload.terms.bound_to)?.connection;
    let live = (upload.connection == *own).then(|| own.clone());
    let finished = finished(upload);
    let by_host: Option<Attached> = match live {
        Some(connection) => app.link.attach(&connection, &finished, HOST_WAIT).await?,
        None => None,
    };
    let attached = match by_host {
        Some(attached) => attached,
        None => {
            let attached = app.store.attach(&finished, Timestamp::now()).await?;
            if let Some(through) = finished.terms.bound_to.session() {
                app.link.announce_events(through.session);
            }
            attached
        }
    };
    remove_unneeded(app, blob, &attached.unneeded_blobs).await;
    Ok(attached.map)
}

/// Removes an upload's second copies of bytes that its project has.
async fn remove_unneeded(app: &App, of: BlobKey, keys: &[String]) {
    // A host says what is removed here: of this project, and nothing else.
    let own =
        keys.iter().filter_map(|key| key.parse().ok()).filter(|key: &BlobKey| key.project == of.project);
    for blob in own {
        if let Err(error) = app.blobs.delete(blob).await {
            tracing::warn!(%blob, %error, "a second copy of a file is left to the sweep");
        }
    }
}

/// The change that an upload becomes.
fn finished(upload: StoredUpload) -> FinishedUpload {
    let StoredUpload { blob, stored, name, parent, terms, now, request_id, connection: _ } = upload;
    let file = FileRef {
        sha256: stored.sha256,
        size: stored.size_bytes,
        mime_type: name.media_type(),
        extension: name.extension,
    };
    let object = Object {
        id: ObjectId::new(now),
        name: name.name,
        object_type: FILE_TYPE.to_owned(),
        parent,
        kind: Some(ObjectKind::Reference),
        file: Some(file),
        include: None,
        data: Map::new(),
    };
    let file = NewFile { sha256: stored.sha256, size: stored.size_bytes, blob_key: blob.to_string() };
    let attachment = Attachment { upload: blob.upload, parent, objects: vec![object], files: vec![file] };
    FinishedUpload { terms, attachment, request_id }
}
