//! Upload a file and attach it under an object of the tree.
//!
//! Bytes are hashed and stored as they arrive, in constant memory. Nothing joins the tree before the whole body has
//! arrived, and then all of it does, in one transaction; a body cut short leaves nothing behind. A repeat under an
//! idempotency key is answered before its body is read, and what can't be attached is refused before, unless the body is
//! small: to store one, and remove it where its attachment is refused, costs less than to ask twice.

use std::convert::Infallible;
use std::time::Duration;

use auth::actor::ProjectWrite;
use auth::grant::GrantTerms;
use bytes::{Bytes, BytesMut};
use domain::id::UploadId;
use domain::upload::ObjectMap;
use domain::{Code, Error, Result};
use import::HEAD_BYTES;
use serde_json::json;
use store::Outcome;
use store::content::attachments::Place;
use tokio::time::sleep;
use wire::{NoQuery, Once, Reply, Request, Upload};

use crate::app::{self, App};
use crate::attach::{StoredUpload, attach};
use crate::blobs::{BlobKey, Blobs, Stored};
use crate::grant_end::grant_end;
use crate::multipart::head::Boundary;
use crate::multipart::{MAX_OVERHEAD_BYTES, Scanner};
use crate::progress::Progress;
use crate::routes::place::UploadPlace;
use crate::upload_id;
use crate::uploaded_name::UploadedName;

/// Largest file, in bytes: 2 GiB (specification, "Limits").
pub const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Most bytes of a body that is stored before anybody asks whether it can be attached.
const ASKED_LATER_BYTES: u64 = 64 * 1024;

/// What is converted sooner is told of by its end alone.
const CONVERTING_INTERVAL: Duration = Duration::from_secs(1);

/// Receives, stores and attaches one file.
///
/// # Errors
/// `INVALID_CONNECTION_ID`, `INVALID_UPLOAD`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`; `UNAUTHENTICATED` where the
/// session is closed or the key revoked while the body arrives; `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UploadPlace, NoQuery, Upload>,
) -> Result<Once<ObjectMap>> {
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
    let place = Place { project: &at, owner: path.owner_id, parent: path.parent_id };
    let ask = async || app.store.find_applied_upload(&call, &place, keyed).await;
    let asks_later = keyed.is_none() && body.length_bytes.is_some_and(|length| length <= ASKED_LATER_BYTES);
    if !asks_later && let Some(value) = ask().await? {
        return Ok(Reply::once(Outcome { value, replayed: true }));
    }

    let blob = BlobKey { project: grant.project, upload: UploadId::new(call.now) };
    let id = keyed.unwrap_or(blob.upload);
    // The frame of the form is not told from the file before its end.
    let progress = Progress::new(&app, session, id, None, 0);
    let received = tokio::select! {
        received = receive(&app.blobs, blob, &boundary, body, &progress) => received,
        ended = grant_end(&app.store, grant, async || progress.report_received().await) => Err(ended),
    };
    let received = match received {
        // Who may not attach anything here learns that, and not what is wrong with the body.
        Err(error) if asks_later => Err(ask().await.err().unwrap_or(error)),
        received => received,
    };
    let Received { name, head, stored } = heard(&progress, received).await?;

    let terms =
        GrantTerms { user: call.actor.user, permissions: call.actor.ceiling, bound_to: grant.clone() };
    let upload = StoredUpload {
        id,
        blob,
        stored,
        head: Some(head),
        name,
        parent: path.parent_id,
        owner: asks_later.then_some(path.owner_id),
        is_resumable: false,
        connection,
        terms,
        now: call.now,
        request_id: call.request_id.clone(),
    };
    let attached = tokio::select! {
        attached = attach(&app, upload) => attached,
        never = tell_converting(&progress) => match never {},
    };
    heard(&progress, attached).await.map(Reply::once)
}

/// What was done; where that has failed, those who have heard of the upload hear of this, too.
async fn heard<R>(progress: &Progress<'_>, done: Result<R>) -> Result<R> {
    if let Err(error) = &done
        && progress.has_reported()
        // Nothing is told of a session after its end.
        && error.code != Code::Unauthenticated
    {
        progress.report_failed(error).await;
    }
    done
}

/// Tells that the upload is being converted, for as long as it is polled.
async fn tell_converting(progress: &Progress<'_>) -> Infallible {
    loop {
        sleep(CONVERTING_INTERVAL).await;
        progress.report_converting().await;
    }
}

/// A file that is stored.
struct Received {
    name: UploadedName,
    /// Its beginning, from which its kind is told without reading it again.
    head: Bytes,
    stored: Stored,
}

/// Stores the file of a body. Dropped half-way or failed, it leaves nothing behind.
async fn receive(
    blobs: &Blobs,
    blob: BlobKey,
    boundary: &Boundary,
    mut body: Upload,
    progress: &Progress<'_>,
) -> Result<Received> {
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
    Ok(Received { name, head: head.freeze(), stored: writer.finish().await? })
}

/// The failure of a file that is larger than any may be.
pub(super) fn too_large() -> Error {
    Error::new(Code::PayloadTooLarge, format!("The file is larger than {MAX_FILE_BYTES} bytes."))
        .with_details(json!({ "limitBytes": MAX_FILE_BYTES }))
}
