//! Rows of Git objects: stored in batches, read as streams.

use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, Binary, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ObjectId, ProjectId};
use futures_util::TryStreamExt;
use git::{Files, NewGitObject, ObjectRecord, Oid, Walk};

use crate::resources::store::Tx;

/// Most Git objects that one statement stores.
const INSERT_OBJECTS: usize = 4_096;
/// Size after which a statement stores no further object, in bytes.
const INSERT_BYTES: usize = 8 * 1024 * 1024;

/// Stores Git objects in batches: a statement copies its data. Objects that the project already has are skipped: equal ids
/// mean equal content.
pub(crate) async fn insert(tx: &mut Tx, project: ProjectId, objects: &[NewGitObject]) -> Result<()> {
    let mut rest = objects;
    while !rest.is_empty() {
        let mut bytes = 0;
        let within = rest.iter().take(INSERT_OBJECTS).take_while(|object| {
            let fits = bytes < INSERT_BYTES;
            bytes += object.data.len();
            fits
        });
        let (slice, after) = rest.split_at(within.count());
        insert_slice(tx, project, slice).await?;
        rest = after;
    }
    Ok(())
}

async fn insert_slice(tx: &mut Tx, project: ProjectId, objects: &[NewGitObject]) -> Result<()> {
    let oids: Vec<&[u8]> = objects.iter().map(|object| object.oid.0.as_slice()).collect();
    let kinds: Vec<&str> = objects.iter().map(|object| object.kind.as_str()).collect();
    let data: Vec<&[u8]> = objects.iter().map(|object| object.data.as_slice()).collect();
    Statement::new(include_str!("git_objects/insert.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(oids)
        .bind::<Array<Text>, _>(kinds)
        .bind::<Array<Binary>, _>(data)
        .execute(tx)
        .await?;
    Ok(())
}

/// Passes the bytes of Git objects to `take`, one at a time and in any order. Memory holds only what `take` keeps.
///
/// # Errors
/// `UNAVAILABLE`, and those of `take`.
pub(crate) async fn for_each(
    tx: &mut Tx,
    project: ProjectId,
    wanted: &[Oid],
    mut take: impl FnMut(Oid, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let wanted: Vec<&[u8]> = wanted.iter().map(|oid| oid.0.as_slice()).collect();
    let mut rows = Statement::new(include_str!("git_objects/load.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(wanted)
        .load_stream::<GitObjectRow, _>(tx)
        .await?;
    while let Some(GitObjectRow { oid, data }) = rows.try_next().await? {
        take(decode::commit_hash(&oid)?.into(), data)?;
    }
    Ok(())
}

/// Maps each record of a walk with `read`. Takes one query for each level.
pub(crate) async fn walk<T>(
    tx: &mut Tx,
    project: ProjectId,
    mut walk: Walk,
    mut read: impl FnMut(&ObjectRecord) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    while let Some(wanted) = walk.wanted()? {
        let supply = |oid, data| {
            if let Some(record) = walk.supply(oid, data)? {
                found.push(read(&record)?);
            }
            Ok(())
        };
        for_each(tx, project, &wanted, supply).await?;
    }
    Ok(found)
}

/// The blobs of a commit's objects, without reading them.
pub(crate) async fn files(tx: &mut Tx, project: ProjectId, mut files: Files) -> Result<Vec<(ObjectId, Oid)>> {
    while let Some(wanted) = files.wanted()? {
        for_each(tx, project, &wanted, |oid, data| files.supply(oid, data)).await?;
    }
    Ok(files.found())
}

#[derive(QueryableByName)]
struct GitObjectRow {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
    #[diesel(sql_type = Binary)]
    data: Vec<u8>,
}
