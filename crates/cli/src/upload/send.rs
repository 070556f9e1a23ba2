//! The transfer of planned files: folders first, then small files in batches and large ones in pieces. How many requests at
//! once adapts to what the service takes.

mod batch;
mod large;
mod replacing;

use std::future::Future;
use std::num::NonZeroU32;
use std::sync::Arc;

use client::{Client, RequestError, Session};
use domain::Code;
use domain::id::ObjectId;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinSet;

use crate::failure::{CommandFailure, CommandResult, local_reason, words};
use crate::output::{self, Loudness};
use crate::progress::{FileProgress, Progress};
use crate::resource::Project;
use crate::upload::limiter::ConcurrencyLimiter;
use crate::upload::missing::make_folders;
use crate::upload::outcomes::{ArrivedFile, FileFailure, Outcomes};
use crate::upload::state::State;
use crate::upload::state::files::{FileKind, PlannedFile};

/// Planned files that are read from the state at once.
const PAGE: usize = 500;
/// Large files at once: each holds a piece in memory.
const LARGE_AT_ONCE: u32 = 3;
/// Replacements at once: with the batches and the pieces they stay below the uploads that the service takes of a session.
const REPLACING_AT_ONCE: u32 = 24;

/// The transfer of a run. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Transfer {
    state: Arc<State>,
    session: Session,
    reporting: Reporting,
    batches: Arc<ConcurrencyLimiter>,
    singles: Arc<ConcurrencyLimiter>,
    outcomes: Arc<Mutex<Outcomes>>,
    /// A place for each request with files that the user allows at once.
    jobs: Arc<Semaphore>,
}

/// The ways to tell of files.
#[derive(Clone)]
pub(crate) struct Reporting {
    /// The progress of the run.
    pub(crate) progress: Progress,
    /// The amount of messages.
    pub(crate) loudness: Loudness,
    /// True for lines of JSON.
    pub(crate) json: bool,
}

/// The failure to send a file.
#[derive(Debug)]
enum SendFailure {
    /// Of this file, or of all.
    Request(RequestError),
    /// Of this machine, so of all.
    Local(CommandFailure),
}

impl From<RequestError> for SendFailure {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

impl From<CommandFailure> for SendFailure {
    fn from(failure: CommandFailure) -> Self {
        Self::Local(failure)
    }
}

impl Transfer {
    pub(crate) fn new(
        state: Arc<State>,
        session: Session,
        jobs: Option<NonZeroU32>,
        reporting: Reporting,
    ) -> Self {
        let jobs = jobs.and_then(|jobs| usize::try_from(jobs.get()).ok()).unwrap_or(Semaphore::MAX_PERMITS);
        let jobs = Arc::new(Semaphore::new(jobs.min(Semaphore::MAX_PERMITS)));
        let batches = Arc::new(ConcurrencyLimiter::new(2, batch::AT_ONCE));
        let singles = Arc::new(ConcurrencyLimiter::new(4, REPLACING_AT_ONCE));
        Self { state, session, reporting, batches, singles, outcomes: Arc::default(), jobs }
    }

    /// Waits for a place among the requests that the user allows at once.
    async fn job(&self) -> Option<SemaphorePermit<'_>> {
        self.jobs.acquire().await.ok()
    }

    /// The outcomes so far, which are taken out.
    pub(crate) fn outcomes(&self) -> Outcomes {
        std::mem::take(&mut *self.outcomes.lock())
    }

    /// Sends all planned files. A failure of one file is an outcome; one of all is the error.
    pub(crate) async fn run(&self) -> CommandResult<()> {
        make_folders(self.session.client(), &self.session, &self.state).await?;
        let small = async {
            self.send_batches().await?;
            let send = async |transfer: Self, file: PlannedFile| transfer.send_replacing(&file).await;
            self.send_each(FileKind::Replacing, REPLACING_AT_ONCE, send).await
        };
        let large = async |transfer: Self, file: PlannedFile| transfer.send_large(&file).await;
        tokio::try_join!(small, self.send_each(FileKind::Large, LARGE_AT_ONCE, large))?;
        Ok(())
    }

