//! JSON with the places of its repeated fields, which `serde_json::Value` would drop.

use std::fmt;

use domain::error::ISSUES_MAX;
use domain::{Error, Rule};
use jsonschema::paths::{Location, LocationSegment};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Longest name of a field in a place, in characters.
const NAME_MAX_CHARS: usize = 100;

/// Reads JSON. Returns the value, and the first repeated fields as broken rules; `None` if the text is not JSON.
pub(crate) fn read(text: &[u8]) -> Option<(Value, Vec<Error>)> {
    let mut repeated = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Node { place: Place::Root, repeated: &mut repeated }.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some((value, repeated))
}

/// A value at a place of the text.
struct Node<'a> {
    place: Place<'a>,
    repeated: &'a mut Vec<Error>,
}

/// A place of the text. It is written only for a failure.
#[derive(Clone, Copy)]
enum Place<'a> {
    Root,
    Field(&'a Place<'a>, &'a str),
    Element(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn path(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field(parent, name) => child(&parent.path(), name),
            Self::Element(parent, index) => format!("{}[{index}]", parent.path()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        loop {
            let place = Place::Element(&self.place, values.len());
            let element = Node { place, repeated: &mut *self.repeated };
            match elements.next_element_seed(element)? {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let place = Place::Field(&self.place, &name);
            if map.contains_key(&name) && self.repeated.len() < ISSUES_MAX {
                self.repeated.push(Error::broken(place.path(), Rule::Duplicate));
            }
            let value = fields.next_value_seed(Node { place, repeated: &mut *self.repeated })?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

/// The path of the field `name` of the object at `path`. A long name is cut: clients choose it.
pub(crate) fn child(path: &str, name: &str) -> String {
    let name = match name.char_indices().nth(NAME_MAX_CHARS) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    };
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

/// The place in an input, as failures name it.
pub(crate) fn path(location: &Location) -> String {
    location.segments().fold(String::new(), |path, segment| match segment {
        LocationSegment::Property(name) => child(&path, &name),
        LocationSegment::Index(index) => format!("{path}[{index}]"),
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_repeated_field_is_found_at_any_depth() {
        let (value, repeated) = read(br#"{"a": [{"b": 1, "b": 2}], "a": null}"#).unwrap();
        assert_eq!(value, serde_json::json!({ "a": null }));
        let messages: Vec<String> = repeated.iter().map(ToString::to_string).collect();
        assert_eq!(messages, ["a[0].b: must not be repeated", "a: must not be repeated"]);
    }

    #[test]
    fn text_that_is_not_json_is_not_read() {
        for text in [&b""[..], b"{", b"{} {}", b"\xff", b"{1: 2}"] {
            assert!(read(text).is_none());
        }
    }
}
