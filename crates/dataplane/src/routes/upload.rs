//! Upload a file and attach it under an object of the tree.
//!
//! Bytes are hashed and stored as they arrive, in constant memory. Nothing joins the tree before the whole body has
//! arrived; then everything joins in one transaction. A body that is cut short leaves nothing behind. A repeat under an
//! idempotency key is answered before its body is read. An upload that can't be attached is refused before, too, except
//! for a small body: storing it, and removing it after a refusal, costs less than a second question.

use std::convert::Infallible;
use std::time::Duration;

use auth::actor::ProjectWrite;
use auth::grant::GrantTerms;
use bytes::{Bytes, BytesMut};
use domain::id::UploadId;
use domain::upload::ObjectMap;
use domain::{Code, Error, Result};
use import::HEAD_BYTES;
use store::Outcome;
use store::content::attachments::AttachTarget;
use tokio::time::sleep;
use wire::{IdempotentReply, NoQuery, Reply, Request, Upload};

use crate::app::{self, App};
use crate::attach::{StoredUpload, attach};
use crate::blobs::{BlobKey, Blobs, StoredBlob};
use crate::grant_end::grant_end;
use crate::multipart::head::Boundary;
use crate::multipart::{MAX_OVERHEAD_BYTES, Scanner};
use crate::progress::Progress;
use crate::routes::place::UploadPlace;
use crate::size_limit::{MAX_FILE_BYTES, too_large};
use crate::upload_id;
use crate::uploaded_name::UploadedName;

/// Maximum size of a body that is stored before its attachment is checked, in bytes.
const UNCHECKED_MAX_BYTES: u64 = 64 * 1024;

/// A faster conversion reports only its end.
const CONVERTING_INTERVAL: Duration = Duration::from_secs(1);

/// Receives, stores and attaches one file.
///
/// # Errors
/// `INVALID_CONNECTION_ID`, `INVALID_UPLOAD`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`; `UNAUTHENTICATED` if the
/// session is closed or the key revoked while the body arrives; `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UploadPlace, NoQuery, Upload>,
) -> Result<IdempotentReply<ObjectMap>> {
    let Request { call, path, body, .. } = request;
    let connection = path.connection()?;
    let boundary = Boundary::of_content_type(&body.content_type)?;
    if body.length_bytes.is_some_and(|length| length > MAX_FILE_BYTES + MAX_OVERHEAD_BYTES) {
        return Err(too_large());
    }
    let grant = app::presented_grant(&call.actor)?;
    let session = app::granted_session(grant)?.session;
    let _slot = app.slots.take(session)?;
    let at = app::opened_project(grant, &path.project_id)?;
    let keyed = upload_id::of_key(&call, &at, path.parent_id);
    let place = AttachTarget { project: &at, owner: path.owner_id, parent: path.parent_id };
    let ask = async || app.store.find_applied_upload(&call, &place, keyed).await;
    let checks_later =
        keyed.is_none() && body.length_bytes.is_some_and(|length| length <= UNCHECKED_MAX_BYTES);
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
        received = receive(&app.blobs, blob, &boundary, body, &progress) => received,
        ended = grant_end(&app.store, grant, async || progress.report_received().await) => Err(ended),
    };
    let received = match received {
        // Missing access takes precedence over a faulty body.
        Err(error) if checks_later => Err(ask().await.err().unwrap_or(error)),
        received => received,
    };
    let ReceivedFile { name, head, stored } = report_failure(&progress, received).await?;

    let terms =
        GrantTerms { user: call.actor.user, permissions: call.actor.ceiling, bound_to: grant.clone() };
    let upload = StoredUpload {
        id,
        blob,
        stored,
        head: Some(head),
        name,
        parent: path.parent_id,
        owner: checks_later.then_some(path.owner_id),
        is_resumable: false,
        connection,
        terms,
        now: call.now,
        request_id: call.request_id.clone(),
    };
    let attached = tokio::select! {
        attached = attach(&app, upload) => attached,
        never = report_conversion(&progress) => match never {},
    };
    report_failure(&progress, attached).await.map(Reply::idempotent)
}

/// Reports a failure to followers who have seen the upload's progress.
async fn report_failure<R>(progress: &Progress<'_>, done: Result<R>) -> Result<R> {
    if let Err(error) = &done
        && progress.has_reported()
        // A closed session gets no more events.
        && error.code != Code::Unauthenticated
    {
        progress.report_failed(error).await;
    }
    done
}

/// Reports the conversion's progress while it is polled.
async fn report_conversion(progress: &Progress<'_>) -> Infallible {
    loop {
        sleep(CONVERTING_INTERVAL).await;
        progress.report_converting().await;
    }
}

/// A stored file.
struct ReceivedFile {
    name: UploadedName,
    /// Its first bytes, which identify its type without reading it again.
    head: Bytes,
    stored: StoredBlob,
}

/// Stores the file of a body. On failure or cancellation it leaves nothing behind.
async fn receive(
    blobs: &Blobs,
    blob: BlobKey,
    boundary: &Boundary,
    mut body: Upload,
    progress: &Progress<'_>,
) -> Result<ReceivedFile> {
    let most = usize::try_from(HEAD_BYTES).map_err(Error::internal)?;
    let mut head = BytesMut::new();
    let mut scanner = Scanner::new(boundary);
    let mut writer = blobs.create(blob);
    let mut slices = Vec::new();
    while let Some(chunk) = body.stream.next().await {
        scanner.push(chunk?, |slice| slices.push(slice))?;
        for slice in slices.drain(..) {
            let wanted = slice.len().min(most.saturating_sub(head.len()));
            head.extend_from_slice(slice.get(..wanted).unwrap_or_default());
            writer.write(slice).await?;
        }
        progress.set_received(writer.size_bytes());
        if writer.size_bytes() > MAX_FILE_BYTES {
            return Err(too_large());
        }
    }
    let name = UploadedName::of_client(scanner.finish()?.as_deref())?;
    Ok(ReceivedFile { name, head: head.freeze(), stored: writer.finish().await? })
}
