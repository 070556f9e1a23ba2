//! The folders of a plan.

use domain::id::ObjectId;
use rusqlite::{OptionalExtension, Row, params};

use super::{State, row_count, unsigned};
use crate::failure::CommandResult;

/// A folder of the plan.
///
/// A request with several files names them by paths below its anchor. The anchor is the folder itself where a path would
/// be too long, or might mean another object of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedFolder {
    /// Number in the plan.
    pub(crate) number: i64,
    /// Its object, if the project has it.
    pub(crate) object: Option<ObjectId>,
    /// Number of the anchor.
    pub(crate) anchor: i64,
    /// Path below the anchor; empty for the anchor.
    pub(crate) place: String,
    /// Number of names in `place`.
    pub(crate) depth: u64,
}

/// A folder that the project lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MissingFolder {
    /// Number in the plan.
    pub(crate) number: i64,
    /// Number of the folder above.
    pub(crate) parent: i64,
    /// Its name.
    pub(crate) name: String,
    /// True if paths of files begin at it.
    pub(crate) is_anchor: bool,
}

impl PlannedFolder {
    fn of_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let object: Option<String> = row.get(1)?;
        Ok(Self {
            number: row.get(0)?,
            object: object.and_then(|id| id.parse().ok()),
            anchor: row.get(2)?,
            place: row.get(3)?,
            depth: unsigned(row.get(4)?),
        })
    }
}

impl State {
    /// Adds a folder that is an anchor; the root has no parent.
    pub(crate) fn add_anchor(
        &self,
        parent: Option<i64>,
        name: &str,
        object: Option<ObjectId>,
    ) -> CommandResult<PlannedFolder> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "insert into plan_folders (parent, name, object, anchor, place, depth) values (
                ?, ?, ?, (select coalesce(max(id), 0) + 1 from plan_folders), '', 0
            )",
        )?;
        let number = statement.insert(params![parent, name, object.map(|object| object.to_string())])?;
        Ok(PlannedFolder { number, object, anchor: number, place: String::new(), depth: 0 })
    }

    /// Adds a folder that has a path below the anchor of its parent.
    pub(crate) fn add_folder(
        &self,
        parent: &PlannedFolder,
        name: &str,
        object: Option<ObjectId>,
    ) -> CommandResult<PlannedFolder> {
        let (anchor, depth) = (parent.anchor, parent.depth + 1);
        let place =
            if parent.place.is_empty() { name.to_owned() } else { format!("{}/{name}", parent.place) };
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "insert into plan_folders (parent, name, object, anchor, place, depth) values (?, ?, ?, ?, ?, ?)",
        )?;
        let id = object.map(|object| object.to_string());
        let number =
            statement.insert(params![parent.number, name, id, anchor, place, super::signed(depth)])?;
        Ok(PlannedFolder { number, object, anchor, place, depth })
    }

    /// The folder of this name that the plan has already: two local folders may have one name in the project.
    pub(crate) fn planned_folder(&self, parent: i64, name: &str) -> CommandResult<Option<PlannedFolder>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "select id, object, anchor, place, depth from plan_folders where parent = ? and name = ?",
        )?;
        Ok(statement.query_row(params![parent, name], PlannedFolder::of_row).optional()?)
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

    /// Folders without objects, parents first.
    pub(crate) fn missing_folders(&self, most: usize) -> CommandResult<Vec<MissingFolder>> {
        let connection = self.connection.lock();
        let mut statement = connection.prepare_cached(
            "select id, parent, name, anchor = id from plan_folders where object is null order by id limit ?",
        )?;
        let rows = statement.query_map([row_count(most)], |row| {
            let (number, parent) = (row.get(0)?, row.get(1)?);
            Ok(MissingFolder { number, parent, name: row.get(2)?, is_anchor: row.get(3)? })
        })?;
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
}
