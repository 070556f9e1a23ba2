//! Notes that the work on an import adds.

use domain::planning::import::{ImportNote, ImportedCard};
use domain::text::cut;

/// Longest value that a note repeats, in characters.
const VALUE_MAX_CHARS: usize = 200;

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
