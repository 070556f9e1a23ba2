//! The searched text of an object: the words in its data, and where some of them were found.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::content::edit::TEXT;
use crate::content::object::{CONVERSION, Object};
use crate::id::ObjectId;
use crate::search::excerpt::{Excerpt, excerpt};
use crate::search::{SEAM, SearchTerms, fold};

/// Most bytes of an object's texts that are searched. The rest is not found.
pub const SEARCHED_MAX_BYTES: usize = 256 * 1024;

/// Changes with the folding, the keys of the index, and the choice of fields: texts are indexed again then, by a
/// migration that adds rows to `text_changes`.
const VERSION: u8 = 1;

/// Fields of data that say nothing of the content: facts about the conversion, and numbers.
const UNSEARCHED: [&str; 6] = [CONVERSION, "encoding", "image", "notebook", "placement", "units"];
/// A hash in a part's definition.
const GEOMETRY: &str = "geometry";

/// The place of a search's words in an object's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectMatch {
    /// The object.
    pub object_id: ObjectId,
    /// The field of the object, as a JSON Pointer: `/data/text`.
    pub field: String,
    /// The text around the first found word, with single blanks.
    pub excerpt: String,
    /// Begin and end of each found word in `excerpt`, in Unicode code points.
    pub ranges: Vec<[u32; 2]>,
}

/// The texts of an object's data, field by field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectText<'a> {
    object: ObjectId,
    fields: Vec<SearchedField<'a>>,
    /// The folded fields with a seam between each two.
    folded: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SearchedField<'a> {
    pointer: String,
    text: Cow<'a, str>,
}

impl<'a> ObjectText<'a> {
    /// The texts of an object, cut to [`SEARCHED_MAX_BYTES`].
    pub fn of(object: &'a Object) -> Self {
        let mut reader = FieldReader { fields: Vec::new(), left: SEARCHED_MAX_BYTES };
        reader.read_map("/data", &object.data, &|key| key != TEXT && !UNSEARCHED.contains(&key));
        // Last, because it may fill the limit alone.
        if let Some(text) = object.data.get(TEXT) {
            reader.read(format!("/data/{TEXT}"), text);
        }
        let folded: Vec<String> = reader.fields.iter().map(|field| fold(&field.text)).collect();
        Self { object: object.id, fields: reader.fields, folded: folded.join(&SEAM.to_string()) }
    }

    /// The folded text, to make the keys of.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// Identifies the text, and the way in which it was folded; `None` without a text.
    pub fn sha256(&self) -> Option<[u8; 32]> {
        let hash = || Sha256::new().chain_update([VERSION]).chain_update(&self.folded).finalize().into();
        (!self.folded.is_empty()).then(hash)
    }

    /// The place of the terms, if the text holds all of them: the field that holds most, and the first of those.
    pub fn find(&self, terms: &SearchTerms) -> Option<ObjectMatch> {
        if !terms.are_each_in(&self.folded) {
            return None;
        }
        let missing =
            |folded: &str| terms.terms().iter().filter(|term| !folded.contains(term.as_str())).count();
        let fields = self.fields.iter().zip(self.folded.split(SEAM).map(missing));
        let (field, _) = fields.min_by_key(|(_, missing)| *missing)?;
        let Excerpt { text, ranges } = excerpt(&field.text, terms.terms());
        Some(ObjectMatch { object_id: self.object, field: field.pointer.clone(), excerpt: text, ranges })
    }
}

struct FieldReader<'a> {
    fields: Vec<SearchedField<'a>>,
    /// Bytes before the limit.
    left: usize,
}

