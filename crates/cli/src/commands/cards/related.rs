//! Relate cards to each other.

use api::planning::cards::related::{
    CardRelationPath, RelateCards, RelateCardsRequest, UnrelateCards, UnrelateCardsRequest,
};
use client::Client;
use domain::planning::relation::{CardRelation, RelatedCard, RelationDirection, RelationKind};

use crate::arguments::Global;
use crate::arguments::cards::RelatedCards;
use crate::commands::cards::{find, find_in};
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, outcome};

/// Says that a card blocks or duplicates another one, or is related to it.
pub(super) async fn relate(client: &Client, cards: &RelatedCards, global: &Global) -> CommandResult<Exit> {
    let (path, kind) = (path(client, cards, global).await?, cards.kind.into());
    let request = RelateCardsRequest { kind, expected_history_head_id: None };
    let answer = client.call_with(RelateCards, path, &request).await?;
    let words = match kind {
        RelationKind::Blocks => "blocks",
        RelationKind::Relates => "is related to",
        RelationKind::Duplicates => "duplicates",
    };
    outcome(&answer, &format!("\"{}\" {words} {}.", answer.card.fields.name, cards.other), global.json);
    Ok(Exit::Done)
}

/// Ends a relation.
pub(super) async fn unrelate(client: &Client, cards: &RelatedCards, global: &Global) -> CommandResult<Exit> {
    let (path, kind) = (path(client, cards, global).await?, cards.kind.into());
    let request = UnrelateCardsRequest { kind: Some(kind), expected_history_head_id: None };
    let answer = client.call_with(UnrelateCards, path, &request).await?;
    outcome(&answer, "The relation is ended.", global.json);
    Ok(Exit::Done)
}

/// The key and the name of a card, which may be of another project.
pub(super) fn title(card: &RelatedCard) -> String {
    format!("{}  {}", key(card), card.name)
}

/// A relation as `cards show` tells it.
pub(super) fn line(relation: &CardRelation) -> String {
    let CardRelation { kind, direction, card } = relation;
    let label = match (kind, direction) {
        (RelationKind::Blocks, RelationDirection::Inward) => "blocked by",
        (RelationKind::Blocks, _) => "blocks",
        (RelationKind::Duplicates, RelationDirection::Inward) => "duplicated by",
        (RelationKind::Duplicates, _) => "duplicates",
        (RelationKind::Relates, _) => "related",
    };
    let state = if card.is_open { "open" } else { "closed" };
    format!("{:<10}{}  {}", format!("{label} "), title(card), output::dim(state))
}

/// A card's key, or its id while it has none.
fn key(card: &RelatedCard) -> String {
    card.key.as_ref().map_or_else(|| card.id.to_string(), ToString::to_string)
}

async fn path(client: &Client, cards: &RelatedCards, global: &Global) -> CommandResult<CardRelationPath> {
    let beginning = Beginning::of_change(global.json);
    let (project, id) = find(client, &cards.card, beginning).await?;
    let other = find_in(client, &project, &cards.other, beginning).await?;
    Ok(CardRelationPath {
        project_id: project.record.id.into(),
        card_id: id.into(),
        other_card_id: other.into(),
    })
}
