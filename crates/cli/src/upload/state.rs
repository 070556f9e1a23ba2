//! The state of a run on disk: what it has planned, what has arrived, and the hashes of files. A run that is killed at any
//! moment goes on from here; the service's tree and idempotency keys decide, so that a lost line costs time alone.
//!
//! One database for each target and set of paths, locked by the process that works with it.

mod remote;

use std::fs::File;
use std::path::{Path, PathBuf};

use domain::id::{ObjectId, SessionId};
use domain::object::Sha256Hash;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::failure::{CommandFailure, CommandResult};
use crate::folders;

/// The tables. `plan_` tables are made again by each run; the others outlive runs.
const SCHEMA: &str = "
    pragma journal_mode = wal;
    pragma synchronous = normal;
    pragma temp_store = file;
    create table if not exists run (id text not null, session text);
    create table if not exists hashes (
        path text primary key, size integer not null, modified integer not null, sha256 text not null
    ) without rowid;
    create table if not exists pieces (
        path text primary key, size integer not null, modified integer not null, location text not null
    ) without rowid;
    create table if not exists sent (
        path text primary key, run text not null, size integer not null, modified integer not null,
        object text not null, attempt integer not null
    ) without rowid;
    drop table if exists plan_remote;
    drop table if exists plan_folders;
    drop table if exists plan_files;
    create table plan_remote (
        id text not null, parent text not null, name text not null, type text not null,
        size integer, sha256 text, is_used integer not null default 0
    );
    create table plan_folders (
        id integer primary key, parent integer, name text not null, object text
    );
    create table plan_files (
        id integer primary key, folder integer not null, path text not null, shown text not null, name text not null,
        size integer not null, modified integer not null, attempt integer not null default 0,
        is_done integer not null default 0
    );";

/// The state of uploads to one target.
#[derive(Debug)]
pub(crate) struct State {
    connection: Mutex<Connection>,
    /// Held until the process ends.
    _lock: File,
    run: Uuid,
    /// True if the run was begun by an earlier process.
    pub(crate) is_resumed: bool,
}

/// A local file that is planned to be sent.
#[derive(Clone, Debug)]
pub(crate) struct PlannedFile {
    /// Number in the plan.
    pub(crate) id: i64,
    /// Number of its folder in the plan.
    pub(crate) folder: i64,
    /// Its path on this machine.
    pub(crate) path: PathBuf,
    /// Its path as messages show it.
    pub(crate) shown: String,
    /// Its name.
    pub(crate) name: String,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// Counts the times that what was sent has vanished from the tree: each is a new upload.
    pub(crate) attempt: i64,
}

impl State {
    /// Opens the state of uploads of `paths` to `target`.
    pub(crate) fn open(target: &str, paths: &[PathBuf]) -> CommandResult<Self> {
        let folder = folders::state()?.join("uploads");
        folders::make_private(&folder)?;
        let mut hash = Sha256::new();
        hash.update(target);
        for path in paths {
            let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            hash.update([0]);
            hash.update(absolute.as_os_str().as_encoded_bytes());
            // `parts` and `parts/` send different things.
            hash.update(path.as_os_str().as_encoded_bytes().last().copied().into_iter().collect::<Vec<u8>>());
        }
        let name: String = hex::encode(hash.finalize()).chars().take(32).collect();
        Self::at(&folder.join(name))
    }

    fn at(path: &Path) -> CommandResult<Self> {
        let failed = |error: std::io::Error| CommandFailure::local("lock the state of this run", error);
        let lock = File::create(path.with_extension("lock")).map_err(failed)?;
        lock.try_lock().map_err(|_| {
            CommandFailure::usage("another atelier works on the same upload")
                .next("Wait for its end, or stop it")
        })?;
        let connection = Connection::open(path.with_extension("sqlite"))?;
        connection.execute_batch(SCHEMA)?;
        let known: Option<String> =
            connection.query_row("select id from run", [], |row| row.get(0)).optional()?;
        let known = known.and_then(|id| id.parse().ok());
        let run = known.unwrap_or_else(Uuid::new_v4);
        if known.is_none() {
            connection.execute("delete from run", [])?;
            connection.execute("insert into run (id) values (?)", [run.to_string()])?;
        }
        Ok(Self { connection: Mutex::new(connection), _lock: lock, run, is_resumed: known.is_some() })
    }

