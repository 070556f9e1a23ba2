//! The state of a run on disk: what it has planned, what has arrived, and the hashes of files. A run that is killed at any
//! moment goes on from here; the service's tree and idempotency keys decide, so that a lost line costs time alone.
//!
//! One database for each target and set of paths, locked by the process that works with it.

pub(super) mod attempts;
pub(super) mod files;
pub(super) mod plan_folders;
pub(super) mod remote;

use std::fs::File;
use std::path::{Path, PathBuf};

use domain::id::SessionId;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::folders::{make_state, unkept_state};

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
    drop table if exists sent;
    create table if not exists attempts (
        path text primary key, run text not null, size integer not null, modified integer not null,
        attempt integer not null, object text
    ) without rowid;
    drop table if exists plan_remote;
    drop table if exists plan_folders;
    drop table if exists plan_files;
    create table plan_remote (
        id text not null, parent text not null, name text not null, file_name text, type text not null,
        size integer, sha256 text, is_used integer not null default 0
    );
    create table plan_folders (
        id integer primary key, parent integer, name text not null, object text,
        anchor integer not null, place text not null, depth integer not null
    );
    create index plan_folders_names on plan_folders (parent, name);
    create table plan_files (
        id integer primary key, folder integer not null, path text not null, shown text not null, name text not null,
        size integer not null, modified integer not null, attempt integer not null, is_copy integer not null,
        object text, sha256 text, is_done integer not null default 0
    );
    create index plan_files_names on plan_files (folder, name);";

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

/// An open transaction, which ends with a rollback unless it is committed.
struct OpenTransaction<'a> {
    connection: &'a Mutex<Connection>,
    is_open: bool,
}

