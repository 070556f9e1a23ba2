//! Uploads in pieces that are given up: they have expired, their session was closed, or their project is gone.

use diesel::sql_types::{Array, BigInt, Jsonb, Uuid as SqlUuid};
use domain::id::{ProjectId, UploadId};
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

use crate::db::prelude::*;
use crate::resources::store::Store;

/// An upload that was given up: what there is to remove.
#[derive(Clone, Debug)]
pub struct Abandoned {
    /// Its project.
    pub project: ProjectId,
    /// Id.
    pub upload: UploadId,
    /// Where its bytes are, in the data plane's words.
    pub checkpoint: Value,
}

impl Store {
    /// Forgets uploads that have expired or whose session was closed, at most `rows`, and returns what is to be
    /// removed of them.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn take_abandoned_uploads(&self, rows: u32) -> Result<Vec<Abandoned>> {
        let rows: Vec<AbandonedRow> = self
            .transaction(async |tx| {
                Statement::new(include_str!("take_abandoned.sql"))
                    .bind::<BigInt, _>(i64::from(rows))
                    .load(tx)
                    .await
                    .map_err(Error::from)
            })
            .await?;
        let abandoned = rows.into_iter().map(|row| Abandoned {
            project: ProjectId(row.project_id),
            upload: UploadId(row.id),
            checkpoint: row.checkpoint,
        });
        Ok(abandoned.collect())
    }

    /// Which of these uploads in pieces are not known, or not any more.
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
