//! The state of an upload, for clients that lost the connection before the answer.

use auth::actor::ProjectRead;
use database::prelude::*;
use diesel::sql_types::{BigInt, Bool, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::content::upload::{UploadProgress, UploadState, UploadStatus};
use domain::id::UploadId;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;

use crate::access::session::Session;
use crate::resources::store::Tx;

/// The state of an upload of the session at `now`. `None` for an unknown upload: it belongs to another session, failed at once,
/// or is sent in one piece and less than a second old.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn find(
    tx: &mut Tx,
    session: &Session<ProjectRead>,
    upload: UploadId,
    now: Timestamp,
) -> Result<Option<UploadState>> {
    let row: Option<UploadStateRow> = Statement::new(include_str!("find.sql"))
        .bind::<SqlUuid, _>(upload.0)
        .bind::<SqlUuid, _>(session.record.id.0)
        .load(tx)
        .await?
        .pop();
    row.map(|row| row.state(upload, now)).transpose()
}

#[derive(QueryableByName)]
struct UploadStateRow {
    #[diesel(sql_type = Nullable<Jsonb>)]
    objects: Option<Value>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    applied_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    failure: Option<Value>,
    #[diesel(sql_type = Nullable<BigInt>)]
    length_bytes: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    offset_bytes: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Bool)]
    is_complete: bool,
    #[diesel(sql_type = Nullable<Jsonb>)]
    progress: Option<Value>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    progress_at: Option<OffsetDateTime>,
}

impl UploadStateRow {
    fn state(self, id: UploadId, now: Timestamp) -> Result<UploadState> {
        if let (Some(objects), Some(at)) = (self.objects, self.applied_at) {
            let map = serde_json::from_value(objects).map_err(Error::internal)?;
            return Ok(UploadState::done(id, map, Timestamp::from(at)));
        }
        let progress_at = self.progress_at.map(Timestamp::from);
        if let (Some(offset), Some(created)) = (self.offset_bytes, self.created_at) {
            let failure = self.failure.map(serde_json::from_value).transpose().map_err(Error::internal)?;
            let status = match &failure {
                Some(_) => UploadStatus::Failed,
                None if self.is_complete => UploadStatus::Converting,
                None => UploadStatus::Receiving,
            };
            return Ok(UploadState {
                id,
                status,
                received_bytes: u64::try_from(offset).map_err(Error::internal)?,
                size_bytes: self.length_bytes.map(u64::try_from).transpose().map_err(Error::internal)?,
                files: None,
                failure,
                updated_at: progress_at.unwrap_or_else(|| Timestamp::from(created)),
                map: None,
            });
        }
        let (Some(progress), Some(progress_at)) = (self.progress, progress_at) else {
            return Err(Error::internal("a found upload has no state"));
        };
        let last: UploadProgress = serde_json::from_value(progress).map_err(Error::internal)?;
        Ok(UploadState::of_word(last, progress_at, now))
    }
}
