//! The known name that a mistyped field or parameter is nearest to.

use std::collections::HashMap;

use domain::error::ISSUES_MAX;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::contract::json_text::{child, path};

/// Similarity (Jaro-Winkler, 0 to 1) from which a name counts as mistyped. `titel` and `title` have 0.95.
const SIMILAR: f64 = 0.85;
/// Longest name that is compared, in bytes.
const NAME_MAX_BYTES: usize = 64;

/// Adds the nearest known names of the fields that `error` calls unknown, by their paths. `schema` is the whole that the
/// input was judged by.
pub(crate) fn add_names(error: &ValidationError<'_>, schema: &Value, names: &mut HashMap<String, String>) {
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let keyword = error.schema_path().as_str();
            let object = keyword.rsplit_once('/').and_then(|(object, _)| schema.pointer(object));
            let mut known = Vec::new();
            if let Some(object) = object {
                add_fields(object, &mut known);
            }
            let place = path(error.instance_path());
            for name in unexpected.iter().take(ISSUES_MAX) {
                if let Some(nearest) = nearest(name, &known) {
                    names.insert(child(&place, name), nearest.to_owned());
                }
            }
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().flatten().for_each(|error| add_names(error, schema, names));
        }
        _ => {}
    }
}

/// The names of an object's fields, also of those that a part of its schema declares.
fn add_fields<'a>(object: &'a Value, known: &mut Vec<&'a str>) {
    let fields = object.get("properties").and_then(Value::as_object).into_iter().flatten();
    known.extend(fields.map(|(name, _)| name.as_str()));
    for part in ["allOf", "anyOf", "oneOf"] {
        let parts = object.get(part).and_then(Value::as_array).into_iter().flatten();
        parts.for_each(|part| add_fields(part, known));
    }
}

/// The known name that `name` is most similar to, if it is similar. `start_date` is `startDate`.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if name.len() > NAME_MAX_BYTES {
        return None;
    }
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let rated = known.iter().map(|one| (strsim::jaro_winkler(&plain(name), &plain(one)), *one));
    let (similarity, one) = rated.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (similarity >= SIMILAR).then_some(one)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_mistyped_name_has_a_nearest_one_and_another_word_has_none() {
        let known = ["name", "startDate", "description", "tagIds"];
        for (name, expected) in [
            ("nmae", Some("name")),
            ("start_date", Some("startDate")),
            ("desciption", Some("description")),
            ("tagId", Some("tagIds")),
            ("owner", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, &known), expected, "{name}");
        }
    }
}
