//! Several files of one request. Each is an upload of its own, below the folders of its path.
//!
//! Files arrive one after the other (`Intake`), and are completed several at a time while the next ones arrive: one in
//! each slot of the request. A refused file does not refuse the others. What is complete when the request fails is attached.

mod folders;
mod intake;
mod target;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use api::content::uploads::{UploadedFile, UploadedFiles};
use auth::actor::ProjectWrite;
use domain::content::upload::ObjectMap;
use domain::id::SessionId;
use domain::{Error, Result};
use futures_util::future::join;
use futures_util::{StreamExt, stream};
use serde_json::json;
use store::{Call, Outcome};
use tokio::sync::mpsc;

use self::folders::KnownFolders;
use self::intake::{ArrivedFile, ArrivingFile, StoringFile};
use self::target::{BulkTarget, Existing};
use crate::app::App;
use crate::attach::{StoredUpload, UploadContent, attach};
use crate::blobs::BlobKey;
use crate::grant_end::grant_end;
use crate::progress::Progress;
use crate::slots::Slot;

pub use self::intake::Intake;
pub use self::target::BulkPlace;

/// The uploads of one request.
pub struct BulkUpload<'a> {
    target: BulkTarget<'a>,
    folders: KnownFolders,
    /// The file that is arriving.
    arriving: ArrivingFile<'a>,
    /// Number of entries of an archive that are left out without a word for themselves.
    skipped: AtomicU64,
}

impl<'a> BulkUpload<'a> {
    /// The uploads of a call to `place`.
    ///
    /// # Errors
    /// `CREDENTIAL_NOT_PERMITTED`, `NOT_FOUND`.
    pub fn new(app: &'a App, call: &'a Call<ProjectWrite>, place: BulkPlace) -> Result<Self> {
        let target = BulkTarget::new(app, call, place)?;
        Ok(Self {
            target,
            folders: KnownFolders::default(),
            arriving: ArrivingFile::default(),
            skipped: AtomicU64::new(0),
        })
    }

    /// The session.
    pub fn session(&self) -> SessionId {
        self.target.session
    }

