//! The cost of cards: their shares of the runs that changed them, from the ledger and the cards' history.

use auth::actor::UsageRead;
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{CardId, RunId, SessionId, TeamId};
use domain::time::Timestamp;
use domain::work::usage::MicroCredits;
use domain::work::usage::report::{CardCost, CardUsageReport, CardUsageRun};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::access::visible_teams;
use crate::resources::store::Tx;
use crate::resources::work::usage::report::ReportFilter;

/// Most runs that a report names.
const MAX_RUNS: i64 = 100;

/// The position of a card in the order of costs: the largest first, then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardCostPosition {
    /// The cost, in millionths of a credit.
    micro_credits: i64,
    /// The card.
    id: CardId,
}

/// A page of a project's cards by their cost, with sums of all pages.
#[derive(Clone, Debug)]
pub struct CardCosts {
    /// The cards.
    pub cards: Vec<CardCost>,
    /// The project's spending.
    pub credits: MicroCredits,
    /// The spending that no card has a share of.
    pub other_credits: MicroCredits,
    /// Time of the newest counted event.
    pub as_of: Option<Timestamp>,
}

impl CardCostPosition {
    /// The position of a card.
    pub fn of(cost: &CardCost) -> Self {
        Self { micro_credits: cost.credits.0, id: cost.card_id }
    }
}

/// The costs of a project's cards in the filter's period, divided as in [`of_card`].
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_project(
    tx: &mut Tx,
    project: &Project<UsageRead>,
    call: &Call<UsageRead>,
    filter: &ReportFilter,
    (after, rows): (Option<CardCostPosition>, u32),
) -> Result<CardCosts> {
    let seen = visible_teams::of_history(tx, call, project.record.id).await?;
    let found: Vec<CardCostRow> = Statement::new(include_str!("cards/of_project.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Nullable<Timestamptz>, _>(filter.from.map(|time| time.0))
        .bind::<Nullable<Timestamptz>, _>(filter.to.map(|time| time.0))
        .bind::<Array<SqlUuid>, _>(seen.into_iter().map(|team| team.0).collect::<Vec<_>>())
        .bind::<Nullable<BigInt>, _>(after.map(|after| after.micro_credits))
        .bind::<Nullable<SqlUuid>, _>(after.map(|after| after.id.0))
        .bind::<BigInt, _>(i64::from(rows))
        .load(tx)
        .await?;
    let first = found.as_slice().first();
    let credits = first.map_or(0, |row| row.whole);
    Ok(CardCosts {
        credits: MicroCredits(credits),
        other_credits: MicroCredits(credits - first.map_or(0, |row| row.of_cards)),
        as_of: first.and_then(|row| row.as_of).map(Timestamp::from),
        cards: found.into_iter().filter_map(CardCostRow::cost).collect::<Result<_>>()?,
    })
}

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

/// The sums, with a card; without one, if the page is empty.
#[derive(QueryableByName)]
struct CardCostRow {
    #[diesel(sql_type = BigInt)]
    whole: i64,
    #[diesel(sql_type = BigInt)]
    of_cards: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    as_of: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    card_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    part: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    run_count: Option<i64>,
}

impl CardCostRow {
    fn cost(self) -> Option<Result<CardCost>> {
        let (card_id, part, run_count) = (self.card_id?, self.part?, self.run_count?);
        let name = self.name.as_deref().map(decode::name).transpose();
        Some(name.map(|name| CardCost {
            card_id: CardId(card_id),
            name,
            credits: MicroCredits(part),
            run_count,
        }))
    }
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
