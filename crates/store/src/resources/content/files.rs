//! Stored files of objects, and blobs without references.

use std::collections::{HashMap, HashSet};

use auth::actor::ProjectRead;
use database::decode;
use database::prelude::*;
use database::schema::{files, projects};
use diesel::sql_types::{Array, BigInt, Text, Uuid as SqlUuid};
use domain::content::compare::Point;
use domain::content::object::{CommitHash, FileRef, Sha256Hash};
use domain::content::upload::FileName;
use domain::id::{OwnerId, ProjectId};
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::project::{Branch, Project};
use crate::resources::branch_objects;
use crate::resources::content::compare;
use crate::resources::store::{Store, Tx};
use crate::resources::stored_files::{BlobKeyRow, StoredFile};

/// The media type of a file that is found by its hash alone.
const UNKNOWN_MEDIA_TYPE: &str = "application/octet-stream";

/// The file of this name, in the branch's tree or in a commit; `None` if the object that owns it is not there.
///
/// # Errors
/// `NOT_FOUND` if the project has no such commit; `UNAVAILABLE`.
pub async fn find(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    name: &FileName,
    commit: Option<CommitHash>,
) -> Result<Option<StoredFile>> {
    let id = project.record.id;
    let object = match commit {
        None => branch_objects::find(tx, id, &project.branch, name.object).await?,
        Some(commit) => {
            let at = compare::resolve(tx, project, &Point::Commit(commit)).await?;
            let branch = Branch { head: at, ..project.branch.clone() };
            let wanted = HashSet::from([name.object]);
            branch_objects::find_committed(tx, id, &branch, wanted).await?.remove(&name.object)
        }
    };
    let Some(object) = object else { return Ok(None) };
    let Some(file) = object.file.filter(|file| file.extension == name.extension) else {
        return Ok(None);
    };
    let (blob_key, stored_at): (String, OffsetDateTime) = files::table
        .find((id.0, file.sha256.0.as_slice()))
        .select((files::blob_key, files::created_at))
        .first(tx)
        .await?;
    Ok(Some(StoredFile { name: object.name, file, blob_key, stored_at: stored_at.into() }))
}

/// The project's file with this hash. No object needs to own it.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn find_by_hash(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    sha256: Sha256Hash,
) -> Result<Option<StoredFile>> {
    let found: Option<(i64, String, OffsetDateTime)> = files::table
        .find((project.record.id.0, sha256.0.as_slice()))
        .select((files::size_bytes, files::blob_key, files::created_at))
        .first(tx)
        .await
        .optional()?;
    let Some((size, blob_key, stored_at)) = found else { return Ok(None) };
    let size = u64::try_from(size).map_err(Error::internal)?;
    let mime_type = UNKNOWN_MEDIA_TYPE.to_owned();
    let file = FileRef { sha256, size, mime_type, extension: None, name: None };
    Ok(Some(StoredFile {
        name: decode::name(&sha256.to_string())?,
        file,
        blob_key,
        stored_at: stored_at.into(),
    }))
}

/// Sizes in bytes of these files, as far as the project has them.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn sizes(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    hashes: &[Sha256Hash],
) -> Result<HashMap<Sha256Hash, u64>> {
    let hashes: Vec<&[u8]> = hashes.iter().map(|hash| hash.0.as_slice()).collect();
    let rows: Vec<(Vec<u8>, i64)> = files::table
        .filter(files::project_id.eq(project.record.id.0).and(files::sha256.eq_any(hashes)))
        .select((files::sha256, files::size_bytes))
        .load(tx)
        .await?;
    let read = |(hash, size): (Vec<u8>, i64)| {
        let hash = hash.as_slice().try_into().map_err(Error::internal)?;
        Ok((Sha256Hash(hash), u64::try_from(size).map_err(Error::internal)?))
    };
    rows.into_iter().map(read).collect()
}

impl Store {
    /// The owner of a project; `None` if it is gone.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn project_owner(&self, project: ProjectId) -> Result<Option<OwnerId>> {
        let statement = projects::table.find(project.0).select(projects::owner_id);
        let owner: Option<Uuid> = statement.first(&self.connection().await?).await.optional()?;
        Ok(owner.map(OwnerId))
    }

    /// The bytes of all files in the projects of an owner.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn stored_bytes(&self, owner: OwnerId) -> Result<u64> {
        let statement = Statement::new(include_str!("files/stored_bytes.sql")).bind::<SqlUuid, _>(owner.0);
        let row: BytesRow = statement.get_result(&self.connection().await?).await?;
        u64::try_from(row.bytes).map_err(Error::internal)
    }

    /// Those of these blobs, named `<projectId>/<uploadId>`, that no file and no upload in pieces refers to.
    ///
    /// An upload in one piece refers to its blob only at its end: pass only blobs that are older than an upload may take
    /// after its last byte.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn unreferenced_blobs(&self, keys: &[String]) -> Result<Vec<String>> {
        let rows: Vec<BlobKeyRow> = self
            .transaction(async |tx| {
                Statement::new(include_str!("files/unreferenced.sql"))
                    .bind::<Array<Text>, _>(keys)
                    .load(tx)
                    .await
                    .map_err(Error::from)
            })
            .await?;
        Ok(rows.into_iter().map(|row| row.blob_key).collect())
    }
}

#[derive(QueryableByName)]
struct BytesRow {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}
