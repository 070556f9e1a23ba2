//! Upload a file and attach it under an object of the tree.
//!
//! Bytes are hashed and stored as they arrive, in constant memory. Nothing joins the tree before the whole body has
//! arrived; then everything joins in one transaction. A body that is cut short leaves nothing behind. A repeat under an
//! idempotency key is answered before its body is read. An upload that can't be attached is refused before, too, except
//! for a small body: storing it, and removing it after a refusal, costs less than a second question.

use crate::routes::place;
use api::content::uploads::{UploadFile, UploadPlace};
use auth::actor::ProjectWrite;
use bytes::{Bytes, BytesMut};
use domain::content::project::ProjectRef;
use domain::content::upload::{FILE_MAX_BYTES, ObjectMap, Replacement};
use domain::id::{ObjectId, OwnerId, UploadId};
use domain::{Error, Result};
use import::HEAD_BYTES;
use store::content::attachments::AttachTarget;
use store::{Call, Outcome};
use wire::{IdempotentReply, Reply, Request, Upload};

use crate::app::{self, App};
use crate::attach::{StoredUpload, UploadContent, attach};
use crate::blobs::{BlobKey, Blobs, StoredBlob};
use crate::grant_end::grant_end;
use crate::multipart::head::Boundary;
use crate::multipart::{FormPiece, MAX_OVERHEAD_BYTES, Scanner};
use crate::progress::Progress;
use crate::size_limit::too_large;
use crate::upload_id;
use crate::uploaded_name::UploadedName;

/// Maximum size of a body that is stored before its attachment is checked, in bytes.
const UNCHECKED_MAX_BYTES: u64 = 64 * 1024;

/// The place to which a file is uploaded.
pub(super) struct UploadTarget {
    /// The project's owner.
    pub(super) owner: OwnerId,
    /// The project that the session opened, with its branch.
    pub(super) project: ProjectRef,
    /// The parent of its objects, or the object whose file it replaces.
    pub(super) parent: ObjectId,
    /// Set if it replaces that object's file.
    pub(super) replaces: Option<Replacement>,
}

/// Receives, stores and attaches one file.
///
/// # Errors
/// `INVALID_CONNECTION_ID` and those of [`upload`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UploadFile, Upload>,
) -> Result<IdempotentReply<ObjectMap>> {
    let Request { call, path, body, .. } = request;
    place::connection(&path)?;
    let UploadPlace { owner_id: owner, project_id: project, parent_id: parent, .. } = path;
    upload(app, call, UploadTarget { owner, project, parent, replaces: None }, body).await
}

/// Receives, stores and attaches the file of a form.
///
/// # Errors
/// `INVALID_UPLOAD`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`; `UNAUTHENTICATED` if the session is closed or the key revoked
/// while the body arrives; `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`; those of a replacement: `PRECONDITION_FAILED`,
/// `FILE_NOT_REPLACEABLE`.
pub(super) async fn upload(
    app: App,
    call: Call<ProjectWrite>,
    target: UploadTarget,
    body: Upload,
) -> Result<IdempotentReply<ObjectMap>> {
    let UploadTarget { owner, project, parent, replaces } = target;
    let boundary = Boundary::of_content_type(&body.content_type)?;
    if body.length_bytes.is_some_and(|length| length > FILE_MAX_BYTES + MAX_OVERHEAD_BYTES) {
        return Err(too_large());
    }
    let grant = app::presented_grant(&call.actor)?;
    let session = app::granted_session(grant)?.session;
    let _slot = app.slots.take(session)?;
    let at = app::opened_project(grant, &project)?;
    let keyed = match replaces {
        None => upload_id::of_key(&call, &at, parent),
        Some(_) => upload_id::of_replacement_key(&call, &at, parent),
    };
    let place = AttachTarget { project: &at, owner, parent, replaces: replaces.as_ref() };
    let ask = async || app.store.find_applied_upload(&call, &place, keyed).await;
    let is_small = body.length_bytes.is_some_and(|length| length <= UNCHECKED_MAX_BYTES);
    let checks_later = keyed.is_none() && replaces.is_none() && is_small;
    if !checks_later && let Some(value) = ask().await? {
        return Ok(Reply::idempotent(Outcome { value, replayed: true }));
    }

    if let Some(length) = body.length_bytes.filter(|_| !checks_later) {
        let least = length.saturating_sub(MAX_OVERHEAD_BYTES);
        app.stored_bytes.check(&app.store, grant.project, least).await?;
    }
    let blob = BlobKey { project: grant.project, upload: UploadId::new(call.now) };
    let id = keyed.unwrap_or(blob.upload);
    // File size is unknown until the form ends.
    let progress = Progress::new(&app, session, id, None, 0);
    let received = tokio::select! {
        received = receive(&app.blobs, blob, &boundary, body, |bytes| progress.set_received(bytes)) => received,
        ended = grant_end(&app.store, call.actor.user, grant, async || progress.report_received().await) => Err(ended),
    };
    let received = match received {
        // Missing access takes precedence over a faulty body.
        Err(error) if checks_later => Err(ask().await.err().unwrap_or(error)),
        received => received,
    };
    let ReceivedFile { name, head, stored } = progress.end_with(received).await?;

    let file = UploadContent { id, blob, stored, head: Some(head), name };
    let upload = StoredUpload {
        owner: checks_later.then_some(owner),
        replaces,
        ..StoredUpload::new(&call, grant, file, parent)
    };
    let attached = progress.while_converting(attach(&app, upload)).await;
    let attached = progress.end_with(attached).await?;
    progress.report_unchanged(&attached.value).await;
    Ok(Reply::idempotent(attached))
}

/// A stored file.
pub(super) struct ReceivedFile {
    pub(super) name: UploadedName,
    /// Its first bytes, which identify its type without reading it again.
    pub(super) head: Bytes,
    pub(super) stored: StoredBlob,
}

/// Stores the file of a body, and tells how many bytes have arrived. On failure or cancellation it leaves nothing
/// behind.
pub(super) async fn receive(
    blobs: &Blobs,
    blob: BlobKey,
    boundary: &Boundary,
    mut body: Upload,
    arrived: impl Fn(u64),
) -> Result<ReceivedFile> {
    let most = usize::try_from(HEAD_BYTES).map_err(Error::internal)?;
    let mut head = BytesMut::new();
    let mut scanner = Scanner::new(boundary, 1);
    let mut writer = blobs.create(blob);
    let mut name = None;
    let mut pieces = Vec::new();
    while let Some(chunk) = body.stream.next().await {
        scanner.push(chunk?, |piece| pieces.push(piece))?;
        for piece in pieces.drain(..) {
            match piece {
                FormPiece::Begin(sent) => name = Some(UploadedName::of_client(sent.as_deref())?),
                FormPiece::Bytes(slice) => {
                    let wanted = slice.len().min(most.saturating_sub(head.len()));
                    head.extend_from_slice(slice.get(..wanted).unwrap_or_default());
                    writer.write(slice).await?;
                }
                FormPiece::End => {}
            }
        }
        arrived(writer.size_bytes());
        if writer.size_bytes() > FILE_MAX_BYTES {
            return Err(too_large());
        }
    }
    scanner.finish()?;
    let name = name.map_or_else(|| UploadedName::of_client(None), Ok)?;
    Ok(ReceivedFile { name, head: head.freeze(), stored: writer.finish().await? })
}
