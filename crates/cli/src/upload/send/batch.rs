//! Small files, several in one request. A refused file is a failure of its own.
//!
//! The service leaves out a file that its folder has already: another run, here or elsewhere, may be sending the same one, or
//! a run that was killed has left it on its way. Of files that were named twice each is attached, once by its key.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use client::{BatchFile, FileBatch, Once, Repeat, RequestError, RequestResult, StoredFile};
use domain::Code;
use tokio::task::JoinSet;

use super::{PAGE, SendFailure, Transfer, ends_run, finished};
use crate::failure::{CommandFailure, CommandResult};
use crate::progress::FileProgress;
use crate::upload::local::modified;
use crate::upload::state::files::{FileKind, PlannedFile};

/// Requests at once. Each takes half of the session's places, and leaves some for pieces.
pub(super) const AT_ONCE: u32 = 3;
/// Most files of a request.
const FILES_MAX: usize = 256;
/// Bytes of a request, which are in memory. One larger file goes alone.
const BATCH_BYTES: u64 = 4 * 1024 * 1024;
/// Most requests for a file that the service is too busy for.
const TRIES_MAX: u32 = 5;
/// The pause before the second of them.
const PAUSE: Duration = Duration::from_millis(500);

/// Files of one request. They have one anchor.
#[derive(Debug, Default)]
struct Batch {
    files: Vec<PlannedFile>,
    bytes: u64,
}

/// A file whose bytes are in memory.
struct ReadFile {
    file: PlannedFile,
    bytes: Bytes,
    progress: FileProgress,
    tries: u32,
}

impl Batch {
    /// True if the file can come along.
    fn takes(&self, file: &PlannedFile) -> bool {
        let Some(first) = self.files.first() else { return true };
        let has_room = self.files.len() < FILES_MAX && self.bytes + file.size <= BATCH_BYTES;
        // A request has each path once, and a key has it once.
        first.anchor == file.anchor && has_room && !first.is_copy && !file.is_copy
    }

    fn add(&mut self, file: PlannedFile) {
        self.bytes += file.size;
        self.files.push(file);
    }
}