    /// The idempotency key of a part of the run, named by texts.
    pub(crate) fn key(&self, parts: &[&str]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.run);
        for part in parts {
            hash.update(part);
            hash.update([0]);
        }
        hex::encode(hash.finalize())
    }

    /// Ends the run: the next one has other keys.
    pub(crate) fn finish(&self) -> CommandResult<()> {
        self.connection.lock().execute_batch(
            "delete from run; delete from pieces; drop table plan_remote; drop table plan_folders; \
             drop table plan_files;",
        )?;
        Ok(())
    }

    /// The session of this run.
    pub(crate) fn session(&self) -> CommandResult<Option<SessionId>> {
        let connection = self.connection.lock();
        let text: Option<String> = connection.query_row("select session from run", [], |row| row.get(0))?;
        Ok(text.and_then(|text| text.parse().ok()))
    }

    /// Keeps the session of this run. Uploads in pieces of another session are lost.
    pub(crate) fn set_session(&self, session: SessionId) -> CommandResult<()> {
        let connection = self.connection.lock();
        connection.execute("update run set session = ?", [session.to_string()])?;
        connection.execute("delete from pieces", [])?;
        Ok(())
    }

    /// Runs many changes as one transaction, which is far faster.
    pub(crate) fn together<R>(&self, work: impl FnOnce() -> CommandResult<R>) -> CommandResult<R> {
        self.connection.lock().execute_batch("begin")?;
        let done = work();
        let end = if done.is_ok() { "commit" } else { "rollback" };
        self.connection.lock().execute_batch(end)?;
        done
    }

    /// Adds a folder; the root has no parent.
    pub(crate) fn add_folder(
        &self,
        parent: Option<i64>,
        name: &str,
        object: Option<ObjectId>,
    ) -> CommandResult<i64> {
        let connection = self.connection.lock();
        let mut statement =
            connection.prepare_cached("insert into plan_folders (parent, name, object) values (?, ?, ?)")?;
        Ok(statement.insert(params![parent, name, object.map(|object| object.to_string())])?)
    }

    /// The object of a folder, once it has one.
    pub(crate) fn folder_object(&self, folder: i64) -> CommandResult<Option<ObjectId>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached("select object from plan_folders where id = ?")?;
        let id: Option<String> = statement.query_row([folder], |row| row.get(0))?;
        Ok(id.and_then(|id| id.parse().ok()))
    }

    /// Keeps the object of a folder.
    pub(crate) fn set_folder_object(&self, folder: i64, object: ObjectId) -> CommandResult<()> {
        let connection = self.connection.lock();
        connection.execute(
            "update plan_folders set object = ? where id = ?",
            params![object.to_string(), folder],
        )?;
        Ok(())
    }

    /// Folders without objects, parents first: number, parent, name.
    pub(crate) fn missing_folders(&self, most: usize) -> CommandResult<Vec<(i64, i64, String)>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "select id, parent, name from plan_folders where object is null order by id limit ?",
        )?;
        let rows =
            statement.query_map([row_count(most)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<CommandResult<_, _>>()?)
    }

    /// Number of folders without objects.
    pub(crate) fn missing_folder_count(&self) -> CommandResult<u64> {
        let connection = self.connection.lock();
        Ok(unsigned(connection.query_row(
            "select count(*) from plan_folders where object is null",
            [],
            |row| row.get(0),
        )?))
    }

    /// Plans a file. A file that this run has sent, and that is not in the tree, was deleted there: it gets a new key.
    pub(crate) fn add_file(&self, file: &PlannedFile) -> CommandResult<()> {
        let path = text(&file.path);
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "insert into plan_files (folder, path, shown, name, size, modified, attempt) values (
                ?1, ?2, ?3, ?4, ?5, ?6, coalesce(
                    (select attempt + 1 from sent where path = ?2 and run = ?7 and size = ?5 and modified = ?6
                        and not exists (select 1 from plan_remote where plan_remote.id = sent.object)), 0
                ))",
        )?;
        statement.execute(params![
            file.folder,
            path,
            file.shown,
            file.name,
            signed(file.size),
            file.modified,
            self.run.to_string(),
        ])?;
        Ok(())
    }

    /// Files to send after the one with this number: small ones or large ones.
    pub(crate) fn pending(
        &self,
        after: i64,
        sizes: std::ops::Range<u64>,
        most: usize,
    ) -> CommandResult<Vec<PlannedFile>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "select id, folder, path, shown, name, size, modified, attempt from plan_files \
             where id > ? and is_done = 0 and size >= ? and size < ? order by id limit ?",
        )?;
        let rows = statement.query_map(
            params![after, signed(sizes.start), signed(sizes.end), row_count(most)],
            |row| {
                Ok(PlannedFile {
                    id: row.get(0)?,
                    folder: row.get(1)?,
                    path: row.get::<_, String>(2)?.into(),
                    shown: row.get(3)?,
                    name: row.get(4)?,
                    size: unsigned(row.get(5)?),
                    modified: row.get(6)?,
                    attempt: row.get(7)?,
                })
            },
        )?;
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

    /// A file has arrived.
    pub(crate) fn set_sent(&self, file: &PlannedFile, object: ObjectId) -> CommandResult<()> {
        let path = text(&file.path);
        let connection = self.connection.lock();
        connection.execute("update plan_files set is_done = 1 where id = ?", [file.id])?;
        connection.execute("delete from pieces where path = ?", [&path])?;
        let mut statement = connection.prepare_cached(
            "insert or replace into sent (path, run, size, modified, object, attempt) values (?, ?, ?, ?, ?, ?)",
        )?;
        statement.execute(params![
            path,
            self.run.to_string(),
            signed(file.size),
            file.modified,
            object.to_string(),
            file.attempt
        ])?;
        Ok(())
    }

    /// The upload in pieces of a file as it is now.
    pub(crate) fn pieces(&self, file: &PlannedFile) -> CommandResult<Option<String>> {
        let connection = self.connection.lock();
        let found = connection.query_row(
            "select location from pieces where path = ? and size = ? and modified = ?",
            params![text(&file.path), signed(file.size), file.modified],
            |row| row.get(0),
        );
        Ok(found.optional()?)
    }

    /// Keeps the upload in pieces of a file.
    pub(crate) fn set_pieces(&self, file: &PlannedFile, location: &str) -> CommandResult<()> {
        let connection = self.connection.lock();
        connection.execute(
            "insert or replace into pieces (path, size, modified, location) values (?, ?, ?, ?)",
            params![text(&file.path), signed(file.size), file.modified, location],
        )?;
        Ok(())
    }

    /// Forgets the upload in pieces of a file.
    pub(crate) fn remove_pieces(&self, file: &PlannedFile) -> CommandResult<()> {
        self.connection.lock().execute("delete from pieces where path = ?", [text(&file.path)])?;
        Ok(())
    }

    /// The hash of a file that has not changed since it was computed.
    pub(crate) fn hash(&self, path: &Path, size: u64, modified: i64) -> CommandResult<Option<Sha256Hash>> {
        let connection = self.connection.lock();
        let mut statement = connection
            .prepare_cached("select sha256 from hashes where path = ? and size = ? and modified = ?")?;
        let found =
            statement.query_row(params![text(path), signed(size), modified], |row| row.get::<_, String>(0));
        Ok(found.optional()?.and_then(|hash| hash.parse().ok()))
    }

    /// Keeps the hash of a file.
    pub(crate) fn set_hash(
        &self,
        path: &Path,
        size: u64,
        modified: i64,
        hash: &Sha256Hash,
    ) -> CommandResult<()> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "insert or replace into hashes (path, size, modified, sha256) values (?, ?, ?, ?)",
        )?;
        statement.execute(params![text(path), signed(size), modified, hash.to_string()])?;
        Ok(())
    }
}

