//! What idempotency keys of uploads stand for.
//!
//! An upload is applied at most once by its id, whoever applies it and how often (`store::uploads`). So the key of one in
//! one piece needs no record beside that: all calls with one key have one id. Their bytes lie in blobs of their own.

use auth::actor::ProjectWrite;
use domain::id::{ObjectId, SessionId, UploadId};
use domain::project::ProjectRef;
use domain::session::ConnectionId;
use sha2::{Digest, Sha256};
use store::Call;
use uuid::{Builder, Uuid};

/// The id of an upload in one piece by its call's key, which counts for the API key (or the user), the project, its branch,
/// and the object that the file goes under; `None` where the client sent no key.
pub fn of_key(call: &Call<ProjectWrite>, at: &ProjectRef, parent: ObjectId) -> Option<UploadId> {
    let key = call.idempotency_key()?;
    let scope = call.actor.key().map_or(call.actor.user.0, |key| key.0);
    let branch = at.branch.as_ref().map_or("", |branch| branch.as_str());
    Some(UploadId(hashed(&[scope, at.project.0, parent.0], &[branch, key])))
}

/// What an upload in pieces is begun under: its key means nothing to another session, parent or connection.
pub fn place(session: SessionId, parent: ObjectId, connection: &ConnectionId) -> Uuid {
    hashed(&[session.0, parent.0], &[connection.as_str()])
}

fn hashed(ids: &[Uuid], texts: &[&str]) -> Uuid {
    let mut hash = Sha256::new();
    ids.iter().for_each(|id| hash.update(id));
    for text in texts {
        hash.update(text);
        // None of them has one.
        hash.update([0]);
    }
    let mut id = [0; 16];
    id.iter_mut().zip(hash.finalize()).for_each(|(byte, hashed)| *byte = hashed);
    Builder::from_custom_bytes(id).into_uuid()
}
