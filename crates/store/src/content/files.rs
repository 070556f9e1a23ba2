//! Stored files: which bytes an object owns, and which blobs nothing refers to.

use auth::actor::ProjectRead;
use diesel::prelude::*;
use diesel::sql_types::{Array, Text};
use diesel_async::RunQueryDsl;
use domain::Result;
use domain::object::FileRef;
use domain::text::Name;
use domain::upload::FileName;

use crate::access::project::Project;
use crate::connect::Store;
use crate::content::objects;
use crate::failure::failure;
use crate::schema::files;
use crate::statement::Statement;
use crate::transaction::Tx;

/// A file that can be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The name of the object that owns it.
    pub name: Name,
    /// Its hash, size, media type and extension.
    pub file: FileRef,
    /// Where it lies in the object store.
    pub blob_key: String,
}

/// The file of this name; there is one as long as the object that owns it is in the branch's tree.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn find(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    name: &FileName,
) -> Result<Option<StoredFile>> {
    let object = objects::find(tx, project.record.id, &project.branch, name.object).await?;
    let Some(object) = object else { return Ok(None) };
    let Some(file) = object.file.filter(|file| file.extension == name.extension) else {
        return Ok(None);
    };
    let blob_key = files::table
        .find((project.record.id.0, file.sha256.0.as_slice()))
        .select(files::blob_key)
        .first(tx.connection()?)
        .await
        .map_err(failure)?;
    Ok(Some(StoredFile { name: object.name, file, blob_key }))
}

impl Store {
    /// Which of these blobs no project refers to. An upload that is under way refers to its blob only in the end:
    /// ask about those alone that are older than any upload may take.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn unreferenced_blobs(&self, keys: &[String]) -> Result<Vec<String>> {
        let rows: Vec<KeyRow> = self
            .as_system(async |tx| {
                Statement::new(include_str!("files/unreferenced.sql"))
                    .bind::<Array<Text>, _>(keys)
                    .load(tx.connection()?)
                    .await
                    .map_err(failure)
            })
            .await?;
        Ok(rows.into_iter().map(|row| row.blob_key).collect())
    }
}

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = Text)]
    blob_key: String,
}
