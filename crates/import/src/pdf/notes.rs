//! Annotations and fields of forms that have no appearance of their own, so that viewers draw them differently or not.

use hayro::hayro_syntax::object::{Array, Dict, Name, Object};
use hayro::hayro_syntax::page::Page;
use serde_json::{Value, json};

use super::limits::LEVELS_MAX;
use super::string;

/// Most notes of a page that are listed.
const NOTES_MAX: usize = 100;
/// Flags of annotations that are not shown: hidden, and not in views.
const HIDDEN: u32 = 1 << 1 | 1 << 5;
/// Kinds that mark something on the page.
const MARKS: [&str; 15] = [
    "Text",
    "FreeText",
    "Line",
    "Square",
    "Circle",
    "Polygon",
    "PolyLine",
    "Highlight",
    "Underline",
    "Squiggly",
    "StrikeOut",
    "Caret",
    "Stamp",
    "Ink",
    "FileAttachment",
];
/// The entry of an appearance that was made here.
pub(super) const REDRAWN: &str = "AtelierRedrawn";
/// A field of a form.
const FIELD: &str = "Widget";
/// Kinds whose drawing is their text.
const TEXTS: [&str; 2] = ["FreeText", FIELD];

/// The notes of a page without an appearance of their own.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Kind and text of each.
    pub(super) list: Vec<Value>,
    /// The texts that no drawing shows, one in each line.
    pub(super) undrawn_text: String,
    /// True if some are not drawn here.
    pub(super) are_undrawn: bool,
}

/// The notes of a page without an appearance of their own.
pub(super) fn of(page: &Page<'_>) -> Notes {
    let mut notes = Notes::default();
    let annotations = page.raw().get::<Array<'_>>("Annots");
    for annotation in annotations.iter().flat_map(Array::iter::<Dict<'_>>) {
        let is_drawn = has(&annotation, REDRAWN);
        if notes.list.len() == NOTES_MAX || (!is_drawn && !lacks_appearance(&annotation)) {
            continue;
        }
        let Some((kind, text)) = note(&annotation) else { continue };
        notes.are_undrawn |= !is_drawn;
        if !is_drawn || !TEXTS.contains(&kind.as_str()) {
            for part in text.iter().flat_map(|text| ["\n", text]) {
                notes.undrawn_text.push_str(part);
            }
        }
        notes.list.push(match text {
            Some(text) => json!({ "type": kind, "text": text }),
            None => json!({ "type": kind }),
        });
    }
    notes
}

/// True for an annotation that is shown and has no appearance.
pub(super) fn lacks_appearance(annotation: &Dict<'_>) -> bool {
    let is_hidden = annotation.get::<u32>("F").is_some_and(|flags| flags & HIDDEN != 0);
    !is_hidden && !has(annotation, "N")
}

fn has(annotation: &Dict<'_>, appearance: &str) -> bool {
    annotation.get::<Dict<'_>>("AP").is_some_and(|all| all.contains_key(appearance))
}

/// Kind and text of a note.
fn note(annotation: &Dict<'_>) -> Option<(String, Option<String>)> {
    let kind = annotation.get::<Name<'_>>("Subtype")?.as_str().to_owned();
    match kind.as_str() {
        // A field without a value shows nothing.
        FIELD => value(annotation).map(|value| (kind, Some(value))),
        known if MARKS.contains(&known) => Some((kind, contents(annotation))),
        _ => None,
    }
}

/// The text of a note.
pub(super) fn contents(annotation: &Dict<'_>) -> Option<String> {
    string::decode(&annotation.get::<Object<'_>>("Contents")?.into_string()?)
}

/// The value of a field.
pub(super) fn value(field: &Dict<'_>) -> Option<String> {
    string::decode(&inherited(field, "V")?.into_string()?)
}

/// An entry of a field, which it may share with others.
pub(super) fn inherited<'a>(field: &Dict<'a>, key: &str) -> Option<Object<'a>> {
    let mut field = field.clone();
    for _ in 0..LEVELS_MAX {
        if let Some(own) = field.get(key) {
            return Some(own);
        }
        field = field.get::<Dict<'_>>("Parent")?;
    }
    None
}
