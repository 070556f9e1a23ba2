//! Changed values as people read them: a text of several lines by its changed lines, any other value on one line. What
//! became of a part of a design is told in words: its fields are matrices and hashes.

use std::time::Duration;

use domain::content::compare::aspect::ChangeAspect;
use domain::content::compare::displacement::Displacement;
use domain::content::compare::{FieldChange, field_changes};
use domain::content::object::Object;
use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};

use crate::output::{PagedLines, cut, dim, styled};

/// Longest value that is shown whole, in characters.
const VALUE_CHARS: usize = 60;
/// Characters before the first difference that are shown of longer values.
const BEFORE_CHARS: usize = 20;
/// Unchanged lines around a changed one.
const CONTEXT_LINES: usize = 1;
/// Longest time for the shortest list of changed lines; a longer list is found at once.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The different fields of two versions of an object, as the service compares those of commits.
pub(crate) fn fields(base: &Object, head: &Object) -> Vec<FieldChange> {
    let members = |object: &Object| match serde_json::to_value(object) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    field_changes(&members(base), &members(head))
}

/// The aspects of a part of a design in words; empty for what fields say as well.
pub(crate) fn design_words(aspects: &[ChangeAspect], displacement: Option<&Displacement>) -> String {
    let words = aspects.iter().filter_map(|aspect| match aspect {
        ChangeAspect::Moved => Some(displacement.map_or_else(|| "moved".to_owned(), way)),
        ChangeAspect::Shape => Some("shape changed".to_owned()),
        ChangeAspect::Definition => Some("product or version changed".to_owned()),
        ChangeAspect::Renamed
        | ChangeAspect::Relocated
        | ChangeAspect::Content
        | ChangeAspect::Properties => None,
    });
    words.collect::<Vec<_>>().join(", ")
}

/// `moved by 15 millimetre and turned by 90°`
fn way(displacement: &Displacement) -> String {
    let Displacement { distance, unit, turn_degrees, .. } = displacement;
    let unit = unit.as_deref().map_or_else(String::new, |unit| format!(" {unit}"));
    let moved = (*distance > 0.0).then(|| format!("moved by {distance}{unit}"));
    let turned = turn_degrees.filter(|turn| *turn > 0.0).map(|turn| format!("turned by {turn}°"));
    let parts: Vec<String> = moved.into_iter().chain(turned).collect();
    if parts.is_empty() { "moved".to_owned() } else { parts.join(" and ") }
}

/// Adds a changed field below what it belongs to.
pub(crate) fn show_field(
    page: &mut PagedLines,
    indent: &str,
    name: &str,
    base: Option<&Value>,
    head: Option<&Value>,
) {
    let name = dim(name);
    match changed_lines(base, head) {
        Some(lines) => {
            page.line(&format!("{indent}{name}"));
            lines.iter().for_each(|line| page.line(&format!("{indent}  {line}")));
        }
        None => {
            let [base, head] = values([base, head]);
            page.line(&format!("{indent}{name}  {base} → {head}"));
        }
    }
}

/// Values on one line each. Of longer ones that begin alike, the parts around the first difference are shown.
pub(crate) fn values<const N: usize>(values: [Option<&Value>; N]) -> [String; N] {
    let texts = values.map(|value| value.map(ToString::to_string));
    let present: Vec<&String> = texts.iter().flatten().collect();
    let is_long = present.iter().any(|text| text.chars().count() > VALUE_CHARS);
    let start = match present.split_first() {
        Some((first, others)) if is_long && !others.is_empty() => {
            let same = |other: &&String| first.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
            let same = others.iter().map(same).min().unwrap_or_default();
            // The beginning stays where the difference can be seen with it.
            if same + BEFORE_CHARS < VALUE_CHARS { 0 } else { same - BEFORE_CHARS }
        }
        _ => 0,
    };
    texts.map(|text| match text {
        None => "(absent)".to_owned(),
        Some(text) if start > 0 => {
            let rest: String = text.chars().skip(start).collect();
            cut(&format!("…{rest}"), VALUE_CHARS)
        }
        Some(text) => cut(&text, VALUE_CHARS),
    })
}