impl State {
    /// Opens the state of uploads of `paths` to `target`.
    pub(crate) fn open(target: &str, paths: &[PathBuf]) -> CommandResult<Self> {
        let folder = make_state("uploads")?;
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
        let lock = File::create(path.with_extension("lock")).map_err(|error| unkept_state(&error))?;
        lock.try_lock().map_err(|_| {
            CommandFailure::new(Exit::Refused, "another atelier works on the same upload")
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

    /// Runs many changes as one transaction, which is far faster. Nothing of it stays if it fails.
    pub(crate) fn together<R>(&self, work: impl FnOnce() -> CommandResult<R>) -> CommandResult<R> {
        self.connection.lock().execute_batch("begin")?;
        let transaction = OpenTransaction { connection: &self.connection, is_open: true };
        let done = work()?;
        transaction.commit()?;
        Ok(done)
    }
}

impl OpenTransaction<'_> {
    fn commit(mut self) -> CommandResult<()> {
        self.connection.lock().execute_batch("commit")?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for OpenTransaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // SQLite has rolled back already where the disk is full.
            drop(self.connection.lock().execute_batch("rollback"));
        }
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
    use domain::content::object::TreeNode;
    use domain::id::ObjectId;
    use domain::text::Name;
    use uuid::Uuid;

    use super::State;
    use super::attempts::KeptPieces;
    use super::files::{FileKind, PlannedFile};
    use crate::failure::{CommandFailure, Exit};

    fn file() -> PlannedFile {
        PlannedFile {
            id: 0,
            folder: 1,
            anchor: 1,
            place: "a.txt".to_owned(),
            path: "/parts/a.txt".into(),
            shown: "parts/a.txt".to_owned(),
            name: "a.txt".to_owned(),
            size: 3,
            modified: 5,
            attempt: 0,
            is_copy: false,
            replaces: None,
        }
    }

    fn node(id: ObjectId) -> TreeNode {
        let name = Name::sanitize("a.txt").unwrap();
        let (object_type, parent) = ("File".to_owned(), ObjectId(Uuid::nil()));
        TreeNode { id, name, object_type, parent, children_count: 0, product: None, file: None }
    }

    /// The file as a run plans it after an earlier one has sent it.
    fn planned(state: &State, modified: i64) -> PlannedFile {
        state.add_anchor(None, "", None).unwrap();
        let attempt = state.begin_attempt(&file().path, (3, modified), false).unwrap();
        state.add_file(&PlannedFile { attempt, modified, ..file() }).unwrap();
        state.pending(FileKind::Small, 0, 10).unwrap().pop().unwrap()
    }

    #[test]
    fn a_run_keeps_its_keys_until_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let open = || State::at(&folder.path().join("run")).unwrap();
        let first = open();
        let second = State::at(&folder.path().join("run")).unwrap_err();
        assert_eq!(second.exit, Exit::Refused, "a second process has the state");
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
    fn a_file_gets_a_new_attempt_only_if_it_has_changed_or_its_object_has_vanished() {
        let folder = tempfile::tempdir().unwrap();
        let open = || State::at(&folder.path().join("run")).unwrap();
        let object = ObjectId(Uuid::from_u128(7));
        let state = open();
        let first = planned(&state, 5);
        assert_eq!(first.attempt, 0);
        drop(state);

        let state = open();
        assert_eq!(planned(&state, 5).attempt, 0, "it may be on its way still");
        state.set_sent(&[(&planned(&state, 5), Some(object))]).unwrap();
        drop(state);

        let state = open();
        state.add_remote(&node(object)).unwrap();
        assert_eq!(planned(&state, 5).attempt, 0, "the object is there");
        drop(state);

        let state = open();
        assert_eq!(planned(&state, 5).attempt, 1, "the object was deleted");
        drop(state);
        let state = open();
        assert_eq!(planned(&state, 5).attempt, 1);
        assert_eq!(state.begin_attempt(&file().path, (3, 6), false).unwrap(), 2, "the file has changed");
        state.finish().unwrap();
        drop(state);
        assert_eq!(planned(&open(), 6).attempt, 0, "another run has other keys");
    }

    #[test]
    fn a_second_file_of_one_name_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(&folder.path().join("run")).unwrap();
        assert!(!planned(&state, 5).is_copy);
        state.add_file(&PlannedFile { path: "/other/a.txt".into(), ..file() }).unwrap();
        let copies: Vec<bool> =
            state.pending(FileKind::Small, 0, 10).unwrap().iter().map(|file| file.is_copy).collect();
        assert_eq!(copies, [false, true]);
    }

    #[test]
    fn folders_have_places_below_their_anchors() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(&folder.path().join("run")).unwrap();
        let root = state.add_anchor(None, "", None).unwrap();
        let parts = state.add_folder(&root, "parts", None).unwrap();
        let deep = state.add_folder(&parts, "deep", None).unwrap();
        assert_eq!((deep.anchor, deep.place.as_str(), deep.depth), (root.number, "parts/deep", 2));
        assert_eq!(state.planned_folder(parts.number, "deep").unwrap(), Some(deep.clone()));
        state.add_file(&PlannedFile { folder: deep.number, ..file() }).unwrap();
        let place = state.pending(FileKind::Small, 0, 10).unwrap().pop().unwrap().place;
        assert_eq!(place, "parts/deep/a.txt");
    }

    #[test]
    fn what_fails_in_the_middle_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(&folder.path().join("run")).unwrap();
        let failed = state.together(|| {
            state.add_anchor(None, "", None)?;
            Err::<(), _>(CommandFailure::new(Exit::Refused, "no"))
        });
        assert!(failed.is_err());
        assert_eq!(state.missing_folder_count().unwrap(), 0);
        state.together(|| state.add_anchor(None, "", None)).unwrap();
        assert_eq!(state.missing_folder_count().unwrap(), 1);
    }

    #[test]
    fn hashes_and_pieces_count_for_an_unchanged_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(&folder.path().join("run")).unwrap();
        let (file, hash) = (file(), domain::content::object::Sha256Hash([1; 32]));
        state.set_hash(&file.path, 3, 5, &hash).unwrap();
        state.set_pieces(&file, "/place").unwrap();
        assert_eq!(state.hash(&file.path, 3, 5).unwrap(), Some(hash));
        assert_eq!(state.hash(&file.path, 3, 6).unwrap(), None);
        let kept = |is_current| Some(KeptPieces { location: "/place".to_owned(), is_current });
        assert_eq!(state.pieces(&file).unwrap(), kept(true));
        assert_eq!(state.pieces(&PlannedFile { size: 4, ..file }).unwrap(), kept(false));
    }
}
