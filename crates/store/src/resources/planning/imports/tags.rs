//! The tags of imported cards.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use auth::actor::CardWrite;
use database::prelude::*;
use database::schema::card_tags;
use domain::Result;
use domain::id::TagId;
use domain::planning::import::{ImportNote, ImportedCard, ImportedTag};
use domain::planning::tag::TagStatus;
use domain::search::fold_case;
use domain::text::Description;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::planning::card_tags::{NewTag, create};
use crate::resources::planning::imports::notes::note;
use crate::resources::store::Tx;

/// The project's tags by folded names.
pub(super) struct Tags(HashMap<String, CardTag>);

/// A tag of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CardTag {
    pub(super) id: TagId,
    /// False for an archived one, which a creation of cards refuses.
    pub(super) is_active: bool,
}

impl Tags {
    /// Those that the cards name. The project gets those that it lacks.
    pub(super) async fn of(
        tx: &mut Tx,
        project: &Project<CardWrite>,
        call: &Call<CardWrite>,
        cards: &[&ImportedCard],
    ) -> Result<Self> {
        let named: BTreeMap<String, &ImportedTag> =
            cards.iter().flat_map(|card| &card.tags).map(|tag| (fold_case(tag.name.as_str()), tag)).collect();
        if named.is_empty() {
            return Ok(Self(HashMap::new()));
        }
        let rows: Vec<(String, Uuid, String)> = card_tags::table
            .filter(card_tags::project_id.eq(project.record.id.0))
            .filter(card_tags::folded_name.eq_any(named.keys()))
            .order(card_tags::id)
            .select((card_tags::folded_name, card_tags::id, card_tags::status))
            // Nobody archives them meanwhile.
            .for_share()
            .load(tx)
            .await?;
        let tag =
            |id, status: &str| CardTag { id: TagId(id), is_active: status == TagStatus::Active.as_str() };
        let mut tags: HashMap<String, CardTag> =
            rows.into_iter().map(|(name, id, status)| (name, tag(id, &status))).collect();
        for (folded, tag) in named {
            if let Entry::Vacant(missing) = tags.entry(folded) {
                let new = NewTag {
                    name: tag.name.clone(),
                    description: Description::default(),
                    color: tag.color.clone().unwrap_or_default(),
                    status: TagStatus::Active,
                };
                missing.insert(CardTag { id: create(tx, project, call, &new).await?.id, is_active: true });
            }
        }
        Ok(Self(tags))
    }

    /// The tags of a card, each once. One that is archived is noted and left out, unless the export is of this service:
    /// there it was archived on its cards.
    pub(super) fn of_card(&self, card: &ImportedCard, notes: &mut Vec<ImportNote>) -> Vec<CardTag> {
        let mut found: Vec<CardTag> = Vec::with_capacity(card.tags.len());
        for tag in &card.tags {
            match self.0.get(&fold_case(tag.name.as_str())) {
                Some(known) if !known.is_active && card.exact.is_none() => {
                    let reason = "the project's tag of this name is archived; left out";
                    notes.push(note(card, "Labels", tag.name.as_str(), reason));
                }
                Some(known) if !found.contains(known) => found.push(*known),
                Some(_) | None => {}
            }
        }
        found
    }
}
