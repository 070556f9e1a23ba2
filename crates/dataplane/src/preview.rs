//! Previews of files: made by confined workers (`sandbox`) out of their shapes, pages, images and texts (`shape`), and
//! kept as long as they are looked at.
//!
//! A preview is begun after an upload, and where somebody asks for one that isn't there. It is made under a lease, so a
//! process that ends leaves it to the next one that is asked. What a process has in mind to make is only in its memory:
//! a forgotten preview is made when it is asked for.

mod flat;
mod pieces;
pub mod settings;
mod task;
mod worker;

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use domain::content::object::{FileRef, Object, Sha256Hash};
use domain::content::preview::{DerivedFile, DerivedFormat, Preview, PreviewKind};
use domain::content::upload::NewFile;
use domain::id::{ProjectId, UploadId, UserId};
use domain::text::Name;
use domain::time::Clock;
use domain::{Error, Result};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;
use sandbox::{Limits, Output, Permit, Turns, Worker, WorkerEnd};
use store::Store;
use store::content::previews::{PreviewClaim, PreviewProgress};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};

pub use self::worker::work;

use self::pieces::PreviewPiece;
use self::settings::{PreviewSettings, PreviewTime};
use self::task::PreviewTask;
use crate::blobs::{BlobKey, Blobs};
use crate::convert::settings::ConversionSettings;

/// The hidden subcommand of this program that runs a worker.
pub const WORKER: &str = "preview";

/// The version of previews. One that another version has made is made again.
pub const MAKER: i32 = shape::VERSION;

/// Most bytes of a worker's output: two GLB files of as many triangles as are shown, and pictures.
const OUTPUT_BYTES: u64 = 512 * 1024 * 1024;
/// Fraction of a worker's time for faces. What is there then is shown.
const FACES: (u32, u32) = (2, 3);
/// Most previews that a process has in mind. Further ones are made when they are asked for.
const BEGUN_MAX: usize = 1_000;
/// Most processes that try to make a preview. The others may have died of it.
const ATTEMPTS_MAX: i32 = 3;
/// Time between two renewals of a lease.
const RENEWAL: Duration = Duration::from_secs(20);
/// Time between two looks at a preview that another process may make.
const LOOK: Duration = Duration::from_millis(500);

/// Makes previews, with bounded concurrency.
pub struct Previews {
    store: Store,
    blobs: Blobs,
    clock: Clock,
    settings: PreviewSettings,
    conversion: ConversionSettings,
    turns: Turns,
    /// The files whose previews this process is making, or is about to.
    begun: Mutex<HashSet<PreviewKey>>,
    queue: mpsc::Sender<PreviewFile>,
    /// Told when a preview of this process has got on.
    news: watch::Sender<()>,
}

/// The files whose previews are still to be begun.
#[derive(Debug)]
pub struct PreviewQueue(mpsc::Receiver<PreviewFile>);

/// The key of a preview.
type PreviewKey = (ProjectId, Sha256Hash);

/// A stored file of which a preview can be made.
#[derive(Clone, Debug)]
pub struct PreviewFile {
    /// The project.
    pub project: ProjectId,
    /// The user for whom it is made. Users get their turns.
    pub user: UserId,
    /// The client's name of the file.
    pub name: Name,
    /// The file.
    pub file: FileRef,
    /// The way in which it is shown.
    pub kind: PreviewKind,
    /// Its bytes.
    pub blob: BlobKey,
}

impl PreviewFile {
    fn key(&self) -> PreviewKey {
        (self.project, self.file.sha256)
    }
}

/// The file of an object that a conversion has just made, if it can be shown.
///
/// # Errors
/// `INTERNAL_ERROR` if its place in the object store can't be read.
pub fn preview_file(
    project: ProjectId,
    user: UserId,
    owner: &Object,
    files: &[NewFile],
) -> Result<Option<PreviewFile>> {
    let Some(file) = owner.file.as_ref() else { return Ok(None) };
    let Some(kind) = PreviewKind::of(&owner.object_type, file) else { return Ok(None) };
    let Some(stored) = files.iter().find(|stored| stored.sha256 == file.sha256) else { return Ok(None) };
    let blob = stored.blob_key.parse().map_err(Error::internal)?;
    let name = file.name.clone().unwrap_or_else(|| owner.name.clone());
    Ok(Some(PreviewFile { project, user, name, file: file.clone(), kind, blob }))
}

