//! Finds out whether JSON repeats a key. Types notice a repeated field, but a map would keep the last value silently.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

/// True if no object in a valid JSON text repeats a key.
pub(crate) fn has_unique_keys(text: &[u8]) -> bool {
    serde_json::from_slice::<UniqueKeys>(text).is_ok()
}

/// A JSON value whose objects don't repeat a key.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self, A::Error> {
        while values.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self, A::Error> {
        let mut seen = HashSet::new();
        while let Some(mut key) = fields.next_key::<String>()? {
            // Ids are equal in any case.
            if Uuid::try_parse(&key).is_ok() {
                key.make_ascii_lowercase();
            }
            if seen.contains(&key) {
                return Err(A::Error::custom("a key is repeated"));
            }
            fields.next_value::<Self>()?;
            seen.insert(key);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::has_unique_keys;

    #[test]
    fn a_repeated_key_is_found_at_any_depth() {
        for good in ["{}", r#"{"a":1,"b":{"a":[null,true,1.5,-1,"a","a"]}}"#, r#"[{"a":1},{"a":1}]"#] {
            assert!(has_unique_keys(good.as_bytes()), "{good}");
        }
        for bad in [
            r#"{"0198C5F0-0000-7000-8000-00000000000a":1,"0198c5f0-0000-7000-8000-00000000000A":1}"#,
            r#"{"a":1,"a":1}"#,
            r#"{"heads":{"x":1,"y":2,"x":3}}"#,
            r#"{"a":[{},{"b":{"c":1,"\u0063":2}}]}"#,
        ] {
            assert!(!has_unique_keys(bad.as_bytes()), "{bad}");
        }
    }
}
