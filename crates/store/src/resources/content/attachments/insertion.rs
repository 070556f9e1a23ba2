//! The statement that writes all objects and files of uploads.

use std::collections::{BTreeMap, HashSet};

use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::object::Object;
use domain::content::upload::{Attachment, NewFile};
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

use super::CheckedGroup;
use crate::resources::uncommitted;

/// A statement that is ready to run.
pub(super) struct Insertion<'a> {
    statement: Statement<'a>,
    /// Number of distinct files.
    expected: usize,
}

/// Prepares the statement for all new uploads of the groups.
pub(super) fn insertion<'a>(now: Timestamp, groups: &[&'a CheckedGroup<'_>]) -> Result<Insertion<'a>> {
    let new: Vec<(&CheckedGroup<'_>, &Attachment)> =
        groups.iter().flat_map(|group| group.new.iter().map(|attachment| (*group, *attachment))).collect();
    let files: Vec<(Uuid, &NewFile)> = new
        .iter()
        .flat_map(|(group, attachment)| attachment.files.iter().map(|file| (group.project.record.id.0, file)))
        .collect();
    // Each file once, and in order: transactions that insert the same files wait for each other and don't deadlock.
    let distinct: BTreeMap<(Uuid, &[u8]), &NewFile> =
        files.into_iter().rev().map(|(project, file)| ((project, file.sha256.0.as_slice()), file)).collect();
    let sizes: Result<Vec<i64>, _> = distinct.values().map(|file| i64::try_from(file.size)).collect();
    let keys: Vec<&str> = distinct.values().map(|file| file.blob_key.as_str()).collect();
    let objects: Vec<(&CheckedGroup<'_>, &Object)> = new
        .iter()
        .flat_map(|(group, attachment)| attachment.objects.iter().map(|object| (*group, object)))
        .collect();
    let records: Result<Vec<Value>, _> =
        objects.iter().map(|(group, object)| serde_json::to_value(group.defaults.given(object))).collect();
    let answers: Result<Vec<Value>, _> = new
        .iter()
        .map(|(group, attachment)| serde_json::to_value(group.maps.get(&attachment.upload)))
        .collect();
    let deferred: Vec<(&CheckedGroup<'_>, &Attachment, &Object)> = new
        .iter()
        .filter_map(|(group, attachment)| Some((*group, *attachment, pending(attachment)?)))
        .collect();
    let statement = Statement::new(include_str!("apply.sql"))
        .bind::<Timestamptz, _>(now.0)
        .bind::<Array<SqlUuid>, _>(distinct.keys().map(|(project, _)| *project).collect::<Vec<_>>())
        .bind::<Array<Binary>, _>(distinct.keys().map(|(_, hash)| *hash).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(sizes.map_err(Error::internal)?)
        .bind::<Array<Text>, _>(keys)
        .bind::<Array<SqlUuid>, _>(groups.iter().map(|group| group.project.branch.id).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(
            objects.iter().map(|(group, _)| group.project.branch.id).collect::<Vec<_>>(),
        )
        .bind::<Array<SqlUuid>, _>(objects.iter().map(|(_, object)| object.id.0).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(records.map_err(Error::internal)?)
        .bind::<Array<SqlUuid>, _>(objects.iter().map(|(group, _)| group.project.user.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(new.iter().map(|(_, group)| group.upload.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(new.iter().map(|(group, _)| group.project.record.id.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(new.iter().map(|(group, _)| group.session.0).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(answers.map_err(Error::internal)?);
    Ok(Insertion { statement: bind_deferred(statement, &deferred), expected: distinct.len() })
}

/// The object of an upload whose file is to be converted later, if that is so.
fn pending(attachment: &Attachment) -> Option<&Object> {
    attachment.objects.as_slice().first().filter(|object| object.is_conversion_pending())
}

/// The client's name of an object's file.
fn client_name(object: &Object) -> &str {
    object.file.as_ref().and_then(|file| file.name.as_ref()).unwrap_or(&object.name).as_str()
}

fn bind_deferred<'a>(
    statement: Statement<'a>,
    deferred: &[(&CheckedGroup<'_>, &Attachment, &'a Object)],
) -> Statement<'a> {
    let ids = |id: fn(&CheckedGroup<'_>, &Attachment, &Object) -> Uuid| -> Vec<Uuid> {
        deferred.iter().map(|(group, attachment, object)| id(group, attachment, object)).collect()
    };
    let hashes = deferred.iter().filter_map(|(_, _, object)| Some(object.file.as_ref()?.sha256.0.to_vec()));
    statement
        .bind::<Array<SqlUuid>, _>(ids(|group, _, _| group.project.branch.id))
        .bind::<Array<SqlUuid>, _>(ids(|_, _, object| object.id.0))
        .bind::<Array<SqlUuid>, _>(ids(|group, _, _| group.project.record.id.0))
        .bind::<Array<SqlUuid>, _>(ids(|group, _, _| group.session.0))
        .bind::<Array<SqlUuid>, _>(ids(|group, _, _| group.project.user.0))
        .bind::<Array<SqlUuid>, _>(ids(|_, attachment, _| attachment.upload.0))
        .bind::<Array<Text>, _>(deferred.iter().map(|(_, _, object)| client_name(object)).collect::<Vec<_>>())
        .bind::<Array<Binary>, _>(hashes.collect::<Vec<_>>())
}

impl Insertion<'_> {
    /// Runs the statement. Returns the blobs that the projects refer to for the files: earlier blobs if a project already had
    /// the bytes.
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
