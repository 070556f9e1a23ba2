//! The transfer of planned files: folders first, then small files in parallel and large ones in pieces. How many at once
//! adapts to what the service takes.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use api::objects::{BatchObjectsRequest, BatchObjectsResponse, ObjectOperation};
use client::{Client, FileBody, FileState, FileUpload, Session};
use domain::Code;
use domain::edit::ObjectType;
use domain::id::ObjectId;
use domain::text::Name;
use domain::upload::{ObjectMap, UploadedObject};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::failure::{CommandFailure, CommandResult};
use crate::output;
use crate::progress::{FileProgress, Progress};
use crate::resource::Project;
use crate::upload::limiter::Limiter;
use crate::upload::plan::FileFailure;
use crate::upload::state::{PlannedFile, State};

/// Size from which on a file goes in pieces, in bytes.
const LARGE_BYTES: u64 = 8 * 1024 * 1024;
/// Large files at once: each holds a piece in memory.
const LARGE_AT_ONCE: usize = 3;
/// Planned files that are read from the state at once.
const PAGE: usize = 500;
/// Folders of one request.
const FOLDERS_PER_REQUEST: usize = 2_000;
/// Outcomes that are listed; the others are counted.
const LISTED_MAX: usize = 10_000;

/// The outcomes of the files.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// Files that have arrived.
    pub(crate) sent: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Number of assemblies and parts, of documents and of pages that conversions made.
    pub(crate) converted: Converted,
    /// Files that are converted later.
    pub(crate) pending: u64,
    /// Files that were kept as they are, with the reason.
    pub(crate) unconverted: Vec<FileFailure>,
    /// Files that failed.
    pub(crate) failed: Vec<FileFailure>,
    /// Number of all that failed.
    pub(crate) failed_count: u64,
}

/// Objects that conversions made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Converted {
    pub(crate) assemblies: u64,
    pub(crate) parts: u64,
    pub(crate) documents: u64,
    pub(crate) pages: u64,
}

/// The transfer of a run. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Transfer {
    state: Arc<State>,
    session: Session,
    progress: Progress,
    limiter: Arc<Limiter>,
    large: Arc<Semaphore>,
    outcomes: Arc<Mutex<Outcomes>>,
    json: bool,
}

impl Transfer {
    pub(crate) fn new(state: Arc<State>, session: Session, progress: Progress, json: bool) -> Self {
        let (limiter, large) = (Arc::new(Limiter::new()), Arc::new(Semaphore::new(LARGE_AT_ONCE)));
        Self { state, session, progress, limiter, large, outcomes: Arc::default(), json }
    }

    /// The outcomes so far, which are taken out.
    pub(crate) fn outcomes(&self) -> Outcomes {
        std::mem::take(&mut *self.outcomes.lock())
    }

    /// Sends all planned files. A failure of one file is an outcome; one of all is the error.
    pub(crate) async fn run(&self) -> CommandResult<()> {
        make_folders(self.session.client(), &self.session, &self.state).await?;
        tokio::try_join!(self.send_all(0..LARGE_BYTES), self.send_all(LARGE_BYTES..u64::MAX))?;
        Ok(())
    }

