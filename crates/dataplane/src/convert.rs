//! What an uploaded file becomes: the step between stored bytes and objects of the tree.
//!
//! Files are read by a process of their own, which has given up every right (`sandbox`). However it ends, the upload goes
//! on: what can't be converted is kept as it is, and says why. Not here: what readers do (`import`), and how objects join
//! the tree (`attach`).

mod images;
pub mod settings;
mod worker;

use std::fs::File;

use bytes::BytesMut;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::TryStreamExt;
use import::{Draft, FailureCode, HEAD_BYTES, ImageSpan};
use sandbox::{Outcome, Output, Worker};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

pub use self::images::StoredImage;
use self::settings::ConversionSettings;
pub use self::worker::work;
use self::worker::{Received, Task};
use crate::blobs::{BlobKey, Blobs};

/// The hidden subcommand that runs a worker.
pub const WORKER: &str = "convert";

/// Largest file of the lane of small ones, in bytes.
const SMALL_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Converts files, as many at a time as the settings allow.
#[derive(Debug)]
pub struct Converter {
    settings: ConversionSettings,
    /// Files that take no time to speak of. They never wait for the others.
    small: Semaphore,
    large: Semaphore,
}

/// A file to be converted.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Where it lies.
    pub blob: BlobKey,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// What the client calls it.
    pub name: &'a Name,
    /// Its first [`HEAD_BYTES`], or all of it, where they are at hand.
    pub head: Option<&'a [u8]>,
}

/// What a file became.
#[derive(Debug)]
pub struct Converted {
    /// Its media type.
    pub media_type: String,
    /// The objects, never none, parents before children; the first owns the file.
    pub drafts: Vec<Draft>,
    /// The images of those drafts that own one, in their order.
    pub images: Vec<StoredImage>,
}

impl Converter {
    /// A converter with these settings.
    pub fn new(settings: ConversionSettings) -> Self {
        let lane = || Semaphore::new(settings.conversions_at_once.into());
        Self { settings, small: lane(), large: lane() }
    }

    /// Says in the log whether conversions are confined on this machine, by making one.
    pub async fn check(&self) {
        if self.settings.conversion_unprotected {
            tracing::warn!(
                "ATELIER_CONVERSION_UNPROTECTED is set: files are converted even where nothing confines that"
            );
        }
        let tried = async {
            let name = Name::parse("name", "check.txt")?;
            let nothing = tokio::fs::File::open("/dev/null").await.map_err(Error::internal)?;
            self.run(&name, nothing.into_std().await).await
        };
        match tried.await {
            Ok(Outcome::Finished(_)) => tracing::info!("conversions run in confined processes"),
            Ok(Outcome::Unprotected(reason)) => {
                tracing::error!(
                    reason,
                    "files are kept unconverted: this kernel can't confine what converts them"
                );
            }
            Ok(other) => {
                tracing::error!(outcome = ?other, "files are kept unconverted: converting none has failed")
            }
            Err(error) => {
                tracing::error!(%error, cause = ?std::error::Error::source(&error), "files can't be converted")
            }
        }
    }

    /// Converts a file, and stores the images that come of it. `now` is when the upload's request began.
    ///
    /// # Errors
    /// `UNAVAILABLE` where the object store is.
    pub async fn convert(&self, blobs: &Blobs, source: Source<'_>, now: Timestamp) -> Result<Converted> {
        let read;
        let head = match source.head {
            Some(head) => head,
            None => {
                read = head(blobs, source).await?;
                &read
            }
        };
        let Received { conversion, images } = match import::convert_unread(source.name, head) {
            Some(conversion) => Received { conversion, images: None },
            None => {
                let converted = match self.turn(source, head).await {
                    Some(_turn) => self.confined(blobs, source).await?,
                    None => Err(FailureCode::ConversionBusy),
                };
                let unconverted = |code| import::unconverted(source.name, code);
                converted.unwrap_or_else(|code| Received { conversion: unconverted(code), images: None })
            }
        };
        let (media_type, drafts) = conversion.into_parts();
        let spans: Vec<ImageSpan> = drafts.iter().filter_map(|draft| draft.image).collect();
        let images = match images {
            Some(file) => images::store(blobs, source.blob.project, now, file, spans).await?,
            None => Vec::new(),
        };
        Ok(Converted { media_type, drafts, images })
    }

    /// A file's turn; `None` where it doesn't come in time.
    async fn turn(&self, source: Source<'_>, head: &[u8]) -> Option<SemaphorePermit<'_>> {
        let is_small = source.size_bytes <= SMALL_MAX_BYTES && !import::is_rendered(source.name, head);
        let lane = if is_small { &self.small } else { &self.large };
        timeout(self.settings.wait(), lane.acquire()).await.ok()?.ok()
    }

    /// What a confined process makes of a file, or why nothing came of it.
    async fn confined(&self, blobs: &Blobs, source: Source<'_>) -> Result<Result<Received, FailureCode>> {
        let input = blobs.open(source.blob, source.size_bytes).await?;
        let ended = match self.run(source.name, input).await {
            Ok(ended) => ended,
            Err(error) => {
                tracing::error!(%error, cause = ?std::error::Error::source(&error), "a conversion can't be started");
                return Ok(Err(FailureCode::ConversionUnavailable));
            }
        };
        let (code, cause) = match ended {
            Outcome::Finished(Ok(received)) => return Ok(Ok(received)),
            Outcome::Finished(Err(error)) => (FailureCode::ConversionCrashed, error.to_string()),
            Outcome::TimedOut => (FailureCode::ConversionTimedOut, String::new()),
            Outcome::OutOfMemory => (FailureCode::ConversionOutOfMemory, String::new()),
            Outcome::OutputTooLarge => (FailureCode::ConversionTooLarge, String::new()),
            Outcome::Crashed(crash) => (FailureCode::ConversionCrashed, crash.to_string()),
            Outcome::Unprotected(reason) => (FailureCode::ConversionUnavailable, reason),
        };
        tracing::warn!(blob = %source.blob, %code, cause, "a file was not converted");
        Ok(Err(code))
    }

    async fn run(&self, name: &Name, input: File) -> Result<Outcome<std::io::Result<Received>>> {
        let task = Task { name: name.clone(), settings: self.settings.of_readers() };
        let worker = Worker {
            program: Worker::own_program(),
            arguments: vec![WORKER.into()],
            task: serde_json::to_string(&task).map_err(Error::internal)?,
            limits: self.settings.limits(),
            protection: self.settings.protection(),
            becomes: None,
        };
        worker.run(input, async |output: &mut Output| worker::receive(output).await).await
    }
}

/// The beginning of a file.
async fn head(blobs: &Blobs, source: Source<'_>) -> Result<BytesMut> {
    let bytes = blobs.read(source.blob, 0..source.size_bytes.min(HEAD_BYTES)).await?;
    bytes
        .try_fold(BytesMut::new(), async |mut head, bytes| {
            head.extend_from_slice(&bytes);
            Ok(head)
        })
        .await
}
