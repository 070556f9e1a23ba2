//! Values of custom fields of an import's cards. A field may have changed since the file was read: what it takes no longer is
//! told, and kept in a comment.

use std::collections::HashMap;

use auth::actor::CardWrite;
use domain::Result;
use domain::planning::custom_field::{CustomField, FieldValue, FieldValues};
use domain::planning::import::{ImportNote, ImportedCard, ImportedComment, ImportedInput, ImportedValue};
use serde_json::json;

use crate::access::project::Project;
use crate::resources::planning::custom_fields::values;
use crate::resources::planning::imports::notes::note;
use crate::resources::planning::imports::people::Members;
use crate::resources::store::Tx;

/// The reason of a note on a value that is lost.
const LOST: &str = "the custom field doesn't take it; a comment keeps it";

/// The values that cards get.
pub(super) struct ImportedFields {
    fields: Vec<CustomField>,
}

impl ImportedFields {
    /// Those of the project. They stay as they are until the transaction ends.
    pub(super) async fn of(
        tx: &mut Tx,
        project: &Project<CardWrite>,
        cards: &[&ImportedCard],
    ) -> Result<Self> {
        let fields = match cards.iter().all(|card| card.fields.is_empty()) {
            true => Vec::new(),
            false => values::definitions(tx, project).await?,
        };
        Ok(Self { fields })
    }

    /// The values of a card.
    pub(super) fn of_card(&self, card: &ImportedCard, members: &Members) -> FieldValues {
        card.fields.iter().filter_map(|value| Some((value.field, self.fitting(value, members)?))).collect()
    }

    /// The cards that lose values, each with these in comments, by the ids of their issues. Adds a note for each value.
    pub(super) fn losing(
        &self,
        cards: &[&ImportedCard],
        members: &Members,
        notes: &mut Vec<ImportNote>,
    ) -> HashMap<String, ImportedCard> {
        let mut losing = HashMap::new();
        for card in cards {
            let lost: Vec<&ImportedValue> =
                card.fields.iter().filter(|value| self.fitting(value, members).is_none()).collect();
            if lost.is_empty() {
                continue;
            }
            let kept = lost.iter().flat_map(|value| value.comments.iter().cloned());
            let kept = kept.map(|body| ImportedComment {
                author: None,
                created_at: None,
                body,
                own_body: None,
                is_signature: false,
                updated_at: None,
            });
            let mut card = (*card).clone();
            card.comments = kept.chain(std::mem::take(&mut card.comments)).collect();
            let told = |value: &ImportedValue| note(&card, &value.column, &value.text, LOST);
            notes.extend(lost.into_iter().map(told));
            losing.insert(card.source_id.clone(), card);
        }
        losing
    }

    fn fitting(&self, value: &ImportedValue, members: &Members) -> Option<FieldValue> {
        let field = self.fields.iter().find(|field| field.id == value.field)?;
        match &value.input {
            ImportedInput::Value(input) => field.fitting(input),
            ImportedInput::Person(address) => field.fitting(&json!(members.find(Some(address))?)),
        }
    }
}
