//! Relations of cards at a moment. The other cards are shown as they were then, to a reader who reads them now.

use std::collections::{BTreeMap, HashMap};

use database::connection::Connection;
use domain::Result;
use domain::id::{CardId, ProjectId};
use domain::key::CardKey;
use domain::planning::past::PastMoment;
use domain::planning::relation::{CardRelation, RelatedCard, RelationDirection, RelationKind};
use uuid::Uuid;

use crate::resources::planning::past::facts;
use crate::resources::planning::past::values::{self, FieldChoice, PastCard, PastRelation};

/// The fields of a card that others show of it.
const SHOWN: FieldChoice<'_> = FieldChoice { only: Some(&["name", "is_open"]), unread: &[] };

/// The relations of a card to cards of its project and of projects `related`, in the order of `relations/list.sql`.
pub(super) async fn list(
    connection: &Connection,
    card: &PastCard,
    related: &[Uuid],
    at: PastMoment,
) -> Result<Vec<CardRelation>> {
    let relations: Vec<PastRelation> =
        card.relations()?.into_iter().filter(|relation| relation.is_seen(related)).collect();
    let others = others(connection, &relations, at).await?;
    let keys = facts::keys(connection, others.keys().copied()).await?;
    let mut found = Vec::with_capacity(relations.len());
    for PastRelation { other, kind, direction, .. } in relations {
        let Some(past) = others.get(&other) else { continue };
        found.push(CardRelation { kind, direction, card: related_card(past, &keys)? });
    }
    found.sort_by(|one, next| place(one, card).cmp(&place(next, card)));
    Ok(found)
}

/// A parent that the caller sees, in brief.
pub(super) async fn brief(
    connection: &Connection,
    parent: Option<CardId>,
    at: PastMoment,
) -> Result<Option<RelatedCard>> {
    let found = values::read(connection, parent.iter().map(|parent| parent.0).collect(), at, SHOWN).await?;
    let keys = facts::keys(connection, found.keys().copied()).await?;
    found.values().next().map(|past| related_card(past, &keys)).transpose()
}

fn related_card(past: &PastCard, keys: &HashMap<CardId, CardKey>) -> Result<RelatedCard> {
    Ok(RelatedCard {
        id: past.id,
        project_id: past.project,
        key: keys.get(&past.id).cloned(),
        name: past.name()?,
        is_open: past.is_open()?,
    })
}

/// The other cards of relations at a moment.
pub(super) async fn others(
    connection: &Connection,
    relations: &[PastRelation],
    at: PastMoment,
) -> Result<BTreeMap<CardId, PastCard>> {
    values::read(connection, relations.iter().map(|relation| relation.other.0).collect(), at, SHOWN).await
}

/// The place of a relation of a card among the others: by kind, side, project and key.
fn place<'a>(
    relation: &'a CardRelation,
    card: &PastCard,
) -> (&'static str, bool, bool, bool, Option<(&'a str, i64)>, CardId) {
    let CardRelation { kind, direction, card: other } = relation;
    let is_second = match direction {
        RelationDirection::Outward => false,
        RelationDirection::Inward => true,
        RelationDirection::Mutual => other.id < card.id,
    };
    let key = other.key.as_ref().map(|key| (key.project.as_str(), key.number));
    (kind.as_str(), is_second, other.project_id != card.project, key.is_none(), key, other.id)
}

impl PastRelation {
    /// True if the other card is of the card's project or of one of `related`.
    pub(super) fn is_seen(&self, related: &[Uuid]) -> bool {
        self.project.is_none_or(|ProjectId(project)| related.contains(&project))
    }

    /// True if the other card blocks the card as long as it is open.
    pub(super) fn is_blocker(&self) -> bool {
        self.kind == RelationKind::Blocks && self.direction == RelationDirection::Inward
    }
}
