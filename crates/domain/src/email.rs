//! Email addresses of accounts and invitations. An issuer vouches for the address of a person.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

/// Longest address, in characters (RFC 5321).
const EMAIL_MAX_CHARS: usize = 254;

/// An email address: visible ASCII with one `@` in it. Two addresses that differ in case are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// The address in `text`, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        let (user, host) = text.split_once('@')?;
        let is_address = !user.is_empty()
            && !host.is_empty()
            && !host.contains('@')
            && text.len() <= EMAIL_MAX_CHARS
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_address.then(|| Self(text.to_owned()))
    }

    /// The address as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the `@`.
    pub fn local_part(&self) -> &str {
        self.0.split_once('@').map_or("", |(local, _)| local)
    }

    /// True if the address is of this domain itself, not of one below it.
    pub fn is_of(&self, domain: &str) -> bool {
        self.0.split_once('@').is_some_and(|(_, host)| host.eq_ignore_ascii_case(domain))
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for EmailAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("must be an email address"))
    }
}

impl JsonSchema for EmailAddress {
    fn schema_name() -> Cow<'static, str> {
        "EmailAddress".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "email", "maxLength": EMAIL_MAX_CHARS })
    }
}

#[cfg(test)]
mod tests {
    use super::EmailAddress;

    #[test]
    fn an_address_has_one_at_and_belongs_to_exactly_one_domain() {
        let address = EmailAddress::parse("Alice@Works.example").unwrap();
        assert_eq!(address.local_part(), "Alice");
        assert!(address.is_of("works.example"));
        for other in ["example", "orks.example", "a.works.example", "works.example.net", ""] {
            assert!(!address.is_of(other), "{other}");
        }
        for bad in ["", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\0", "a@b\n", "é@b"] {
            assert_eq!(EmailAddress::parse(bad), None, "{bad}");
        }
        assert_eq!(EmailAddress::parse(&format!("a@{}", "b".repeat(253))), None);
    }
}