    async fn send_all(&self, sizes: std::ops::Range<u64>) -> CommandResult<()> {
        let is_large = sizes.start > 0;
        let mut running: JoinSet<CommandResult<()>> = JoinSet::new();
        // More would only wait for a permit.
        let most = if is_large { LARGE_AT_ONCE } else { 64 };
        let mut after = 0;
        loop {
            let page = self.state.pending(after, sizes.clone(), PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for file in page {
                while running.len() >= most {
                    finished(running.join_next().await)?;
                }
                let transfer = self.clone();
                running.spawn(async move { transfer.send(&file, is_large).await });
            }
        }
        while !running.is_empty() {
            finished(running.join_next().await)?;
        }
        Ok(())
    }

    async fn send(&self, file: &PlannedFile, is_large: bool) -> CommandResult<()> {
        let large = if is_large { self.large.acquire().await.ok() } else { None };
        let permit = self.limiter.permit().await;
        let pressure = self.session.client().backpressure();
        let progress = self.progress.file(&file.name, file.size);
        let sent = if is_large {
            self.send_large(file, &progress).await
        } else {
            self.send_small(file, &progress).await
        };
        // A large file's time says nothing of the service's.
        permit.report(self.session.client().backpressure() > pressure, !is_large);
        drop((permit, large));
        match sent {
            Ok(stored) => {
                let object = owner(&stored);
                let id = object.map(|object| object.id);
                self.state.set_sent(file, id.unwrap_or_else(|| ObjectId(uuid::Uuid::nil())))?;
                self.outcomes.lock().add(file, &stored);
                progress.finish();
                self.print_file(&file.shown, "sent", id, None);
                Ok(())
            }
            Err(error) if ends_run(&error) => {
                progress.clear();
                Err(error.into())
            }
            Err(error) => {
                progress.clear();
                let failure = FileFailure {
                    path: file.shown.clone(),
                    code: error.answer().map(|answer| answer.code_text.clone()),
                    message: reason(&error),
                };
                self.print_file(&file.shown, "failed", None, Some(&failure));
                self.outcomes.lock().fail(failure);
                Ok(())
            }
        }
    }

    async fn send_small(
        &self,
        file: &PlannedFile,
        progress: &FileProgress,
    ) -> client::RequestResult<ObjectMap> {
        let state = local_state(file);
        state.confirm().await?;
        let new =
            FileUpload { name: file.name.clone(), body: FileBody::Path(state), key: Some(self.key(file)) };
        self.session.upload(self.parent(file)?, &new, progress).await
    }

    /// Sends a file in pieces, from where an earlier run has stopped.
    async fn send_large(
        &self,
        file: &PlannedFile,
        progress: &FileProgress,
    ) -> client::RequestResult<ObjectMap> {
        let state = local_state(file);
        state.confirm().await?;
        let kept = self.state.pieces(file).ok().flatten();
        if let Some(location) = &kept {
            let pieces = self.session.pieces(location, &file.name).await?;
            match pieces.send(&state, progress).await {
                // It has expired, or its session has ended.
                Err(error) if error.is_not_found() => drop(self.state.remove_pieces(file)),
                sent => return sent,
            }
        }
        let key = if kept.is_some() { uuid::Uuid::new_v4().to_string() } else { self.key(file) };
        let parent = self.parent(file)?;
        let pieces = self.session.begin_pieces(parent, &file.name, file.size, &key).await?;
        drop(self.state.set_pieces(file, pieces.location()));
        let sent = pieces.send(&state, progress).await;
        if matches!(sent, Err(client::RequestError::FileChanged { .. })) {
            drop(self.state.remove_pieces(file));
            pieces.cancel().await?;
        }
        sent
    }

    fn parent(&self, file: &PlannedFile) -> client::RequestResult<ObjectId> {
        let parent = self.state.folder_object(file.folder).ok().flatten();
        parent.ok_or_else(|| client::RequestError::File {
            path: file.shown.clone(),
            source: std::io::Error::other("its folder is not in the project"),
        })
    }

    /// The same for the same file of the same run, so that nothing arrives twice.
    fn key(&self, file: &PlannedFile) -> String {
        let PlannedFile { path, size, modified, attempt, .. } = file;
        let path = path.to_string_lossy();
        self.state.key(&["file", &path, &size.to_string(), &modified.to_string(), &attempt.to_string()])
    }

    fn print_file(&self, path: &str, status: &str, object: Option<ObjectId>, failure: Option<&FileFailure>) {
        if self.json {
            output::json(&serde_json::json!({
                "event": "file", "path": path, "status": status, "objectId": object,
                "code": failure.and_then(|failure| failure.code.as_ref()),
                "message": failure.map(|failure| &failure.message),
            }));
        } else if let Some(failure) = failure {
            self.progress.note(&format!("  {path}: {}", failure.message));
        }
    }
}

/// The object that owns the file.
fn owner(stored: &ObjectMap) -> Option<&UploadedObject> {
    let is_root = |object: &&UploadedObject| !stored.object.contains_key(&object.parent);
    stored.object.values().find(is_root)
}

/// Makes the folders that the project lacks, parents first, many in one request.
async fn make_folders(client: &Client, session: &Session, state: &State) -> CommandResult<()> {
    let folder_type = || {
        ObjectType::parse("Folder").map_err(|rule| CommandFailure::local("name the type of folders", rule))
    };
    loop {
        let missing = state.missing_folders(FOLDERS_PER_REQUEST)?;
        if missing.is_empty() {
            return Ok(());
        }
        let mut operations = Vec::new();
        let mut names = vec!["folders".to_owned()];
        for (number, parent, name) in &missing {
            let parent = match state.folder_object(*parent)? {
                Some(object) => object.to_string(),
                None => format!("#f{parent}"),
            };
            names.push(format!("{parent}/{name}"));
            operations.push(ObjectOperation::Create {
                reference: Some(format!("f{number}")),
                name: Name::sanitize(name).ok_or_else(|| CommandFailure::local("name a folder", name))?,
                object_type: folder_type()?,
                parent: Some(parent),
                data: serde_json::Map::new(),
            });
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let request = BatchObjectsRequest { operations };
        let made = make_once(client, session, &request, |attempt| {
            state.key(&[names.as_slice(), &[attempt]].concat())
        });
        let made = made.await?;
        state.together(|| {
            for ((number, ..), result) in missing.iter().zip(&made.results) {
                state.set_folder_object(*number, result.id)?;
            }
            Ok(())
        })?;
    }
}

/// Makes folders once for a key. Those that a stopped run has made and somebody has deleted since are made again.
async fn make_once(
    client: &Client,
    session: &Session,
    request: &BatchObjectsRequest,
    key: impl Fn(&str) -> String,
) -> CommandResult<BatchObjectsResponse> {
    let mut attempt = 0_u32;
    loop {
        let call =
            client.batch_objects(session.project(), request).idempotency_key(&key(&attempt.to_string()));
        let answer = call.send().await?;
        let first = answer.value.results.first().filter(|_| answer.is_replayed);
        let Some(first) = first else { return Ok(answer.value) };
        match client.get_object(session.project(), &first.id).await {
            Err(error) if error.is_not_found() => attempt += 1,
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(answer.value),
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

fn local_state(file: &PlannedFile) -> FileState {
    let since = u64::try_from(file.modified).ok().filter(|nanos| *nanos > 0).map(Duration::from_nanos);
    FileState {
        path: file.path.clone(),
        size_bytes: file.size,
        modified: since.map(|since| UNIX_EPOCH + since),
    }
}

fn finished(joined: Option<CommandResult<CommandResult<()>, tokio::task::JoinError>>) -> CommandResult<()> {
    match joined {
        Some(Err(error)) => Err(CommandFailure::local("finish a transfer", error)),
        Some(Ok(done)) => done,
        None => Ok(()),
    }
}

/// True for failures that every other file would meet, too.
fn ends_run(error: &client::RequestError) -> bool {
    let is_refused = |answer: &client::ErrorAnswer| {
        matches!(answer.status, 401 | 402 | 403 | 429 | 503) && answer.code != Some(Code::UploadInProgress)
    };
    error.is_network() || error.answer().is_some_and(is_refused)
}

fn reason(error: &client::RequestError) -> String {
    match error {
        client::RequestError::File { source, .. } => crate::upload::plan::local_reason(source),
        client::RequestError::FileChanged { .. } => {
            "it changed while it was read; run the same command again once it is at rest".to_owned()
        }
        error => error.to_string(),
    }
}

impl Outcomes {
    fn add(&mut self, file: &PlannedFile, stored: &ObjectMap) {
        self.sent += 1;
        self.bytes += file.size;
        for object in stored.object.values() {
            match object.object_type.as_str() {
                "Assembly" => self.converted.assemblies += 1,
                "Part" => self.converted.parts += 1,
                "Document" => self.converted.documents += 1,
                "Page" => self.converted.pages += 1,
                _ => {}
            }
        }
        let Some(outcome) = owner(stored).and_then(|object| object.conversion.as_ref()) else { return };
        if outcome.status == "pending" {
            self.pending += 1;
        } else if self.unconverted.len() < LISTED_MAX {
            self.unconverted.push(FileFailure {
                path: file.shown.clone(),
                code: Some(outcome.code.clone()),
                message: outcome.message.clone(),
            });
        }
    }

    fn fail(&mut self, failure: FileFailure) {
        self.failed_count += 1;
        if self.failed.len() < LISTED_MAX {
            self.failed.push(failure);
        }
    }
}