impl<'a> FieldReader<'a> {
    /// Recursion is bounded by the depth of data.
    fn read(&mut self, pointer: String, value: &'a Value) {
        match value {
            Value::String(text) => self.add(pointer, Cow::Borrowed(text)),
            Value::Number(number) => self.add(pointer, Cow::Owned(number.to_string())),
            Value::Object(map) => self.read_map(&pointer, map, &|key| key != GEOMETRY),
            Value::Array(items) => {
                // Numbers in lists are coordinates.
                for (place, item) in items.iter().enumerate().filter(|(_, item)| !item.is_number()) {
                    self.read(format!("{pointer}/{place}"), item);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn read_map(&mut self, pointer: &str, map: &'a Map<String, Value>, is_searched: &dyn Fn(&str) -> bool) {
        for (key, value) in map.iter().filter(|(key, _)| is_searched(key)) {
            self.read(format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), value);
        }
    }

    fn add(&mut self, pointer: String, text: Cow<'a, str>) {
        let text = match text {
            Cow::Borrowed(text) => Cow::Borrowed(begin_of(text, self.left)),
            Cow::Owned(text) => Cow::Owned(begin_of(&text, self.left).to_owned()),
        };
        self.left -= text.len();
        if !text.is_empty() {
            self.fields.push(SearchedField { pointer, text });
        }
    }
}

/// The beginning of a text, of at most `bytes`.
fn begin_of(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::{ObjectText, SEARCHED_MAX_BYTES};
    use crate::content::object::Object;
    use crate::search::{SEAM, SearchTerms};

    fn object(data: Value) -> Object {
        let id = Uuid::from_u128(1);
        serde_json::from_value(
            json!({ "id": id, "name": "Page 1", "type": "Page", "parent": id, "data": data }),
        )
        .unwrap()
    }

    #[test]
    fn words_are_found_in_the_field_that_holds_most_of_them() {
        let page = object(json!({
            "text": "Bevel gear,\nmodule 2", "page": { "label": "A-7", "width": 595.2 },
            "material/x": { "name": "Steel", "density": 7.85, "points": [1, 2.5, "origin"] },
        }));
        let text = ObjectText::of(&page);
        let field = |q: &str| text.find(&SearchTerms::parse(q)).map(|found| found.field);
        for (q, found) in [
            ("GEAR module", Some("/data/text")),
            ("\"gear, module\"", Some("/data/text")),
            ("\"module gear\"", None),
            ("steel gear 2", Some("/data/text")),
            ("steel", Some("/data/material~1x/name")),
            ("7.85", Some("/data/material~1x/density")),
            ("origin", Some("/data/material~1x/points/2")),
            ("a-7", Some("/data/page/label")),
            ("2.5", None),
            ("page", None),
            ("", None),
        ] {
            assert_eq!(field(q).as_deref(), found, "{q}");
        }
        let found = text.find(&SearchTerms::parse("gear 2")).unwrap();
        assert_eq!(found.excerpt, "Bevel gear, module 2");
        assert_eq!(found.ranges, [[6, 10], [19, 20]]);
    }

    #[test]
    fn facts_about_conversions_and_coordinates_are_not_searched() {
        let part = object(json!({
            "conversion": { "code": "PDF_TOO_LARGE" }, "encoding": "UTF-8", "image": { "width": 7 }, "placement": [[1, 0]],
            "definition": { "id": "P-7", "geometry": "3c1f", "validation": { "centroid": [0.5, 1] } },
        }));
        assert_eq!(ObjectText::of(&part).folded(), "p-7");
        assert_eq!(ObjectText::of(&object(json!({ "done": true }))).sha256(), None);
    }

    #[test]
    fn a_text_is_cut_and_the_other_fields_come_first() {
        let code = object(json!({ "text": "é".repeat(SEARCHED_MAX_BYTES), "title": "Gear", "zone": "B4" }));
        let text = ObjectText::of(&code);
        assert!(text.folded().starts_with(&format!("gear{SEAM}b4{SEAM}eee")));
        let bytes: usize = text.fields.iter().map(|field| field.text.len()).sum();
        assert!((SEARCHED_MAX_BYTES - 1..=SEARCHED_MAX_BYTES).contains(&bytes), "{bytes}");
        let (one, other) = (object(json!({ "a": "X" })), object(json!({ "b": "x" })));
        assert_eq!(ObjectText::of(&one).sha256(), ObjectText::of(&other).sha256());
    }
}
