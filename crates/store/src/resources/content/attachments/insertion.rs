//! What uploads create, written in one statement.

use std::collections::{BTreeMap, HashSet};

use diesel::sql_types::{Array, BigInt, Binary, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use domain::object::Object;
use domain::time::Timestamp;
use domain::upload::{Attachment, NewFile};
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

use super::Joining;
use crate::db::prelude::*;
use crate::resources::content::uncommitted;

/// What uploads create, about to be written.
pub(super) struct Insertion<'a> {
    statement: Statement<'a>,
    /// How many files there are.
    expected: usize,
}

/// What writes all that is new.
pub(super) fn insertion<'a>(now: Timestamp, joining: &[&'a Joining<'_>]) -> Result<Insertion<'a>> {
    let new: Vec<(&Joining<'_>, &Attachment)> =
        joining.iter().flat_map(|one| one.new.iter().map(|attachment| (*one, *attachment))).collect();
    let files: Vec<(Uuid, &NewFile)> = new
        .iter()
        .flat_map(|(one, attachment)| attachment.files.iter().map(|file| (one.project.record.id.0, file)))
        .collect();
    // Each once, and in one order, in which others that insert the same wait for each other.
    let distinct: BTreeMap<(Uuid, &[u8]), &NewFile> =
        files.into_iter().rev().map(|(project, file)| ((project, file.sha256.0.as_slice()), file)).collect();
    let sizes: Result<Vec<i64>, _> = distinct.values().map(|file| i64::try_from(file.size)).collect();
    let keys: Vec<&str> = distinct.values().map(|file| file.blob_key.as_str()).collect();
    let objects: Vec<(&Joining<'_>, &Object)> = new
        .iter()
        .flat_map(|(one, attachment)| attachment.objects.iter().map(|object| (*one, object)))
        .collect();
    let records: Result<Vec<Value>, _> =
        objects.iter().map(|(_, object)| serde_json::to_value(object)).collect();
    let answers: Result<Vec<Value>, _> =
        new.iter().map(|(one, attachment)| serde_json::to_value(one.maps.get(&attachment.upload))).collect();
    let statement = Statement::new(include_str!("apply.sql"))
        .bind::<Timestamptz, _>(now.0)
        .bind::<Array<SqlUuid>, _>(distinct.keys().map(|(project, _)| *project).collect::<Vec<_>>())
        .bind::<Array<Binary>, _>(distinct.keys().map(|(_, hash)| *hash).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(sizes.map_err(Error::internal)?)
        .bind::<Array<Text>, _>(keys)
        .bind::<Array<SqlUuid>, _>(joining.iter().map(|one| one.project.branch.id).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(objects.iter().map(|(one, _)| one.project.branch.id).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(objects.iter().map(|(_, object)| object.id.0).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(records.map_err(Error::internal)?)
        .bind::<Array<SqlUuid>, _>(objects.iter().map(|(one, _)| one.project.user.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(new.iter().map(|(_, one)| one.upload.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(new.iter().map(|(one, _)| one.project.record.id.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(new.iter().map(|(one, _)| one.session.0).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(answers.map_err(Error::internal)?);
    Ok(Insertion { statement, expected: distinct.len() })
}

impl Insertion<'_> {
    /// Writes it. Returns the blobs that the projects refer to for the files' bytes, which are earlier ones where they had them
    /// already.
    pub(super) async fn run(self, connection: &Connection) -> Result<HashSet<String>> {
        let rows: Vec<BlobRow> = self.statement.load(connection).await.map_err(uncommitted::failure)?;
        if rows.len() != self.expected {
            return Err(Error::internal("a file of an upload has no row"));
        }
        Ok(rows.into_iter().map(|row| row.blob_key).collect())
    }
}

#[derive(QueryableByName)]
struct BlobRow {
    #[diesel(sql_type = Text)]
    blob_key: String,
}
