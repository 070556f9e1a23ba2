//! The rows of a project's files, to which objects, commits and cards refer.

use std::collections::{BTreeMap, HashSet};

use database::prelude::*;
use database::schema::files;
use diesel::sql_types::{Array, BigInt, Binary, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::object::FileRef;
use domain::content::upload::NewFile;
use domain::id::ProjectId;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};

use crate::resources::store::Tx;

/// A file that can be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The name of the object that owns it.
    pub name: Name,
    /// Its hash, size, media type, extension and name.
    pub file: FileRef,
    /// Its key in the object store.
    pub blob_key: String,
    /// When the project got its bytes for the first time.
    pub stored_at: Timestamp,
}

/// Adds files to the project; returns the blobs that it refers to for them: earlier ones if it had the bytes.
pub(crate) async fn insert(
    tx: &mut Tx,
    project: ProjectId,
    files: &[NewFile],
    now: Timestamp,
) -> Result<HashSet<String>> {
    // A statement can't insert a row twice. Pages may have the same image.
    let distinct: BTreeMap<&[u8], &NewFile> =
        files.iter().rev().map(|file| (file.sha256.0.as_slice(), file)).collect();
    if distinct.is_empty() {
        return Ok(HashSet::new());
    }
    let sizes: Result<Vec<i64>, _> = distinct.values().map(|file| i64::try_from(file.size)).collect();
    let keys: Vec<&str> = distinct.values().map(|file| file.blob_key.as_str()).collect();
    let rows: Vec<BlobKeyRow> = Statement::new(include_str!("stored_files/insert.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(distinct.keys().copied().collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(sizes.map_err(Error::internal)?)
        .bind::<Array<Text>, _>(keys)
        .bind::<Timestamptz, _>(now.0)
        .load(tx)
        .await?;
    Ok(rows.into_iter().map(|row| row.blob_key).collect())
}

/// Forgets those of these files that no commit of the project, no branch and no card refers to; returns their blobs.
///
/// A file that another transaction is referring to is locked by it, and stays.
pub(crate) async fn release(tx: &mut Tx, project: ProjectId, released: &[FileRef]) -> Result<Vec<String>> {
    if released.is_empty() {
        return Ok(Vec::new());
    }
    let hashes: Vec<&[u8]> = released.iter().map(|file| file.sha256.0.as_slice()).collect();
    let locked: Vec<Vec<u8>> = files::table
        .filter(files::project_id.eq(project.0).and(files::sha256.eq_any(hashes)))
        .select(files::sha256)
        .for_update()
        .skip_locked()
        .load(tx)
        .await?;
    let locked: HashSet<Vec<u8>> = locked.into_iter().collect();
    let locked: Vec<&FileRef> =
        released.iter().filter(|file| locked.contains(file.sha256.0.as_slice())).collect();
    let pointers: Result<Vec<Vec<u8>>> =
        locked.iter().map(|file| Ok(git::layout::pointer_id(file)?.0.to_vec())).collect();
    // A statement of its own, which sees what was committed before the locks were taken.
    let rows: Vec<BlobKeyRow> = Statement::new(include_str!("stored_files/release.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(locked.iter().map(|file| file.sha256.0.as_slice()).collect::<Vec<_>>())
        .bind::<Array<Binary>, _>(pointers?)
        .load(tx)
        .await?;
    Ok(rows.into_iter().map(|row| row.blob_key).collect())
}

/// The key of a blob in the object store.
#[derive(QueryableByName)]
pub(crate) struct BlobKeyRow {
    #[diesel(sql_type = Text)]
    pub(crate) blob_key: String,
}
