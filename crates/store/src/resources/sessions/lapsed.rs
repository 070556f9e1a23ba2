//! Sessions that lapse: nobody closed them, and no process remembers them.

use domain::Result;
use domain::id::SessionId;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::db::prelude::*;
use crate::db::schema::sessions;
use crate::resources::sessions::end;
use crate::resources::store::Store;

impl Store {
    /// Open sessions from before `time`, in the order of their ids from after `after`, `rows` at most.
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

    /// Closes a session that has lapsed; returns whether it was open.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn close_lapsed(&self, session: SessionId, now: Timestamp) -> Result<bool> {
        self.transaction(async |tx| end(tx, session, None, now).await).await
    }
}
