//! From stored bytes to objects of the tree: what every way of uploading ends with, and the only way in which one joins.

mod joining;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use auth::actor::GrantedSession;
use auth::grant::GrantTerms;
use bytes::Bytes;
use domain::id::{ObjectId, OwnerId, UploadId};
use domain::object::{FileRef, Object};
use domain::session::ConnectionId;
use domain::time::Timestamp;
use domain::upload::{Attachment, NewFile, ObjectMap};
use domain::{Error, Result};
use store::Outcome;
use store::uploads::FinishedUpload;

pub use self::joining::Attaching;
use self::joining::Joining;
use crate::app::{self, App};
use crate::blobs::{BlobKey, Stored};
use crate::convert::{Converted, Source};
use crate::grant_end::grant_end;
use crate::uploaded_name::UploadedName;

/// An upload whose bytes are stored, and nothing more.
#[derive(Debug)]
pub struct StoredUpload {
    /// Id, by which it is applied at most once.
    pub id: UploadId,
    /// Where its bytes lie.
    pub blob: BlobKey,
    /// Their size and hash.
    pub stored: Stored,
    /// The first [`import::HEAD_BYTES`] of the file, or all of it, where they are at hand.
    pub head: Option<Bytes>,
    /// What the client calls the file.
    pub name: UploadedName,
    /// The object that it goes under.
    pub parent: ObjectId,
    /// Whose project that has to be, where nobody has looked.
    pub owner: Option<OwnerId>,
    /// Whether it can be attached later where it is refused now, which takes its bytes.
    pub is_resumable: bool,
    /// The connection that its path named.
    pub connection: ConnectionId,
    /// By whose authority it is attached.
    pub terms: GrantTerms,
    /// When the request began that brought the last of it.
    pub now: Timestamp,
    /// That request.
    pub request_id: String,
}

/// Makes objects of a stored upload and lets them join the tree, exactly once; returns what it created, which is a replay
/// where another call with the same id was first. A blob that
/// the project turns out not to need, as it has the same bytes already or refuses the upload, is removed; one of which
/// nobody knows what becomes is left to the sweep.
///
/// # Errors
/// `UNAUTHENTICATED` where the session was closed meanwhile; `NOT_FOUND` where project or parent are gone;
/// `UNAVAILABLE` where the database is: the upload may then be repeated.
pub async fn attach(app: &App, upload: StoredUpload) -> Result<Outcome<ObjectMap>> {
    let (blob, is_resumable) = (upload.blob, upload.is_resumable);
    let mut left = Left { blobs: vec![blob.to_string()], unanswered: Arc::default() };
    let attached = convert_and_join(app, upload, &mut left).await;
    match &attached {
        Ok((_, unneeded)) => remove(app, blob, unneeded).await,
        Err(error) if !is_resumable && left.is_refused_by(error) => remove(app, blob, &left.blobs).await,
        Err(_) => {}
    }
    attached.map(|(outcome, _)| outcome)
}

/// What an upload leaves if it is refused.
struct Left {
    /// Its blobs.
    blobs: Vec<String>,
    /// How often a host was asked to attach it and has not answered: it may do so even later.
    unanswered: Arc<AtomicUsize>,
}

impl Left {
    /// Whether nobody will attach the upload, which has failed with `error`.
    fn is_refused_by(&self, error: &Error) -> bool {
        !error.is_of_the_service() && self.unanswered.load(Ordering::Relaxed) == 0
    }
}

/// Returns the keys of blobs that the project does not need, too.
async fn convert_and_join(
    app: &App,
    upload: StoredUpload,
    left: &mut Left,
) -> Result<(Outcome<ObjectMap>, Vec<String>)> {
    let GrantedSession { session, connection: own, .. } =
        app::granted_session(&upload.terms.bound_to)?.clone();
    // Any other connection is none of this session's, and is served by an ephemeral one.
    let live = (upload.connection == own).then_some(own);
    let source = Source {
        blob: upload.blob,
        size_bytes: upload.stored.size_bytes,
        name: &upload.name.name,
        head: upload.head.as_deref(),
    };
    let converted = tokio::select! {
        converted = app.converter.convert(&app.blobs, source, upload.now) => converted?,
        ended = grant_end(&app.store, &upload.terms.bound_to, async || {}) => return Err(ended),
    };
    let upload = finished(upload, converted)?;
    left.blobs = upload.attachment.files.iter().map(|file| file.blob_key.clone()).collect();
    let first = upload.attachment.objects.first().map(|object| object.id);
    let joining = Joining::new(upload, live, Arc::clone(&left.unanswered))?;
    let attached = app.attaching.join(app, session, joining).await?;
    let replayed = first.is_none_or(|first| !attached.map.object.contains_key(&first));
    Ok((Outcome { value: attached.map, replayed }, attached.unneeded_blobs))
}

/// Removes blobs of an upload.
async fn remove(app: &App, of: BlobKey, keys: &[String]) {
    // A host says what is removed here: of this project, and nothing else.
    let own =
        keys.iter().filter_map(|key| key.parse().ok()).filter(|key: &BlobKey| key.project == of.project);
    for blob in own {
        if let Err(error) = app.blobs.delete(blob).await {
            tracing::warn!(%blob, %error, "a file that nobody needs is left to the sweep");
        }
    }
}

/// The change that an upload becomes.
fn finished(upload: StoredUpload, converted: Converted) -> Result<FinishedUpload> {
    let StoredUpload { id: upload_id, blob, stored, name, parent, owner, terms, now, request_id, .. } =
        upload;
    let Converted { media_type, drafts, images } = converted;
    let owned = FileRef {
        sha256: stored.sha256,
        size: stored.size_bytes,
        mime_type: media_type,
        extension: name.extension,
    };
    let file = NewFile { sha256: stored.sha256, size: stored.size_bytes, blob_key: blob.to_string() };
    // Siblings are in the order of their ids, which must be that of the file.
    let mut ids: Vec<ObjectId> = drafts.iter().map(|_| ObjectId::new(now)).collect();
    ids.sort_unstable();
    let (mut of_images, new_files): (VecDeque<_>, Vec<_>) =
        images.into_iter().map(|image| (image.owned, image.file)).unzip();
    let mut owned = Some(owned);
    let mut objects = Vec::with_capacity(drafts.len());
    for (draft, id) in drafts.into_iter().zip(&ids) {
        let under = draft.parent.map(|place| ids.get(place).copied().ok_or_else(stray)).transpose()?;
        let file = match draft.image {
            Some(_) => Some(of_images.pop_front().ok_or_else(stray)?),
            None => owned.take(),
        };
        objects.push(Object {
            id: *id,
            name: draft.name,
            object_type: draft.object_type.as_str().to_owned(),
            parent: under.unwrap_or(parent),
            kind: Some(draft.object_type.kind()),
            file,
            include: None,
            data: draft.data,
        });
    }
    let files = std::iter::once(file).chain(new_files).collect();
    let attachment = Attachment { upload: upload_id, parent, owner, objects, files };
    Ok(FinishedUpload { terms, attachment, request_id })
}

fn stray() -> Error {
    Error::internal("a conversion names an object or an image that it does not have")
}
