//! Upload several files below an object of the tree, each with a path whose folders are found or made.
//!
//! A refused file does not refuse the others. A body that is malformed or cut short keeps the files that were complete:
//! with an idempotency key a repeat attaches them no second time.

use crate::routes::place;
use api::content::uploads::{UploadFiles, UploadedFiles};
use api::operation::Operation;
use auth::actor::ProjectWrite;
use domain::Result;
use wire::{IdempotentReply, Reply, Request, Upload};

use crate::app::App;
use crate::bulk::{BulkUpload, Intake};
use crate::multipart::head::Boundary;
use crate::multipart::{FormPiece, Scanner};
use crate::size_limit::{MAX_FILES_BODY_BYTES, files_too_large};

/// Most files of a request.
const MAX_FILES: usize = 1_000;

/// Receives, stores and attaches the files of a form.
///
/// # Errors
/// `INVALID_CONNECTION_ID`, `INVALID_UPLOAD`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`; `UNAUTHENTICATED` if the
/// session is closed or the key revoked while the body arrives; `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UploadFiles, Upload<MAX_FILES>>,
) -> Result<IdempotentReply<UploadedFiles>> {
    let Request { call, path, query, body, .. } = request;
    let place = place::of_files(&path, UploadFiles::DECLARATION.id, query.skip_existing.unwrap_or_default())?;
    let bulk = BulkUpload::new(&app, &call, place)?;
    let boundary = Boundary::of_content_type(&body.content_type)?;
    if body.length_bytes.is_some_and(|length| length > MAX_FILES_BODY_BYTES) {
        return Err(files_too_large());
    }
    let slots = bulk.take_slots()?;
    bulk.check().await?;
    bulk.run(&slots, None, |intake| receive(intake, &boundary, body)).await.map(Reply::idempotent)
}

/// Takes the files of a body.
async fn receive(mut intake: Intake<'_, '_>, boundary: &Boundary, mut body: Upload<MAX_FILES>) -> Result<()> {
    let mut scanner = Scanner::new(boundary, MAX_FILES);
    let mut pieces = Vec::new();
    let mut received_bytes = 0_u64;
    while let Some(chunk) = body.stream.next().await {
        let chunk = chunk?;
        received_bytes = received_bytes.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if received_bytes > MAX_FILES_BODY_BYTES {
            return Err(files_too_large());
        }
        let scanned = scanner.push(chunk, |piece| pieces.push(piece));
        for piece in pieces.drain(..) {
            match piece {
                FormPiece::Begin(path) => intake.begin(path.unwrap_or_default()),
                FormPiece::Bytes(bytes) => intake.write(bytes).await,
                FormPiece::End => intake.end().await?,
            }
        }
        // What was complete before the fault is kept.
        scanned?;
    }
    scanner.finish()
}
