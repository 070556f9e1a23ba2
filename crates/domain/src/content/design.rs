//! Names in designs: those that people gave, and the placeholders that programs write where nobody gave one.

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::text::Name;

/// Kinds of shapes, which OpenCascade writes as names of unnamed ones (`XCAFDoc_ShapeTool`, automatic naming).
const SHAPE_KINDS: [&str; 10] =
    ["ASSEMBLY", "COMPOUND", "COMPSOLID", "SOLID", "SHELL", "FACE", "WIRE", "EDGE", "VERTEX", "SHAPE"];
/// Beginning of the products of OpenCascade's translator, before its version and a running number.
const TRANSLATOR: &str = "Open CASCADE STEP translator";
/// A part number among the properties of a definition, without case, spaces and punctuation.
const PART_NUMBERS: [&str; 2] = ["partnumber", "partno"];

/// The texts that name an object in its converted data, most specific first: the occurrence, its product, that
/// product's file.
const NAMES: [(&str, &str); 4] =
    [("occurrence", "name"), ("definition", "name"), ("definition", "id"), ("definition", "external")];

/// True for a text that a program writes where nobody gave a name. Most of them change with each export.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || SHAPE_KINDS.contains(&text)
        || is_translator(text)
        || is_label(text)
        || is_time_based(text)
}

/// The name that a design gives to an object with this data; `None` if it only has placeholders.
pub fn designed_name(data: &Map<String, Value>) -> Option<Name> {
    let [occurrence, product, id, external] = NAMES.map(|(part, key)| text(data, part, key));
    [occurrence, product, id, part_number(data), external]
        .into_iter()
        .flatten()
        .filter(|text| !is_placeholder(text))
        .find_map(Name::sanitize)
}

/// The name of the product of which an object with this name is an occurrence, unless both are the same. `definition` is
/// that in the object's data.
pub fn product_beside(name: &Name, definition: &Value) -> Option<Name> {
    let product = definition.get("name")?.as_str().filter(|product| !is_placeholder(product))?;
    Name::sanitize(product).filter(|product| product != name)
}

/// True if the name of an object is one of the texts in its converted data, so that no user gave it.
pub fn is_designed_name(name: &Name, data: &Map<String, Value>) -> bool {
    let texts = NAMES.into_iter().filter_map(|(part, key)| text(data, part, key));
    texts.chain(part_number(data)).any(|text| Name::sanitize(text).as_ref() == Some(name))
}

/// The name of the file that holds the part with this data, without its folders and the place within it; `None` for a
/// part of the design's own file.
pub fn external_file(data: &Map<String, Value>) -> Option<&str> {
    let (file, _) =
        text(data, "definition", "external").map(|text| text.split_once('#').unwrap_or((text, "")))?;
    file.rsplit(['/', '\\']).next().map(str::trim).filter(|name| !name.is_empty())
}

/// A text in a part of an object's data, unless it is a placeholder.
pub(crate) fn given<'a>(data: &'a Map<String, Value>, part: &str, key: &str) -> Option<&'a str> {
    text(data, part, key).filter(|text| !is_placeholder(text))
}

fn text<'a>(data: &'a Map<String, Value>, part: &str, key: &str) -> Option<&'a str> {
    data.get(part)?.get(key)?.as_str()
}

/// The part number among the properties of a definition in an object's data.
pub(crate) fn part_number(data: &Map<String, Value>) -> Option<&str> {
    let properties = data.get("definition")?.get("properties")?.as_object()?;
    properties.iter().find(|(name, _)| is_part_number(name))?.1.as_str()
}

/// True for the name of a property that holds a part number.
pub(crate) fn is_part_number(name: &str) -> bool {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    PART_NUMBERS.contains(&letters.as_str())
}

/// `Open CASCADE STEP translator 7.8 1.2`
fn is_translator(text: &str) -> bool {
    let numbers = text.strip_prefix(TRANSLATOR);
    numbers.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ' '))
}

