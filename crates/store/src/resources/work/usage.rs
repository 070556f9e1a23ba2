//! The usage ledger: one row for each charged call of a model.

pub mod cards;
pub mod report;

use database::prelude::*;
use database::schema::{projects, usage_events};
use diesel::dsl::{exists, select};
use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use domain::id::{RunId, SessionId, UsageEventId};
use domain::time::Timestamp;
use domain::work::usage::{MicroCredits, TokenCounts};
use domain::{Error, Result};

use crate::resources::leases::Lease;
use crate::resources::store::Tx;

/// A call of a model that is charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCharge {
    /// The id of its row. It is chosen before the call, so that the call is charged once.
    pub call: UsageEventId,
    /// The model's provider.
    pub provider: String,
    /// The provider's name of the model.
    pub model: String,
    /// The tokens that it read and wrote.
    pub tokens: TokenCounts,
    /// True if the server didn't count some of them.
    pub is_estimated: bool,
    /// Their cost.
    pub credits: MicroCredits,
}

/// Charges a run's call of a model, in the transaction that stores the answer.
pub(crate) async fn record(
    tx: &mut Tx,
    (run, lease): (RunId, &Lease),
    spent: &ModelCharge,
    now: Timestamp,
) -> Result<()> {
    let owner: uuid::Uuid =
        projects::table.find(lease.project.0).select(projects::owner_id).first(tx).await?;
    diesel::insert_into(usage_events::table)
        .values((
            usage_events::id.eq(spent.call.0),
            usage_events::owner_id.eq(owner),
            usage_events::user_id.eq(lease.user.0),
            usage_events::project_id.eq(lease.project.0),
            usage_events::session_id.eq(lease.session.0),
            usage_events::run_id.eq(run.0),
            usage_events::provider.eq(&spent.provider),
            usage_events::model.eq(&spent.model),
            (
                usage_events::prompt_tokens.eq(spent.tokens.prompt),
                usage_events::completion_tokens.eq(spent.tokens.completion),
                usage_events::reasoning_tokens.eq(spent.tokens.reasoning),
                usage_events::cache_write_tokens.eq(spent.tokens.cache_write),
                usage_events::cache_read_tokens.eq(spent.tokens.cache_read),
            ),
            usage_events::micro_credits.eq(spent.credits.0),
            usage_events::priced_per_call.eq(false),
            usage_events::is_estimated.eq(spent.is_estimated),
            usage_events::occurred_at.eq(now.0),
        ))
        .execute(tx)
        .await?;
    Ok(())
}

/// `true` if the call has been charged.
pub(crate) async fn is_recorded(tx: &mut Tx, call: UsageEventId) -> Result<bool> {
    let found = select(exists(usage_events::table.find(call.0)));
    found.get_result(tx).await.map_err(Error::from)
}

/// The cost of a session's runs so far.
pub(crate) async fn session_total(tx: &mut Tx, session: SessionId) -> Result<MicroCredits> {
    let spent: Vec<TotalRow> = Statement::new(
        "select coalesce(sum(micro_credits), 0)::bigint as micro_credits from usage_events where session_id = $1",
    )
    .bind::<SqlUuid, _>(session.0)
    .load(tx)
    .await?;
    Ok(MicroCredits(spent.into_iter().map(|row| row.micro_credits).sum()))
}

#[derive(QueryableByName)]
struct TotalRow {
    #[diesel(sql_type = BigInt)]
    micro_credits: i64,
}
