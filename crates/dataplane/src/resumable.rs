//! Resumable uploads: one request's turn at an upload, from taking its lease to releasing it.
//!
//! Bytes count once they are durable and recorded; an interrupted turn keeps the offset recorded so far. When all bytes
//! have arrived the upload is attached as any other, to a tree or to a card (`destination`). A later request completes
//! an upload whose turn died.

mod concatenation;
pub mod destination;
pub mod headers;
mod length;
pub mod protocol;
mod unchecked;

use std::convert::Infallible;
use std::time::Duration;

use auth::actor::ActorGrant;
use domain::content::upload::UploadStatus;
use domain::error::Refusal;
use domain::{Code, Error, Result};
use serde_json::json;
use store::content::resumable::{self, UploadCheckpoint, UploadDestination, UploadRecord};
use store::{Call, ResumableUploadRef};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use uuid::Uuid;
use wire::OffsetBytes;

use crate::app::{self, App};
use crate::blobs::BlobKey;
use crate::blobs::hashing::Checksum;
use crate::blobs::resumable::{Checkpoint, ResumableWriter};
use crate::progress::Progress;
use crate::resumable::destination::UploadPermission;
use crate::resumable::unchecked::Unchecked;

/// Interval at which a turn renews its lease and checks its grant.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Longest time that a turn continues without a successful check; shorter than its lease.
const CHECK_PATIENCE: Duration = Duration::from_secs(5);

/// A piece of a file, as a request sends it.
pub struct Piece {
    /// Its bytes.
    pub body: OffsetBytes,
    /// Its expected checksum.
    pub checksum: Option<Checksum>,
    /// Length of the whole file, in bytes, if the client tells it with this piece.
    pub length_bytes: Option<u64>,
    /// True if the client says that the file ends with it.
    pub is_last: bool,
}

/// A request's exclusive turn at an upload.
pub struct Turn<'a, P> {
    app: &'a App,
    call: &'a Call<P>,
    at: &'a ResumableUploadRef,
    grant: &'a ActorGrant,
    record: UploadRecord,
    writer: Uuid,
    progress: Progress<'a>,
    /// Notified when another request waits and no bytes arrive.
    should_yield: Notify,
}

/// The end of a body whose bytes are kept.
enum BodyEnd {
    Whole,
    CutShort(Error),
}

/// Appends a piece at the offset and returns the new offset. The last piece attaches the upload.
///
/// # Errors
/// `UPLOAD_OFFSET_MISMATCH`, `UPLOAD_IN_PROGRESS`, `CHECKSUM_MISMATCH`, `PAYLOAD_TOO_LARGE`; errors of reading the body,
/// after which received bytes are kept unless the piece has a checksum; errors of attaching.
pub async fn append<P: UploadPermission>(
    app: &App,
    call: &Call<P>,
    at: &ResumableUploadRef,
    offset_bytes: u64,
    piece: Piece,
) -> Result<u64> {
    let turn = Turn::take(app, call, at, offset_bytes, concatenation::require_own_bytes).await?;
    let Some(turn) = turn else { return Ok(offset_bytes) };
    turn.end(async |turn| turn.append(piece).await).await
}

/// Completes an upload whose bytes have all arrived, here or in its parts, unless another request is completing it.
///
/// # Errors
/// Errors of attaching.
pub async fn finish<P: UploadPermission>(
    app: &App,
    call: &Call<P>,
    at: &ResumableUploadRef,
    offset_bytes: u64,
) -> Result<()> {
    let finished = match Turn::take(app, call, at, offset_bytes, |_| Ok(())).await {
        Ok(Some(turn)) => turn.end(async |turn| turn.complete(None).await).await,
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    };
    match finished {
        // Another request has the turn, took it over, or has continued it.
        Err(error) if matches!(error.code, Code::UploadInProgress | Code::UploadOffsetMismatch) => Ok(()),
        finished => finished,
    }
}

/// Deletes an upload with its bytes. Objects and attachment of a completed upload stay.
///
/// # Errors
/// `NOT_FOUND`; `UPLOAD_IN_PROGRESS` while a piece arrives.
pub async fn delete<P: UploadPermission>(app: &App, call: &Call<P>, at: &ResumableUploadRef) -> Result<()> {
    let record = app
        .store
        .mutate(call, at, async |tx, upload| {
            resumable::delete(tx, upload).await?;
            Ok(upload.record.clone())
        })
        .await?;
    let checkpoint: Checkpoint = serde_json::from_value(record.checkpoint).map_err(Error::internal)?;
    let blob = BlobKey { project: at.project.project, upload: record.id };
    if let Err(error) = app.blobs.discard(blob, &checkpoint).await {
        tracing::warn!(%blob, %error, "pieces of a deleted upload not removed; the sweep removes them");
    }
    Ok(())
}

