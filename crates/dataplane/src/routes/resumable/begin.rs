//! The beginning of an upload in pieces to a tree or to a card, optionally with the first piece.

use actix_web::http::header::{HeaderName, LOCATION};
use domain::content::project::ProjectRef;
use domain::content::upload::{FILE_MAX_BYTES, UploadStatus};
use domain::id::UploadId;
use domain::{Error, Result, Rule};
use store::content::resumable::parts::{self, JoinedParts};
use store::content::resumable::{self, NewUpload, UploadDestination, UploadRecord};
use store::{Call, Outcome, Project, ResumableUploadRef, Tx};
use wire::{OffsetBytes, RequestHead};

use crate::app::App;
use crate::blobs::hashing::Checksum;
use crate::blobs::resumable::Checkpoint;
use crate::resumable::destination::UploadPermission;
use crate::resumable::headers::{self, Concatenation, Metadata};
use crate::resumable::{Piece, append, delete, finish};
use crate::routes::resumable::{address, complete_header, headers_of};
use crate::size_limit::too_large;
use crate::upload_id;
use crate::uploaded_name::UploadedName;

/// The headers of a request that begins an upload.
pub(in crate::routes) struct BeginHeaders {
    /// The client's description of the file.
    pub(in crate::routes) metadata: Metadata,
    /// Size of the whole file, in bytes, if the client knows it.
    pub(in crate::routes) length_bytes: Option<u64>,
    concatenation: Concatenation,
    is_last: bool,
    checksum: Option<Checksum>,
}

/// The project and the place in it to which an upload is attached.
pub(in crate::routes) struct BeginPlace {
    /// The project.
    pub(in crate::routes) project: ProjectRef,
    /// The place.
    pub(in crate::routes) destination: UploadDestination,
}

/// An upload that was begun.
pub(in crate::routes) struct BegunUpload {
    /// The upload, of this request or of the first one with its idempotency key.
    pub(in crate::routes) upload: Outcome<UploadRecord>,
    /// The headers of the answer.
    pub(in crate::routes) headers: Vec<(HeaderName, String)>,
}

impl BeginHeaders {
    /// Reads the headers of a request with or without a piece.
    ///
    /// # Errors
    /// `INVALID_REQUEST`, `PAYLOAD_TOO_LARGE`.
    pub(in crate::routes) fn of(head: &RequestHead, has_piece: bool) -> Result<Self> {
        let concatenation = headers::concatenation(head)?;
        let is_final = matches!(concatenation, Concatenation::Final(_));
        let is_last = headers::is_last(head)?;
        let length_bytes = match headers::length_or_deferred(head) {
            _ if is_final => None,
            Ok(None) if is_last && !has_piece => Some(0),
            length => length?,
        };
        if is_final && (has_piece || head.header(headers::LENGTH).is_some()) {
            let message = "takes neither bytes nor a length: they are those of its parts";
            return Err(headers::invalid(headers::CONCAT, Rule::conflict("Upload-Length"), message));
        }
        if length_bytes.is_some_and(|length| length > FILE_MAX_BYTES) {
            return Err(too_large());
        }
        let checksum = headers::checksum(head)?;
        let metadata = Metadata::of_head(head)?;
        Ok(Self { metadata, length_bytes, concatenation, is_last, checksum })
    }
}

/// Begins an upload that `permit` permits. A repeat under the same key answers the current state of the first upload
/// and ignores the repeated piece. After the first upload has expired or was cancelled, a repeat begins another. An
/// upload without a key whose first piece is refused is removed.
///
/// # Errors
/// `NOT_FOUND`, `FORBIDDEN`, `INVALID_REQUEST`, `PAYLOAD_TOO_LARGE`; those of `permit` and of [`append`].
pub(in crate::routes) async fn begin<P: UploadPermission>(
    app: &App,
    call: &Call<P>,
    (head, sent, body): (&RequestHead, BeginHeaders, Option<OffsetBytes>),
    place: BeginPlace,
    permit: impl AsyncFn(&mut Tx, &Project<P>) -> Result<()>,
) -> Result<BegunUpload> {
    let BeginHeaders { metadata, length_bytes, concatenation, is_last, checksum } = sent;
    let is_final = matches!(concatenation, Concatenation::Final(_));
    let BeginPlace { project, destination } = place;
    let new = NewUpload {
        destination,
        name: UploadedName::of_client(metadata.file_name.as_deref())?.name,
        metadata: metadata.text,
        length_bytes,
        is_partial: concatenation == Concatenation::Partial,
        parts: match concatenation {
            Concatenation::Final(parts) => Some(parts),
            Concatenation::None | Concatenation::Partial => None,
        },
        checkpoint: serde_json::to_value(Checkpoint::start()).map_err(Error::internal)?,
        expires_at: call.now.plus_seconds(app.bounds.resumable_expiry_secs.into()),
    };
    let scope = upload_id::scope(&new.destination);
    let card = match new.destination {
        UploadDestination::Tree { .. } => None,
        UploadDestination::Card(card) => Some(card),
    };
    let named = |upload: &UploadId| ResumableUploadRef { project: project.clone(), upload: *upload, card };
    let create = async |tx: &mut Tx, project: &Project<P>| {
        permit(tx, project).await?;
        let Some(parts) = &new.parts else { return resumable::create(tx, project, call, &new).await };
        match parts::find(tx, project, call, &new.destination, parts).await? {
            JoinedParts::Joined(upload) => Ok(upload),
            JoinedParts::Complete { length_bytes } if length_bytes > FILE_MAX_BYTES => Err(too_large()),
            JoinedParts::Complete { length_bytes } => {
                let new = NewUpload { length_bytes: Some(length_bytes), ..new.clone() };
                resumable::create(tx, project, call, &new).await
            }
        }
    };
    let created = app.store.create_unless_there(call, &project, scope, named, create).await?;

    let at = named(&created.value);
    let taken = match body {
        _ if created.replayed => Ok(()),
        Some(body) => {
            let piece = Piece { body, checksum, length_bytes: None, is_last };
            append(app, call, &at, 0, piece).await.map(drop)
        }
        None if is_final => continue_joining(app, call, &at).await,
        None if length_bytes == Some(0) && !new.is_partial => finish(app, call, &at, 0).await,
        None => Ok(()),
    };
    if let Err(error) = taken {
        // The client gets no URL, so only a repeat of the key, or of the parts, could continue the upload.
        if call.idempotency_key().is_none()
            && !is_final
            && let Err(error) = delete(app, call, &at).await
        {
            tracing::info!(%error, upload = %at.upload, "an upload that nobody can name is left to expire");
        }
        return Err(error);
    }
    let record = app.store.read(call, &at, async |_, upload| Ok(upload.record.clone())).await?;
    let mut headers = headers_of(&record);
    headers.push((LOCATION, address(&at)));
    headers.extend(complete_header(head, is_last));
    Ok(BegunUpload { upload: created.map(|_| record), headers })
}

/// Joins the parts of an upload that a repeated request may have found half joined, or attached.
async fn continue_joining<P: UploadPermission>(
    app: &App,
    call: &Call<P>,
    at: &ResumableUploadRef,
) -> Result<()> {
    let record = app.store.read(call, at, async |_, upload| Ok(upload.record.clone())).await?;
    match record.status() {
        UploadStatus::Converting => finish(app, call, at, record.offset_bytes).await,
        _ => Ok(()),
    }
}
