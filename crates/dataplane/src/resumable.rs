//! Uploads in pieces: one request's turn at one, from its lease to what it leaves.
//!
//! What arrives counts once it is durable and the record says so; a turn that is cut off has moved the offset as far as
//! that. Once all bytes are there the upload ends as every other does (`attach`); whoever comes by finishes what a
//! turn that died has left undone.

pub mod headers;

use std::convert::Infallible;
use std::time::Duration;

use auth::actor::{PresentedGrant, ProjectWrite};
use auth::grant::GrantTerms;
use domain::error::Refusal;
use domain::time::Timestamp;
use domain::upload::UploadStatus;
use domain::{Code, Error, Result};
use serde_json::json;
use store::resumable::{self, Reached, UploadRecord};
use store::{Call, ResumableUploadRef};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use uuid::Uuid;
use wire::OffsetBytes;

use crate::app::{self, App};
use crate::attach::{StoredUpload, attach};
use crate::blobs::hashing::Checksum;
use crate::blobs::resumable::{Checkpoint, ResumableWriter};
use crate::blobs::{BlobKey, Stored};
use crate::progress::Progress;
use crate::uploaded_name::UploadedName;

/// How often a turn looks whether it may go on.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How long a turn goes on while that can't be found out; shorter than its lease.
const CHECK_PATIENCE: Duration = Duration::from_secs(5);

/// Bytes after which the offset moves while a piece is still arriving: what a crash costs at most.
const CHECKPOINT_BYTES: u64 = 64 * 1024 * 1024;

/// A piece of a file, on its way.
pub struct Piece {
    /// Its bytes.
    pub body: OffsetBytes,
    /// What they must have.
    pub checksum: Option<Checksum>,
}

/// A request's turn at an upload. Others are kept out until it is over.
struct Turn<'a> {
    app: &'a App,
    call: &'a Call<ProjectWrite>,
    at: &'a ResumableUploadRef,
    grant: &'a PresentedGrant,
    record: UploadRecord,
    writer: Uuid,
    progress: Progress<'a>,
    /// Somebody else wants the upload, and nothing arrives.
    should_yield: Notify,
}

/// How a body ended whose bytes count.
enum End {
    Whole,
    CutShort(Error),
}

/// Lets a piece follow what is there; with the last, the upload is attached. Returns the offset.
///
/// # Errors
/// `UPLOAD_OFFSET_MISMATCH`, `UPLOAD_IN_PROGRESS`, `CHECKSUM_MISMATCH`, `PAYLOAD_TOO_LARGE`; what a body can fail by: what
/// arrived before counts, unless it has a checksum; what attaching fails by.
pub async fn append(
    app: &App,
    call: &Call<ProjectWrite>,
    at: &ResumableUploadRef,
    offset_bytes: u64,
    piece: Piece,
) -> Result<u64> {
    let Some(turn) = Turn::take(app, call, at, offset_bytes).await? else { return Ok(offset_bytes) };
    turn.end(async |turn| turn.append(piece).await).await
}

/// Finishes an upload whose bytes have all arrived, where nobody is about to.
///
/// # Errors
/// What attaching fails by.
pub async fn finish(
    app: &App,
    call: &Call<ProjectWrite>,
    at: &ResumableUploadRef,
    length_bytes: u64,
) -> Result<()> {
    let finished = match Turn::take(app, call, at, length_bytes).await {
        Ok(Some(turn)) => turn.end(async |turn| turn.complete(None).await).await,
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    };
    match finished {
        // Somebody else has its turn, or took it over.
        Err(error) if error.code == Code::UploadInProgress => Ok(()),
        finished => finished,
    }
}

/// Forgets an upload with its bytes. What one that is done has created stays.
///
/// # Errors
/// `NOT_FOUND`; `UPLOAD_IN_PROGRESS` where a piece is arriving.
pub async fn give_up(app: &App, call: &Call<ProjectWrite>, at: &ResumableUploadRef) -> Result<()> {
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
        tracing::warn!(%blob, %error, "the pieces of an upload that was given up are left to the sweep");
    }
    Ok(())
}

