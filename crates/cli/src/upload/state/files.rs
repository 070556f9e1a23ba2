//! The files of a plan.

use std::path::PathBuf;

use client::ReplacedObject;
use rusqlite::{Row, params};

use super::{State, row_count, signed, text, unsigned};
use crate::failure::CommandResult;

/// Size from which on a file goes in pieces, in bytes.
const LARGE_BYTES: u64 = 8 * 1024 * 1024;

/// The way of a file to the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// New and small: several go in one request.
    Small,
    /// Small, and replaces the file of an object: a request of its own.
    Replacing,
    /// Large: in pieces.
    Large,
}

/// A local file that is planned to be sent.
#[derive(Clone, Debug)]
pub(crate) struct PlannedFile {
    /// Number in the plan.
    pub(crate) id: i64,
    /// Number of its folder in the plan.
    pub(crate) folder: i64,
    /// Number of the folder below which `place` begins.
    pub(crate) anchor: i64,
    /// Its path below the anchor.
    pub(crate) place: String,
    /// Its path on this machine.
    pub(crate) path: PathBuf,
    /// Its path as messages show it.
    pub(crate) shown: String,
    /// Its name in the project.
    pub(crate) name: String,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// Counts the contents that the run has begun to send. Each is a new upload.
    pub(crate) attempt: i64,
    /// True if an earlier file of the plan has the same folder and name.
    pub(crate) is_copy: bool,
    /// The object whose file it replaces.
    pub(crate) replaces: Option<ReplacedObject>,
}

impl FileKind {
    const fn condition(self) -> &'static str {
        match self {
            Self::Small => "size < ?1 and file.object is null",
            Self::Replacing => "size < ?1 and file.object is not null",
            Self::Large => "size >= ?1",
        }
    }
}

impl PlannedFile {
    fn of_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (above, name): (String, String) = (row.get(3)?, row.get(6)?);
        let (object, sha256): (Option<String>, Option<String>) = (row.get(11)?, row.get(12)?);
        let replaces = object.and_then(|id| id.parse().ok()).zip(sha256.and_then(|hash| hash.parse().ok()));
        Ok(Self {
            id: row.get(0)?,
            folder: row.get(1)?,
            anchor: row.get(2)?,
            place: if above.is_empty() { name.clone() } else { format!("{above}/{name}") },
            path: row.get::<_, String>(4)?.into(),
            shown: row.get(5)?,
            name,
            size: unsigned(row.get(7)?),
            modified: row.get(8)?,
            attempt: row.get(9)?,
            is_copy: row.get(10)?,
            replaces: replaces.map(|(id, sha256)| ReplacedObject { id, sha256 }),
        })
    }
}

impl State {
    /// Plans a file with the attempt that [`State::begin_attempt`] has counted.
    pub(crate) fn add_file(&self, file: &PlannedFile) -> CommandResult<()> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "insert into plan_files (folder, path, shown, name, size, modified, attempt, is_copy, object, sha256) \
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, exists (
                select 1 from plan_files where folder = ?1 and name = ?4 and object is null
             ), ?8, ?9)",
        )?;
        statement.execute(params![
            file.folder,
            text(&file.path),
            file.shown,
            file.name,
            signed(file.size),
            file.modified,
            file.attempt,
            file.replaces.map(|object| object.id.to_string()),
            file.replaces.map(|object| object.sha256.to_string()),
        ])?;
        Ok(())
    }

    /// Files of a kind to send, after the one with this number.
    pub(crate) fn pending(&self, kind: FileKind, after: i64, most: usize) -> CommandResult<Vec<PlannedFile>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(&format!(
            "select file.id, file.folder, folder.anchor, folder.place, path, shown, file.name, size, modified, \
                attempt, is_copy, file.object, file.sha256 \
             from plan_files file join plan_folders folder on folder.id = file.folder \
             where file.id > ?2 and is_done = 0 and {} order by file.id limit ?3",
            kind.condition()
        ))?;
        let rows =
            statement.query_map(params![signed(LARGE_BYTES), after, row_count(most)], PlannedFile::of_row)?;
        Ok(rows.collect::<CommandResult<_, _>>()?)
    }

    /// Number and bytes of planned files.
    pub(crate) fn planned(&self) -> CommandResult<(u64, u64)> {
        let connection = self.connection.lock();
        let count =
            connection.query_row("select count(*), coalesce(sum(size), 0) from plan_files", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        Ok((unsigned(count.0), unsigned(count.1)))
    }
}
