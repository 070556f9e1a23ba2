//! The cost of cards: their shares of the runs that changed them, from the ledger and the cards' history.

use auth::actor::UsageRead;
use diesel::sql_types::{Array, BigInt, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{RunId, SessionId, TeamId};
use domain::time::Timestamp;
use domain::usage::MicroCredits;
use domain::usage::report::{CardUsageReport, CardUsageRun};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::visible_teams;
use crate::db::prelude::*;
use crate::resources::store::Tx;

/// Most runs that a report names.
const MAX_RUNS: i64 = 100;

/// The cost of a card. A run changed the card if the card's history names the run's session during the run: a session has one
/// run at a time. Changes of places on boards that the caller doesn't see don't count.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_card(tx: &mut Tx, card: &Card<UsageRead>, call: &Call<UsageRead>) -> Result<CardUsageReport> {
    let boards: Vec<RunBoardRow> =
        Statement::new(include_str!("cards/boards.sql")).bind::<SqlUuid, _>(card.id().0).load(tx).await?;
    let seen = visible_teams::among(tx, call, boards.into_iter().map(|row| TeamId(row.team_id))).await?;
    let rows: Vec<CardUsageRow> = Statement::new(include_str!("cards/of_card.sql"))
        .bind::<SqlUuid, _>(card.id().0)
        .bind::<BigInt, _>(MAX_RUNS)
        .bind::<Array<SqlUuid>, _>(seen.into_iter().map(|team| team.0).collect::<Vec<_>>())
        .load(tx)
        .await?;
    let first = rows.as_slice().first();
    Ok(CardUsageReport {
        project_id: card.project.record.id,
        card_id: card.id(),
        as_of: first.and_then(|row| row.as_of).map(Timestamp::from),
        credits: MicroCredits(first.map_or(0, |row| row.whole)),
        run_count: first.map_or(0, |row| row.run_count),
        runs: rows.iter().map(CardUsageRow::run).collect(),
    })
}

#[derive(QueryableByName)]
struct RunBoardRow {
    #[diesel(sql_type = SqlUuid)]
    team_id: Uuid,
}

#[derive(QueryableByName)]
struct CardUsageRow {
    #[diesel(sql_type = SqlUuid)]
    session_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    run_id: Uuid,
    #[diesel(sql_type = BigInt)]
    part: i64,
    #[diesel(sql_type = BigInt)]
    micro_credits: i64,
    #[diesel(sql_type = BigInt)]
    cards: i64,
    #[diesel(sql_type = BigInt)]
    whole: i64,
    #[diesel(sql_type = BigInt)]
    run_count: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    as_of: Option<OffsetDateTime>,
}

impl CardUsageRow {
    fn run(&self) -> CardUsageRun {
        CardUsageRun {
            session_id: SessionId(self.session_id),
            task_id: RunId(self.run_id),
            credits: MicroCredits(self.part),
            run_credits: MicroCredits(self.micro_credits),
            card_count: self.cards,
        }
    }
}
