//! Saved views: a filter of cards with a layout, groups, columns and an order. A person's own, or shared with a team.

mod filter;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use crate::id::{FieldId, ProjectId, TeamId, UserId, ViewId};
use crate::key::CardName;
use crate::patch::{Patch, not_empty};
use crate::text::Name;
use crate::time::Timestamp;
use crate::{Error, Result, Rule};

pub use filter::ViewFilter;

/// Most views of a person.
pub const USER_MAX_VIEWS: u32 = 100;
/// Most views that are shared with a team.
pub const TEAM_MAX_VIEWS: u32 = 200;
/// Most columns of a view.
const MAX_COLUMNS: usize = 30;
/// The beginning of the name of a custom field's column.
const FIELD_PREFIX: &str = "field-";
/// The fields that each card has.
const COLUMNS: [&str; 14] = [
    "key",
    "name",
    "column",
    "priority",
    "type",
    "parent",
    "assignees",
    "tags",
    "sprint",
    "effort",
    "due",
    "project",
    "created",
    "updated",
];
/// Those by which cards are put into groups, beside custom fields.
const GROUPS: [&str; 8] = ["column", "priority", "type", "parent", "assignees", "tags", "sprint", "project"];

/// The form in which a view shows cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ViewLayout {
    /// The board of the one team that the filter names.
    Board,
    /// A table.
    Table,
}

impl ViewLayout {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Table => "table",
        }
    }
}

/// A field of cards as the column of a table: one that each card has, or `field-{fieldId}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViewColumn {
    /// A field that each card has.
    Own(&'static str),
    /// A custom field.
    Custom(FieldId),
}

/// The text names no field of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must name a field of cards, for example `priority`, or be `field-{{fieldId}}`")]
pub struct InvalidViewColumn;

impl FromStr for ViewColumn {
    type Err = InvalidViewColumn;

    fn from_str(text: &str) -> Result<Self, InvalidViewColumn> {
        match text.strip_prefix(FIELD_PREFIX) {
            Some(id) => id.parse().map(Self::Custom).map_err(|_| InvalidViewColumn),
            None => COLUMNS.into_iter().find(|name| *name == text).map(Self::Own).ok_or(InvalidViewColumn),
        }
    }
}

impl fmt::Display for ViewColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(name) => f.write_str(name),
            Self::Custom(id) => write!(f, "{FIELD_PREFIX}{id}"),
        }
    }
}

impl Serialize for ViewColumn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ViewColumn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ViewColumn {
    fn schema_name() -> Cow<'static, str> {
        "ViewColumn".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "view-column" })
    }
}

/// The order of a view's cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ViewOrder {
    /// The field.
    pub by: ViewColumn,
    /// True for the last first.
    #[serde(default)]
    pub is_descending: bool,
}

/// Cards that a view shows, and their layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewDefinition {
    /// The filter.
    pub filter: ViewFilter,
    /// The field by which cards are in groups.
    pub group_by: Option<ViewColumn>,
    /// The columns in their order; the usual ones if the list is empty.
    pub columns: Vec<ViewColumn>,
    /// The order; the usual one without.
    pub order: Option<ViewOrder>,
}

/// A saved view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedView {
    /// Id.
    pub id: ViewId,
    /// Name.
    pub name: Name,
    /// Its owner.
    pub owner_id: UserId,
    /// Display name of its owner.
    pub owner_name: String,
    /// The project; null for all projects of each reader.
    pub project_id: Option<ProjectId>,
    /// The team with which it is shared.
    pub team_id: Option<TeamId>,
    /// Board or table.
    pub layout: ViewLayout,
    /// The filter.
    pub filter: ViewFilter,
    /// The field by which cards are in groups.
    pub group_by: Option<ViewColumn>,
    /// The columns of the table in their order; the usual ones if it is empty.
    pub columns: Vec<ViewColumn>,
    /// The order of cards; the usual one without.
    pub order: Option<ViewOrder>,
    /// True if the caller may change it.
    pub may_change: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// A view to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateViewRequest {
    /// Name.
    pub name: Name,
    /// The project. Defaults to all projects of each reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// A team of the caller to share it with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// Board or table. A board needs one team in the filter.
    pub layout: ViewLayout,
    /// The filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<ViewFilter>,
    /// The field of groups or lanes: `column`, `priority`, `type`, `parent`, `assignees`, `tags`, `sprint`, `project`, or a
    /// custom one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<ViewColumn>,
    /// The columns of the table in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 30))]
    pub columns: Option<Vec<ViewColumn>>,
    /// The order of cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<ViewOrder>,
}

/// The changes; at least one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateViewRequest {
    /// Name.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// The team with which it is shared; null takes it from the team.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub team_id: Patch<TeamId>,
    /// Board or table.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub layout: Patch<ViewLayout>,
    /// The whole filter, instead of the one before.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub filter: Patch<ViewFilter>,
    /// The field by which cards are in groups.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub group_by: Patch<ViewColumn>,
    /// All columns of the table in their order.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(length(max = 30))]
    pub columns: Patch<Vec<ViewColumn>>,
    /// The order of cards.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub order: Patch<ViewOrder>,
}

