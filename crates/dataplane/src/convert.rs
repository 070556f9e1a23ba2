//! Conversion of a stored file into draft objects of the tree.
//!
//! A confined worker process (`sandbox`) reads the file. The upload continues however the worker ends: a file that can't
//! be converted is stored unchanged with the reason. `import` holds the readers, `attach` adds the objects to the tree.

mod images;
pub mod settings;
mod worker;

use std::fs::File;

use bytes::BytesMut;
use domain::id::UserId;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::TryStreamExt;
use import::{ConversionFailureCode, DraftObject, HEAD_BYTES, ImageSpan};
use sandbox::{Output, Permit, Turns, Worker, WorkerEnd};
use tokio::time::timeout;

pub use self::images::StoredImage;
use self::settings::ConversionSettings;
pub use self::worker::work;
use self::worker::{ConversionTask, WorkerOutput};
use crate::blobs::{BlobKey, Blobs};

/// The hidden subcommand of this program that runs a worker.
pub const WORKER: &str = "convert";

/// Largest file that counts as small, in bytes.
const SMALL_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Converts files, with bounded concurrency for small and for large files.
#[derive(Debug)]
pub struct Converter {
    settings: ConversionSettings,
    /// Permits for small files, which never wait for large ones.
    small: Turns,
    large: Turns,
}

/// A stored file to convert.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its bytes.
    pub blob: BlobKey,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// The user who uploaded it.
    pub user: UserId,
    /// The client's name for it.
    pub name: &'a Name,
    /// Its first [`HEAD_BYTES`], or all of it, if they are in memory.
    pub head: Option<&'a [u8]>,
}

/// The result of a conversion.
#[derive(Debug)]
pub struct ConversionResult {
    /// The file's media type.
    pub media_type: String,
    /// The objects: at least one, parents before children; the first owns the file.
    pub drafts: Vec<DraftObject>,
    /// The images of the drafts that own one, in order of the drafts.
    pub images: Vec<StoredImage>,
    /// True if it found no place in time. The drafts then say that it is pending.
    pub is_deferred: bool,
}

impl ConversionResult {
    /// The result for a file that is not converted, for this reason.
    pub fn unconverted(name: &Name, code: ConversionFailureCode) -> Self {
        let (media_type, drafts) = import::unconverted(name, code).into_parts();
        let is_deferred = code == ConversionFailureCode::ConversionBusy;
        Self { media_type, drafts, images: Vec::new(), is_deferred }
    }
}

impl Converter {
    /// A converter with these settings.
    pub fn new(settings: ConversionSettings) -> Self {
        let permits = || Turns::new(settings.conversions_at_once.into());
        Self { settings, small: permits(), large: permits() }
    }

    /// Most concurrent conversions of each size.
    pub fn at_once(&self) -> u16 {
        self.settings.conversions_at_once
    }

    /// Runs one conversion and logs whether this machine can confine it.
    pub async fn check(&self) {
        if self.settings.conversion_unprotected {
            tracing::warn!(
                "ATELIER_CONVERSION_UNPROTECTED is set: files are converted without confinement if the kernel lacks it"
            );
        }
        let tried = async {
            let name = Name::parse("name", "check.txt")?;
            let nothing = tokio::fs::File::open("/dev/null").await.map_err(Error::internal)?;
            self.run(&name, nothing.into_std().await).await
        };
        match tried.await {
            Ok(WorkerEnd::Finished(_)) => tracing::info!("conversions run in confined processes"),
            Ok(WorkerEnd::Unprotected(reason)) => {
                tracing::error!(
                    reason,
                    "files are kept unconverted: this kernel can't confine the converter"
                );
            }
            Ok(other) => {
                tracing::error!(outcome = ?other, "files are kept unconverted: the trial conversion failed")
            }
            Err(error) => {
                tracing::error!(%error, cause = ?std::error::Error::source(&error), "files can't be converted")
            }
        }
    }

