//! Cards of an export, with everything that hangs on them but comments and history.

use std::collections::HashMap;

use auth::actor::CardRead;
use database::prelude::*;
use database::schema::card_objects;
use domain::Result;
use domain::id::{CardId, ObjectId, TeamId};
use domain::planning::card::{CardOrder, CardPosition};
use domain::planning::project_export::{ExportedCard, ExportedPlacement};
use domain::position::Position;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::reachable;
use crate::access::rows::placement;
use crate::resources::planning::cards::filter::CardFilter;
use crate::resources::planning::cards::{self, attachments, checklist, relations};
use crate::resources::store::Tx;

/// A page of cards, the first created first.
pub(super) async fn page(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    (after, rows): (Option<CardPosition>, u32),
) -> Result<Vec<ExportedCard>> {
    let filter = CardFilter { order: CardOrder::Oldest, ..CardFilter::default() };
    let shown = cards::list(tx, project, call, &filter, after, rows).await?;
    let ids: Vec<CardId> = shown.iter().map(|shown| shown.card().id).collect();
    let mut checklists = checklist::of_cards(tx, &ids).await?;
    let mut objects = objects_of(tx, &ids).await?;
    let mut attachments = attachments::of_cards(tx, &ids).await?;
    let related = reachable::related(tx, call, &[project.record.id]).await?;
    let mut relations = relations::of_cards(tx, &ids, &related).await?;
    let ranks: HashMap<(CardId, TeamId), Position> = placement::list(tx, &ids)
        .await?
        .into_iter()
        .map(|(card, place)| ((card, place.team_id), place.rank))
        .collect();
    let cards = shown.iter().map(|shown| {
        let (card, index) = (shown.card().clone(), shown.index_card());
        let id = card.id;
        ExportedCard {
            card,
            tag_ids: index.tag_ids,
            user_ids: index.user_ids,
            placements: index
                .team_placements
                .into_iter()
                .map(|place| ExportedPlacement {
                    team_id: place.team_id,
                    status_id: place.status_id,
                    sprint_id: place.sprint_id,
                    rank: ranks.get(&(id, place.team_id)).cloned(),
                })
                .collect(),
            checklist: checklists.remove(&id).unwrap_or_default(),
            object_ids: objects.remove(&id).unwrap_or_default(),
            attachments: attachments.remove(&id).unwrap_or_default(),
            relations: relations.remove(&id).unwrap_or_default(),
        }
    });
    Ok(cards.collect())
}

/// The objects to which each card is linked.
async fn objects_of(tx: &mut Tx, cards: &[CardId]) -> Result<HashMap<CardId, Vec<ObjectId>>> {
    let rows: Vec<(Uuid, Uuid)> = card_objects::table
        .filter(card_objects::card_id.eq_any(cards.iter().map(|card| card.0).collect::<Vec<_>>()))
        .order((card_objects::card_id, card_objects::object_id))
        .select((card_objects::card_id, card_objects::object_id))
        .load(tx)
        .await?;
    let mut objects: HashMap<CardId, Vec<ObjectId>> = HashMap::new();
    for (card, object) in rows {
        objects.entry(CardId(card)).or_default().push(ObjectId(object));
    }
    Ok(objects)
}
