//! Completion of a sprint: incomplete cards move on, and the report is frozen.

use std::collections::HashSet;

use auth::actor::{CardWrite, TeamWrite};
use database::prelude::*;
use database::schema::sprints;
use domain::event::change::ChangeData;
use domain::id::{CardId, SprintId};
use domain::planning::sprint::report::SprintReport;
use domain::planning::sprint::{SprintRecord, SprintStatus};
use domain::{Code, Error, Result, Rule};
use serde_json::json;

use crate::access::call::Call;
use crate::access::rows::sprint::SprintRow;
use crate::access::sprint::Sprint;
use crate::resources::planning::cards::relocation::{self, Destination};
use crate::resources::planning::sprints::{last_history_sequence, publish, report};
use crate::resources::store::Tx;

/// The destination of cards that are not done.
#[derive(Debug)]
pub enum IncompleteCards {
    /// They stay in the sprint.
    Keep,
    /// They move elsewhere. The call proves that the caller may write cards.
    Carry(Destination, Box<Call<CardWrite>>),
}

/// The result of a completion.
#[derive(Clone, Debug)]
pub struct CompletedSprint {
    /// The sprint.
    pub sprint: SprintRecord,
    /// Its report, which lists the cards that the caller can read.
    pub report: SprintReport,
    /// Number of cards that moved elsewhere.
    pub carried: usize,
}

/// Completes an active sprint, finally. Its report is frozen before the incomplete cards move elsewhere.
///
/// # Errors
/// `SPRINT_NOT_ACTIVE` if it is not active, or the cards' destination is completed; `INVALID_REQUEST` if the destination is not
/// another sprint of the team; `FORBIDDEN` if the caller may not write one of the cards.
pub async fn complete(
    tx: &mut Tx,
    sprint: &Sprint<TeamWrite>,
    call: &Call<TeamWrite>,
    incomplete: &IncompleteCards,
) -> Result<CompletedSprint> {
    let before = &sprint.record;
    if before.status != SprintStatus::Active {
        return Err(Error::new(Code::SprintNotActive, "The sprint is not active.")
            .with_detail("status", before.status.as_str()));
    }
    if let IncompleteCards::Carry(Destination::Sprint(to), _) = incomplete {
        require_open(tx, sprint, *to).await?;
    }
    // With all cards locked, their history rows are committed and have at most the last sequence number.
    let mut cards = relocation::lock_cards(tx, sprint).await?;
    let last = last_history_sequence(tx).await?;
    let whole = report::compute(tx, sprint, SprintStatus::Completed, call.now, Some(last)).await?;
    let carried = match incomplete {
        IncompleteCards::Keep => 0,
        IncompleteCards::Carry(to, call) => {
            let left: HashSet<CardId> = whole.carried_over.cards.iter().map(|card| card.id).collect();
            cards.retain(|card| left.contains(&card.id));
            relocation::move_cards(tx, call, cards, *to).await?
        }
    };
    let after = SprintRecord { status: SprintStatus::Completed, ..before.clone() };
    let written = diesel::update(sprints::table.find(after.id.0))
        .set((
            SprintRow::of(&after),
            sprints::completed_at.eq(call.now.0),
            sprints::completed_sequence.eq(last.0),
            sprints::report.eq(serde_json::to_value(&whole).map_err(Error::internal)?),
        ))
        .execute(tx)
        .await?;
    if written != 1 {
        return Err(Error::internal("a locked sprint is gone"));
    }
    publish(tx, call, &after, Vec::new(), ChangeData::SprintCompleted);
    Ok(CompletedSprint { sprint: after, report: report::for_reader(tx, call, whole).await?, carried })
}

/// Refuses a destination that takes no cards. The caller has locked the team, so it can't be completed meanwhile.
async fn require_open(tx: &mut Tx, sprint: &Sprint<TeamWrite>, to: SprintId) -> Result<()> {
    let status: Option<String> = sprints::table
        .find(to.0)
        .filter(sprints::team_id.eq(sprint.team.id().0))
        .filter(sprints::id.ne(sprint.id().0))
        .select(sprints::status)
        .first(tx)
        .await
        .optional()?;
    let field = "incompleteCardsTo";
    let status =
        status.ok_or_else(|| Error::invalid(field, Rule::Exists, "must name another sprint of the team"))?;
    if status == SprintStatus::Completed.as_str() {
        return Err(Error::new(Code::SprintNotActive, "The sprint that is to take the cards is completed.")
            .with_details(json!({ "sprintId": to, "status": status })));
    }
    Ok(())
}
