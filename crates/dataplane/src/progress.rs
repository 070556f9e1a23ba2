//! Progress events of uploads, at most one a second for each upload.
//!
//! An upload shorter than a second has no progress event: `objects.changed` names it at its end. Small files therefore
//! cost no additional event.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use domain::error::Refusal;
use domain::event::{EventType, NewEvent};
use domain::id::{SessionId, UploadId};
use domain::upload::{UploadProgress, UploadStatus};
use domain::{Code, Error, Result};
use serde_json::json;
use tokio::time::sleep;

use crate::app::App;

/// The progress of one upload.
pub struct Progress<'a> {
    app: &'a App,
    session: SessionId,
    upload: UploadId,
    /// Size of the whole file, if it is known in advance.
    size_bytes: Option<u64>,
    received_bytes: AtomicU64,
    reported_bytes: AtomicU64,
    converting_secs: AtomicU64,
    has_reported: AtomicBool,
}

/// A faster conversion reports only its end.
const CONVERTING_INTERVAL: Duration = Duration::from_secs(1);

/// Interval of repeated `converting` events, in seconds; well below `UploadState::SILENCE_SECS`, after which the upload
/// would count as dead.
const CONVERTING_SECS: u64 = 15;

impl<'a> Progress<'a> {
    /// The progress of an upload that has already received `received_bytes`.
    pub fn new(
        app: &'a App,
        session: SessionId,
        upload: UploadId,
        size_bytes: Option<u64>,
        received_bytes: u64,
    ) -> Self {
        Self {
            app,
            session,
            upload,
            size_bytes,
            received_bytes: AtomicU64::new(received_bytes),
            reported_bytes: AtomicU64::new(received_bytes),
            converting_secs: AtomicU64::new(0),
            has_reported: AtomicBool::new(false),
        }
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

    /// Reports the conversion while it is polled.
    async fn report_conversion(&self) -> Infallible {
        loop {
            sleep(CONVERTING_INTERVAL).await;
            self.report_converting().await;
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
        let word = UploadProgress {
            upload_id: self.upload,
            status,
            received_bytes: self.received_bytes(),
            size_bytes: self.size_bytes,
            failure,
        };
        self.has_reported.store(true, Ordering::Relaxed);
        let event = NewEvent { kind: EventType::UploadChanged, data: json!(word) };
        match self.app.store.append_event(self.session, self.app.clock.now(), &event).await {
            Ok(()) => self.app.link.announce_events(self.session),
            Err(error) => {
                tracing::info!(%error, upload = %self.upload, "progress event not written")
            }
        }
    }
}
