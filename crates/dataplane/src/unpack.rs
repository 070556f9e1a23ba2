//! Unpacking of a stored archive by a confined worker process (`sandbox`), whose items become files of a request.
//!
//! `import::archive` reads the archive in the worker. Nothing from it is trusted: paths are checked as those of a form, and
//! each file is stored and attached on this side. Items come in a stream, as fast as files are completed.

mod items;

use std::fs::File;
use std::time::Duration;

use domain::id::UserId;
use domain::{Code, Error, Result};
use import::archive::{ArchiveFault, ENTRIES_MAX, UNPACKED_MAX_BYTES};
use sandbox::{Limits, Output, Turns, Worker, WorkerEnd};
use serde_json::json;
use tokio::time::timeout;

pub use self::items::{UnpackedItem, work};
use crate::blobs::{BlobKey, Blobs};
use crate::convert::settings::ConversionSettings;

/// The hidden subcommand of this program that runs a worker.
pub const WORKER: &str = "unpack";

/// Longest time of a worker, and so of an archive: it waits while files are converted and attached, and then takes no
/// processor time. What is complete by then stays.
const TIME: Duration = Duration::from_secs(10 * 60);
/// Output beside the bytes of files: a path of up to 64 KiB for each entry, and the frames.
const FRAMES_BYTES: u64 = 1024 * 1024 * 1024;

/// Unpacks archives, a limited number at a time.
#[derive(Debug)]
pub struct Unpacker {
    settings: ConversionSettings,
    turns: Turns,
}

/// A stored archive.
#[derive(Clone, Copy, Debug)]
pub struct StoredArchive {
    /// Its bytes.
    pub blob: BlobKey,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// The user who sent it.
    pub user: UserId,
}

impl Unpacker {
    /// An unpacker with the limits of conversions.
    pub fn new(settings: ConversionSettings) -> Self {
        Self { settings, turns: Turns::new(settings.conversions_at_once.into()) }
    }

    /// Passes the items of an archive to `take`, which is called again when it has returned.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` if it is no archive, is damaged, or takes too long; `PAYLOAD_TOO_LARGE` if it exceeds a limit;
    /// `UNAVAILABLE` without a place in time, or if the kernel can't confine the worker; a failure of `take`.
    pub async fn unpack(
        &self,
        blobs: &Blobs,
        archive: StoredArchive,
        mut take: impl AsyncFnMut(UnpackedItem) -> Result<()>,
    ) -> Result<()> {
        let turn = self.turns.acquire(archive.user, archive.blob.project);
        let _turn = timeout(self.settings.wait(), turn)
            .await
            .map_err(|_| Error::overloaded("Too many archives are being unpacked. Try again later.", 10))?;
        let input = blobs.open(archive.blob, archive.size_bytes).await?;
        let ended = self.run(input, &mut take).await?;
        let cause = match ended {
            WorkerEnd::Finished(Ok(None)) => return Ok(()),
            WorkerEnd::Finished(Ok(Some(fault))) => return Err(refusal(fault)),
            WorkerEnd::Finished(Err(error)) => return Err(error),
            WorkerEnd::Unprotected(reason) => return Err(Error::unavailable(reason)),
            WorkerEnd::OutputTooLarge => return Err(refusal(ArchiveFault::TooLarge)),
            WorkerEnd::TimedOut => "it took too long".to_owned(),
            WorkerEnd::OutOfMemory => "it took too much memory".to_owned(),
            WorkerEnd::Crashed(crash) => crash.to_string(),
        };
        tracing::warn!(blob = %archive.blob, cause, "archive not unpacked");
        Err(Error::new(
            Code::InvalidUpload,
            "The archive could not be unpacked with the allowed time and memory.",
        ))
    }

    async fn run(
        &self,
        input: File,
        take: &mut impl AsyncFnMut(UnpackedItem) -> Result<()>,
    ) -> Result<WorkerEnd<Result<Option<ArchiveFault>>>> {
        let limits = Limits {
            time: TIME,
            output_bytes: UNPACKED_MAX_BYTES.saturating_add(FRAMES_BYTES),
            ..self.settings.limits()
        };
        let worker = Worker {
            program: Worker::own_program(),
            arguments: vec![WORKER.into()],
            task: String::new(),
            limits,
            protection: self.settings.protection(),
            foreign: None,
        };
        worker.run(input, async |output: &mut Output| items::receive(output, take).await).await
    }
}

fn refusal(fault: ArchiveFault) -> Error {
    let code = if fault.is_limit() { Code::PayloadTooLarge } else { Code::InvalidUpload };
    let error = Error::new(code, fault.message());
    match fault {
        ArchiveFault::TooManyEntries => error.with_details(json!({ "limit": ENTRIES_MAX })),
        ArchiveFault::TooLarge => error.with_details(json!({ "limitBytes": UNPACKED_MAX_BYTES })),
        _ => error,
    }
}