    /// Takes slots for the request.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub fn take_slots(&self) -> Result<Slot> {
        self.target.app.slots.take_half(self.target.session)
    }

    /// Checks the target before anything is stored, and that its owner has room for a file. A repeat under a key may need
    /// none.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `LIMIT_REACHED`, `UNAVAILABLE`.
    pub async fn check(&self) -> Result<()> {
        let BulkTarget { app, call, grant, .. } = &self.target;
        self.target.find_applied(None).await?;
        match call.idempotency_key() {
            None => app.stored_bytes.check(&app.store, grant.project, 1).await,
            Some(_) => Ok(()),
        }
    }

    /// Completes the files that `produce` hands to its intake. The outcome is a replay if each file is. The files of an
    /// archive are reported by its progress.
    ///
    /// # Errors
    /// Those of `produce`, and `UNAUTHENTICATED` if the session is closed or the key revoked meanwhile. The detail `files`
    /// then lists the files that were complete.
    pub async fn run<'b, Produced: Future<Output = Result<()>>>(
        &'b self,
        slots: &Slot,
        archive: Option<&Progress<'_>>,
        produce: impl FnOnce(Intake<'b, 'a>) -> Produced,
    ) -> Result<Outcome<UploadedFiles>> {
        let (sender, receiver) = mpsc::channel(1);
        let BulkTarget { app, call, grant, .. } = self.target;
        let producing = produce(Intake::new(self, sender, archive.is_some()));
        let receiving = async {
            let received = tokio::select! {
                received = producing => received,
                ended = grant_end(&app.store, call.actor.user, grant, async || self.report_arriving().await) => Err(ended),
            };
            let arriving = self.arriving.lock().take();
            match arriving {
                Some(cut) => cut.end_with(received).await,
                None => received,
            }
        };
        let at_once = usize::try_from(slots.uploads()).map_err(Error::internal)?;
        let arrived = stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver)));
        let complete = async |file| {
            let completed = self.complete(file).await;
            if let Some(archive) = archive {
                archive.count_file(completed.result.error.is_none());
            }
            completed
        };
        let completing = arrived.map(complete).buffer_unordered(at_once).collect();
        let (received, mut files): (_, Vec<CompletedFile>) = join(receiving, completing).await;
        files.sort_unstable_by_key(|file| file.place);
        let replayed = !files.is_empty() && files.iter().all(|file| file.is_replay);
        let files: Vec<UploadedFile> = files.into_iter().map(|file| file.result).collect();
        match received {
            Ok(()) => {
                let skipped = self.skipped.load(Ordering::Relaxed);
                let value = UploadedFiles { files, skipped_count: (skipped > 0).then_some(skipped) };
                Ok(Outcome { value, replayed })
            }
            Err(error) => Err(error.with_detail("files", json!(files))),
        }
    }

    async fn report_arriving(&self) {
        let arriving = self.arriving.lock().clone();
        if let Some(arriving) = arriving {
            arriving.report_received().await;
        }
    }

    async fn complete(&self, file: ArrivedFile<'a>) -> CompletedFile {
        let ArrivedFile { place, path, stored } = file;
        let outcome = match stored {
            Ok(file) => {
                let progress = Arc::clone(&file.progress);
                progress.end_with(self.attach(file).await).await
            }
            Err(refused) => Err(refused),
        };
        if let Err(error) = &outcome
            && error.is_server_fault()
        {
            tracing::error!("error.chain" = error.chain(), place, "a file of several was not uploaded");
        }
        CompletedFile {
            place,
            is_replay: outcome.as_ref().is_ok_and(|outcome| outcome.replayed),
            result: result(path, outcome),
        }
    }

    /// Attaches a file whose bytes have arrived, unless it was attached under the idempotency key before.
    async fn attach(&self, file: StoringFile<'a>) -> Result<Outcome<ObjectMap>> {
        let BulkTarget { app, call, grant, .. } = &self.target;
        let StoringFile { keyed, blob, name, folders, head, writer, progress } = file;
        let known = async {
            match keyed {
                Some(_) => self.target.find_applied(keyed).await,
                None => Ok(None),
            }
        };
        let (stored, known) = join(writer.finish(), known).await;
        let stored = stored?;
        let parent = match known {
            Ok(None) => self.folders.find_or_make(&self.target, &folders).await,
            Ok(Some(value)) => {
                self.discard(blob).await;
                return Ok(Outcome { value, replayed: true });
            }
            Err(error) => Err(error),
        };
        let parent = match parent {
            Ok(parent) => parent,
            Err(error) => {
                self.discard(blob).await;
                return Err(error);
            }
        };
        let id = match self.target.place.skips_existing {
            false => keyed.unwrap_or(blob.upload),
            true => match self.target.find_existing(parent, name.name.as_str(), stored.sha256).await {
                Ok(Existing::No(id)) => id,
                Ok(Existing::Yes(value)) => {
                    self.discard(blob).await;
                    return Ok(Outcome { value, replayed: true });
                }
                Err(error) => {
                    self.discard(blob).await;
                    return Err(error);
                }
            },
        };
        let file = UploadContent { id, blob, stored, head: Some(head.freeze()), name };
        let upload = StoredUpload::new(call, grant, file, parent);
        progress.while_converting(attach(app, upload)).await
    }

    async fn discard(&self, blob: BlobKey) {
        self.target.app.blobs.remove_unneeded(&[blob.to_string()]).await;
    }
}

/// The result of a file.
struct CompletedFile {
    /// Its place in the request.
    place: usize,
    is_replay: bool,
    result: UploadedFile,
}

/// The result of a file, without the objects below its first one: an assembly may have thousands.
fn result(path: String, outcome: Result<Outcome<ObjectMap>>) -> UploadedFile {
    match outcome {
        Ok(Outcome { value: ObjectMap { object, .. }, .. }) => UploadedFile {
            path,
            object_count: u64::try_from(object.len()).ok(),
            // The first object owns the file.
            root: object.into_values().next(),
            error: None,
        },
        Err(error) => UploadedFile { path, root: None, object_count: None, error: Some((&error).into()) },
    }
}
