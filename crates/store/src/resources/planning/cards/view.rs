//! Cards as a caller sees them: traces of hidden teams' boards, and of parents in hidden projects, are left out.

use std::collections::HashSet;

use database::connection::Connection;
use domain::Result;
use domain::id::{ProjectId, TeamId};
use domain::people::permission::Permission;
use domain::planning::card::{BoardHeads, CardState, ShownCard};
use domain::planning::history::HistoryHead;

use crate::access::call::Call;
use crate::access::{reachable, visible_teams};
use crate::resources::store::Tx;

/// A card as the caller sees it, of whom it may be known that it sees a team.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn card<P>(
    tx: &mut Tx,
    call: &Call<P>,
    state: CardState,
    seen: Option<TeamId>,
) -> Result<ShownCard> {
    let asked = state.board_heads.teams().filter(|team| Some(*team) != seen);
    let visible = visible_teams::among(tx, call, asked).await?;
    let read = far_projects(tx, call, [&state]).await?;
    let sees = |team| Some(team) == seen || visible.contains(&team);
    Ok(state.shown(sees, |project| read.contains(&project)))
}

/// Cards as the caller sees them.
pub(in crate::resources::planning) async fn cards<P>(
    tx: &mut Tx,
    call: &Call<P>,
    states: Vec<CardState>,
) -> Result<Vec<ShownCard>> {
    let visible = boards(tx, call, states.iter().map(|state| &state.board_heads)).await?;
    let read = far_projects(tx, call, &states).await?;
    let shown =
        |state: CardState| state.shown(|team| visible.contains(&team), |project| read.contains(&project));
    Ok(states.into_iter().map(shown).collect())
}

/// The projects whose cards the caller reads, among those of parents in other projects.
async fn far_projects<P>(
    tx: &mut Tx,
    call: &Call<P>,
    states: impl IntoIterator<Item = &CardState>,
) -> Result<HashSet<ProjectId>> {
    let projects: HashSet<ProjectId> =
        states.into_iter().filter_map(|state| Some(state.far_parent?.project)).collect();
    let projects: Vec<ProjectId> = projects.into_iter().collect();
    reachable::among(tx, call, &projects, Permission::CardRead).await
}

/// The card's head as the caller sees it.
pub(super) async fn head<P>(tx: &mut Tx, call: &Call<P>, state: &CardState) -> Result<HistoryHead> {
    let visible = boards(tx, call, [&state.board_heads]).await?;
    Ok(state.board_heads.head(state.head, |team| visible.contains(&team)))
}

/// The teams that the caller sees, among those whose boards the cards are or were on.
pub(crate) async fn boards<P>(
    connection: &Connection,
    call: &Call<P>,
    heads: impl IntoIterator<Item = &BoardHeads>,
) -> Result<HashSet<TeamId>> {
    visible_teams::among(connection, call, heads.into_iter().flat_map(BoardHeads::teams)).await
}
