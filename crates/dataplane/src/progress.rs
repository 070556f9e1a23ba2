//! Progress events of uploads, at most one a second for each upload.
//!
//! An upload shorter than a second has no progress event: `objects.changed` names it at its end. Small files therefore
//! cost no additional event.
//!
//! An archive is one upload here: its files have no events of their own, so the number of events depends on time alone.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use domain::content::upload::{ObjectMap, UnpackedFiles, UploadProgress, UploadStatus};
use domain::error::Refusal;
use domain::event::{EventType, NewEvent};
use domain::id::{SessionId, UploadId};
use domain::{Code, Error, Result};
use serde_json::json;
use tokio::time::sleep;

use crate::app::App;

/// The progress of one upload.
pub struct Progress<'a> {
    app: &'a App,
    /// The session that is told; `None` of an upload to a card.
    session: Option<SessionId>,
    upload: UploadId,
    /// Size of the whole file, if it is known in advance.
    size_bytes: Option<u64>,
    received_bytes: AtomicU64,
    reported_bytes: AtomicU64,
    converting_secs: AtomicU64,
    has_reported: AtomicBool,
    subject: Subject,
}

/// The subject of the events.
enum Subject {
    /// A file that is uploaded.
    File,
    /// A file of an archive. It has no events: those of the archive count it.
    FileOfArchive,
    /// An archive.
    Archive(Archive),
}

/// An archive with the numbers of its complete files.
#[derive(Default)]
struct Archive {
    has_arrived: AtomicBool,
    attached: AtomicU64,
    refused: AtomicU64,
}

/// Least interval of events. A faster conversion reports only its end.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Interval of repeated `converting` events, in seconds; well below `UploadState::SILENCE_SECS`, after which the upload
/// would count as dead.
const CONVERTING_SECS: u64 = 15;

impl<'a> Progress<'a> {
    /// The progress of an upload that has already received `received_bytes`.
    pub fn new(
        app: &'a App,
        session: impl Into<Option<SessionId>>,
        upload: UploadId,
        size_bytes: Option<u64>,
        received_bytes: u64,
    ) -> Self {
        Self {
            app,
            session: session.into(),
            upload,
            size_bytes,
            received_bytes: AtomicU64::new(received_bytes),
            reported_bytes: AtomicU64::new(received_bytes),
            converting_secs: AtomicU64::new(0),
            has_reported: AtomicBool::new(false),
            subject: Subject::File,
        }
    }

    /// The progress of an archive.
    pub fn of_archive(app: &'a App, session: SessionId, upload: UploadId) -> Self {
        let subject = Subject::Archive(Archive::default());
        Self { subject, ..Self::new(app, session, upload, None, 0) }
    }

    /// The progress of a file of an archive.
    pub fn of_file_in_archive(app: &'a App, session: SessionId, upload: UploadId) -> Self {
        Self { subject: Subject::FileOfArchive, ..Self::new(app, session, upload, None, 0) }
    }

    /// Records the number of bytes received so far.
    pub fn set_received(&self, total_bytes: u64) {
        self.received_bytes.store(total_bytes, Ordering::Relaxed);
    }

    /// Bytes received so far.
    pub fn received_bytes(&self) -> u64 {
        self.received_bytes.load(Ordering::Relaxed)
    }

    /// Reports the received bytes if they changed since the last report.
    pub async fn report_received(&self) {
        let received = self.received_bytes();
        if self.reported_bytes.swap(received, Ordering::Relaxed) != received {
            self.report(UploadStatus::Receiving, None).await;
        }
    }

    /// Runs `attach`, and reports each second that the file is being converted.
    pub async fn while_converting<R>(&self, attach: impl Future<Output = R>) -> R {
        tokio::select! {
            attached = attach => attached,
            never = self.report_conversion() => match never {},
        }
    }