    /// Sends the files of a kind, each by requests of its own.
    async fn send_each<F: Future<Output = CommandResult<()>> + Send + 'static>(
        &self,
        kind: FileKind,
        at_once: u32,
        send: impl Fn(Self, PlannedFile) -> F,
    ) -> CommandResult<()> {
        let mut running = JoinSet::new();
        let mut after = 0;
        loop {
            let page = self.state.pending(kind, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for file in page {
                while u32::try_from(running.len()).is_ok_and(|running| running >= at_once) {
                    finished(running.join_next().await)?;
                }
                running.spawn(send(self.clone(), file));
            }
        }
        while !running.is_empty() {
            finished(running.join_next().await)?;
        }
        Ok(())
    }

    /// Notes the end of one file that was sent by requests of its own.
    fn settle(
        &self,
        file: &PlannedFile,
        sent: CommandResult<ArrivedFile, SendFailure>,
        progress: &FileProgress,
    ) -> CommandResult<()> {
        match sent {
            Ok(stored) => self.arrived(&[(file, stored, progress)]),
            Err(SendFailure::Local(failure)) => Err(failure),
            Err(SendFailure::Request(error)) => {
                progress.clear();
                self.failed(file, error)
            }
        }
    }

    /// Notes files that have arrived, together: in the state first, so that a kill after it changes nothing.
    fn arrived(&self, files: &[(&PlannedFile, ArrivedFile, &FileProgress)]) -> CommandResult<()> {
        let owner = |arrived: &ArrivedFile| arrived.owner.as_ref().map(|object| object.id);
        let objects: Vec<(&PlannedFile, Option<ObjectId>)> =
            files.iter().map(|(file, arrived, _)| (*file, owner(arrived))).collect();
        self.state.set_sent(&objects)?;
        for (file, arrived, progress) in files {
            self.outcomes.lock().add(&file.shown, file.size, arrived);
            progress.finish();
            self.print_file(&file.shown, "sent", owner(arrived), None);
        }
        Ok(())
    }

    /// Notes a file that has failed. The error is a failure of all files.
    fn failed(&self, file: &PlannedFile, error: RequestError) -> CommandResult<()> {
        if ends_run(&error) {
            return Err(error.into());
        }
        let failure = FileFailure {
            path: file.shown.clone(),
            code: error.answer().map(|answer| answer.code_text.clone()),
            message: reason(&error),
        };
        self.print_file(&file.shown, "failed", None, Some(&failure));
        self.outcomes.lock().fail(failure);
        Ok(())
    }

    /// The object of a folder of the plan.
    fn object_of(&self, folder: i64, file: &PlannedFile) -> CommandResult<ObjectId, SendFailure> {
        let absent = || RequestError::File {
            path: file.shown.clone(),
            source: std::io::Error::other("its folder is not in the project"),
        };
        Ok(self.state.folder_object(folder)?.ok_or_else(absent)?)
    }

    /// The idempotency key of a file that is sent alone: the same for the same content in a run.
    fn key(&self, file: &PlannedFile) -> String {
        let PlannedFile { path, size, modified, attempt, .. } = file;
        let path = path.to_string_lossy();
        self.state.key(&["file", &path, &size.to_string(), &modified.to_string(), &attempt.to_string()])
    }

    fn print_file(&self, path: &str, status: &str, object: Option<ObjectId>, failure: Option<&FileFailure>) {
        let Reporting { progress, loudness, json } = &self.reporting;
        if *json {
            output::json(&serde_json::json!({
                "event": "file", "path": path, "status": status, "objectId": object,
                "code": failure.and_then(|failure| failure.code.as_ref()),
                "message": failure.map(|failure| &failure.message),
            }));
        } else if let Some(failure) = failure {
            progress.above(|| output::note(&format!("  {path}: {}", failure.message)));
        } else {
            progress.above(|| loudness.detail(&format!("  {status} {path}")));
        }
    }
}

/// Opens a session, or goes on with that of the stopped run, which has its uploads in pieces.
pub(crate) async fn session(client: &Client, project: &Project, state: &State) -> CommandResult<Session> {
    if let Some(id) = state.session()? {
        match Session::resume(client, &project.reference(), id).await {
            Ok(session) => return Ok(session),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
    }
    let session = Session::open(client, &project.reference()).await?;
    state.set_session(session.id())?;
    Ok(session)
}

fn finished(joined: Option<CommandResult<CommandResult<()>, tokio::task::JoinError>>) -> CommandResult<()> {
    match joined {
        Some(Err(error)) => Err(CommandFailure::local("finish a transfer", error)),
        Some(Ok(done)) => done,
        None => Ok(()),
    }
}

/// True for failures that every other file would meet, too.
fn ends_run(error: &RequestError) -> bool {
    let is_refused = |answer: &client::ErrorAnswer| {
        // A smaller file may still have a place.
        let is_of_file = matches!(answer.code, Some(Code::UploadInProgress | Code::LimitReached));
        matches!(answer.status, 401 | 402 | 403 | 429 | 503) && !is_of_file
    };
    error.is_network() || error.answer().is_some_and(is_refused)
}

fn reason(error: &RequestError) -> String {
    match error {
        RequestError::File { source, .. } => local_reason(source),
        RequestError::FileChanged { .. } => {
            "it changed while it was read; run the same command again once it is at rest".to_owned()
        }
        error if error.answer().is_some_and(|answer| answer.status == 412) => {
            "somebody has changed it in the project meanwhile; look at it before you replace it".to_owned()
        }
        error => words(error),
    }
}