impl<'a> Turn<'a> {
    /// A turn behind `offset_bytes`; `None` where the upload is done.
    async fn take(
        app: &'a App,
        call: &'a Call<ProjectWrite>,
        at: &'a ResumableUploadRef,
        offset_bytes: u64,
    ) -> Result<Option<Self>> {
        let grant = app::presented_grant(&call.actor)?;
        let writer = Uuid::new_v4();
        let (record, claimed) = app
            .store
            .mutate(call, at, async |tx, upload| {
                let ended = matches!(upload.record.status(), UploadStatus::Done | UploadStatus::Failed);
                let claimed =
                    if ended { false } else { resumable::claim(tx, upload, writer, offset_bytes).await? };
                Ok((upload.record.clone(), claimed))
            })
            .await?;
        match &record.failure {
            Some(failure) => Err(failed(failure)),
            None if claimed => {
                let (length, offset) = (record.length_bytes, record.offset_bytes);
                let progress = Progress::new(app, record.session, record.id, Some(length), offset);
                Ok(Some(Self { app, call, at, grant, record, writer, progress, should_yield: Notify::new() }))
            }
            None if record.map.is_some() && offset_bytes == record.length_bytes => Ok(None),
            None if record.map.is_some() => {
                Err(Error::new(Code::UploadOffsetMismatch, "All of the upload has arrived.")
                    .with_details(json!({ "offset": record.length_bytes })))
            }
            None => Err(resumable::in_progress()),
        }
    }

    /// Works, and lets others in again.
    async fn end<R>(mut self, work: impl AsyncFnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let done = work(&mut self).await;
        let refusal = done.as_ref().err().filter(|error| self.is_final(error)).map(Refusal::from);
        let release = async |tx: &mut store::Tx, upload: &store::ResumableUpload<ProjectWrite>| {
            resumable::release(tx, upload, self.writer, refusal.as_ref()).await
        };
        if let Err(error) = self.app.store.mutate(self.call, self.at, release).await {
            tracing::info!(%error, "a lease is left to run out");
        }
        if let Err(error) = &done
            && refusal.is_some()
        {
            self.progress.tell_failed(error).await;
        }
        done
    }

    /// Whether no repetition can make good what attaching failed by.
    fn is_final(&self, error: &Error) -> bool {
        let is_complete = self.record.offset_bytes == self.record.length_bytes;
        is_complete && matches!(error.code, Code::NotFound | Code::Forbidden)
    }