impl<'a, P: UploadPermission> Turn<'a, P> {
    /// Takes the turn at `offset_bytes` if the upload meets `requirement`; `None` if it is done.
    async fn take(
        app: &'a App,
        call: &'a Call<P>,
        at: &'a ResumableUploadRef,
        offset_bytes: u64,
        requirement: fn(&UploadRecord) -> Result<()>,
    ) -> Result<Option<Self>> {
        let grant = app::presented_grant(&call.actor)?;
        let writer = Uuid::new_v4();
        let (record, claimed) = app
            .store
            .mutate(call, at, async |tx, upload| {
                requirement(&upload.record)?;
                let ended = matches!(upload.record.status(), UploadStatus::Done | UploadStatus::Failed);
                let claimed =
                    if ended { false } else { resumable::claim(tx, upload, writer, offset_bytes).await? };
                Ok((upload.record.clone(), claimed))
            })
            .await?;
        match &record.failure {
            Some(failure) => Err(failure.clone().into()),
            None if claimed => {
                let (length, offset) = (record.length_bytes, record.offset_bytes);
                let session = match record.destination {
                    UploadDestination::Tree { session, .. } => Some(session),
                    UploadDestination::Card(_) => None,
                };
                let progress = Progress::new(app, session, record.id, length, offset);
                Ok(Some(Self { app, call, at, grant, record, writer, progress, should_yield: Notify::new() }))
            }
            None if record.is_attached() && Some(offset_bytes) == record.length_bytes => Ok(None),
            None if record.is_attached() => {
                Err(Error::new(Code::UploadOffsetMismatch, "All of the upload has arrived.")
                    .with_details(json!({ "offset": record.length_bytes })))
            }
            None => Err(resumable::in_progress()),
        }
    }

    /// Runs `work` and releases the lease.
    async fn end<R>(mut self, work: impl AsyncFnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let done = work(&mut self).await;
        let refusal = done.as_ref().err().filter(|error| self.is_final(error)).map(Refusal::from);
        let release = async |tx: &mut store::Tx, upload: &store::StartedUpload<P>| {
            resumable::release(tx, upload, self.writer, refusal.as_ref()).await
        };
        if let Err(error) = self.app.store.mutate(self.call, self.at, release).await {
            tracing::info!(%error, upload = %self.record.id, "lease of an upload not released; it expires");
        }
        if let Err(error) = &done
            && refusal.is_some()
        {
            self.progress.report_failed(error).await;
        }
        done
    }

    /// True if attaching failed for a reason that no repetition can change.
    fn is_final(&self, error: &Error) -> bool {
        let has_all = self.record.parts.is_some() || self.has_all_bytes();
        let is_refused = matches!(
            error.code,
            Code::NotFound | Code::Forbidden | Code::PreconditionFailed | Code::FileNotReplaceable
        );
        has_all && is_refused
    }

    async fn append(&mut self, piece: Piece) -> Result<u64> {
        let Piece { body, checksum, length_bytes, is_last } = piece;
        if let Some(length_bytes) = length_bytes {
            self.set_length(length_bytes).await?;
        }
        let missing = self.limit_bytes().saturating_sub(self.record.offset_bytes);
        if body.length_bytes.is_some_and(|length| length > missing) {
            return Err(beyond_the_end(self.limit_bytes()));
        }
        let received = async {
            let mut writer = self.resume(checksum).await?;
            let (end, checkpoint) = self.receive(&mut writer, body).await?;
            Ok::<_, Error>((writer, end, checkpoint))
        };
        let (writer, end, checkpoint) = tokio::select! {
            received = received => received?,
            ended = self.watch() => return Err(ended),
        };
        self.record.offset_bytes = checkpoint.size_bytes;
        self.record.checkpoint = serde_json::to_value(&checkpoint).map_err(Error::internal)?;
        if let BodyEnd::CutShort(error) = end {
            return Err(error);
        }
        if is_last {
            self.set_length(self.record.offset_bytes).await?;
        }
        if self.has_all_bytes() {
            self.complete(Some(writer)).await?;
        }
        Ok(self.record.offset_bytes)
    }

    async fn resume(&self, checksum: Option<Checksum>) -> Result<ResumableWriter> {
        let checkpoint: Checkpoint =
            serde_json::from_value(self.record.checkpoint.clone()).map_err(Error::internal)?;
        self.app.blobs.resume(self.blob(), &checkpoint, checksum).await
    }

    /// Stores the body and moves the offset behind it.
    async fn receive(
        &self,
        writer: &mut ResumableWriter,
        body: OffsetBytes,
    ) -> Result<(BodyEnd, Checkpoint)> {
        let end = self.drain(writer, body).await?;
        match end {
            BodyEnd::CutShort(error) if writer.is_all_or_nothing() => return Err(error),
            _ => {}
        }
        let checkpoint = writer.checkpoint().await?;
        writer.verify().await?;
        self.advance(&checkpoint).await?;
        Ok((end, checkpoint))
    }

