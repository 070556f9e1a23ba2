//! The parts of a board's JSON that cards need.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrelloBoard {
    pub(super) lists: Vec<List>,
    pub(super) cards: Vec<TrelloCard>,
    #[serde(default)]
    pub(super) labels: Vec<TrelloLabel>,
    #[serde(default)]
    pub(super) members: Vec<Member>,
    #[serde(default)]
    pub(super) checklists: Vec<Checklist>,
    #[serde(default)]
    pub(super) custom_fields: Vec<BoardField>,
    #[serde(default)]
    pub(super) actions: Vec<TrelloAction>,
}

#[derive(Deserialize)]
pub(super) struct List {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) closed: bool,
    #[serde(default)]
    pub(super) pos: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrelloCard {
    pub(super) id: String,
    #[serde(default)]
    pub(super) id_short: Option<u64>,
    #[serde(default)]
    pub(super) short_link: Option<String>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) desc: String,
    pub(super) id_list: String,
    #[serde(default)]
    pub(super) pos: f64,
    #[serde(default)]
    pub(super) closed: bool,
    #[serde(default)]
    pub(super) due: Option<String>,
    #[serde(default)]
    pub(super) due_complete: bool,
    #[serde(default)]
    pub(super) start: Option<String>,
    #[serde(default)]
    pub(super) date_last_activity: Option<String>,
    #[serde(default)]
    pub(super) id_labels: Vec<String>,
    #[serde(default)]
    pub(super) id_members: Vec<String>,
    #[serde(default)]
    pub(super) attachments: Vec<File>,
    #[serde(default)]
    pub(super) custom_field_items: Vec<FieldItem>,
}

#[derive(Deserialize)]
pub(super) struct TrelloLabel {
    pub(super) id: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) color: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Member {
    pub(super) id: String,
    #[serde(default)]
    pub(super) full_name: Option<String>,
    #[serde(default)]
    pub(super) username: String,
    #[serde(default)]
    pub(super) email: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Checklist {
    pub(super) id_card: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) pos: f64,
    #[serde(default)]
    pub(super) check_items: Vec<CheckItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckItem {
    pub(super) name: String,
    #[serde(default)]
    pub(super) pos: f64,
    #[serde(default)]
    pub(super) state: String,
    #[serde(default)]
    pub(super) due: Option<String>,
    #[serde(default)]
    pub(super) id_member: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) url: String,
    #[serde(default)]
    pub(super) id_member: Option<String>,
    #[serde(default)]
    pub(super) date: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct BoardField {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) options: Vec<BoardFieldOption>,
}

#[derive(Deserialize)]
pub(super) struct BoardFieldOption {
    #[serde(alias = "_id")]
    pub(super) id: String,
    pub(super) value: BTreeMap<String, Value>,
}

/// A value by its type: `{"number": "12"}`, or the id of an option.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FieldItem {
    pub(super) id_custom_field: String,
    #[serde(default)]
    pub(super) id_value: Option<String>,
    #[serde(default)]
    pub(super) value: Option<BTreeMap<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrelloAction {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) date: Option<String>,
    #[serde(default)]
    pub(super) id_member_creator: Option<String>,
    #[serde(default)]
    pub(super) member_creator: Option<Member>,
    pub(super) data: ActionData,
}

#[derive(Deserialize)]
pub(super) struct ActionData {
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) card: Option<CardReference>,
}

#[derive(Deserialize)]
pub(super) struct CardReference {
    pub(super) id: String,
}
