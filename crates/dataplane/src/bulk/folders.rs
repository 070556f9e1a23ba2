//! The folders of a request's files. Files that wait for folders at the same time share a transaction.

use std::collections::{BTreeSet, HashMap};

use domain::content::file_path::FolderPath;
use domain::id::ObjectId;
use domain::{Error, Result};
use parking_lot::Mutex;

use super::target::BulkTarget;

/// The folders that a request has found or made.
#[derive(Default)]
pub(super) struct KnownFolders {
    /// Those of files that wait.
    wanted: Mutex<BTreeSet<FolderPath>>,
    /// Locked while folders are made.
    known: tokio::sync::Mutex<HashMap<FolderPath, ObjectId>>,
}

impl KnownFolders {
    /// Notes a folder that is made with the next one that a file needs, or at the end.
    pub(super) fn want(&self, path: FolderPath) {
        self.wanted.lock().insert(path);
    }

    /// The object of a folder, found or made with all that other files wait for.
    ///
    /// # Errors
    /// Those of [`store::Store::make_folders`].
    pub(super) async fn find_or_make(&self, target: &BulkTarget<'_>, path: &FolderPath) -> Result<ObjectId> {
        if path.names().is_empty() {
            return Ok(target.place.parent);
        }
        self.want(path.clone());
        let mut known = self.known.lock().await;
        if let Some(id) = known.get(path) {
            return Ok(*id);
        }
        let mut wanted = std::mem::take(&mut *self.wanted.lock());
        // A call that failed has taken the paths of others along.
        wanted.insert(path.clone());
        make(target, &mut known, wanted).await?;
        known.get(path).copied().ok_or_else(|| Error::internal("a folder was not made"))
    }

    /// Finds or makes the folders for which no file waited.
    ///
    /// # Errors
    /// Those of [`store::Store::make_folders`].
    pub(super) async fn make_wanted(&self, target: &BulkTarget<'_>) -> Result<()> {
        let mut known = self.known.lock().await;
        let wanted = std::mem::take(&mut *self.wanted.lock());
        make(target, &mut known, wanted).await
    }
}

/// Finds or makes those of these folders that are not known, and adds them to the known ones.
///
/// # Errors
/// Those of [`store::Store::make_folders`].
async fn make(
    target: &BulkTarget<'_>,
    known: &mut HashMap<FolderPath, ObjectId>,
    mut wanted: BTreeSet<FolderPath>,
) -> Result<()> {
    wanted.retain(|path| !path.names().is_empty() && !known.contains_key(path));
    if wanted.is_empty() {
        return Ok(());
    }
    let BulkTarget { app, call, grant, session, place } = target;
    let folders = app.store.make_folders(call, grant, place.parent, &wanted).await?;
    if folders.made > 0 {
        app.link.announce_events(*session);
    }
    known.extend(folders.ids);
    Ok(())
}
