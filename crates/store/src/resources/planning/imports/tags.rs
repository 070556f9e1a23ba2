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
use crate::resources::store::Tx;

/// The project's tags by folded names; `None` for an archived one.
pub(super) struct Tags(HashMap<String, Option<TagId>>);

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
        let active = |id, status: &str| (status == TagStatus::Active.as_str()).then_some(TagId(id));
        let mut tags: HashMap<String, Option<TagId>> =
            rows.into_iter().map(|(name, id, status)| (name, active(id, &status))).collect();
        for (folded, tag) in named {
            if let Entry::Vacant(missing) = tags.entry(folded) {
                let new = NewTag {
                    name: tag.name.clone(),
                    description: Description::default(),
                    color: tag.color.clone().unwrap_or_default(),
                    status: TagStatus::Active,
                };
                missing.insert(Some(create(tx, project, call, &new).await?.id));
            }
        }
        Ok(Self(tags))
    }

    /// The tag of a card. One that is archived is noted.
    pub(super) fn find(
        &self,
        tag: &ImportedTag,
        card: &ImportedCard,
        notes: &mut Vec<ImportNote>,
    ) -> Option<TagId> {
        let found = self.0.get(&fold_case(tag.name.as_str())).copied().flatten();
        if found.is_none() {
            notes.push(ImportNote {
                line: None,
                issue: Some(card.source_key.clone()),
                field: "Labels".to_owned(),
                value: tag.name.to_string(),
                reason: "the project's tag of this name is archived; left out".to_owned(),
            });
        }
        found
    }
}
