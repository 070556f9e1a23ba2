//! The fields of a card that people write. They are listed once, at the end of this file. Requests, the card and its
//! history take them from there; `store/src/access/rows/card.rs` has the columns.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CARD_MAX_TAGS, CardType, Effort, Priority, ResolutionText};
use crate::id::{CardId, HistoryId, TagId, UserId};
use crate::key::{CardIds, CardName};
use crate::patch::{self, Patch};
use crate::planning::checklist::{self, ChecklistText};
use crate::planning::custom_field::{FieldInputs, FieldValues};
use crate::planning::history::FieldChanges;
use crate::text::{Description, Name};
use crate::time::{CalendarDay, Deadline};
use crate::{Error, Result, Rule};

/// A card to be created.
#[derive(Clone, Debug)]
pub struct NewCard {
    /// Fields.
    pub fields: CardFields,
    /// Assignee.
    pub assignee: Option<UserId>,
    /// Tags, each once.
    pub tags: Vec<TagId>,
    /// The position of each tag in the request.
    pub tag_positions: Vec<usize>,
    /// The lines of its checklist. `None`: those of the preset of its type.
    pub checklist: Option<Vec<ChecklistText>>,
    /// True if its description is that of the preset of its type, which `fields` doesn't have yet.
    pub takes_description: bool,
    /// Values of custom fields. `None`: the card comes from elsewhere, and is without those that are required.
    pub field_inputs: Option<FieldInputs>,
    /// The number of a card that comes from elsewhere, which is free. `None`: the project's next one.
    pub number: Option<i64>,
}