    async fn append(&mut self, piece: Piece) -> Result<u64> {
        let Piece { body, checksum } = piece;
        let missing = self.record.length_bytes.saturating_sub(self.record.offset_bytes);
        if body.length_bytes.is_some_and(|length| length > missing) {
            return Err(beyond_the_end(self.record.length_bytes));
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
        if let End::CutShort(error) = end {
            return Err(error);
        }
        if self.record.offset_bytes == self.record.length_bytes {
            self.complete(Some(writer)).await?;
        }
        Ok(self.record.offset_bytes)
    }

    async fn resume(&self, checksum: Option<Checksum>) -> Result<ResumableWriter> {
        let checkpoint: Checkpoint =
            serde_json::from_value(self.record.checkpoint.clone()).map_err(Error::internal)?;
        self.app.blobs.resume(self.blob(), &checkpoint, checksum).await
    }

    /// Stores what arrives and moves the offset behind it.
    async fn receive(&self, writer: &mut ResumableWriter, body: OffsetBytes) -> Result<(End, Checkpoint)> {
        let end = self.drain(writer, body).await?;
        match end {
            End::CutShort(error) if writer.is_all_or_nothing() => return Err(error),
            _ => {}
        }
        let checkpoint = writer.checkpoint().await?;
        writer.verify().await?;
        self.advance(&checkpoint).await?;
        Ok((end, checkpoint))
    }

    async fn drain(&self, writer: &mut ResumableWriter, mut body: OffsetBytes) -> Result<End> {
        let mut unchecked_bytes = 0;
        loop {
            let chunk = tokio::select! {
                chunk = body.stream.next() => chunk,
                () = self.should_yield.notified() => return Ok(End::CutShort(resumable::in_progress())),
            };
            let bytes = match chunk {
                None => return Ok(End::Whole),
                Some(Err(error)) => return Ok(End::CutShort(error)),
                Some(Ok(bytes)) => bytes,
            };
            let length = u64::try_from(bytes.len()).map_err(Error::internal)?;
            if writer.size_bytes().saturating_add(length) > self.record.length_bytes {
                return Err(beyond_the_end(self.record.length_bytes));
            }
            writer.write(bytes).await?;
            self.progress.receive(writer.size_bytes());
            unchecked_bytes += length;
            if unchecked_bytes >= CHECKPOINT_BYTES && !writer.is_all_or_nothing() {
                unchecked_bytes = 0;
                let checkpoint = writer.checkpoint().await?;
                self.advance(&checkpoint).await?;
            }
        }
    }

    async fn advance(&self, checkpoint: &Checkpoint) -> Result<()> {
        let reached = Reached {
            offset_bytes: checkpoint.size_bytes,
            checkpoint: serde_json::to_value(checkpoint).map_err(Error::internal)?,
            expires_at: Timestamp::now().plus_seconds(self.app.uploads.resumable_expiry_secs.into()),
        };
        let advance = async |tx: &mut store::Tx, upload: &store::ResumableUpload<ProjectWrite>| {
            resumable::advance(tx, upload, self.writer, &reached).await
        };
        self.app.store.mutate(self.call, self.at, advance).await
    }

    /// Makes the bytes a blob, and lets the upload join the tree. Without the writer that has written the last of them it
    /// goes on where one was stopped.
    async fn complete(&self, writer: Option<ResumableWriter>) -> Result<()> {
        let attached = async {
            let writer = match writer {
                Some(writer) => writer,
                None => self.resume(None).await?,
            };
            let stored = writer.finish().await?;
            attach(self.app, self.stored(stored)?).await
        };
        tokio::select! {
            attached = attached => attached.map(drop)?,
            never = self.hold() => match never {},
        }
        let checkpoint: Checkpoint =
            serde_json::from_value(self.record.checkpoint.clone()).map_err(Error::internal)?;
        if let Err(error) = self.app.blobs.discard(self.blob(), &checkpoint).await {
            tracing::warn!(%error, upload = %self.record.id, "what is left of an upload's pieces stays");
        }
        Ok(())
    }

    fn stored(&self, stored: Stored) -> Result<StoredUpload> {
        Ok(StoredUpload {
            id: self.record.id,
            blob: self.blob(),
            stored,
            head: None,
            name: UploadedName::of_client(Some(self.record.name.as_str()))?,
            parent: self.record.parent,
            // Looked at when it was created.
            owner: None,
            is_resumable: true,
            connection: self.record.connection.clone(),
            terms: GrantTerms {
                user: self.call.actor.user,
                permissions: self.call.actor.ceiling,
                bound_to: self.grant.clone(),
            },
            now: self.call.now,
            request_id: self.call.request_id.clone(),
        })
    }

    /// Returns when the turn has to end: the session was closed, the key revoked, access to the project lost, another
    /// took over; or none of it could be found out for a while. Lets the body end where somebody else waits for a
    /// client that has gone silent.
    async fn watch(&self) -> Error {
        let (mut alive, mut received) = (Instant::now(), self.progress.received_bytes());
        loop {
            sleep(CHECK_INTERVAL).await;
            match self.renew().await {
                Ok(is_contended) => {
                    alive = Instant::now();
                    self.progress.tell_received().await;
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

    /// Keeps others out for as long as it is polled: attaching decides by itself whether it may.
    async fn hold(&self) -> Infallible {
        loop {
            sleep(CHECK_INTERVAL).await;
            self.progress.tell_converting().await;
            if let Err(error) = self.renew().await {
                tracing::info!(%error, "the lease of an upload that is being attached was not renewed");
            }
        }
    }

    async fn renew(&self) -> Result<bool> {
        self.app.store.check_grant(self.grant).await?;
        let renew = async |tx: &mut store::Tx, upload: &store::ResumableUpload<ProjectWrite>| {
            resumable::renew(tx, upload, self.writer).await
        };
        self.app.store.mutate(self.call, self.at, renew).await
    }

    fn blob(&self) -> BlobKey {
        BlobKey { project: self.grant.project, upload: self.record.id }
    }
}

/// The failure of an upload that can never be attached, as it was first told.
fn failed(failure: &Refusal) -> Error {
    let error = Error::new(failure.code, failure.message.clone());
    match &failure.details {
        Some(details) => error.with_details(details.clone()),
        None => error,
    }
}

fn beyond_the_end(length_bytes: u64) -> Error {
    Error::new(Code::PayloadTooLarge, format!("More was sent than the upload's {length_bytes} bytes."))
        .with_details(json!({ "limitBytes": length_bytes }))
}
