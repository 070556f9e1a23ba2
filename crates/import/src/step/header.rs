//! The header section: author, program and schema of a file. Its time is not content: each export has another.

use serde_json::{Map, Value};

use super::record::{Entity, Parameter, Record};
use super::text::Decoder;

/// Most texts of a list.
const LIST_MAX: usize = 20;

/// The non-empty entries of the header as properties.
pub(super) fn properties(statements: &[Vec<u8>], decoder: Decoder) -> Map<String, Value> {
    let records: Vec<Record<'_>> = statements.iter().filter_map(|bytes| Record::parse(bytes)).collect();
    let entry = |keyword: &[u8]| records.iter().find_map(|record| record.entity(&[keyword]));
    let mut properties = Map::new();
    let mut take = |entity: Option<&Entity<'_>>, names: &[(&str, usize)]| {
        for (name, place) in names {
            let value = entity
                .and_then(|entity| entity.parameters.get(*place))
                .and_then(|value| shown(value, decoder));
            properties.extend(value.map(|value| ((*name).to_owned(), value)));
        }
    };
    take(entry(b"FILE_DESCRIPTION"), &[("description", 0), ("implementationLevel", 1)]);
    take(
        entry(b"FILE_NAME"),
        &[
            ("name", 0),
            ("author", 2),
            ("organization", 3),
            ("preprocessorVersion", 4),
            ("originatingSystem", 5),
            ("authorization", 6),
        ],
    );
    take(entry(b"FILE_SCHEMA"), &[("schema", 0)]);
    properties
}

/// A text or a list of texts; `None` if empty.
fn shown(parameter: &Parameter<'_>, decoder: Decoder) -> Option<Value> {
    let said = |parameter: &Parameter<'_>| match parameter {
        Parameter::Text(text) => {
            Some(decoder.decode(text).trim().to_owned()).filter(|text| !text.is_empty()).map(Value::String)
        }
        _ => None,
    };
    match parameter {
        Parameter::List(list) => {
            let texts: Vec<Value> = list.iter().filter_map(said).take(LIST_MAX).collect();
            (!texts.is_empty()).then_some(Value::Array(texts))
        }
        other => said(other),
    }
}

#[cfg(test)]
mod tests {
    use super::properties;
    use crate::step::text::Sample;
    use serde_json::json;

    #[test]
    fn properties_have_the_non_empty_entries_of_the_header() {
        let statements = [
            "HEADER",
            "FILE_DESCRIPTION(('a','','b'),'2;1')",
            "FILE_NAME ( /* name */ 'gear\\X\\E4.stp','2026-01-02T03:04:05', ('O''Brien'),(''),' ','x',$)",
            "FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 }'))",
        ]
        .map(|statement| statement.as_bytes().to_vec());
        assert_eq!(
            serde_json::Value::Object(properties(&statements, Sample::default().decoder())),
            json!({
                "description": ["a", "b"], "implementationLevel": "2;1",
                "name": "gearä.stp", "author": ["O'Brien"], "originatingSystem": "x",
                "schema": ["AUTOMOTIVE_DESIGN { 1 0 }"],
            })
        );
        assert!(properties(&[], Sample::default().decoder()).is_empty());
    }
}
