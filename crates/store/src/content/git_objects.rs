//! Git objects as rows.

use diesel::prelude::*;
use diesel::sql_types::{Array, Binary, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::Result;
use domain::id::ProjectId;
use git::{NewObject, Oid, Record, Walk};

use crate::decode;
use crate::failure::failure;
use crate::statement::Statement;
use crate::transaction::Tx;

/// Stores Git objects. Those that the project already has are left alone: the same id is the same content.
pub(crate) async fn insert(tx: &mut Tx, project: ProjectId, objects: &[NewObject]) -> Result<()> {
    let oids: Vec<&[u8]> = objects.iter().map(|object| object.oid.0.as_slice()).collect();
    let kinds: Vec<&str> = objects.iter().map(|object| object.kind.as_str()).collect();
    let data: Vec<&[u8]> = objects.iter().map(|object| object.data.as_slice()).collect();
    Statement::new(include_str!("git_objects/insert.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(oids)
        .bind::<Array<Text>, _>(kinds)
        .bind::<Array<Binary>, _>(data)
        .execute(tx.connection()?)
        .await
        .map_err(failure)?;
    Ok(())
}

/// The bytes of Git objects, in any order.
pub(crate) async fn load(tx: &mut Tx, project: ProjectId, wanted: &[Oid]) -> Result<Vec<(Oid, Vec<u8>)>> {
    let wanted: Vec<&[u8]> = wanted.iter().map(|oid| oid.0.as_slice()).collect();
    let rows: Vec<Row> = Statement::new(include_str!("git_objects/load.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(wanted)
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    let read = |Row { oid, data }: Row| Ok((decode::commit_hash(&oid)?.into(), data));
    rows.into_iter().map(read).collect()
}

/// What `read` makes of each record that the walk comes to, a query for each of its levels.
pub(crate) async fn walk<T>(
    tx: &mut Tx,
    project: ProjectId,
    mut walk: Walk,
    read: impl Fn(&Record) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    while let Some(wanted) = walk.wanted()? {
        for (oid, data) in load(tx, project, &wanted).await? {
            if let Some(record) = walk.supply(oid, data)? {
                found.push(read(&record)?);
            }
        }
    }
    Ok(found)
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
    #[diesel(sql_type = Binary)]
    data: Vec<u8>,
}