/// Declares the types that hold the fields: each with its default, which is also the value of a cleared field. The name
/// has none, requests name a parent also by its key, and custom fields one by one: these three stand outside of the list.
macro_rules! card_fields {
    ($($(#[$doc:meta])+ $field:ident: $type:ty,)+) => {
        /// The fields of a card that people write, but for its openness.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct CardFields {
            /// Name.
            pub name: Name,
            /// The card of which this one is a part.
            pub parent_id: Option<CardId>,
            /// Values of the project's custom fields.
            #[serde(default)]
            #[schemars(!default)]
            pub fields: FieldValues,
            // Answers that idempotency keys keep may be older than a field. Documents show each as present.
            $($(#[$doc])+ #[serde(default)] #[schemars(!default)] pub $field: $type,)+
        }

        /// A card to create.
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct CreateCardRequest {
            /// Name.
            pub name: Name,
            $($(#[$doc])+ #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)+
            /// The card of the project, or of another one of its owner's, that it is a part of.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub parent_id: Option<CardName>,
            /// Values of the project's custom fields.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub fields: Option<FieldInputs>,
            /// Assignee: a current member of the project.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub assignee_id: Option<UserId>,
            /// Tags: active ones of the project.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 100))]
            pub tag_ids: Option<Vec<TagId>>,
            /// Lines of its checklist. A project's type may have others for cards without.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 50))]
            pub checklist: Option<Vec<ChecklistText>>,
        }

        /// The changes; at least one.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[schemars(extend("minProperties" = 1))]
        pub struct UpdateCardRequest {
            /// Name.
            #[serde(default, skip_serializing_if = "Patch::is_absent")]
            #[schemars(extend("x-notCleared" = true))]
            pub name: Patch<Name>,
            $($(#[$doc])+ #[serde(default, skip_serializing_if = "Patch::is_absent")] pub $field: Patch<$type>,)+
            /// The card of the project, or of another one of its owner's, that it is a part of.
            #[serde(default, skip_serializing_if = "Patch::is_absent")]
            pub parent_id: Patch<CardName>,
            /// Values of the project's custom fields. Absent ones stay.
            #[serde(default, skip_serializing_if = "Patch::is_absent")]
            #[schemars(extend("x-notCleared" = true))]
            pub fields: Patch<FieldInputs>,
            /// False closes the card; true and null reopen it.
            #[serde(default, skip_serializing_if = "Patch::is_absent")]
            pub is_open: Patch<bool>,
            /// The card's history head that the client has seen last. `If-Match` can state it, too.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub expected_history_head_id: Option<HistoryId>,
        }

        /// New values of a card's fields; `None` leaves a field.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct CardChanges {
            name: Option<Name>,
            parent_id: Option<Option<CardId>>,
            field_inputs: Option<FieldInputs>,
            $($field: Option<$type>,)+
            /// Openness.
            pub is_open: Option<bool>,
        }

        impl CardFields {
            /// The fields of a card that has a name and nothing else.
            pub fn named(name: Name) -> Self {
                Self { name, parent_id: None, fields: FieldValues::default(), $($field: Default::default(),)+ }
            }

            /// The fields after changes, but for the custom ones, whose definitions are the project's.
            #[must_use]
            pub fn changed(&self, changes: &CardChanges) -> Self {
                Self {
                    name: changes.name.as_ref().unwrap_or(&self.name).clone(),
                    parent_id: changes.parent_id.unwrap_or(self.parent_id),
                    fields: self.fields.clone(),
                    $($field: changes.$field.as_ref().unwrap_or(&self.$field).clone(),)+
                }
            }
        }

        impl CardChanges {
            /// The new parent; `Some(None)` for none.
            pub fn parent(&self) -> Option<Option<CardId>> {
                self.parent_id
            }

            /// New values of custom fields.
            pub fn field_inputs(&self) -> Option<&FieldInputs> {
                self.field_inputs.as_ref()
            }
        }

        impl CreateCardRequest {
            fn card_fields(self, cards: &CardIds) -> CardFields {
                let parent_id = self.parent_id.map(|parent| cards.of(&parent));
                let fields = FieldValues::default();
                CardFields { name: self.name, parent_id, fields, $($field: self.$field.unwrap_or_default(),)+ }
            }
        }

        impl UpdateCardRequest {
            fn changes(self, cards: &CardIds) -> Result<CardChanges> {
                Ok(CardChanges {
                    name: self.name.not_cleared("name")?,
                    parent_id: self.parent_id.nullable().map(|parent| parent.map(|parent| cards.of(&parent))),
                    field_inputs: self.fields.not_cleared("fields")?.filter(|inputs| !inputs.is_empty()),
                    $($field: self.$field.or_cleared(Default::default()),)+
                    is_open: self.is_open.or_cleared(true),
                })
            }
        }
    };
}

impl CardFields {
    /// The history of a new card's fields.
    pub fn creation(&self) -> FieldChanges {
        Self::named(self.name.clone()).history(self).and("name", None, Some(&self.name))
    }

    /// The history of a change to `after`. Each custom field is a field of its own, so that changes of two don't conflict.
    pub fn history(&self, after: &Self) -> FieldChanges {
        let without = |fields: &Self| Self { fields: FieldValues::default(), ..fields.clone() };
        let changes = FieldChanges::between(&without(self), &without(after));
        let custom = self.fields.fields_with(&after.fields);
        custom.into_iter().fold(changes, |changes, field| {
            changes.and(&format!("fields.{field}"), self.fields.get(field), after.fields.get(field))
        })
    }
}

impl CreateCardRequest {
    /// The card that the request describes. `cards` knows those that it names.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `tagIds` for more than [`CARD_MAX_TAGS`] tags, and at `checklist` for too many lines.
    pub fn validate(mut self, cards: &CardIds) -> Result<NewCard> {
        let tags = self.tag_ids.take().unwrap_or_default();
        if tags.len() > CARD_MAX_TAGS {
            return Err(Error::broken("tagIds", Rule::MaxItems(CARD_MAX_TAGS)));
        }
        let checklist = self.checklist.take();
        checklist::require_new_lines(checklist.as_deref().unwrap_or_default())?;
        let takes_description = self.description.is_none();
        let mut seen = HashSet::new();
        let distinct = tags.into_iter().enumerate().filter(|(_, tag)| seen.insert(*tag));
        let (tag_positions, tags) = distinct.unzip();
        let (assignee, field_inputs) = (self.assignee_id, Some(self.fields.take().unwrap_or_default()));
        let fields = self.card_fields(cards);
        Ok(NewCard {
            fields,
            assignee,
            tags,
            tag_positions,
            checklist,
            takes_description,
            field_inputs,
            number: None,
        })
    }
}

impl UpdateCardRequest {
    /// The cards that the request names.
    pub fn card_names(&self) -> Vec<CardName> {
        match &self.parent_id {
            Patch::Set(parent) => vec![parent.clone()],
            Patch::Absent | Patch::Clear => Vec::new(),
        }
    }

    /// The changes that the request describes. `cards` knows those that it names.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `name` if the request clears it, and at the body if it changes nothing.
    pub fn validate(self, cards: &CardIds) -> Result<CardChanges> {
        patch::not_empty(self.changes(cards)?)
    }
}

card_fields! {
    /// Description, as Markdown.
    description: Description,
    /// Resolution, as Markdown. Closing or reopening the card does not change it.
    resolution: ResolutionText,
    /// Estimate, in a unit of the team's choice.
    effort: Effort,
    /// How urgent it is.
    priority: Priority,
    /// Kind of work, in lower case: `task`, `bug`, `change` or another name.
    #[serde(rename = "type")]
    card_type: CardType,
    /// The day on which work begins.
    start_date: Option<CalendarDay>,
    /// Due date. A day means the end of that day in UTC, which clients show as the day.
    deadline: Option<Deadline>,
}