impl Previews {
    /// Previews by workers with the limits of conversions. [`run`] takes the files that stand in the queue.
    pub fn new(
        (store, blobs, clock): (Store, Blobs, Clock),
        settings: PreviewSettings,
        conversion: ConversionSettings,
    ) -> (Self, PreviewQueue) {
        let (queue, begun) = mpsc::channel(BEGUN_MAX);
        let previews = Self {
            store,
            blobs,
            clock,
            settings,
            conversion,
            turns: Turns::new(conversion.conversions_at_once.into()),
            begun: Mutex::default(),
            queue,
            news: watch::Sender::new(()),
        };
        (previews, PreviewQueue(begun))
    }

    /// Begins to make the preview of a file that was just uploaded, if the settings want it.
    pub fn begin_after_upload(&self, shown: PreviewFile) {
        if self.settings.previews == PreviewTime::Uploads && shown.kind.is_made_after_uploads() {
            self.begin(shown);
        }
    }

    /// Begins to make the preview of a file whose project the caller may read, unless this process is at it.
    fn begin(&self, shown: PreviewFile) {
        let mut begun = self.begun.lock();
        if begun.len() < BEGUN_MAX && begun.insert(shown.key()) {
            let key = shown.key();
            if self.queue.try_send(shown).is_err() {
                begun.remove(&key);
            }
        }
    }