/// `=>[0:1:1:2]`: the place of a label in a document of OpenCascade.
fn is_label(text: &str) -> bool {
    let place =
        text.strip_prefix("=>").unwrap_or(text).strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    place.is_some_and(|place| place.contains(':') && place.chars().all(|c| c.is_ascii_digit() || c == ':'))
}

/// A UUID of version 1, which is a time and a machine.
fn is_time_based(text: &str) -> bool {
    Uuid::try_parse(text).is_ok_and(|uuid| uuid.get_version_num() == 1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{designed_name, external_file, is_designed_name, is_placeholder, product_beside};
    use crate::text::Name;

    #[test]
    fn placeholders_of_programs_are_no_names() {
        for placeholder in [
            "",
            " ",
            "SOLID",
            "COMPOUND",
            "Open CASCADE STEP translator 7.8 8",
            "Open CASCADE STEP translator 7.8 1.12",
            "=>[0:1:1:2]",
            "[0:1:1:2]",
            "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d",
        ] {
            assert!(is_placeholder(placeholder), "{placeholder}");
        }
        for name in [
            "Solid",
            "SOLID 1",
            "Open CASCADE STEP translator housing",
            "=>[]",
            "[12]",
            "7",
            "9b2d8f6e-3c1a-4f5b-8a7d-1e2f3a4b5c6d",
        ] {
            assert!(!is_placeholder(name), "{name}");
        }
    }

    #[test]
    fn an_occurrence_is_called_by_the_first_text_that_is_a_name() {
        let called = |data: &Value| designed_name(data.as_object().unwrap()).map(|name| name.to_string());
        let product = json!({ "name": "SOLID", "id": "P-7", "properties": { "Part-Number": "PN 1" } });
        for (data, name) in [
            (json!({ "occurrence": { "name": "left" }, "definition": product }), Some("left")),
            (json!({ "occurrence": { "name": "=>[0:1:1:2]" }, "definition": product }), Some("P-7")),
            (
                json!({ "definition": { "name": "SOLID", "properties": { "Part number": "PN 1" } } }),
                Some("PN 1"),
            ),
            (json!({ "definition": { "name": "SOLID", "properties": { "Part number": 7 } } }), None),
            (json!({ "definition": { "external": "wheel.stp" } }), Some("wheel.stp")),
            (json!({ "definition": 7, "occurrence": [] }), None),
        ] {
            assert_eq!(called(&data).as_deref(), name, "{data}");
        }
        let name = Name::sanitize("SOLID").unwrap();
        assert!(is_designed_name(&name, json!({ "definition": product }).as_object().unwrap()));
        assert!(!is_designed_name(&name, json!({ "definition": { "name": "left" } }).as_object().unwrap()));
    }

    #[test]
    fn a_product_stands_beside_another_name() {
        for (definition, product) in [
            (json!({ "name": "plate" }), Some("plate")),
            (json!({ "name": "left" }), None),
            (json!({ "name": " left\t" }), None),
            (json!({ "name": "SOLID" }), None),
            (json!({ "name": 7 }), None),
            (json!("plate"), None),
        ] {
            let beside = product_beside(&Name::sanitize("left").unwrap(), &definition);
            assert_eq!(beside.map(|name| name.to_string()).as_deref(), product, "{definition}");
        }
    }

    #[test]
    fn an_external_file_has_neither_folders_nor_an_anchor() {
        for (external, name) in [
            ("part.stp", Some("part.stp")),
            ("parts/wheel.stp#pd", Some("wheel.stp")),
            ("C:\\parts\\wheel 2.stp", Some("wheel 2.stp")),
            ("#pd", None),
            ("parts/", None),
        ] {
            let data = json!({ "definition": { "external": external } });
            assert_eq!(external_file(data.as_object().unwrap()), name, "{external}");
        }
    }
}
