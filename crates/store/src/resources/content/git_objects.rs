//! Git objects as rows.

use diesel::sql_types::{Array, Binary, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ObjectId, ProjectId};
use futures_util::TryStreamExt;
use git::{Files, NewGitObject, ObjectRecord, Oid, Walk};

use crate::db::decode;
use crate::db::prelude::*;
use crate::resources::store::Tx;

/// Most Git objects that one statement stores.
const INSERTED: usize = 4_096;
/// Bytes of Git objects past which one statement stores no further one.
const INSERTED_BYTES: usize = 8 * 1024 * 1024;

/// Stores Git objects, in slices: a statement holds its own copy of what it stores. Those that the project already has
/// are left alone: the same id is the same content.
pub(crate) async fn insert(tx: &mut Tx, project: ProjectId, objects: &[NewGitObject]) -> Result<()> {
    let mut rest = objects;
    while !rest.is_empty() {
        let mut bytes = 0;
        let within = rest.iter().take(INSERTED).take_while(|object| {
            let fits = bytes < INSERTED_BYTES;
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

/// Hands over the bytes of Git objects, in any order and one after the other as they arrive: so memory follows what `take`
/// keeps of them, however large they are together.
///
/// # Errors
/// `UNAVAILABLE`, and what `take` fails with.
pub(crate) async fn each(
    tx: &mut Tx,
    project: ProjectId,
    wanted: &[Oid],
    mut take: impl FnMut(Oid, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let wanted: Vec<&[u8]> = wanted.iter().map(|oid| oid.0.as_slice()).collect();
    let mut rows = Statement::new(include_str!("git_objects/load.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(wanted)
        .load_stream::<Row, _>(tx)
        .await?;
    while let Some(Row { oid, data }) = rows.try_next().await? {
        take(decode::commit_hash(&oid)?.into(), data)?;
    }
    Ok(())
}

/// What `read` makes of each record that the walk comes to, a query for each of its levels.
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
        each(tx, project, &wanted, supply).await?;
    }
    Ok(found)
}

/// The blobs of a commit's objects, without reading them.
pub(crate) async fn files(tx: &mut Tx, project: ProjectId, mut files: Files) -> Result<Vec<(ObjectId, Oid)>> {
    while let Some(wanted) = files.wanted()? {
        each(tx, project, &wanted, |oid, data| files.supply(oid, data)).await?;
    }
    Ok(files.found())
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
    #[diesel(sql_type = Binary)]
    data: Vec<u8>,
}
