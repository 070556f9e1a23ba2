//! The work of a user over all projects.

use std::collections::HashMap;

use auth::actor::CardRead;
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ApprovalId, ProjectId, SessionId};
use domain::people::permission::Permission;
use domain::planning::card::IndexCard;
use domain::planning::my_work::{MentionedCard, WaitingApproval, WorkItem, WorkReason};
use domain::time::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card;
use crate::access::reachable;
use crate::access::user::User;
use crate::resources::planning::cards::view;
use crate::resources::store::Tx;

/// Most cards.
const CARDS_MAX: usize = 200;
/// Most cards that mention the user.
const MENTIONED_MAX: usize = 100;
/// Most questions.
const APPROVALS_MAX: i64 = 100;
/// A card is due from this time before its deadline on, in seconds: seven days.
const DUE_SECS: i64 = 7 * 24 * 60 * 60;

/// A user's work.
#[derive(Clone, Debug)]
pub struct MyWork {
    /// The open cards that are assigned to the user: those that are due, then the most urgent.
    pub cards: Vec<WorkItem>,
    /// The open cards that mention the user, the newest mention first.
    pub mentioned: Vec<MentionedCard>,
    /// True if there are more cards that mention the user.
    pub has_more_mentioned: bool,
    /// The questions that wait for the user's answer, the oldest first.
    pub approvals: Vec<WaitingApproval>,
    /// True if there are more cards.
    pub has_more: bool,
}

/// The caller's work in the projects that its list of projects has.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of(tx: &mut Tx, me: &User<CardRead>, call: &Call<CardRead>) -> Result<MyWork> {
    let with_cards: Vec<ProjectId> =
        reachable::own(tx, me, Permission::CardRead).await?.into_iter().collect();
    let (cards, has_more) = cards(tx, call, &with_cards).await?;
    let (mentioned, has_more_mentioned) = mentioned(tx, call, &with_cards).await?;
    let projects = reachable::own(tx, me, Permission::ProjectRead).await?;
    let rows: Vec<WaitingApprovalRow> = Statement::new(include_str!("my_work/approvals.sql"))
        .bind::<SqlUuid, _>(me.id().0)
        .bind::<Array<SqlUuid>, _>(projects.into_iter().map(|project| project.0).collect::<Vec<_>>())
        .bind::<BigInt, _>(APPROVALS_MAX)
        .load(tx)
        .await?;
    let approvals: Result<Vec<WaitingApproval>> =
        rows.into_iter().map(WaitingApprovalRow::approval).collect();
    Ok(MyWork { cards, mentioned, has_more_mentioned, approvals: approvals?, has_more })
}

async fn cards(tx: &mut Tx, call: &Call<CardRead>, projects: &[ProjectId]) -> Result<(Vec<WorkItem>, bool)> {
    let related = reachable::related(tx, call, projects).await?;
    let mut found: Vec<WorkRow> = Statement::new(include_str!("my_work/cards.sql"))
        .bind::<SqlUuid, _>(call.actor.user.0)
        .bind::<Array<SqlUuid>, _>(ids(projects))
        .bind::<Timestamptz, _>(call.now.plus_seconds(DUE_SECS).0)
        .bind::<Array<SqlUuid>, _>(related)
        .load(tx)
        .await?;
    let has_more = found.len() > CARDS_MAX;
    found.truncate(CARDS_MAX);
    let mut shown = index_cards(tx, call, found.iter().map(|row| row.id).collect()).await?;
    let item = |row: WorkRow| {
        let card = shown.remove(&row.id)?;
        let reasons = [(row.is_due, WorkReason::Due), (row.is_blocked, WorkReason::Blocked)];
        let reasons = reasons.into_iter().filter_map(|(applies, reason)| applies.then_some(reason));
        Some(WorkItem { reasons: reasons.collect(), card })
    };
    Ok((found.into_iter().filter_map(item).collect(), has_more))
}

async fn mentioned(
    tx: &mut Tx,
    call: &Call<CardRead>,
    projects: &[ProjectId],
) -> Result<(Vec<MentionedCard>, bool)> {
    let mut found: Vec<MentionedRow> = Statement::new(include_str!("my_work/mentioned.sql"))
        .bind::<SqlUuid, _>(call.actor.user.0)
        .bind::<Array<SqlUuid>, _>(ids(projects))
        .load(tx)
        .await?;
    let has_more = found.len() > MENTIONED_MAX;
    found.truncate(MENTIONED_MAX);
    let mut shown = index_cards(tx, call, found.iter().map(|row| row.id).collect()).await?;
    let item = |row: MentionedRow| {
        let mentioned_at = Timestamp::from(row.mentioned_at);
        Some(MentionedCard { mentioned_at, card: shown.remove(&row.id)? })
    };
    Ok((found.into_iter().filter_map(item).collect(), has_more))
}

/// Cards of which the caller may read all, by their ids.
async fn index_cards(
    tx: &mut Tx,
    call: &Call<CardRead>,
    cards: Vec<Uuid>,
) -> Result<HashMap<Uuid, IndexCard>> {
    if cards.is_empty() {
        return Ok(HashMap::new());
    }
    let states = card::load(tx, cards).await?;
    let shown = view::cards(tx, call, states).await?;
    Ok(shown.into_iter().map(|shown| (shown.card().id.0, shown.index_card())).collect())
}

fn ids(projects: &[ProjectId]) -> Vec<Uuid> {
    projects.iter().map(|project| project.0).collect()
}

#[derive(QueryableByName)]
struct WorkRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Bool)]
    is_due: bool,
    #[diesel(sql_type = Bool)]
    is_blocked: bool,
}

#[derive(QueryableByName)]
struct MentionedRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Timestamptz)]
    mentioned_at: OffsetDateTime,
}

#[derive(QueryableByName)]
struct WaitingApprovalRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    session_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Text)]
    tool: String,
    #[diesel(sql_type = Text)]
    reason: String,
    #[diesel(sql_type = Timestamptz)]
    requested_at: OffsetDateTime,
}

impl WaitingApprovalRow {
    fn approval(self) -> Result<WaitingApproval> {
        Ok(WaitingApproval {
            id: ApprovalId(self.id),
            session_id: SessionId(self.session_id),
            project_id: ProjectId(self.project_id),
            tool: self.tool,
            reason: decode::text(&self.reason)?,
            requested_at: Timestamp::from(self.requested_at),
        })
    }
}
