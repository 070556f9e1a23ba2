//! Refuses JSON with a repeated key. Types notice a repeated field, but a map would keep the last value silently.

use std::collections::HashSet;
use std::fmt;

use domain::{Error, Rule};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Requires that no object in a valid JSON text repeats a key.
///
/// # Errors
/// `INVALID_REQUEST` at the key.
pub(crate) fn require_unique_keys(body: &[u8]) -> domain::Result<()> {
    if serde_json::from_slice::<UniqueKeys>(body).is_ok() {
        return Ok(());
    }
    // Only a refusal pays for the path.
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let Err(error) = serde_path_to_error::deserialize::<_, UniqueKeys>(&mut deserializer) else {
        return Ok(());
    };
    let (at, message) = (error.path().to_string(), error.inner().to_string());
    // serde_json appends the position.
    let key = message.rsplit_once(" at line ").map_or(message.as_str(), |(key, _)| key);
    let refusal = Error::broken(key, Rule::Duplicate);
    Err(if at == "." { refusal } else { refusal.within(&at) })
}

/// A JSON value whose objects don't repeat a key. The failure's message is the key.
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
        while let Some(key) = fields.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(key));
            }
            fields.next_value::<Self>()?;
            seen.insert(key);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::require_unique_keys;

    #[test]
    fn a_repeated_key_is_refused_at_its_place() {
        for good in ["{}", r#"{"a":1,"b":{"a":[null,true,1.5,-1,"a","a"]}}"#, r#"[{"a":1},{"a":1}]"#] {
            assert!(require_unique_keys(good.as_bytes()).is_ok(), "{good}");
        }
        for (bad, place) in [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"heads":{"x":1,"y":2,"x":3}}"#, "heads.x"),
            (r#"{"a":[{},{"b":{"c":1,"\u0063":2}}]}"#, "a[1].b.c"),
        ] {
            let refusal = require_unique_keys(bad.as_bytes()).unwrap_err();
            assert_eq!(refusal.to_string(), format!("{place}: must not be repeated"));
        }
    }
}