/// The changed lines of two texts, if one of them has several lines.
pub(crate) fn changed_lines(base: Option<&Value>, head: Option<&Value>) -> Option<Vec<String>> {
    let (Some(Value::String(base)), Some(Value::String(head))) = (base, head) else { return None };
    if !base.contains('\n') && !head.contains('\n') {
        return None;
    }
    let diff = TextDiff::configure().timeout(TIMEOUT).diff_lines(base.as_str(), head.as_str());
    let mut lines = Vec::new();
    for group in diff.grouped_ops(CONTEXT_LINES) {
        if !lines.is_empty() {
            lines.push(dim("…"));
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let line = change.value().trim_end_matches(['\n', '\r']);
            lines.push(match change.tag() {
                ChangeTag::Delete => styled("31", &format!("-{line}")),
                ChangeTag::Insert => styled("32", &format!("+{line}")),
                ChangeTag::Equal => format!(" {line}"),
            });
        }
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use domain::content::compare::aspect::ChangeAspect;
    use domain::content::compare::displacement::Displacement;
    use domain::content::object::Object;
    use serde_json::{Value, json};

    use super::{changed_lines, design_words, fields, values};
    use crate::output::visible;

    #[test]
    fn parts_of_designs_are_told_by_what_became_of_them() {
        let way = |distance, turn_degrees| Displacement {
            shift: [distance, 0.0, 0.0],
            distance,
            unit: Some("millimetre".to_owned()),
            turn_degrees,
        };
        let moved = |way| design_words(&[ChangeAspect::Moved], Some(&way));
        assert_eq!(moved(way(15.5, Some(0.0))), "moved by 15.5 millimetre");
        assert_eq!(moved(way(15.0, Some(90.0))), "moved by 15 millimetre and turned by 90°");
        assert_eq!(moved(way(0.0, Some(90.0))), "turned by 90°");
        assert_eq!(moved(way(0.0, None)), "moved");
        let all = [ChangeAspect::Moved, ChangeAspect::Shape, ChangeAspect::Renamed];
        assert_eq!(design_words(&all, None), "moved, shape changed");
        assert_eq!(design_words(&[ChangeAspect::Content, ChangeAspect::Properties], None), "");
    }

    #[test]
    fn a_text_of_several_lines_is_shown_by_its_changed_lines() {
        let lines = |base: &str, head: &str| {
            let lines = changed_lines(Some(&json!(base)), Some(&json!(head)))?;
            let plain = |line: &String| visible(line).replace(['\u{fdd0}'], "");
            Some(lines.iter().map(plain).collect::<Vec<_>>())
        };
        let shown = lines("a\nb\nc\nd\ne\nf\ng", "a\nb\nC\nd\ne\nf\nG").unwrap();
        let expected = [" b", "[31m-c[0m", "[32m+C[0m", " d", "[2m…[0m", " f", "[31m-g[0m", "[32m+G[0m"];
        assert_eq!(shown, expected);
        assert_eq!(lines("a", "b"), None);
        assert_eq!(changed_lines(None, Some(&json!("a\nb"))), None);
    }

    #[test]
    fn of_long_values_the_part_that_differs_is_shown() {
        let long = |end: &str| json!(format!("{}{end}", "x".repeat(200)));
        let [one, other] = values([Some(&long("one")), Some(&long("other"))]);
        assert_eq!(
            (one.as_str(), other.as_str()),
            ("…xxxxxxxxxxxxxxxxxxxone\"", "…xxxxxxxxxxxxxxxxxxxother\"")
        );
        assert_eq!(values([Some(&json!("steel")), None]), ["\"steel\"", "(absent)"]);
        assert_eq!(values([Some(&long(""))])[0].chars().count(), super::VALUE_CHARS);
    }

    #[test]
    fn nested_properties_are_fields() {
        let object = |data: Value| -> Object {
            let id = "0198c5f0-0000-7000-8000-000000000000";
            serde_json::from_value(
                json!({ "id": id, "name": "a", "type": "Part", "parent": id, "data": data }),
            )
            .unwrap()
        };
        let changes = fields(
            &object(json!({ "size": { "x": 1, "y": 2 } })),
            &object(json!({ "size": { "x": 2, "y": 2 } })),
        );
        assert_eq!(changes.iter().map(|change| change.field.as_str()).collect::<Vec<_>>(), ["/data/size/x"]);
    }
}