    /// Converts a file and stores the resulting images. `now` is the start of the upload's request.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the object store is.
    pub async fn convert(
        &self,
        blobs: &Blobs,
        source: Source<'_>,
        now: Timestamp,
    ) -> Result<ConversionResult> {
        let read;
        let head = match source.head {
            Some(head) => head,
            None => {
                read = read_head(blobs, source.blob, source.size_bytes).await?;
                &read
            }
        };
        let converted = match import::convert_unread(source.name, head) {
            Some(conversion) => Ok(WorkerOutput { conversion, images: None }),
            None => match self.acquire(source, head).await {
                Some(_turn) => self.run_confined(blobs, source).await?,
                None => Err(ConversionFailureCode::ConversionBusy),
            },
        };
        let WorkerOutput { conversion, images } = match converted {
            Ok(output) => output,
            Err(code) => return Ok(ConversionResult::unconverted(source.name, code)),
        };
        let (media_type, drafts) = conversion.into_parts();
        let spans: Vec<ImageSpan> = drafts.iter().filter_map(|draft| draft.image).collect();
        let images = match images {
            Some(file) => images::store(blobs, source.blob.project, now, file, spans).await?,
            None => Vec::new(),
        };
        Ok(ConversionResult { media_type, drafts, images, is_deferred: false })
    }

    /// Waits for a permit; `None` after the configured wait.
    async fn acquire(&self, source: Source<'_>, head: &[u8]) -> Option<Permit> {
        let is_small = source.size_bytes <= SMALL_MAX_BYTES && !import::is_rendered(source.name, head);
        let turns = if is_small { &self.small } else { &self.large };
        timeout(self.settings.wait(), turns.acquire(source.user, source.blob.project)).await.ok()
    }

    /// Converts a file in a confined process; the inner error is the reason for keeping it unconverted.
    async fn run_confined(
        &self,
        blobs: &Blobs,
        source: Source<'_>,
    ) -> Result<Result<WorkerOutput, ConversionFailureCode>> {
        let input = blobs.open(source.blob, source.size_bytes).await?;
        let ended = match self.run(source.name, input).await {
            Ok(ended) => ended,
            Err(error) => {
                tracing::error!(%error, cause = ?std::error::Error::source(&error), "conversion not started");
                return Ok(Err(ConversionFailureCode::ConversionUnavailable));
            }
        };
        let (code, cause) = match ended {
            WorkerEnd::Finished(Ok(received)) => return Ok(Ok(received)),
            WorkerEnd::Finished(Err(error)) => (ConversionFailureCode::ConversionCrashed, error.to_string()),
            WorkerEnd::TimedOut => (ConversionFailureCode::ConversionTimedOut, String::new()),
            WorkerEnd::OutOfMemory => (ConversionFailureCode::ConversionOutOfMemory, String::new()),
            WorkerEnd::OutputTooLarge => (ConversionFailureCode::ConversionTooLarge, String::new()),
            WorkerEnd::Crashed(crash) => (ConversionFailureCode::ConversionCrashed, crash.to_string()),
            WorkerEnd::Unprotected(reason) => (ConversionFailureCode::ConversionUnavailable, reason),
        };
        tracing::warn!(blob = %source.blob, %code, cause, "file not converted");
        Ok(Err(code))
    }

    async fn run(&self, name: &Name, input: File) -> Result<WorkerEnd<std::io::Result<WorkerOutput>>> {
        let task = ConversionTask { name: name.clone(), settings: self.settings.of_readers() };
        let worker = Worker {
            program: Worker::own_program(),
            arguments: vec![WORKER.into()],
            task: serde_json::to_string(&task).map_err(Error::internal)?,
            limits: self.settings.limits(),
            protection: self.settings.protection(),
            foreign: None,
        };
        worker.run(input, async |output: &mut Output| worker::receive(output).await).await
    }
}

/// Reads the first [`HEAD_BYTES`] of a file.
///
/// # Errors
/// As [`Blobs::read`].
pub(crate) async fn read_head(blobs: &Blobs, blob: BlobKey, size_bytes: u64) -> Result<BytesMut> {
    let bytes = blobs.read(blob, 0..size_bytes.min(HEAD_BYTES)).await?;
    bytes
        .try_fold(BytesMut::new(), async |mut head, bytes| {
            head.extend_from_slice(&bytes);
            Ok(head)
        })
        .await
}
