//! Lapsed sessions: open, but not hosted by any process.

use database::prelude::*;
use database::schema::sessions;
use domain::Result;
use domain::id::SessionId;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::resources::audit;
use crate::resources::store::Store;
use crate::resources::work::sessions::close_by;

impl Store {
    /// At most `rows` open sessions from before `time`, after `after` in the order of their ids.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn open_sessions(
        &self,
        time: Timestamp,
        after: Option<SessionId>,
        rows: u32,
    ) -> Result<Vec<SessionId>> {
        let found: Vec<Uuid> = sessions::table
            .filter(sessions::closed_at.is_null().and(sessions::created_at.lt(time.0)))
            .filter(sessions::id.gt(after.map_or(Uuid::nil(), |after| after.0)))
            .order(sessions::id)
            .limit(i64::from(rows))
            .select(sessions::id)
            .load(&self.connection().await?)
            .await?;
        Ok(found.into_iter().map(SessionId).collect())
    }

    /// Closes a lapsed session; `false` if it was closed before.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn close_lapsed(&self, session: SessionId, now: Timestamp) -> Result<bool> {
        self.transaction(async |tx| {
            let closed = close_by(tx, session, None, now).await?;
            if closed {
                audit::record_own(tx, now, "session.lapsed", session.0).await?;
            }
            Ok(closed)
        })
        .await
    }
}
