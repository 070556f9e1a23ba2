//! The project's tree in the state of a run: the objects that local files are compared with.

use domain::content::object::{FOLDER_TYPE, PACKAGE_TYPE, Sha256Hash, TreeNode};
use domain::id::ObjectId;
use domain::text::Name;
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, params};

use super::{State, signed, unsigned};
use crate::failure::CommandResult;

/// Indexes of the remote tree, made once it is read.
const INDEXES: &str = "
    create index plan_remote_names on plan_remote (parent, name);
    create index plan_remote_file_names on plan_remote (parent, file_name);
    create index plan_remote_sizes on plan_remote (parent, size);
    create index plan_remote_ids on plan_remote (id);";

/// Types of objects that hold files for certain. Others may be made by a conversion, or be included from another project.
const FOLDER_TYPES: [&str; 2] = [FOLDER_TYPE, PACKAGE_TYPE];

/// An object of the project's tree with a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteFile {
    /// Row of the plan.
    row: i64,
    /// The object.
    pub(crate) id: ObjectId,
    /// Size of its file in bytes.
    pub(crate) size: u64,
    /// SHA-256 of its file.
    pub(crate) sha256: Option<Sha256Hash>,
}

impl RemoteFile {
    fn of_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (sha256, id): (Option<String>, String) = (row.get(2)?, row.get(3)?);
        let sha256 = sha256.and_then(|text| text.parse().ok());
        let invalid = |_| rusqlite::Error::InvalidColumnType(3, "id".to_owned(), Type::Text);
        let id = id.parse().map_err(invalid)?;
        Ok(Self { row: row.get(0)?, id, size: unsigned(row.get(1)?), sha256 })
    }
}

impl State {
    /// Adds an object of the tree.
    pub(crate) fn add_remote(&self, node: &TreeNode) -> CommandResult<()> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "insert into plan_remote (id, parent, name, file_name, type, size, sha256) values (?, ?, ?, ?, ?, ?, ?)",
        )?;
        let file = node.file.as_deref();
        statement.execute(params![
            node.id.to_string(),
            node.parent.to_string(),
            node.name.as_str(),
            file.and_then(|file| file.name.as_ref()).map(Name::as_str),
            node.object_type,
            file.map(|file| signed(file.size)),
            file.map(|file| file.sha256.to_string()),
        ])?;
        Ok(())
    }

    /// Ends the reading of the tree.
    pub(crate) fn index_remote(&self) -> CommandResult<()> {
        Ok(self.connection.lock().execute_batch(INDEXES)?)
    }

    /// The first object below a parent that can be a folder of this name, and whether no other object can be meant by it.
    pub(crate) fn remote_folder(
        &self,
        parent: ObjectId,
        name: &str,
    ) -> CommandResult<Option<(ObjectId, bool)>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "select id, type from plan_remote where parent = ? and name = ? and size is null order by rowid limit 2",
        )?;
        let mut rows = statement.query(params![parent.to_string(), name])?;
        let Some(first) = rows.next()? else { return Ok(None) };
        let (id, object_type): (String, String) = (first.get(0)?, first.get(1)?);
        let is_unique = rows.next()?.is_none() && FOLDER_TYPES.contains(&object_type.as_str());
        Ok(id.parse().ok().map(|id| (id, is_unique)))
    }

    /// True if a file of this size is directly below the parent, so that hashes must tell them apart.
    pub(crate) fn has_remote_of_size(&self, parent: ObjectId, size: u64) -> CommandResult<bool> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "select exists (select 1 from plan_remote where parent = ? and size = ? and is_used = 0)",
        )?;
        Ok(statement.query_row(params![parent.to_string(), signed(size)], |row| row.get(0))?)
    }

    /// The files of this name directly below a parent that no local file has claimed: those that were uploaded under it,
    /// then those whose objects are called so.
    pub(crate) fn remote_files(&self, parent: ObjectId, name: &str) -> CommandResult<Vec<RemoteFile>> {
        self.find_remote(
            "select rowid, size, sha256, id from plan_remote \
             where parent = ?1 and (file_name = ?2 or name = ?2) and size is not null and is_used = 0 \
             order by file_name is ?2 desc, rowid",
            parent,
            name,
        )
    }

    /// The converted files with this hash directly below a parent. A conversion names objects after the product within.
    pub(crate) fn converted_files(
        &self,
        parent: ObjectId,
        hash: &Sha256Hash,
    ) -> CommandResult<Vec<RemoteFile>> {
        self.find_remote(
            "select rowid, size, sha256, id from plan_remote \
             where parent = ? and sha256 = ? and type in ('Assembly', 'Part') and is_used = 0 order by rowid",
            parent,
            &hash.to_string(),
        )
    }

    fn find_remote(&self, query: &str, parent: ObjectId, text: &str) -> CommandResult<Vec<RemoteFile>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(query)?;
        let mut rows = statement.query(params![parent.to_string(), text])?;
        let mut files = Vec::new();
        while let Some(row) = rows.next()? {
            files.push(RemoteFile::of_row(row)?);
        }
        Ok(files)
    }

    /// Claims an object for a local file: another file of the same content needs an object of its own.
    pub(crate) fn claim(&self, file: &RemoteFile) -> CommandResult<()> {
        self.connection.lock().execute("update plan_remote set is_used = 1 where rowid = ?", [file.row])?;
        Ok(())
    }

    /// The object that an earlier run made of a file, if the tree still has it unclaimed.
    pub(crate) fn remote_sent(&self, path: &str) -> CommandResult<Option<RemoteFile>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "select remote.rowid, remote.size, remote.sha256, remote.id from attempts \
             join plan_remote remote on remote.id = attempts.object \
             where attempts.path = ? and remote.size is not null and remote.is_used = 0",
        )?;
        Ok(statement.query_row([path], RemoteFile::of_row).optional()?)
    }
}
