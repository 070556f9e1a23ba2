//! Leases: a run and an execution are each the work of one process, which alone writes for it, for as long as it renews the
//! lease on it. Whoever ends it (its process, a stop, or whoever finds that its lease has run out) holds its row, so that
//! it ends once.

use diesel::QueryableByName;
use diesel::sql_types::{Array, Nullable, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::Result;
use domain::id::{ProcessId, SessionId};
use uuid::Uuid;

use crate::db::config::Store;
use crate::db::error::failure;
use crate::db::statement::Statement;
use crate::db::transaction::Tx;

/// The end of a lease that begins now, by the database's clock, which is one for all processes. Work whose process died has
/// failed this long after.
pub(crate) const LEASE_FROM_NOW: &str = "now() + interval '15 seconds'";

/// What there are leases on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leased {
    Runs,
    Executions,
}

impl Leased {
    /// A statement on its table.
    fn statement<'a>(self, sql: &str) -> Statement<'a> {
        let table = match self {
            Self::Runs => "session_runs",
            Self::Executions => "executions",
        };
        Statement::new(sql.replace("{table}", table).replace("{lease}", LEASE_FROM_NOW))
    }

    /// Holds one until the transaction ends; whether it is in progress, and `process` works on it, where that is asked.
    pub(crate) async fn hold(self, tx: &mut Tx, id: Uuid, process: Option<ProcessId>) -> Result<bool> {
        let held: Vec<HeldRow> = self
            .statement(include_str!("leases/hold.sql"))
            .bind::<SqlUuid, _>(id)
            .bind::<Nullable<SqlUuid>, _>(process.map(|process| process.0))
            .load(tx.connection()?)
            .await
            .map_err(failure)?;
        Ok(!held.is_empty())
    }

    /// The same of one whose lease has run out and that nobody else is ending.
    async fn hold_lost(self, tx: &mut Tx, id: Uuid) -> Result<bool> {
        let held: Vec<HeldRow> = self
            .statement(include_str!("leases/hold_lost.sql"))
            .bind::<SqlUuid, _>(id)
            .load(tx.connection()?)
            .await
            .map_err(failure)?;
        Ok(!held.is_empty())
    }
}

impl Store {
    /// Runs what the process that works on something has to write for it, and returns whether it was still its work.
    pub(crate) async fn as_worker(
        &self,
        of: Leased,
        (id, process): (Uuid, ProcessId),
        write: impl AsyncFn(&mut Tx) -> Result<()>,
    ) -> Result<bool> {
        self.as_system(async |tx| {
            let is_held = of.hold(tx, id, Some(process)).await?;
            if is_held {
                write(tx).await?;
            }
            Ok(is_held)
        })
        .await
    }

    /// Renews the leases of these as far as they are in progress, this process's, and not lost; returns which they are.
    pub(crate) async fn renew(&self, of: Leased, process: ProcessId, ids: Vec<Uuid>) -> Result<Vec<Uuid>> {
        let statement = of
            .statement(include_str!("leases/renew.sql"))
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<SqlUuid, _>(process.0);
        let renewed: Vec<HeldRow> = self.single(async |connection| statement.load(connection).await).await?;
        Ok(renewed.into_iter().map(|row| row.id).collect())
    }

    /// Has `end` end what nobody works on any more, each by itself; returns the sessions. Each replica does it; a second one
    /// finds nothing.
    pub(crate) async fn end_lost(
        &self,
        of: Leased,
        end: impl AsyncFn(&mut Tx, Uuid, SessionId) -> Result<()>,
    ) -> Result<Vec<SessionId>> {
        let statement = of.statement(include_str!("leases/lost.sql"));
        let lost: Vec<LostRow> = self.single(async |connection| statement.load(connection).await).await?;
        let mut sessions = Vec::new();
        for LostRow { id, session_id } in lost {
            let session = SessionId(session_id);
            let ended = self.as_system(async |tx| {
                let is_held = of.hold_lost(tx, id).await?;
                if is_held {
                    end(tx, id, session).await?;
                }
                Ok(is_held)
            });
            match ended.await {
                Ok(true) => sessions.push(session),
                Ok(false) => {}
                // One that can't be ended keeps none of the others.
                Err(error) => {
                    tracing::warn!(work.id = %id, "error.chain" = error.chain(), "{of:?}: a lost one can't be ended");
                }
            }
        }
        Ok(sessions)
    }
}

#[derive(QueryableByName)]
struct HeldRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[derive(QueryableByName)]
struct LostRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    session_id: Uuid,
}
