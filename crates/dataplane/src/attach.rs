//! The last step of every upload: its stored bytes become objects of the tree.

pub mod cards;
pub mod queue;

use std::collections::VecDeque;
use std::sync::Arc;

use auth::actor::{ActorGrant, ProjectWrite};
use auth::grant::GrantTerms;
use bytes::Bytes;
use domain::content::git_name;
use domain::content::object::{FileRef, Object};
use domain::content::upload::{Attachment, NewFile, ObjectMap, Replacement};
use domain::id::{ObjectId, OwnerId, ProjectId, UploadId};
use domain::time::Timestamp;
use domain::{Error, Result};
use store::content::uploads::FinishedUpload;
use store::{Call, Outcome};

use self::queue::PendingUpload;
use crate::app::App;
use crate::blobs::{BlobKey, StoredBlob};
use crate::convert::{ConversionResult, Source};
use crate::grant_end::grant_end;
use crate::preview::{self, PreviewFile};
use crate::uploaded_name::UploadedName;

/// The stored content of an upload.
#[derive(Debug)]
pub struct UploadContent {
    /// Id of its upload, which is attached at most once by it.
    pub id: UploadId,
    /// Key of its bytes in the object store.
    pub blob: BlobKey,
    /// Their size and hash.
    pub stored: StoredBlob,
    /// The first [`import::HEAD_BYTES`] of the file, or the whole of a smaller one, if they are in memory.
    pub head: Option<Bytes>,
    /// File name from the client.
    pub name: UploadedName,
}

/// An upload after its bytes are stored, and before its conversion.
#[derive(Debug)]
pub struct StoredUpload {
    /// Its file.
    pub file: UploadContent,
    /// Parent of its objects, or the object whose file it replaces.
    pub parent: ObjectId,
    /// Set if it replaces that object's file.
    pub replaces: Option<Replacement>,
    /// Required owner of the project, if that is still to be checked.
    pub owner: Option<OwnerId>,
    /// True if a refused upload can be attached later. Its bytes are then kept.
    pub is_resumable: bool,
    /// Authority for the attachment.
    pub terms: GrantTerms,
    /// Start of the request that sent its last bytes.
    pub now: Timestamp,
    /// Id of that request.
    pub request_id: String,
}

impl StoredUpload {
    /// A new file below `parent`, sent in one piece by `call`, whose target was checked.
    pub fn new(call: &Call<ProjectWrite>, grant: &ActorGrant, file: UploadContent, parent: ObjectId) -> Self {
        Self {
            file,
            parent,
            replaces: None,
            owner: None,
            is_resumable: false,
            terms: GrantTerms {
                user: call.actor.user,
                permissions: call.actor.ceiling,
                bound_to: grant.clone(),
            },
            now: call.now,
            request_id: call.request_id.clone(),
        }
    }
}

/// Converts a stored upload to objects and attaches them to the tree, exactly once. Returns the objects that it created;
/// they are a replay if another call with the same id was first.
///
/// Deletes the blob if the project already stores its bytes or refuses the upload. The sweep decides about a blob whose
/// upload may have been attached by a transaction with an unknown outcome.
///
/// # Errors
/// `LIMIT_REACHED`; `UNAUTHENTICATED` if the session was closed meanwhile; `NOT_FOUND` if project or parent are gone;
/// `UNAVAILABLE` if the database is: the upload may then be repeated.
pub async fn attach(app: &App, upload: StoredUpload) -> Result<Outcome<ObjectMap>> {
    let (blob, is_resumable) = (upload.file.blob, upload.is_resumable);
    let is_over = |error: &Error| !is_resumable && !error.is_server_fault();
    let (project, size_bytes) = (blob.project, upload.file.stored.size_bytes);
    let converted = async {
        let reservation = app.stored_bytes.reserve(&app.store, project, size_bytes).await?;
        Ok::<_, Error>((reservation, convert(app, upload).await?))
    };
    // Boxed, as the attachment: with both, the futures of an upload would not fit the stack of a debug build.
    let (reservation, finished) = match Box::pin(converted).await {
        Ok(converted) => converted,
        Err(error) => {
            if is_over(&error) {
                app.blobs.remove_unneeded(&[blob.to_string()]).await;
            }
            return Err(error);
        }
    };
    let first = finished.attachment.objects.first().map(|object| object.id);
    let shown = shown(project, &finished)?;
    let pending = Arc::new(PendingUpload::new(finished)?);
    match Box::pin(app.attach_queue.attach(&pending)).await {
        Ok(attached) => {
            // The project may have had the bytes already.
            if !attached.unneeded_blobs.contains(&blob.to_string()) {
                reservation.keep();
                shown.into_iter().for_each(|shown| app.previews.begin_after_upload(shown));
            }
            app.blobs.remove_unneeded(&attached.unneeded_blobs).await;
            let replayed = first.is_none_or(|first| !attached.map.object.contains_key(&first));
            Ok(Outcome { value: attached.map, replayed })
        }
        Err(error) => {
            if is_over(&error) && !pending.may_be_attached() {
                let files = &pending.upload.attachment.files;
                let blobs: Vec<String> = files.iter().map(|file| file.blob_key.clone()).collect();
                app.blobs.remove_unneeded(&blobs).await;
            }
            Err(error)
        }
    }
}

