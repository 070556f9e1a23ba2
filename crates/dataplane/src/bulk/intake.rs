//! The arrival of a request's files, one after the other. Bytes are hashed and stored as they come.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::{Bytes, BytesMut};
use domain::content::file_path::{self, FolderPath};
use domain::id::UploadId;
use domain::{Code, Error, Result};
use import::HEAD_BYTES;
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::BulkUpload;
use super::folders::KnownFolders;
use super::target::{BulkPlace, BulkTarget};
use crate::blobs::{BlobKey, BlobWriter};
use crate::progress::Progress;
use crate::upload_id;
use crate::uploaded_name::UploadedName;

/// Most characters of a path in the answer. An archive may have 10,000 paths of any length.
const PATH_MAX_CHARS: usize = 1_024;

/// Takes the files of a request. Dropped, it ends them; a file that has not ended then leaves nothing behind.
pub struct Intake<'b, 'a> {
    target: &'b BulkTarget<'a>,
    arriving: &'b ArrivingFile<'a>,
    folders: &'b KnownFolders,
    arrived: mpsc::Sender<ArrivedFile<'a>>,
    /// Number of skipped entries.
    skipped: &'b AtomicU64,
    /// True if the files come out of an archive, whose progress reports them.
    is_archive: bool,
    /// The paths of the files so far, with the names of their objects.
    paths: HashSet<(FolderPath, String)>,
    count: usize,
    current: Option<ArrivedFile<'a>>,
}

/// The progress of the file that is arriving, if one is.
pub(super) type ArrivingFile<'a> = Mutex<Option<Arc<Progress<'a>>>>;

/// A file of a request whose bytes have all arrived.
pub(super) struct ArrivedFile<'a> {
    /// Its place in the request.
    pub(super) place: usize,
    /// Its path as it was sent, cut to [`PATH_MAX_CHARS`].
    pub(super) path: String,
    pub(super) stored: Result<StoringFile<'a>>,
}

/// A file whose bytes are being stored.
pub(super) struct StoringFile<'a> {
    /// The id that the request's idempotency key gives it.
    pub(super) keyed: Option<UploadId>,
    pub(super) blob: BlobKey,
    pub(super) name: UploadedName,
    pub(super) folders: FolderPath,
    /// Its first bytes, which identify its type without reading it again.
    pub(super) head: BytesMut,
    pub(super) writer: BlobWriter,
    pub(super) progress: Arc<Progress<'a>>,
}

impl<'b, 'a> Intake<'b, 'a> {
    pub(super) fn new(
        upload: &'b BulkUpload<'a>,
        arrived: mpsc::Sender<ArrivedFile<'a>>,
        is_archive: bool,
    ) -> Self {
        let BulkUpload { target, folders, arriving, skipped } = upload;
        Self {
            target,
            arriving,
            folders,
            arrived,
            skipped,
            is_archive,
            paths: HashSet::new(),
            count: 0,
            current: None,
        }
    }

    /// Begins the next file. One with an invalid path, or that of an earlier file, is refused; its bytes are dropped.
    pub fn begin(&mut self, path: String) {
        let stored = self.open(&path);
        *self.arriving.lock() = stored.as_ref().ok().map(|file| Arc::clone(&file.progress));
        self.current = Some(ArrivedFile { place: self.count, path: cut(path), stored });
        self.count += 1;
    }

    /// Stores the next bytes of the file.
    pub async fn write(&mut self, bytes: Bytes) {
        if let Some(ArrivedFile { stored, .. }) = &mut self.current
            && let Ok(file) = stored
            && let Err(error) = file.write(bytes).await
        {
            let progress = Arc::clone(&file.progress);
            *stored = progress.end_with(Err(error)).await;
        }
    }

    /// Ends the file. Waits while as many files are being completed as the request has slots.
    ///
    /// # Errors
    /// Never in practice: files are completed until the intake is dropped.
    pub async fn end(&mut self) -> Result<()> {
        *self.arriving.lock() = None;
        let Some(file) = self.current.take() else { return Ok(()) };
        self.arrived.send(file).await.map_err(|_| Error::internal("no file is completed any more"))
    }

    /// Ends the file as refused.
    ///
    /// # Errors
    /// As [`Intake::end`].
    pub async fn abort(&mut self, refusal: Error) -> Result<()> {
        if let Some(ArrivedFile { stored, .. }) = &mut self.current
            && let Ok(file) = stored
        {
            let progress = Arc::clone(&file.progress);
            *stored = progress.end_with(Err(refusal)).await;
        }
        self.end().await
    }

    /// Takes a file that is refused without its bytes.
    ///
    /// # Errors
    /// As [`Intake::end`].
    pub async fn refuse(&mut self, path: String, refusal: Error) -> Result<()> {
        self.current = Some(ArrivedFile { place: self.count, path: cut(path), stored: Err(refusal) });
        self.count += 1;
        self.end().await
    }

    /// Counts an entry of an archive that is left out without a word for itself.
    pub fn skip(&self) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a folder, which may stay empty. It is made with that of the next file, or at the end. One with an invalid path
    /// is refused.
    ///
    /// # Errors
    /// As [`Intake::end`].
    pub async fn folder(&mut self, path: String) -> Result<()> {
        match FolderPath::parse(&path) {
            Ok(folders) => {
                self.folders.want(folders);
                Ok(())
            }
            Err(refusal) => self.refuse(path, refusal).await,
        }
    }

    /// Makes the folders in which there is no complete file.
    ///
    /// # Errors
    /// Those of [`store::Store::make_folders`].
    pub async fn finish(self) -> Result<()> {
        self.folders.make_wanted(self.target).await
    }

    fn open(&mut self, path: &str) -> Result<StoringFile<'a>> {
        let (folders, name) = file_path::split(path)?;
        let name = UploadedName::of_client(Some(name))?;
        if !self.paths.insert((folders.clone(), name.name.as_str().to_owned())) {
            let message = "An earlier file of the request has the same path.";
            return Err(Error::new(Code::InvalidUpload, message));
        }
        let BulkTarget { app, call, grant, session, place } = self.target;
        let BulkPlace { project, parent, operation, skips_existing, .. } = place;
        let keyed = match skips_existing {
            // Its content decides, which isn't known yet.
            true => None,
            false => upload_id::of_path(call, project, *parent, operation, path),
        };
        let blob = BlobKey { project: grant.project, upload: UploadId::new(call.now) };
        let upload = keyed.unwrap_or(blob.upload);
        let progress = match self.is_archive {
            true => Progress::of_file_in_archive(app, *session, upload),
            // File size is unknown until the file ends.
            false => Progress::new(app, *session, upload, None, 0),
        };
        Ok(StoringFile {
            keyed,
            blob,
            name,
            folders,
            head: BytesMut::new(),
            writer: app.blobs.create(blob),
            progress: Arc::new(progress),
        })
    }
}

/// Cuts a path for the answer.
fn cut(mut path: String) -> String {
    if let Some((end, _)) = path.char_indices().nth(PATH_MAX_CHARS) {
        path.truncate(end);
    }
    path
}

impl StoringFile<'_> {
    async fn write(&mut self, bytes: Bytes) -> Result<()> {
        let most = usize::try_from(HEAD_BYTES).map_err(Error::internal)?;
        let wanted = bytes.len().min(most.saturating_sub(self.head.len()));
        self.head.extend_from_slice(bytes.get(..wanted).unwrap_or_default());
        self.writer.write(bytes).await?;
        self.progress.set_received(self.writer.size_bytes());
        Ok(())
    }
}
