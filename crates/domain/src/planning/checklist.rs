//! Checklists of cards: lines with a tick, in an order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::ChecklistItemId;
use crate::text::{Text, is_blank};
use crate::{Error, Result, Rule};

/// Most lines of a card's checklist.
pub const CHECKLIST_MAX_ITEMS: u64 = 200;
/// Most lines of a checklist that a card is created with: each is a row of its history.
pub const NEW_CARD_MAX_LINES: usize = 50;
/// Longest line, in characters.
pub const CHECKLIST_TEXT_MAX_CHARS: usize = 1_000;

/// A line of a checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChecklistItem {
    /// Id.
    pub id: ChecklistItemId,
    /// Text, as Markdown of one line.
    pub text: ChecklistText,
    /// True once it is done.
    pub is_done: bool,
}

/// The lines of a card's checklist, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecklistCount {
    /// All.
    pub total: u32,
    /// Those that are done.
    pub done: u32,
}

/// The text of a line: at most 1,000 characters, not all of them white space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Text<CHECKLIST_TEXT_MAX_CHARS>")]
#[schemars(extend("format" = "visible-text"))]
pub struct ChecklistText(Text<CHECKLIST_TEXT_MAX_CHARS>);

impl ChecklistText {
    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Refuses more lines than a card is created with.
///
/// # Errors
/// `INVALID_REQUEST` at `checklist` for more than [`NEW_CARD_MAX_LINES`] lines.
pub fn require_new_lines(lines: &[ChecklistText]) -> Result<()> {
    if lines.len() <= NEW_CARD_MAX_LINES {
        return Ok(());
    }
    Err(Error::broken("checklist", Rule::MaxItems(NEW_CARD_MAX_LINES)))
}

impl TryFrom<Text<CHECKLIST_TEXT_MAX_CHARS>> for ChecklistText {
    type Error = EmptyChecklistText;

    fn try_from(text: Text<CHECKLIST_TEXT_MAX_CHARS>) -> Result<Self, EmptyChecklistText> {
        if is_blank(text.as_str()) { Err(EmptyChecklistText) } else { Ok(Self(text)) }
    }
}

/// The line has no visible character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must contain a visible character")]
pub struct EmptyChecklistText;
