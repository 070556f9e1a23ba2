//! Terms of boards in a filter, as far as they count for a caller. Hidden boards leave no trace.

use std::collections::HashMap;

use database::prelude::*;
use database::schema::{sprints, team_projects, team_statuses};
use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::Result;
use domain::id::TeamId;
use domain::planning::card::ValueTerms;
use uuid::Uuid;

use super::{CardFilter, bind_lists};
use crate::access::call::Call;
use crate::access::visible_teams;
use crate::resources::store::Tx;

/// The terms of teams, columns and sprints that a caller sees.
#[derive(Default)]
pub(super) struct BoardTerms {
    teams: SeenTerms,
    statuses: SeenTerms,
    sprints: SeenTerms,
    /// The teams whose boards the caller sees, if a list names the missing value.
    seen: Vec<Uuid>,
}

/// Terms without those that are hidden. A list of hidden values alone is still a condition, which no card meets.
#[derive(Default)]
struct SeenTerms {
    any_of: Option<Vec<Option<Uuid>>>,
    none_of: Vec<Option<Uuid>>,
}

impl BoardTerms {
    /// The terms of a filter of the cards of `projects`.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub(super) async fn of<P>(
        tx: &mut Tx,
        call: &Call<P>,
        projects: &[Uuid],
        filter: &CardFilter,
    ) -> Result<Self> {
        let CardFilter { teams, statuses, sprints, .. } = filter;
        if teams.is_empty() && statuses.is_empty() && sprints.is_empty() {
            return Ok(Self::default());
        }
        let named_teams: Vec<Uuid> = teams.values().flatten().map(|team| team.0).collect();
        let of_statuses = teams_of_statuses(tx, statuses.values().flatten().map(|id| id.0).collect()).await?;
        let of_sprints = teams_of_sprints(tx, sprints.values().flatten().map(|id| id.0).collect()).await?;
        let asks_for_missing = teams.values().any(Option::is_none)
            || statuses.values().any(Option::is_none)
            || sprints.values().any(Option::is_none);
        // Every card on a board is of a project that is linked to its team.
        let linked = if asks_for_missing { linked_teams(tx, projects).await? } else { Vec::new() };
        let asked = named_teams.iter().chain(of_statuses.values()).chain(of_sprints.values()).chain(&linked);
        let visible = visible_teams::among(tx, call, asked.map(|team| TeamId(*team))).await?;
        let sees = |team: Uuid| visible.contains(&TeamId(team));
        let sees_of = |teams: &HashMap<Uuid, Uuid>, id: Uuid| teams.get(&id).is_some_and(|team| sees(*team));
        Ok(Self {
            teams: SeenTerms::of(teams, |id| id.0, sees),
            statuses: SeenTerms::of(statuses, |id| id.0, |id| sees_of(&of_statuses, id)),
            sprints: SeenTerms::of(sprints, |id| id.0, |id| sees_of(&of_sprints, id)),
            seen: linked.into_iter().filter(|team| sees(*team)).collect(),
        })
    }

    /// Binds the lists of teams, columns and sprints, and the teams that are seen.
    pub(super) fn bind<'s>(&self, statement: Statement<'s>) -> Statement<'s> {
        let lists = [&self.teams, &self.statuses, &self.sprints];
        let statement = lists.into_iter().fold(statement, |statement, terms| {
            bind_lists(statement, terms.any_of.clone(), terms.none_of.clone())
        });
        statement.bind::<Array<SqlUuid>, _>(self.seen.clone())
    }
}

impl SeenTerms {
    fn of<T: Copy>(
        terms: &ValueTerms<Option<T>>,
        id: impl Fn(T) -> Uuid,
        sees: impl Fn(Uuid) -> bool,
    ) -> Self {
        let seen = |values: &[Option<T>]| -> Vec<Option<Uuid>> {
            let ids = values.iter().map(|value| value.map(&id));
            ids.filter(|value| value.is_none_or(&sees)).collect()
        };
        Self {
            any_of: (!terms.any_of.is_empty()).then(|| seen(&terms.any_of)),
            none_of: seen(&terms.none_of),
        }
    }
}

async fn teams_of_statuses(connection: &Connection, ids: Vec<Uuid>) -> Result<HashMap<Uuid, Uuid>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, Uuid)> = team_statuses::table
        .filter(team_statuses::id.eq_any(ids))
        .select((team_statuses::id, team_statuses::team_id))
        .load(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

async fn teams_of_sprints(connection: &Connection, ids: Vec<Uuid>) -> Result<HashMap<Uuid, Uuid>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, Uuid)> = sprints::table
        .filter(sprints::id.eq_any(ids))
        .select((sprints::id, sprints::team_id))
        .load(connection)
        .await?;
    Ok(rows.into_iter().collect())
}

/// The teams to which one of these projects is linked, each once.
async fn linked_teams(connection: &Connection, projects: &[Uuid]) -> Result<Vec<Uuid>> {
    Ok(team_projects::table
        .filter(team_projects::project_id.eq_any(projects.to_vec()))
        .select(team_projects::team_id)
        .distinct()
        .load(connection)
        .await?)
}
