//! Cards and their history as a caller sees them: boards of hidden teams are left out.

use domain::Result;
use domain::card::{CardState, ShownCard};
use domain::history::HistoryRow;

use crate::access::call::Call;
use crate::access::visible_teams;
use crate::resources::store::Tx;

/// A card as the caller sees it.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn card<P>(tx: &mut Tx, call: &Call<P>, state: CardState) -> Result<ShownCard> {
    let visible = visible_teams::among(tx, call, state.boards.team_ids.iter().copied()).await?;
    Ok(state.shown(|team| visible.contains(&team)))
}

/// Cards as the caller sees them.
pub(super) async fn cards<P>(tx: &mut Tx, call: &Call<P>, states: Vec<CardState>) -> Result<Vec<ShownCard>> {
    let teams = states.iter().flat_map(|state| state.boards.team_ids.iter().copied());
    let visible = visible_teams::among(tx, call, teams).await?;
    Ok(states.into_iter().map(|state| state.shown(|team| visible.contains(&team))).collect())
}

/// Rows of history as the caller sees them. No row is left out, but a place on a hidden team's board is removed from it.
pub(super) async fn history<P>(
    tx: &mut Tx,
    call: &Call<P>,
    mut rows: Vec<HistoryRow>,
) -> Result<Vec<HistoryRow>> {
    let teams = rows.iter().filter_map(|row| row.changes.team());
    let visible = visible_teams::among(tx, call, teams).await?;
    for row in &mut rows {
        if row.changes.team().is_some_and(|team| !visible.contains(&team)) {
            row.changes.hide_team();
        }
    }
    Ok(rows)
}
