//! Tells those who follow a session how far its uploads are, once a second at most for each.
//!
//! What takes less than a second is told by its end alone: `objects.changed` names the upload. So small files cost
//! no event more.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use domain::Error;
use domain::error::Refusal;
use domain::event::{EventType, NewEvent};
use domain::id::{SessionId, UploadId};
use domain::time::Timestamp;
use domain::upload::{UploadStatus, UploadWord};
use serde_json::json;

use crate::app::App;

/// The progress of one upload.
pub struct Progress<'a> {
    app: &'a App,
    session: SessionId,
    upload: UploadId,
    /// Size of the whole file, where it is known before its end.
    size_bytes: Option<u64>,
    received_bytes: AtomicU64,
    told_bytes: AtomicU64,
    converting_secs: AtomicU64,
    was_told: AtomicBool,
}

/// How often it is said once more that an upload is being converted, in seconds: well within
/// `UploadState::SILENCE_SECS`, after which it would count as dead.
const CONVERTING_SECS: u64 = 15;

impl<'a> Progress<'a> {
    /// That of an upload of which `received_bytes` are there.
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
            told_bytes: AtomicU64::new(received_bytes),
            converting_secs: AtomicU64::new(0),
            was_told: AtomicBool::new(false),
        }
    }

    /// More has arrived: so many bytes by now.
    pub fn receive(&self, total_bytes: u64) {
        self.received_bytes.store(total_bytes, Ordering::Relaxed);
    }

    /// Bytes that have arrived.
    pub fn received_bytes(&self) -> u64 {
        self.received_bytes.load(Ordering::Relaxed)
    }

    /// Tells how much has arrived, where that is more than was told.
    pub async fn tell_received(&self) {
        let received = self.received_bytes();
        if self.told_bytes.swap(received, Ordering::Relaxed) != received {
            self.tell(UploadStatus::Receiving, None).await;
        }
    }

    /// Tells that objects are being made of what arrived: at once, and again from time to time. To be called each second.
    pub async fn tell_converting(&self) {
        if self.converting_secs.fetch_add(1, Ordering::Relaxed).is_multiple_of(CONVERTING_SECS) {
            self.tell(UploadStatus::Converting, None).await;
        }
    }

    /// Tells that the upload has failed for good.
    pub async fn tell_failed(&self, error: &Error) {
        self.tell(UploadStatus::Failed, Some(Refusal::from(error))).await;
    }

    /// Whether anybody was told anything.
    pub fn was_told(&self) -> bool {
        self.was_told.load(Ordering::Relaxed)
    }

    /// An event that can't be written is no reason to stop an upload.
    async fn tell(&self, status: UploadStatus, failure: Option<Refusal>) {
        let word = UploadWord {
            upload_id: self.upload,
            status,
            received_bytes: self.received_bytes(),
            size_bytes: self.size_bytes,
            failure,
        };
        self.was_told.store(true, Ordering::Relaxed);
        let event = NewEvent { kind: EventType::UploadChanged, data: json!(word) };
        match self.app.store.append_event(self.session, Timestamp::now(), &event).await {
            Ok(()) => self.app.link.announce_events(self.session),
            Err(error) => {
                tracing::info!(%error, upload = %self.upload, "the progress of an upload was not told")
            }
        }
    }
}