    /// Receives and unpacks an archive, and reports each second: its bytes until all have arrived, then its files.
    pub async fn while_unpacking<R>(&self, unpack: impl Future<Output = R>) -> R {
        tokio::select! {
            unpacked = unpack => unpacked,
            never = self.report_archive() => match never {},
        }
    }

    /// Records that all bytes of an archive have arrived.
    pub fn end_reception(&self) {
        if let Subject::Archive(archive) = &self.subject {
            archive.has_arrived.store(true, Ordering::Relaxed);
        }
    }

    /// Counts a completed file of an archive.
    pub fn count_file(&self, is_attached: bool) {
        if let Subject::Archive(archive) = &self.subject {
            let count = if is_attached { &archive.attached } else { &archive.refused };
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Reports the end of an archive to followers who have seen its progress. Returns what it was given.
    pub async fn end_archive_with<R>(&self, done: Result<R>) -> Result<R> {
        if done.is_ok() && self.has_reported() {
            self.report(UploadStatus::Done, None).await;
        }
        self.end_with(done).await
    }

    /// Reports a failure to followers who have seen the upload's progress. Returns what it was given.
    pub async fn end_with<R>(&self, done: Result<R>) -> Result<R> {
        if let Err(error) = &done
            && self.has_reported()
            // A closed session gets no more events.
            && error.code != Code::Unauthenticated
        {
            self.report_failed(error).await;
        }
        done
    }

    /// Reports the end of a replacement that changed nothing to followers who have seen its progress. No `objects.changed`
    /// tells them.
    pub async fn report_unchanged(&self, attached: &ObjectMap) {
        if attached.replaced.is_some_and(|replaced| replaced.unchanged) && self.has_reported() {
            self.report(UploadStatus::Done, None).await;
        }
    }

    /// Reports the conversion while it is polled.
    async fn report_conversion(&self) -> Infallible {
        loop {
            sleep(REPORT_INTERVAL).await;
            self.report_converting().await;
        }
    }

    /// Reports the archive while it is polled.
    async fn report_archive(&self) -> Infallible {
        loop {
            sleep(REPORT_INTERVAL).await;
            match &self.subject {
                Subject::Archive(archive) if archive.has_arrived.load(Ordering::Relaxed) => {
                    self.report_converting().await;
                }
                _ => self.report_received().await,
            }
        }
    }

    /// Reports the conversion at the first call and every [`CONVERTING_SECS`] calls; call it once a second.
    pub async fn report_converting(&self) {
        if self.converting_secs.fetch_add(1, Ordering::Relaxed).is_multiple_of(CONVERTING_SECS) {
            self.report(UploadStatus::Converting, None).await;
        }
    }

    /// Reports the final failure of the upload.
    pub async fn report_failed(&self, error: &Error) {
        self.report(UploadStatus::Failed, Some(Refusal::from(error))).await;
    }

    /// True if any event was reported.
    pub fn has_reported(&self) -> bool {
        self.has_reported.load(Ordering::Relaxed)
    }

    /// Appends an event. The upload continues if that fails.
    async fn report(&self, status: UploadStatus, failure: Option<Refusal>) {
        let Some(session) = self.session else { return };
        let files = match &self.subject {
            Subject::File => None,
            Subject::FileOfArchive => return,
            Subject::Archive(archive) => Some(UnpackedFiles {
                attached_count: archive.attached.load(Ordering::Relaxed),
                refused_count: archive.refused.load(Ordering::Relaxed),
            }),
        };
        let word = UploadProgress {
            upload_id: self.upload,
            status,
            received_bytes: self.received_bytes(),
            size_bytes: self.size_bytes,
            files,
            failure,
        };
        self.has_reported.store(true, Ordering::Relaxed);
        let event = NewEvent { kind: EventType::UploadChanged, data: json!(word) };
        match self.app.store.append_event(session, self.app.clock.now(), &event).await {
            Ok(true) => self.app.link.announce_events(session),
            Ok(false) => {}
            Err(error) => {
                tracing::info!(%error, upload = %self.upload, "progress event not written")
            }
        }
    }
}
