//! Unpack an archive below an object of the tree. Each of its files is an upload of its own, as in `uploadFiles`.
//!
//! The archive is stored first, because a ZIP has its directory at its end, and removed when its files are complete. It is
//! an upload with progress events of its own, which count its files; these have none.

use crate::routes::place;
use api::content::uploads::{UploadArchive, UploadedFiles};
use api::operation::Operation;
use auth::actor::ProjectWrite;
use domain::content::upload::FILE_MAX_BYTES;
use domain::id::UploadId;
use domain::{Code, Error, Result};
use import::archive::SkipReason;
use wire::{IdempotentReply, Reply, Request, Upload};

use crate::app::App;
use crate::blobs::BlobKey;
use crate::bulk::{BulkUpload, Intake};
use crate::multipart::MAX_OVERHEAD_BYTES;
use crate::multipart::head::Boundary;
use crate::progress::Progress;
use crate::routes::upload::{ReceivedFile, receive};
use crate::size_limit::too_large;
use crate::unpack::{StoredArchive, UnpackedItem};

/// Receives an archive and attaches its files.
///
/// # Errors
/// `INVALID_CONNECTION_ID`, `INVALID_UPLOAD`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`; `UNAUTHENTICATED` if the
/// session is closed or the key revoked meanwhile; `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UploadArchive, Upload>,
) -> Result<IdempotentReply<UploadedFiles>> {
    let Request { call, path, body, .. } = request;
    let place = place::of_files(&path, UploadArchive::DECLARATION.id, false)?;
    let project = place.project.project;
    let bulk = BulkUpload::new(&app, &call, place)?;
    let boundary = Boundary::of_content_type(&body.content_type)?;
    if body.length_bytes.is_some_and(|length| length > FILE_MAX_BYTES + MAX_OVERHEAD_BYTES) {
        return Err(too_large());
    }
    let slots = bulk.take_slots()?;
    bulk.check().await?;
    let blob = BlobKey { project, upload: UploadId::new(call.now) };
    let user = call.actor.user;
    let (app, boundary) = (&app, &boundary);
    let progress = &Progress::of_archive(app, bulk.session(), blob.upload);
    let unpacked = bulk.run(&slots, Some(progress), |mut intake| async move {
        let arrived = |bytes| progress.set_received(bytes);
        let ReceivedFile { stored, .. } = receive(&app.blobs, blob, boundary, body, arrived).await?;
        progress.end_reception();
        let archive = StoredArchive { blob, size_bytes: stored.size_bytes, user };
        let unpacking = app.unpacker.unpack(&app.blobs, archive, async |item| take(&mut intake, item).await);
        // Boxed, as the whole: the nested futures would not fit the stack of a debug build.
        Box::pin(unpacking).await?;
        intake.finish().await
    });
    let unpacked = Box::pin(unpacked);
    let unpacked = progress.end_archive_with(progress.while_unpacking(unpacked).await).await;
    app.blobs.remove_unneeded(&[blob.to_string()]).await;
    unpacked.map(Reply::idempotent)
}

/// Takes an item of an archive.
async fn take(intake: &mut Intake<'_, '_>, item: UnpackedItem) -> Result<()> {
    let left_out = |reason: SkipReason| Error::new(Code::InvalidUpload, reason.message());
    match item {
        UnpackedItem::Folder(path) => intake.folder(path).await,
        UnpackedItem::File(path) => {
            intake.begin(path);
            Ok(())
        }
        UnpackedItem::Bytes(bytes) => {
            intake.write(bytes).await;
            Ok(())
        }
        UnpackedItem::End => intake.end().await,
        UnpackedItem::Damaged => intake.abort(left_out(SkipReason::Damaged)).await,
        UnpackedItem::Skipped(path, reason) => intake.refuse(path, left_out(reason)).await,
        UnpackedItem::Leftover => {
            intake.skip();
            Ok(())
        }
    }
}