    async fn drain(&self, writer: &mut ResumableWriter, mut body: OffsetBytes) -> Result<BodyEnd> {
        let mut unchecked = Unchecked::start();
        loop {
            let chunk = tokio::select! {
                // A silent client's bytes become durable, too.
                () = unchecked.due(), if !writer.is_all_or_nothing() => {
                    self.checkpoint(writer).await?;
                    unchecked = Unchecked::start();
                    continue;
                }
                chunk = body.stream.next() => chunk,
                () = self.should_yield.notified() => return Ok(BodyEnd::CutShort(resumable::in_progress())),
            };
            let bytes = match chunk {
                None => return Ok(BodyEnd::Whole),
                Some(Err(error)) => return Ok(BodyEnd::CutShort(error)),
                Some(Ok(bytes)) => bytes,
            };
            let length = u64::try_from(bytes.len()).map_err(Error::internal)?;
            if writer.size_bytes().saturating_add(length) > self.limit_bytes() {
                return Err(beyond_the_end(self.limit_bytes()));
            }
            writer.write(bytes).await?;
            self.progress.set_received(writer.size_bytes());
            unchecked.add(length);
        }
    }

    /// Makes the bytes written so far durable, and moves the offset behind them.
    async fn checkpoint(&self, writer: &mut ResumableWriter) -> Result<()> {
        let checkpoint = writer.checkpoint().await?;
        self.advance(&checkpoint).await
    }

    async fn advance(&self, checkpoint: &Checkpoint) -> Result<()> {
        let reached = UploadCheckpoint {
            offset_bytes: checkpoint.size_bytes,
            checkpoint: serde_json::to_value(checkpoint).map_err(Error::internal)?,
            expires_at: self.app.clock.now().plus_seconds(self.app.bounds.resumable_expiry_secs.into()),
        };
        let advance = async |tx: &mut store::Tx, upload: &store::StartedUpload<P>| {
            resumable::advance(tx, upload, self.writer, &reached).await
        };
        self.app.store.mutate(self.call, self.at, advance).await
    }

    /// Completes the blob and attaches the upload. Resumes from the checkpoint if no writer is passed.
    async fn complete(&self, writer: Option<ResumableWriter>) -> Result<()> {
        let attached = async {
            let writer = match writer {
                Some(writer) => writer,
                None => self.resume(None).await?,
            };
            let stored = self.join_parts(writer).await?.finish().await?;
            // Boxed: with receiving, the future would not fit the stack of a debug build.
            Box::pin(P::attach(self, stored)).await
        };
        tokio::select! {
            attached = attached => {
                if let Some(map) = attached? {
                    self.progress.report_unchanged(&map).await;
                }
            }
            never = self.hold() => match never {},
        }
        let checkpoint: Checkpoint =
            serde_json::from_value(self.record.checkpoint.clone()).map_err(Error::internal)?;
        if let Err(error) = self.app.blobs.discard(self.blob(), &checkpoint).await {
            tracing::warn!(%error, upload = %self.record.id, "pieces of a completed upload not removed");
        }
        self.remove_parts().await;
        Ok(())
    }

    /// Returns when the turn must end: session closed, key revoked, access to the project lost, lease taken over, or no
    /// successful check for [`CHECK_PATIENCE`]. Ends a silent client's body if another request waits.
    async fn watch(&self) -> Error {
        let (mut alive, mut received) = (Instant::now(), self.progress.received_bytes());
        loop {
            sleep(CHECK_INTERVAL).await;
            match self.renew().await {
                Ok(is_contended) => {
                    alive = Instant::now();
                    if !self.record.is_partial {
                        self.progress.report_received().await;
                    }
                    let now = self.progress.received_bytes();
                    if is_contended && now == received {
                        self.should_yield.notify_one();
                    }
                    received = now;
                }
                Err(error) if error.code == Code::Unavailable && alive.elapsed() < CHECK_PATIENCE => {}
                Err(error) => return error,
            }
        }
    }

    /// Renews the lease while attaching runs. Attaching checks the grant itself.
    async fn hold(&self) -> Infallible {
        loop {
            sleep(CHECK_INTERVAL).await;
            self.progress.report_converting().await;
            if let Err(error) = self.renew().await {
                tracing::info!(%error, upload = %self.record.id, "lease of an upload not renewed");
            }
        }
    }

    async fn renew(&self) -> Result<bool> {
        self.app.store.check_grant(self.call.actor.user, self.grant).await?;
        let renew = async |tx: &mut store::Tx, upload: &store::StartedUpload<P>| {
            resumable::renew(tx, upload, self.writer).await
        };
        self.app.store.mutate(self.call, self.at, renew).await
    }

    fn blob(&self) -> BlobKey {
        BlobKey { project: self.grant.project, upload: self.record.id }
    }
}

fn beyond_the_end(length_bytes: u64) -> Error {
    Error::new(Code::PayloadTooLarge, format!("More was sent than the upload's {length_bytes} bytes."))
        .with_details(json!({ "limitBytes": length_bytes }))
}