impl CreateViewRequest {
    /// The cards and the layout.
    ///
    /// # Errors
    /// `INVALID_REQUEST` for a board without its team, for groups by another field, and for columns that are repeated.
    pub fn definition(&self) -> Result<ViewDefinition> {
        let definition = ViewDefinition {
            filter: self.filter.clone().unwrap_or_default(),
            group_by: self.group_by.clone(),
            columns: self.columns.clone().unwrap_or_default(),
            order: self.order.clone(),
        };
        definition.require(self.layout, self.project_id)?;
        Ok(definition)
    }
}

impl UpdateViewRequest {
    /// The view after the changes, but for its time.
    ///
    /// # Errors
    /// As [`CreateViewRequest::definition`].
    pub fn changed(self, before: &SavedView) -> Result<SavedView> {
        let request = not_empty(self)?;
        let after = SavedView {
            name: request.name.not_cleared("name")?.unwrap_or_else(|| before.name.clone()),
            team_id: request.team_id.nullable().unwrap_or(before.team_id),
            layout: request.layout.not_cleared("layout")?.unwrap_or(before.layout),
            filter: request.filter.or_cleared(ViewFilter::default()).unwrap_or_else(|| before.filter.clone()),
            group_by: request.group_by.nullable().unwrap_or_else(|| before.group_by.clone()),
            columns: request.columns.or_cleared(Vec::new()).unwrap_or_else(|| before.columns.clone()),
            order: request.order.nullable().unwrap_or_else(|| before.order.clone()),
            ..before.clone()
        };
        after.definition().require(after.layout, after.project_id)?;
        Ok(after)
    }
}

impl SavedView {
    /// Its cards and their layout.
    pub fn definition(&self) -> ViewDefinition {
        ViewDefinition {
            filter: self.filter.clone(),
            group_by: self.group_by.clone(),
            columns: self.columns.clone(),
            order: self.order.clone(),
        }
    }
}

impl ViewDefinition {
    /// Refuses what no page and no request could show.
    fn require(&self, layout: ViewLayout, project: Option<ProjectId>) -> Result<()> {
        if layout == ViewLayout::Board && self.filter.board().is_none() {
            return Err(Error::invalid("filter.team", Rule::Required, "a board is that of one team"));
        }
        let parents = self.filter.parent.iter().flat_map(|terms| terms.0.values());
        if project.is_none() && parents.filter_map(|parent| parent.0.as_ref()).any(is_key) {
            let message = "must be ids: keys are unique within an owner, and here are many";
            return Err(Error::invalid("filter.parent", Rule::format("optional-uuid-filter"), message));
        }
        if let Some(ViewColumn::Own(column)) = &self.group_by
            && !GROUPS.contains(column)
        {
            return Err(Error::broken("groupBy", Rule::Enum(GROUPS.map(|name| json!(name)).to_vec())));
        }
        if self.columns.len() > MAX_COLUMNS {
            return Err(Error::broken("columns", Rule::MaxItems(MAX_COLUMNS)));
        }
        let repeated = self
            .columns
            .iter()
            .enumerate()
            .find(|(place, column)| self.columns.iter().take(*place).any(|before| before == *column));
        match repeated {
            Some((place, _)) => Err(Error::broken(format!("columns[{place}]"), Rule::Duplicate)),
            None => Ok(()),
        }
    }
}

fn is_key(name: &CardName) -> bool {
    matches!(name, CardName::Key(_))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CreateViewRequest, ViewColumn};

    fn refused(view: serde_json::Value) -> Option<String> {
        let request: CreateViewRequest = serde_json::from_value(view).unwrap();
        request.definition().err().map(|error| error.to_string())
    }

    #[test]
    fn a_column_is_a_field_of_each_card_or_a_custom_one() {
        let custom = "field-0198c5f0-0000-7000-8000-000000000001";
        for text in ["priority", "due", custom] {
            assert_eq!(text.parse::<ViewColumn>().map(|column| column.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "Priority", "field-", "field-x"] {
            assert!(text.parse::<ViewColumn>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_view_shows_what_can_be_shown() {
        let team = "0198c5f0-0000-7000-8000-000000000001";
        let board = |filter| json!({ "name": "Mine", "layout": "board", "filter": filter });
        assert_eq!(refused(board(json!({ "team": [team], "assignee": ["me", "none"] }))), None);
        for filter in [json!({}), json!({ "team": ["none"] }), json!({ "team": [format!("!{team}")] })] {
            assert!(refused(board(filter)).is_some());
        }
        let table = |more| {
            let mut view = json!({ "name": "Mine", "layout": "table" });
            view.as_object_mut().unwrap().extend(serde_json::Map::from_iter([more]));
            refused(view)
        };
        for group in ["priority", "parent"] {
            assert_eq!(table(("groupBy".to_owned(), json!(group))), None);
        }
        assert!(table(("groupBy".to_owned(), json!("due"))).is_some());
        assert!(table(("columns".to_owned(), json!(["due", "key", "due"]))).is_some());
        assert!(table(("filter".to_owned(), json!({ "parent": ["GEAR-1"] }))).is_some());
    }
}