/// The file of an upload, if it can be shown.
fn shown(project: ProjectId, finished: &FinishedUpload) -> Result<Option<PreviewFile>> {
    let Attachment { objects, files, .. } = &finished.attachment;
    let Some(owner) = objects.first() else { return Ok(None) };
    preview::preview_file(project, finished.terms.user, owner, files)
}

/// Makes objects of an upload's file, as long as its grant lasts.
async fn convert(app: &App, upload: StoredUpload) -> Result<FinishedUpload> {
    let source = Source {
        blob: upload.file.blob,
        size_bytes: upload.file.stored.size_bytes,
        user: upload.terms.user,
        name: &upload.file.name.name,
        head: upload.file.head.as_deref(),
    };
    let converted = tokio::select! {
        converted = app.converter.convert(&app.blobs, source, upload.now) => converted?,
        ended = grant_end(&app.store, upload.terms.user, &upload.terms.bound_to, async || {}) => return Err(ended),
    };
    finished(upload, converted)
}

/// The attachment of a converted upload.
fn finished(upload: StoredUpload, converted: ConversionResult) -> Result<FinishedUpload> {
    let StoredUpload { file, parent, replaces, owner, terms, now, request_id, .. } = upload;
    let UploadContent { id: upload_id, blob, stored, name, .. } = file;
    let file = NewFile { sha256: stored.sha256, size: stored.size_bytes, blob_key: blob.to_string() };
    let owned = FileRef {
        sha256: stored.sha256,
        size: stored.size_bytes,
        mime_type: converted.media_type.clone(),
        extension: name.extension,
        name: Some(name.name),
    };
    // Siblings are ordered by id, which has to be the order in the file.
    let mut ids: Vec<ObjectId> = converted.drafts.iter().map(|_| ObjectId::new(now)).collect();
    ids.sort_unstable();
    if let (Some(_), Some(first)) = (&replaces, ids.first_mut()) {
        *first = parent;
    }
    let (objects, of_images) = objects(converted, &ids, owned, parent)?;
    let files = std::iter::once(file).chain(of_images).collect();
    let attachment = Attachment { upload: upload_id, parent, owner, objects, files, replaces };
    Ok(FinishedUpload { terms, attachment, request_id })
}

/// The objects of a converted file under `parent`, with these ids in the order of their drafts, and the files of their
/// images. The first one owns the file.
///
/// # Errors
/// `INTERNAL_ERROR`: the conversion is inconsistent.
pub(crate) fn objects(
    converted: ConversionResult,
    ids: &[ObjectId],
    owned: FileRef,
    parent: ObjectId,
) -> Result<(Vec<Object>, Vec<NewFile>)> {
    let ConversionResult { drafts, images, .. } = converted;
    let (mut of_images, new_files): (VecDeque<_>, Vec<_>) =
        images.into_iter().map(|image| (image.owned, image.file)).unzip();
    let mut owned = Some(owned);
    let mut objects = Vec::with_capacity(drafts.len());
    for (draft, id) in drafts.into_iter().zip(ids) {
        let under = draft.parent.map(|place| ids.get(place).copied().ok_or_else(stray)).transpose()?;
        let file = match draft.image {
            Some(_) => Some(of_images.pop_front().ok_or_else(stray)?),
            None => owned.take(),
        };
        objects.push(Object {
            id: *id,
            name: git_name::harmless(draft.name),
            object_type: draft.object_type.as_str().to_owned(),
            parent: under.unwrap_or(parent),
            kind: Some(draft.object_type.kind()),
            file,
            include: None,
            data: draft.data,
        });
    }
    Ok((objects, new_files))
}

fn stray() -> Error {
    Error::internal("a conversion names an object or an image that it does not have")
}