    /// The preview of a file, begun if it isn't there. Waits until it is finished or `enough` of it is there, at most as
    /// long as `patience`; `None` if it has not begun by then.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn wait(
        &self,
        shown: &PreviewFile,
        patience: Duration,
        enough: impl Fn(&Preview) -> bool,
    ) -> Result<Option<Preview>> {
        let end = Instant::now() + patience;
        let mut news = self.news.subscribe();
        loop {
            let preview = self.store.preview(shown.project, &shown.file, MAKER).await?;
            let is_enough = preview.as_ref().is_some_and(|preview| preview.is_finished || enough(preview));
            if is_enough || Instant::now() >= end {
                return Ok(preview);
            }
            if preview.is_none() {
                self.begin(shown.clone());
            }
            // Nothing tells of what another process makes.
            drop(timeout_at(end.min(Instant::now() + LOOK), news.changed()).await);
        }
    }

    /// A file of a finished preview; made now if only whole previews were. `None` if there is nothing to show in it.
    ///
    /// # Errors
    /// `UNAVAILABLE`, also if no worker is free for `patience`.
    pub async fn derived(
        &self,
        shown: &PreviewFile,
        wanted: (u32, DerivedFormat),
        patience: Duration,
    ) -> Result<Option<DerivedFile>> {
        if let Some(found) = self.store.derived_file(shown.project, &shown.file, wanted).await? {
            return Ok(Some(found));
        }
        let Ok(_turn) = timeout(patience, self.turn(shown)).await else { return Err(busy()) };
        // Another request may have made it meanwhile, with that of another part.
        if let Some(found) = self.store.derived_file(shown.project, &shown.file, wanted).await? {
            return Ok(Some(found));
        }
        let mut made = PreviewProgress::default();
        self.draw(shown, Some(wanted), &mut made, async |_| Ok(())).await?;
        let unneeded = self.store.keep_derived_files(shown.project, shown.file.sha256, &made.files).await?;
        self.blobs.remove_unneeded(&unneeded).await;
        let is_wanted = |file: &DerivedFile| (file.part, file.format) == wanted;
        Ok(made.files.into_iter().find(|file| is_wanted(file) && !unneeded.contains(&file.blob_key)))
    }

    async fn turn(&self, shown: &PreviewFile) -> Permit {
        self.turns.acquire(shown.user, shown.project).await
    }

    /// Runs a worker. What it sends arrives in `made` piece by piece, and stays when it ends badly; `stage` keeps it.
    /// Returns why not all of it arrived.
    async fn draw(
        &self,
        shown: &PreviewFile,
        only: Option<(u32, DerivedFormat)>,
        made: &mut PreviewProgress,
        stage: impl AsyncFn(&mut PreviewProgress) -> Result<()>,
    ) -> Result<Option<&'static str>> {
        let input = self.blobs.open(shown.blob, shown.file.size).await?;
        let worker = self.worker(shown, only)?;
        let read = async |output: &mut Output| -> Result<()> {
            while let Some(piece) = pieces::receive(output).await.map_err(Error::internal)? {
                match piece {
                    PreviewPiece::Shape(shape) => made.shape = Some(shape),
                    PreviewPiece::Failure(reason) => made.failure = Some(reason),
                    PreviewPiece::Stage => stage(made).await?,
                    PreviewPiece::File { part, format, size_bytes } => {
                        let key = BlobKey { project: shown.project, upload: UploadId::new(self.clock.now()) };
                        let file = pieces::store(output, &self.blobs, key, (part, format, size_bytes)).await;
                        made.files.push(file.map_err(Error::unavailable)?);
                    }
                }
            }
            Ok(())
        };
        let reason = match worker.run(input, read).await? {
            WorkerEnd::Finished(received) => {
                received?;
                return Ok(None);
            }
            WorkerEnd::TimedOut => "It could not be drawn as a whole in the time that there is for it.",
            WorkerEnd::OutOfMemory => "It could not be drawn as a whole in the memory that there is for it.",
            WorkerEnd::OutputTooLarge => "It has too many triangles to be shown.",
            WorkerEnd::Unprotected(cause) => {
                tracing::error!(cause, "this kernel can't confine the maker of previews");
                "Files are not read on this machine."
            }
            WorkerEnd::Crashed(crash) => {
                tracing::warn!(file = %shown.file.sha256, cause = %crash, "maker of a preview ended");
                "It could not be drawn as a whole."
            }
        };
        Ok(Some(reason))
    }

    fn worker(&self, shown: &PreviewFile, only: Option<(u32, DerivedFormat)>) -> Result<Worker> {
        let limits = self.conversion.limits();
        let (part, of) = FACES;
        let faces = limits.time * part / of;
        let readers = self.conversion.of_readers();
        let task = PreviewTask { name: shown.name.clone(), kind: shown.kind, readers, faces, only };
        Ok(Worker {
            program: Worker::own_program(),
            arguments: vec![WORKER.into()],
            task: serde_json::to_string(&task).map_err(Error::internal)?,
            limits: Limits { output_bytes: OUTPUT_BYTES, ..limits },
            protection: self.conversion.protection(),
            foreign: None,
        })
    }

    /// Makes a preview, unless it is made or another process is at it.
    async fn make(&self, shown: &PreviewFile) -> Result<()> {
        let _turn = self.turn(shown).await;
        let Some(claim) = self.store.claim_preview(shown.project, shown.file.sha256, MAKER).await? else {
            return Ok(());
        };
        let made = tokio::select! {
            made = self.make_claimed(shown, &claim) => made,
            () = self.lost(&claim) => Ok(()),
        };
        if made.is_err() {
            // The file isn't to blame, so it doesn't count as an attempt.
            self.store.forget_preview(&claim).await?;
        }
        made
    }

    async fn make_claimed(&self, shown: &PreviewFile, claim: &PreviewClaim) -> Result<()> {
        let mut made = PreviewProgress::default();
        let keep = async |made: &mut PreviewProgress| -> Result<()> {
            let unneeded = self.store.keep_preview(claim, made, self.clock.now()).await?;
            made.files.clear();
            self.news.send_replace(());
            self.blobs.remove_unneeded(&unneeded).await;
            Ok(())
        };
        if claim.attempts > ATTEMPTS_MAX {
            made.failure = Some("It could not be drawn.".to_owned());
        } else if let Some(reason) = self.draw(shown, None, &mut made, keep).await? {
            made.failure = Some(reason.to_owned());
        }
        made.is_finished = true;
        keep(&mut made).await
    }

    /// Renews the lease until it is lost.
    async fn lost(&self, claim: &PreviewClaim) {
        loop {
            sleep(RENEWAL).await;
            match self.store.renew_preview(claim).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!("error.chain" = error.chain(), "lease of a preview not renewed");
                }
            }
        }
    }
}

/// Makes the previews that are begun, forever.
pub async fn run(previews: Arc<Previews>, mut queue: PreviewQueue) -> Infallible {
    let mut making = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some(shown) = queue.0.recv() => {
                let previews = &previews;
                making.push(async move {
                    if let Err(error) = previews.make(&shown).await {
                        tracing::warn!(
                            file = %shown.file.sha256,
                            "error.chain" = error.chain(),
                            "preview not made; begun again when it is asked for"
                        );
                    }
                    previews.begun.lock().remove(&shown.key());
                });
            }
            Some(()) = making.next() => {}
            else => pending().await,
        }
    }
}

/// The answer to who asks for a picture before it is there.
pub fn busy() -> Error {
    Error::overloaded("The file is being drawn. Ask again in a moment.", 1)
}
