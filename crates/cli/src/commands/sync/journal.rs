//! The files that earlier runs have written: only these are overwritten without being asked.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use domain::content::object::Sha256Hash;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::failure::{CommandFailure, CommandResult};
use crate::folders::make_state;
use crate::upload::local::modified;

const SCHEMA: &str = "
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create table if not exists files (
        path text primary key, size integer not null, modified integer not null, sha256 text not null
    ) without rowid;";

/// The journal of a place in a project and a folder on this machine.
#[derive(Debug)]
pub(super) struct Journal(Mutex<Connection>);

/// A file as a run has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenFile {
    size: i64,
    modified: i64,
    /// SHA-256 of its bytes.
    pub(super) sha256: Sha256Hash,
}

impl WrittenFile {
    /// True if the file was not touched since.
    pub(super) fn is_of(&self, looked: &Metadata) -> bool {
        (self.size, self.modified) == (size(looked), modified(looked))
    }
}

impl Journal {
    /// Opens the journal of a place and a folder.
    pub(super) fn open(place: &str, folder: &Path) -> CommandResult<Self> {
        let state = make_state("syncs")?;
        let folder = std::path::absolute(folder)
            .map_err(|error| CommandFailure::io(&format!("find {}", folder.display()), &error))?;
        let mut hash = Sha256::new();
        hash.update(place);
        hash.update([0]);
        hash.update(folder.as_os_str().as_encoded_bytes());
        let name: String = hex::encode(hash.finalize()).chars().take(32).collect();
        let connection = Connection::open(state.join(name).with_extension("sqlite"))?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self(Mutex::new(connection)))
    }

    /// The file that an earlier run has written to a path.
    pub(super) fn get(&self, path: &Path) -> CommandResult<Option<WrittenFile>> {
        let connection = self.0.lock();
        // Earlier versions kept paths as they were typed.
        let mut statement = connection.prepare_cached(
            "select size, modified, sha256 from files where path in (?1, ?2) order by path = ?1 desc limit 1",
        )?;
        let row = statement.query_row([key(path).as_str(), &path.to_string_lossy()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
        });
        let Some((size, modified, sha256)) = row.optional()? else { return Ok(None) };
        Ok(sha256.parse().ok().map(|sha256| WrittenFile { size, modified, sha256 }))
    }

    /// Notes that the file at a path has this content.
    pub(super) fn set(&self, path: &Path, sha256: &Sha256Hash) -> CommandResult<()> {
        let looked = std::fs::metadata(path)
            .map_err(|error| CommandFailure::io(&format!("look at {}", path.display()), &error))?;
        let connection = self.0.lock();
        let mut statement = connection.prepare_cached(
            "insert or replace into files (path, size, modified, sha256) values (?, ?, ?, ?)",
        )?;
        statement.execute(params![key(path), size(&looked), modified(&looked), sha256.to_string()])?;
        Ok(())
    }

    /// The places of all files that earlier runs have written, as absolute paths.
    pub(super) fn paths(&self) -> CommandResult<Vec<PathBuf>> {
        let connection = self.0.lock();
        let mut statement = connection.prepare_cached("select path from files order by path")?;
        let paths = statement.query_map([], |row| row.get::<_, String>(0))?;
        let paths: Vec<String> = paths.collect::<CommandResult<_, _>>()?;
        Ok(paths.into_iter().map(PathBuf::from).filter(|path| path.is_absolute()).collect())
    }

    /// Forgets the file at a path.
    pub(super) fn remove(&self, path: &Path) -> CommandResult<()> {
        self.0.lock().execute("delete from files where path = ?", [key(path)])?;
        Ok(())
    }
}

/// The path from the root, which no later folder of work changes.
fn key(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

fn size(looked: &Metadata) -> i64 {
    i64::try_from(looked.len()).unwrap_or(i64::MAX)
}
