//! Derives upload ids from idempotency keys.
//!
//! An upload is applied at most once by its id (`store::content::uploads`). The idempotency key of a simple upload therefore needs
//! no record of its own: all calls with one key have the same id. Their bytes are separate blobs.

use auth::actor::ProjectWrite;
use domain::content::object::Sha256Hash;
use domain::content::project::ProjectRef;
use domain::id::{ObjectId, UploadId};
use sha2::{Digest, Sha256};
use store::Call;
use store::content::resumable::UploadDestination;
use uuid::{Builder, Uuid};

/// The id of a simple upload, derived from its idempotency key, the API key (or user), project, branch and parent object;
/// `None` without an idempotency key.
pub fn of_key(call: &Call<ProjectWrite>, at: &ProjectRef, parent: ObjectId) -> Option<UploadId> {
    keyed(call, at, parent, &[])
}

/// The id of one file of several in a request, as [`of_key`], and of the operation and its path; `None` without an
/// idempotency key.
pub fn of_path(
    call: &Call<ProjectWrite>,
    at: &ProjectRef,
    parent: ObjectId,
    operation: &str,
    path: &str,
) -> Option<UploadId> {
    keyed(call, at, parent, &[operation, path])
}

fn keyed(call: &Call<ProjectWrite>, at: &ProjectRef, parent: ObjectId, more: &[&str]) -> Option<UploadId> {
    let key = call.idempotency_key()?;
    let scope = call.actor.key().map_or(call.actor.user.0, |key| key.0);
    let branch = at.branch.as_ref().map_or("", |branch| branch.as_str());
    Some(UploadId(hashed(&[scope, at.project.0, parent.0], &[&[branch, key], more].concat())))
}

/// As [`of_key`], for an upload that replaces the file of `object`.
pub fn of_replacement_key(call: &Call<ProjectWrite>, at: &ProjectRef, object: ObjectId) -> Option<UploadId> {
    of_key(call, at, object).map(|UploadId(id)| UploadId(hashed(&[id], &["replace"])))
}

/// The id of a file that is attached once to a folder under its name.
pub fn of_content(at: &ProjectRef, parent: ObjectId, name: &str, sha256: Sha256Hash) -> UploadId {
    let branch = at.branch.as_ref().map_or("", |branch| branch.as_str());
    UploadId(hashed(&[at.project.0, parent.0], &["content", branch, name, &sha256.to_string()]))
}

/// The id that follows one of [`of_content`] whose objects were removed.
pub fn after(id: UploadId) -> UploadId {
    UploadId(hashed(&[id.0], &["after"]))
}

/// The scope of a resumable upload's idempotency key: its session, parent and connection, or its card.
pub fn scope(destination: &UploadDestination) -> Uuid {
    match destination {
        UploadDestination::Tree { session, connection, parent } => {
            hashed(&[session.0, parent.0], &[connection.as_str()])
        }
        UploadDestination::Card(card) => card.0,
    }
}

fn hashed(ids: &[Uuid], texts: &[&str]) -> Uuid {
    let mut hash = Sha256::new();
    ids.iter().for_each(|id| hash.update(id));
    for text in texts {
        hash.update(text);
        // A separator that no text contains.
        hash.update([0]);
    }
    let mut id = [0; 16];
    id.iter_mut().zip(hash.finalize()).for_each(|(byte, hashed)| *byte = hashed);
    Builder::from_custom_bytes(id).into_uuid()
}
