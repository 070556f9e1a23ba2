//! Types of cards that a project defines, each with a preset for its new cards.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::id::{CardTypeId, ProjectId};
use crate::patch::{self, Patch};
use crate::planning::card::CardType;
use crate::planning::checklist::{self, ChecklistText};
use crate::text::Description;
use crate::time::Timestamp;

/// Most types that a project defines.
pub const PROJECT_MAX_TYPES: u64 = 50;

/// A type of a project's cards, which have it by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardTypeDefinition {
    /// Id.
    pub id: CardTypeId,
    /// Its project.
    pub project_id: ProjectId,
    /// Name, as the `type` of cards has it.
    pub name: CardType,
    /// Description of new cards that have none.
    pub description: Description,
    /// Lines of the checklist of new cards that have none.
    pub checklist: Vec<ChecklistText>,
}

/// A type to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateCardTypeRequest {
    /// Name; never changes.
    pub name: CardType,
    /// Description of new cards, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// Lines of their checklist.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50))]
    pub checklist: Option<Vec<ChecklistText>>,
}

/// The changes; at least one. Cards stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateCardTypeRequest {
    /// Description of new cards, as Markdown.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub description: Patch<Description>,
    /// All lines of their checklist.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(length(max = 50))]
    pub checklist: Patch<Vec<ChecklistText>>,
}

impl CreateCardTypeRequest {
    /// The type that the request describes.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `checklist` for too many lines.
    pub fn definition(self, project_id: ProjectId, now: Timestamp) -> Result<CardTypeDefinition> {
        let checklist = self.checklist.unwrap_or_default();
        checklist::require_new_lines(&checklist)?;
        let description = self.description.unwrap_or_default();
        Ok(CardTypeDefinition {
            id: CardTypeId::new(now),
            project_id,
            name: self.name,
            description,
            checklist,
        })
    }
}

impl UpdateCardTypeRequest {
    /// The type after the changes.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `checklist` for too many lines, and at the body if it changes nothing.
    pub fn changed(self, before: &CardTypeDefinition) -> Result<CardTypeDefinition> {
        let Self { description, checklist } = patch::not_empty(self)?;
        let after = CardTypeDefinition {
            description: description
                .or_cleared(Description::default())
                .unwrap_or_else(|| before.description.clone()),
            checklist: checklist.or_cleared(Vec::new()).unwrap_or_else(|| before.checklist.clone()),
            ..before.clone()
        };
        checklist::require_new_lines(&after.checklist)?;
        Ok(after)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CreateCardTypeRequest, UpdateCardTypeRequest};
    use crate::id::ProjectId;
    use crate::planning::checklist::NEW_CARD_MAX_LINES;
    use crate::time::Timestamp;

    #[test]
    fn a_type_has_at_most_fifty_lines_and_a_change_clears_or_replaces_a_part() {
        let now = Timestamp::parse("2026-11-29T12:00:00Z").unwrap();
        let project = ProjectId(uuid::Uuid::nil());
        let request = |lines: usize| -> CreateCardTypeRequest {
            let lines: Vec<String> = (0..lines).map(|line| line.to_string()).collect();
            serde_json::from_value(json!({ "name": "Bug", "description": "x", "checklist": lines })).unwrap()
        };
        assert!(request(NEW_CARD_MAX_LINES + 1).definition(project, now).is_err());
        let bug = request(NEW_CARD_MAX_LINES).definition(project, now).unwrap();
        assert_eq!(bug.name.as_str(), "bug");
        let change = |body| serde_json::from_value::<UpdateCardTypeRequest>(body).unwrap().changed(&bug);
        let cleared = change(json!({ "description": null })).unwrap();
        assert_eq!((cleared.description.as_str(), cleared.checklist.len()), ("", NEW_CARD_MAX_LINES));
        assert_eq!(change(json!({ "checklist": ["a"] })).unwrap().checklist.len(), 1);
        assert!(change(json!({})).is_err());
    }
}
