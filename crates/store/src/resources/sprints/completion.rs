//! The end of a sprint: what is not done goes on elsewhere, and the report stays as it is then.

use std::collections::HashSet;

use auth::actor::{CardWrite, TeamWrite};
use domain::id::{CardId, SprintId};
use domain::sprint::report::SprintReport;
use domain::sprint::{SprintRecord, SprintStatus};
use domain::{Code, Error, Result};

use crate::access::call::Call;
use crate::access::rows::sprint::SprintRow;
use crate::access::sprint::Sprint;
use crate::db::prelude::*;
use crate::db::schema::sprints;
use crate::resources::cards::relocation::{self, Destination};
use crate::resources::sprints::{last_drawn, report};
use crate::resources::store::Tx;

/// What becomes of the cards that are not done.
#[derive(Debug)]
pub enum Incomplete {
    /// They stay in the sprint.
    Keep,
    /// They go elsewhere, for a caller that may write cards.
    Carry(Destination, Box<Call<CardWrite>>),
}

/// A sprint that was completed.
#[derive(Clone, Debug)]
pub struct Completed {
    /// The sprint.
    pub sprint: SprintRecord,
    /// Its report, its lists naming the cards that the caller can read.
    pub report: SprintReport,
    /// How many cards went elsewhere.
    pub carried: usize,
}

/// Completes an active sprint, for good. Its report is frozen as it is before the incomplete cards go elsewhere.
///
/// # Errors
/// `SPRINT_NOT_ACTIVE` where it is not, or the one where cards are to go is completed; `INVALID_REQUEST` where that is no
/// other sprint of the team; `FORBIDDEN` where the caller may not write one of the cards.
pub async fn complete(
    tx: &mut Tx,
    sprint: &Sprint<TeamWrite>,
    call: &Call<TeamWrite>,
    incomplete: &Incomplete,
) -> Result<Completed> {
    let before = &sprint.record;
    if before.status != SprintStatus::Active {
        return Err(Error::new(Code::SprintNotActive, "The sprint is not active."));
    }
    if let Incomplete::Carry(Destination::Sprint(to), _) = incomplete {
        require_open(tx, sprint, *to).await?;
    }
    // With its cards held, every row of theirs is there, and has at most the last number that was drawn.
    let mut cards = relocation::hold(tx, sprint).await?;
    let last = last_drawn(tx).await?;
    let whole = report::live(tx, before, SprintStatus::Completed, call.now, Some(last)).await?;
    let carried = match incomplete {
        Incomplete::Keep => 0,
        Incomplete::Carry(to, call) => {
            let left: HashSet<CardId> = whole.carried_over.cards.iter().map(|card| card.id).collect();
            cards.retain(|card| left.contains(&card.id));
            relocation::carry(tx, call, cards, *to).await?
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
    Ok(Completed { sprint: after, report: report::as_readable(tx, call, whole).await?, carried })
}

/// Refuses a sprint that takes no cards. Whoever would complete it waits for the team.
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
        status.ok_or_else(|| Error::invalid(field, "exists", "must name another sprint of the team"))?;
    if status == SprintStatus::Completed.as_str() {
        return Err(Error::new(Code::SprintNotActive, "The sprint that is to take the cards is completed."));
    }
    Ok(())
}