/// Only paths in UTF-8 are planned.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn row_count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use domain::id::ObjectId;
    use domain::object::TreeNode;
    use domain::text::Name;
    use uuid::Uuid;

    use super::{PlannedFile, State};

    fn file() -> PlannedFile {
        let path = "/parts/a.txt".into();
        let (shown, name) = ("parts/a.txt".to_owned(), "a.txt".to_owned());
        PlannedFile { id: 0, folder: 1, path, shown, name, size: 3, modified: 5, attempt: 0 }
    }

    fn node(id: ObjectId) -> TreeNode {
        let name = Name::sanitize("a.txt").unwrap();
        let (object_type, parent) = ("File".to_owned(), ObjectId(Uuid::nil()));
        TreeNode { id, name, object_type, parent, children_count: 0, file: None }
    }

    /// The attempt that a run plans for the file, after an earlier one has sent it.
    fn planned(state: &State) -> PlannedFile {
        state.add_file(&file()).unwrap();
        state.pending(0, 0..10, 10).unwrap().pop().unwrap()
    }

    #[test]
    fn a_run_keeps_its_keys_until_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let open = || State::at(&folder.path().join("run")).unwrap();
        let first = open();
        assert!(State::at(&folder.path().join("run")).is_err(), "a second process has the state");
        let key = first.key(&["file", "a"]);
        assert!(!first.is_resumed && key != first.key(&["filea"]));
        drop(first);
        let second = open();
        assert!(second.is_resumed);
        assert_eq!(second.key(&["file", "a"]), key);
        second.finish().unwrap();
        drop(second);
        let third = open();
        assert!(!third.is_resumed && third.key(&["file", "a"]) != key);
    }

    #[test]
    fn a_sent_file_gets_a_new_attempt_only_if_its_object_has_vanished() {
        let folder = tempfile::tempdir().unwrap();
        let open = || State::at(&folder.path().join("run")).unwrap();
        let object = ObjectId(Uuid::from_u128(7));
        let state = open();
        let first = planned(&state);
        assert_eq!(first.attempt, 0);
        state.set_sent(&first, object).unwrap();
        assert!(state.pending(0, 0..10, 10).unwrap().is_empty());
        drop(state);

        let state = open();
        state.add_remote(&node(object)).unwrap();
        assert_eq!(planned(&state).attempt, 0, "the object is there");
        drop(state);

        let state = open();
        let again = planned(&state);
        assert_eq!(again.attempt, 1, "the object was deleted");
        state.set_sent(&again, object).unwrap();
        drop(state);
        assert_eq!(planned(&open()).attempt, 2);
    }

    #[test]
    fn hashes_and_pieces_count_for_an_unchanged_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(&folder.path().join("run")).unwrap();
        let (file, hash) = (file(), domain::object::Sha256Hash([1; 32]));
        state.set_hash(&file.path, 3, 5, &hash).unwrap();
        state.set_pieces(&file, "/place").unwrap();
        assert_eq!(state.hash(&file.path, 3, 5).unwrap(), Some(hash));
        assert_eq!(state.hash(&file.path, 3, 6).unwrap(), None);
        assert_eq!(state.pieces(&file).unwrap().as_deref(), Some("/place"));
        assert_eq!(state.pieces(&PlannedFile { size: 4, ..file }).unwrap(), None);
    }
}
