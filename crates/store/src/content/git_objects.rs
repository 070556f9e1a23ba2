//! Git objects as rows.

use diesel::prelude::*;
use diesel::sql_types::{Array, Binary, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::id::ProjectId;
use domain::{Error, Result};
use git::{NewObject, Oid, Record, Walk};

use crate::failure::failure;
use crate::schema::git_objects;
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
    let rows: Vec<(Vec<u8>, Vec<u8>)> = git_objects::table
        .filter(git_objects::project_id.eq(project.0).and(git_objects::oid.eq_any(wanted)))
        .select((git_objects::oid, git_objects::data))
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    let read =
        |(oid, data): (Vec<u8>, _)| Ok((Oid(oid.as_slice().try_into().map_err(Error::internal)?), data));
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
