//! Notes that the work on an import adds.

use domain::planning::import::{ImportNote, ImportedCard};
use domain::text::cut;

/// Longest value that a note repeats, in characters.
const VALUE_MAX_CHARS: usize = 200;

/// The part of a board whose team isn't there.
pub(super) const NO_BOARD: &str = "its board is not here; left out";
/// A sprint that was started.
pub(super) const NEW_REPORT: &str =
    "its report begins with the import: what happened in it before is not in the file";
/// A sprint that was started, of which the file has no card.
pub(super) const EMPTY: &str = "no card of the file is in it, so that it stays planned";

/// A note about a value of a card.
pub(super) fn note(card: &ImportedCard, field: &str, value: &str, reason: &str) -> ImportNote {
    ImportNote {
        line: None,
        issue: Some(card.source_key.clone()),
        field: field.to_owned(),
        value: cut(value, VALUE_MAX_CHARS).to_owned(),
        reason: reason.to_owned(),
    }
}

/// A note about a part of a board.
pub(super) fn board_note(field: &str, value: &str, reason: &str) -> ImportNote {
    ImportNote {
        line: None,
        issue: None,
        field: field.to_owned(),
        value: cut(value, VALUE_MAX_CHARS).to_owned(),
        reason: reason.to_owned(),
    }
}
