//! Uploads that a run has begun: their attempts, their objects, their pieces, and hashes of files.

use std::path::Path;

use domain::content::object::Sha256Hash;
use domain::id::ObjectId;
use rusqlite::{OptionalExtension, params};

use super::files::PlannedFile;
use super::{State, signed, text};
use crate::failure::CommandResult;

/// An upload in pieces that an earlier run has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptPieces {
    /// Its address.
    pub(crate) location: String,
    /// True if the file is as it was at the beginning.
    pub(crate) is_current: bool,
}

impl State {
    /// Notes that a file is going to be sent as it is now, before anything of it is. Answers its attempt.
    ///
    /// The attempt is part of the idempotency key: that of the same content stays, so that what has arrived is not sent
    /// twice. Another content is a new attempt, and so is one that has arrived and that the tree lacks, or has replaced.
    pub(crate) fn begin_attempt(
        &self,
        path: &Path,
        (size, modified): (u64, i64),
        is_replacing: bool,
    ) -> CommandResult<i64> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "insert into attempts (path, run, size, modified, attempt) values (?1, ?2, ?3, ?4, 0) \
             on conflict (path) do update set run = ?2, size = ?3, modified = ?4, object = null, \
                attempt = case when run = ?2 then attempt + 1 else 0 end \
             where run <> ?2 or size <> ?3 or modified <> ?4 or (object is not null and (
                ?5 or not exists (select 1 from plan_remote where plan_remote.id = object)
             ))",
        )?;
        statement.execute(params![text(path), self.run.to_string(), signed(size), modified, is_replacing])?;
        let mut statement = connection.prepare_cached("select attempt from attempts where path = ?")?;
        Ok(statement.query_row([text(path)], |row| row.get(0))?)
    }

    /// Notes files that have arrived, with their objects, as one transaction.
    pub(crate) fn set_sent(&self, files: &[(&PlannedFile, Option<ObjectId>)]) -> CommandResult<()> {
        let connection = self.connection.lock();
        let transaction = connection.unchecked_transaction()?;
        for (file, object) in files {
            let path = text(&file.path);
            let change = |sql| transaction.prepare_cached(sql);
            change("update plan_files set is_done = 1 where id = ?")?.execute([file.id])?;
            change("delete from pieces where path = ?")?.execute([&path])?;
            change("update attempts set object = ? where path = ?")?
                .execute(params![object.map(|object| object.to_string()), path])?;
        }
        Ok(transaction.commit()?)
    }

    /// The upload in pieces of a file.
    pub(crate) fn pieces(&self, file: &PlannedFile) -> CommandResult<Option<KeptPieces>> {
        let connection = self.connection.lock();
        let found = connection.query_row(
            "select location, size = ? and modified = ? from pieces where path = ?",
            params![signed(file.size), file.modified, text(&file.path)],
            |row| Ok(KeptPieces { location: row.get(0)?, is_current: row.get(1)? }),
        );
        Ok(found.optional()?)
    }

    /// The addresses of the uploads in pieces with which this run goes on.
    pub(crate) fn kept_pieces(&self) -> CommandResult<Vec<String>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "select location from pieces join plan_files file \
             on file.path = pieces.path and file.size = pieces.size and file.modified = pieces.modified",
        )?;
        let locations = statement.query_map([], |row| row.get(0))?;
        Ok(locations.collect::<CommandResult<_, _>>()?)
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
