//! Annotations and fields of forms that have no appearance, so that nothing of them is drawn.

use hayro::hayro_syntax::object::{Array, Dict, Name, Object};
use hayro::hayro_syntax::page::Page;
use serde_json::{Value, json};

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
/// A field of a form.
const FIELD: &str = "Widget";

/// The notes without an appearance, each with its kind and its text.
pub(super) fn undrawn(page: &Page<'_>) -> Vec<Value> {
    let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else { return Vec::new() };
    annotations.iter::<Dict<'_>>().filter_map(|annotation| note(&annotation)).take(NOTES_MAX).collect()
}

fn note(annotation: &Dict<'_>) -> Option<Value> {
    let kind = annotation.get::<Name<'_>>("Subtype")?;
    let kind = kind.as_str();
    let is_hidden = annotation.get::<u32>("F").is_some_and(|flags| flags & HIDDEN != 0);
    let is_drawn = annotation.get::<Dict<'_>>("AP").is_some_and(|appearance| appearance.contains_key("N"));
    if is_hidden || is_drawn {
        return None;
    }
    let text = |key: &str| string::decode(&annotation.get::<Object<'_>>(key)?.into_string()?);
    match kind {
        // A field without a value shows nothing.
        FIELD => value(annotation).map(|value| json!({ "type": kind, "text": value })),
        _ if MARKS.contains(&kind) => Some(match text("Contents") {
            Some(text) => json!({ "type": kind, "text": text }),
            None => json!({ "type": kind }),
        }),
        _ => None,
    }
}

/// The value of a field, which it may share with others.
fn value(field: &Dict<'_>) -> Option<String> {
    let own = |dict: &Dict<'_>| string::decode(&dict.get::<Object<'_>>("V")?.into_string()?);
    own(field).or_else(|| own(&field.get::<Dict<'_>>("Parent")?))
}