impl Transfer {
    /// Sends all new small files.
    pub(super) async fn send_batches(&self) -> CommandResult<()> {
        let mut running = JoinSet::new();
        let mut batch = Batch::default();
        let mut after = 0;
        loop {
            let page = self.state.pending(FileKind::Small, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for file in page {
                if !batch.takes(&file) {
                    self.start(std::mem::take(&mut batch), &mut running).await?;
                }
                batch.add(file);
            }
        }
        self.start(batch, &mut running).await?;
        while !running.is_empty() {
            finished(running.join_next().await)?;
        }
        Ok(())
    }

    async fn start(&self, batch: Batch, running: &mut JoinSet<CommandResult<()>>) -> CommandResult<()> {
        while u32::try_from(running.len()).is_ok_and(|running| running >= AT_ONCE) {
            finished(running.join_next().await)?;
        }
        let transfer = self.clone();
        running.spawn(async move { transfer.send_batch(batch.files).await });
        Ok(())
    }

    async fn send_batch(&self, files: Vec<PlannedFile>) -> CommandResult<()> {
        let _job = self.job().await;
        let permit = self.batches.permit().await;
        let pressure = self.session.client().backpressure();
        let mut waiting = vec![self.read(files).await?];
        while let Some(part) = waiting.pop() {
            waiting.extend(self.send_part(part).await?);
        }
        // A request's time depends on its files.
        permit.report(self.session.client().backpressure() > pressure, false);
        Ok(())
    }

    /// Reads files into memory. Those that can't be read, or have changed, fail.
    async fn read(&self, files: Vec<PlannedFile>) -> CommandResult<Vec<ReadFile>> {
        let read = move || files.into_iter().map(|file| (read(&file), file)).collect::<Vec<_>>();
        let read = tokio::task::spawn_blocking(read).await;
        let mut whole = Vec::new();
        for (bytes, file) in read.map_err(|error| CommandFailure::local("read files", error))? {
            match bytes {
                Ok(bytes) => {
                    let progress = self.reporting.progress.file(&file.name, file.size);
                    whole.push(ReadFile { file, bytes, progress, tries: 0 });
                }
                Err(error) => self.failed(&file, error)?,
            }
        }
        Ok(whole)
    }

    /// Sends files by one request. Answers those that are to be sent again, by one request or two smaller ones.
    async fn send_part(&self, mut part: Vec<ReadFile>) -> CommandResult<Vec<Vec<ReadFile>>> {
        match self.request(&part).await {
            Ok(answered) => self.settle_part(part, answered).await,
            Err(SendFailure::Local(failure)) => Err(failure),
            Err(SendFailure::Request(error)) if part.len() > 1 && may_be_split(&error) => {
                let second = part.split_off(part.len() / 2);
                Ok(vec![second, part])
            }
            Err(SendFailure::Request(error)) => match part.as_slice() {
                [only] => {
                    only.progress.clear();
                    self.failed(&only.file, error).map(|()| Vec::new())
                }
                _ => Err(error.into()),
            },
        }
    }

    async fn request(&self, part: &[ReadFile]) -> CommandResult<Vec<RequestResult<StoredFile>>, SendFailure> {
        let Some(ReadFile { file: first, .. }) = part.first() else { return Ok(Vec::new()) };
        let parent = self.object_of(first.anchor, first)?;
        let key = self.state.key(&["copy", &first.path.to_string_lossy(), &first.attempt.to_string()]);
        let once = if first.is_copy { Once::ByKey(&key) } else { Once::ByContent };
        let file = |read: &ReadFile| BatchFile {
            path: read.file.place.clone(),
            bytes: read.bytes.clone(),
            sink: read.progress.clone(),
        };
        let files: Vec<BatchFile<FileProgress>> = part.iter().map(file).collect();
        // Where a broken connection is an error at once, half of the files may get through.
        let repeat = if files.len() > 1 { Repeat::Unsafe } else { Repeat::Safe };
        Ok(self.session.upload_files(&FileBatch { parent, files: &files, once, repeat }).await?)
    }

    async fn settle_part(
        &self,
        part: Vec<ReadFile>,
        answered: Vec<RequestResult<StoredFile>>,
    ) -> CommandResult<Vec<Vec<ReadFile>>> {
        let (mut arrived, mut failed, mut again) = (Vec::new(), Vec::new(), Vec::new());
        for (read, answer) in part.iter().zip(answered) {
            match answer {
                Ok(stored) => arrived.push((&read.file, stored.into(), &read.progress)),
                Err(error) if is_passing(&error) && read.tries < TRIES_MAX => again.push(read.file.id),
                Err(error) => failed.push((read, error)),
            }
        }
        // Before a failure of all ends the run.
        self.arrived(&arrived)?;
        for (read, error) in failed {
            read.progress.clear();
            self.failed(&read.file, error)?;
        }
        if again.is_empty() {
            return Ok(Vec::new());
        }
        let is_again = |read: &ReadFile| again.contains(&read.file.id);
        let mut rest: Vec<ReadFile> = part.into_iter().filter(is_again).collect();
        rest.iter_mut().for_each(|read| read.tries += 1);
        tokio::time::sleep(rest.first().map_or(PAUSE, |read| PAUSE * read.tries)).await;
        Ok(vec![rest])
    }
}

/// Reads a file that is as it was planned, before and after.
fn read(planned: &PlannedFile) -> RequestResult<Bytes> {
    let failed = |error| RequestError::file(&planned.path, error);
    let changed = || RequestError::FileChanged { path: planned.path.display().to_string() };
    let mut file = File::open(&planned.path).map_err(failed)?;
    let confirm = |file: &File| {
        let looked = file.metadata().map_err(failed)?;
        let is_same = (looked.len(), modified(&looked)) == (planned.size, planned.modified);
        if is_same { Ok(()) } else { Err(changed()) }
    };
    confirm(&file)?;
    let mut bytes = Vec::with_capacity(usize::try_from(planned.size).unwrap_or_default());
    file.by_ref().take(planned.size + 1).read_to_end(&mut bytes).map_err(failed)?;
    confirm(&file)?;
    if u64::try_from(bytes.len()).ok() == Some(planned.size) { Ok(bytes.into()) } else { Err(changed()) }
}

/// True if fewer files may get through after a request has failed: it was cut, or one of them may be the reason.
fn may_be_split(error: &RequestError) -> bool {
    let is_unknown = error.answer().is_some_and(client::ErrorAnswer::is_outcome_unknown);
    matches!(error, RequestError::Interrupted { .. }) || is_unknown || !ends_run(error)
}

/// True if the service was too busy for a file.
fn is_passing(error: &RequestError) -> bool {
    matches!(error.code(), Some(Code::Unavailable | Code::RateLimited | Code::UploadInProgress))
}
