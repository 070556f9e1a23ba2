//! The history of cards, page by page: of a project, and of one card. Rows of boards that the reader doesn't see are absent,
//! and rows about cards of projects that the reader doesn't see.

use std::collections::HashSet;

use auth::actor::CardRead;
use database::decode;
use database::prelude::*;
use database::schema::card_history;
use diesel::dsl::sql;
use diesel::pg::Pg;
use diesel::sql_types::{Array, Bool, Uuid as SqlUuid};
use domain::id::{ApiKeyId, CardId, HistoryId, ProjectId, SessionId, TeamId, UserId};
use domain::planning::history::{HistoryActor, HistoryRow, Sequence};
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::reachable;
use crate::access::visible_teams;
use crate::resources::store::{Store, Tx};

/// True for a row that every reader of the card sees, and for those of the boards that follow.
const IS_OF_SEEN_BOARD: &str = "(kind not in ('placed', 'moved', 'removed') or history_board(changes) = any(";
/// True for a row that tells of no card of another project, or of one of the projects that follow.
const IS_OF_SEEN_PROJECT: &str = "(kind not in ('linked', 'unlinked') or history_other_project(changes) is null \
                                  or history_other_project(changes) = any(";

/// The number up to which the history is complete: all rows with lower numbers are committed.
#[derive(Clone, Copy, Debug)]
pub struct Horizon(i64);

impl Horizon {
    /// The number.
    pub(in crate::resources::planning) fn sequence(self) -> Sequence {
        Sequence(self.0)
    }
}

impl Store {
    /// The present horizon of the history. Rows are read in a later snapshot, and only up to the horizon. So a reader that pages
    /// by sequence misses no row that commits late, and writers don't wait for each other.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn history_horizon(&self) -> Result<Horizon> {
        diesel::define_sql_function! { fn card_history_horizon() -> diesel::sql_types::BigInt }
        let statement = diesel::select(card_history_horizon());
        let horizon: i64 = statement.get_result(&self.connection().await?).await?;
        Ok(Horizon(horizon))
    }
}

/// Numbers of history rows, and the order in which they are read.
#[derive(Clone, Copy, Debug)]
pub enum SequenceRange {
    /// Those after this one, oldest first.
    After(Sequence),
    /// Those before this one, or all, newest first.
    Before(Option<Sequence>),
}

/// A page of a history.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// Their numbers and order.
    pub range: SequenceRange,
    /// Most rows.
    pub rows: u32,
}

/// The rows of a project's present and deleted cards, as the caller sees them.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list_of_project(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    horizon: Horizon,
    slice: Slice,
) -> Result<Vec<HistoryRow>> {
    let rows = card_history::table
        .filter(card_history::project_id.eq(project.record.id.0))
        .filter(card_history::sequence.le(horizon.0));
    seen(tx, project, call, rows.into_boxed(), slice).await
}

/// The rows of a card, which may be deleted, as the caller sees them. They need no horizon: writers lock the card, so its rows
/// are committed in the order of their numbers.
///
/// # Errors
/// `NOT_FOUND` if the project never had such a card.
pub async fn list_of_card(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    card: CardId,
    slice: Slice,
) -> Result<Vec<HistoryRow>> {
    let of_card = || {
        card_history::table
            .filter(card_history::card_id.eq(card.0))
            .filter(card_history::project_id.eq(project.record.id.0))
    };
    let found = seen(tx, project, call, of_card().into_boxed(), slice).await?;
    if found.is_empty() {
        let any: Option<i64> = of_card().select(card_history::sequence).first(tx).await.optional()?;
        any.ok_or_else(Error::not_found)?;
    }
    Ok(found)
}

/// A page of `rows`: those that the caller sees.
async fn seen(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    rows: card_history::BoxedQuery<'_, Pg>,
    slice: Slice,
) -> Result<Vec<HistoryRow>> {
    let boards = visible_teams::of_history(tx, call, project.record.id).await?;
    let related = reachable::related(tx, call, &[project.record.id]).await?;
    let rows = match slice.range {
        SequenceRange::After(after) => {
            rows.filter(card_history::sequence.gt(after.0)).order(card_history::sequence)
        }
        SequenceRange::Before(before) => rows
            .filter(card_history::sequence.lt(before.map_or(i64::MAX, |before| before.0)))
            .order(card_history::sequence.desc()),
    };
    let rows: Vec<EntryRow> = rows
        .filter(sql::<Bool>(IS_OF_SEEN_BOARD).bind::<Array<SqlUuid>, _>(ids(&boards)).sql("))"))
        .filter(sql::<Bool>(IS_OF_SEEN_PROJECT).bind::<Array<SqlUuid>, _>(related).sql("))"))
        .limit(i64::from(slice.rows))
        .select(EntryRow::as_select())
        .load(tx)
        .await?;
    rows.into_iter().map(EntryRow::read).collect()
}

fn ids(boards: &HashSet<TeamId>) -> Vec<Uuid> {
    boards.iter().map(|team| team.0).collect()
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = card_history)]
struct EntryRow {
    id: Uuid,
    sequence: i64,
    card_id: Uuid,
    project_id: Uuid,
    kind: String,
    actor_user_id: Uuid,
    actor_key_id: Option<Uuid>,
    actor_session_id: Option<Uuid>,
    changes: Value,
    occurred_at: OffsetDateTime,
}

impl EntryRow {
    fn read(self) -> Result<HistoryRow> {
        Ok(HistoryRow {
            id: HistoryId(self.id),
            sequence: Sequence(self.sequence),
            card_id: CardId(self.card_id),
            project_id: ProjectId(self.project_id),
            kind: decode::text(&self.kind)?,
            actor: HistoryActor {
                user_id: UserId(self.actor_user_id),
                key_id: self.actor_key_id.map(ApiKeyId),
                session_id: self.actor_session_id.map(SessionId),
            },
            changes: serde_json::from_value(self.changes).map_err(Error::internal)?,
            occurred_at: Timestamp::from(self.occurred_at),
        })
    }
}
