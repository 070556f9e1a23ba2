//! What became of an upload, however it came: for whoever has lost the connection on which it would have been answered.

use auth::actor::ProjectRead;
use diesel::sql_types::{BigInt, Jsonb, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::id::UploadId;
use domain::time::Timestamp;
use domain::upload::{UploadProgress, UploadState, UploadStatus};
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;

use crate::access::session::Session;
use crate::db::prelude::*;
use crate::resources::store::Tx;

/// How an upload of the session stands at `now`; `None` where nothing is known of it: it is none of the session's, it has
/// failed at once, or it came in one piece and is not a second old.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn find(
    tx: &mut Tx,
    session: &Session<ProjectRead>,
    upload: UploadId,
    now: Timestamp,
) -> Result<Option<UploadState>> {
    let row: Option<Row> = Statement::new(include_str!("find.sql"))
        .bind::<SqlUuid, _>(upload.0)
        .bind::<SqlUuid, _>(session.record.id.0)
        .load(tx)
        .await?
        .pop();
    row.map(|row| row.state(upload, now)).transpose()
}

#[derive(QueryableByName)]
struct Row {
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
    #[diesel(sql_type = Nullable<Jsonb>)]
    told: Option<Value>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    told_at: Option<OffsetDateTime>,
}

impl Row {
    fn state(self, id: UploadId, now: Timestamp) -> Result<UploadState> {
        if let (Some(objects), Some(at)) = (self.objects, self.applied_at) {
            let map = serde_json::from_value(objects).map_err(Error::internal)?;
            return Ok(UploadState::done(id, map, Timestamp::from(at)));
        }
        let told_at = self.told_at.map(Timestamp::from);
        if let (Some(length), Some(offset), Some(created)) =
            (self.length_bytes, self.offset_bytes, self.created_at)
        {
            let failure = self.failure.map(serde_json::from_value).transpose().map_err(Error::internal)?;
            let status = match &failure {
                Some(_) => UploadStatus::Failed,
                None if length == offset => UploadStatus::Converting,
                None => UploadStatus::Receiving,
            };
            return Ok(UploadState {
                id,
                status,
                received_bytes: u64::try_from(offset).map_err(Error::internal)?,
                size_bytes: Some(u64::try_from(length).map_err(Error::internal)?),
                failure,
                updated_at: told_at.unwrap_or_else(|| Timestamp::from(created)),
                map: None,
            });
        }
        let (Some(told), Some(told_at)) = (self.told, told_at) else {
            return Err(Error::internal("nothing is known of an upload that was found"));
        };
        let word: UploadProgress = serde_json::from_value(told).map_err(Error::internal)?;
        Ok(UploadState::of_word(word, told_at, now))
    }
}
