//! Change events of a transaction, which are written with its COMMIT: so late, their numbers hold back no reader for longer
//! than the commit takes, and the statement costs no round trip (docs/design/events.md).

use auth::actor::Actor;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::event::change::{ChangeData, ChangeScope};
use domain::id::{CardId, ProjectId, TeamId};
use domain::planning::history::HistoryActor;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde::Serialize;
use uuid::Uuid;

use crate::access::call::Call;

/// A change event to append.
#[derive(Clone, Debug)]
pub(crate) struct NewChangeEvent {
    change: ChangeData,
    /// The streams that have it.
    scopes: Vec<ChangeScope>,
    /// The card whose boards' teams have it, too.
    card: Option<CardId>,
    /// The project that a reader must see.
    project: Option<ProjectId>,
    /// The team that a reader must see.
    team: Option<TeamId>,
    /// A second project whose cards a reader must see.
    other_project: Option<ProjectId>,
    is_of_cards: bool,
    actor: Option<HistoryActor>,
    occurred_at: Timestamp,
}

/// Who makes a change, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChangeOrigin {
    /// `None`: the service or an operator.
    actor: Option<HistoryActor>,
    now: Timestamp,
}

impl ChangeOrigin {
    /// The caller; `None` for the service or an operator.
    pub(crate) fn of(actor: Option<&Actor>, now: Timestamp) -> Self {
        let actor = actor.map(|actor| HistoryActor {
            user_id: actor.user,
            key_id: actor.key(),
            session_id: actor.session(),
        });
        Self { actor, now }
    }
}

impl<P> From<&Call<P>> for ChangeOrigin {
    fn from(call: &Call<P>) -> Self {
        Self::of(Some(&call.actor), call.now)
    }
}

impl NewChangeEvent {
    /// A change of a team.
    pub(crate) fn of_team(origin: impl Into<ChangeOrigin>, team: TeamId, change: ChangeData) -> Self {
        Self::new(origin.into(), vec![ChangeScope::Team(team)], change)
    }

    /// A change of a project.
    pub(crate) fn of_project(
        origin: impl Into<ChangeOrigin>,
        project: ProjectId,
        change: ChangeData,
    ) -> Self {
        let event = Self::new(origin.into(), vec![ChangeScope::Project(project)], change);
        Self { project: Some(project), ..event }
    }

    /// A change of a link between a team and a project.
    pub(crate) fn of_link(
        origin: impl Into<ChangeOrigin>,
        (team, project): (TeamId, ProjectId),
        change: ChangeData,
    ) -> Self {
        Self { project: Some(project), ..Self::of_team(origin, team, change) }
    }

    /// A change of a project's tag.
    pub(crate) fn of_tag(origin: impl Into<ChangeOrigin>, project: ProjectId, change: ChangeData) -> Self {
        Self { is_of_cards: true, ..Self::of_project(origin, project, change) }
    }

    /// A change of a card itself. The teams whose boards it is on have it, and `left`, whose boards it leaves.
    pub(crate) fn of_card(
        origin: impl Into<ChangeOrigin>,
        (project, card): (ProjectId, CardId),
        left: impl IntoIterator<Item = TeamId>,
        change: ChangeData,
    ) -> Self {
        let mut event = Self { card: Some(card), ..Self::of_tag(origin, project, change) };
        event.scopes.extend(left.into_iter().map(ChangeScope::Team));
        event
    }

    /// The same event for those alone who also read the cards of a second project, if there is one.
    #[must_use]
    pub(crate) fn telling_of(self, other_project: Option<ProjectId>) -> Self {
        Self { other_project, ..self }
    }

    /// A change of a card's place on a team's board.
    pub(crate) fn of_board(
        origin: impl Into<ChangeOrigin>,
        project: ProjectId,
        team: TeamId,
        change: ChangeData,
    ) -> Self {
        let mut event = Self { team: Some(team), ..Self::of_tag(origin, project, change) };
        event.scopes.push(ChangeScope::Team(team));
        event
    }

    fn new(origin: ChangeOrigin, scopes: Vec<ChangeScope>, change: ChangeData) -> Self {
        Self {
            change,
            scopes,
            card: None,
            project: None,
            team: None,
            other_project: None,
            is_of_cards: false,
            actor: origin.actor,
            occurred_at: origin.now,
        }
    }
}

/// The names of the fields in which two records differ. Their times of change don't count.
pub(crate) fn changed_fields<T: Serialize>(before: &T, after: &T) -> Result<Vec<String>> {
    let [before, after] = [before, after].map(serde_json::to_value);
    let (before, after) = (before.map_err(Error::internal)?, after.map_err(Error::internal)?);
    let after = after.as_object().into_iter().flatten();
    let changed = after.filter(|(name, value)| before.get(name) != Some(value)).map(|(name, _)| name.clone());
    Ok(changed.filter(|name| !matches!(name.as_str(), "updatedAt" | "updated_at")).collect())
}

/// Appends events, in their order. Each gets one number, which all of its rows share.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` if they can't be encoded.
pub(crate) async fn append(connection: &Connection, events: &[NewChangeEvent]) -> Result<()> {
    let mut parts = Vec::with_capacity(events.len());
    let (mut scopes, mut cards) = (Vec::new(), Vec::new());
    for (position, event) in (1..).zip(events) {
        parts.push(event.change.parts()?);
        scopes.extend(event.scopes.iter().map(|scope| (position, scope.id())));
        cards.extend(event.card.map(|card| (position, card.0)));
    }
    let (kinds, data): (Vec<String>, Vec<serde_json::Value>) = parts.into_iter().unzip();
    let (scope_positions, scopes): (Vec<i64>, Vec<Uuid>) = scopes.into_iter().unzip();
    let (card_positions, cards): (Vec<i64>, Vec<Uuid>) = cards.into_iter().unzip();
    let ids = |id: fn(&NewChangeEvent) -> Option<Uuid>| events.iter().map(id).collect::<Vec<_>>();
    Statement::new(include_str!("outbox/append.sql"))
        .bind::<Array<Text>, _>(kinds)
        .bind::<Array<Jsonb>, _>(data)
        .bind::<Array<Nullable<SqlUuid>>, _>(ids(|event| event.project.map(|id| id.0)))
        .bind::<Array<Nullable<SqlUuid>>, _>(ids(|event| event.team.map(|id| id.0)))
        .bind::<Array<Bool>, _>(events.iter().map(|event| event.is_of_cards).collect::<Vec<_>>())
        .bind::<Array<Nullable<SqlUuid>>, _>(ids(|event| event.actor.map(|actor| actor.user_id.0)))
        .bind::<Array<Nullable<SqlUuid>>, _>(ids(|event| event.actor?.key_id.map(|id| id.0)))
        .bind::<Array<Nullable<SqlUuid>>, _>(ids(|event| event.actor?.session_id.map(|id| id.0)))
        .bind::<Array<Timestamptz>, _>(events.iter().map(|event| event.occurred_at.0).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(scope_positions)
        .bind::<Array<SqlUuid>, _>(scopes)
        .bind::<Array<BigInt>, _>(card_positions)
        .bind::<Array<SqlUuid>, _>(cards)
        .bind::<Array<Nullable<SqlUuid>>, _>(ids(|event| event.other_project.map(|id| id.0)))
        .execute(connection)
        .await?;
    Ok(())
}
