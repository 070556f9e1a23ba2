//! AbandonedUpload uploads in pieces: expired, or with a closed session or a deleted project.

use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Jsonb, Uuid as SqlUuid};
use domain::id::{ProjectId, UploadId};
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

use crate::resources::store::Store;

/// An abandoned upload whose bytes are to be removed.
#[derive(Clone, Debug)]
pub struct AbandonedUpload {
    /// Its project.
    pub project: ProjectId,
    /// Id.
    pub upload: UploadId,
    /// The data plane's state, which says where the bytes are.
    pub checkpoint: Value,
}

impl Store {
    /// Deletes the records of at most `rows` uploads that have expired or whose session was closed; returns them.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn take_abandoned_uploads(&self, rows: u32) -> Result<Vec<AbandonedUpload>> {
        let rows: Vec<AbandonedRow> = self
            .transaction(async |tx| {
                Statement::new(include_str!("take_abandoned.sql"))
                    .bind::<BigInt, _>(i64::from(rows))
                    .load(tx)
                    .await
                    .map_err(Error::from)
            })
            .await?;
        let abandoned = rows.into_iter().map(|row| AbandonedUpload {
            project: ProjectId(row.project_id),
            upload: UploadId(row.id),
            checkpoint: row.checkpoint,
        });
        Ok(abandoned.collect())
    }

    /// Those of these uploads in pieces that have no record.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn unknown_uploads(&self, uploads: &[UploadId]) -> Result<Vec<UploadId>> {
        let ids: Vec<Uuid> = uploads.iter().map(|upload| upload.0).collect();
        let rows: Vec<IdRow> = self
            .transaction(async |tx| {
                Statement::new(include_str!("unknown.sql"))
                    .bind::<Array<SqlUuid>, _>(&ids)
                    .load(tx)
                    .await
                    .map_err(Error::from)
            })
            .await?;
        Ok(rows.into_iter().map(|row| UploadId(row.id)).collect())
    }
}

#[derive(QueryableByName)]
struct AbandonedRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Jsonb)]
    checkpoint: Value,
}

#[derive(QueryableByName)]
struct IdRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}
