//! Email addresses of accounts and invitations. An issuer vouches for the address of a person.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::id::UserId;

/// Longest address, in characters (RFC 5321).
const EMAIL_MAX_CHARS: usize = 254;

/// Longest name in a mail, in characters.
const SHOWN_MAX_CHARS: usize = 60;

/// An email address that mail servers take: a local part of at most 64 visible ASCII characters, and a domain by its name.
/// Two addresses that differ in case are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// The address in `text`, if it is one. An international domain is kept in the ASCII form in which mail is sent to it.
    pub fn parse(text: &str) -> Option<Self> {
        let (local, host) = text.rsplit_once('@')?;
        let host = match host.is_ascii() {
            true => Cow::Borrowed(host),
            false => Cow::Owned(idna::domain_to_ascii(host).ok()?),
        };
        let address = format!("{local}@{host}");
        let is_address = address.len() <= EMAIL_MAX_CHARS
            && address.bytes().all(|byte| byte.is_ascii_graphic())
            && !local.contains('@')
            && email_address::EmailAddress::is_valid_local_part(local)
            // An IP address in brackets would lead mail to any machine.
            && !host.starts_with('[')
            && email_address::EmailAddress::is_valid_domain(&host);
        is_address.then_some(Self(address))
    }

    /// The address, with its domain in ASCII.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the `@`.
    pub fn local_part(&self) -> &str {
        self.0.split_once('@').map_or("", |(local, _)| local)
    }

    /// The mailbox that mail counts against: in lower case and without a tag (`+…`), which most servers deliver to the
    /// same person.
    pub fn mailbox(&self) -> String {
        let (local, host) = self.0.split_once('@').unwrap_or((&self.0, ""));
        let person = local.split('+').next().filter(|person| !person.is_empty()).unwrap_or(local);
        format!("{person}@{host}").to_ascii_lowercase()
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

/// The address that stands for a user in commits. `host` is the deployment's.
pub fn address_in_commits(user: UserId, host: &str) -> String {
    format!("{user}@users.noreply.{host}")
}

/// A name as a mail shows it, which its sender chose and its recipient didn't: without the characters of which mail programs
/// make links, addresses and encoded words, without those that change the direction of text, and cut to 60 characters.
pub fn text_in_mail(name: &str) -> String {
    let harmless = name.chars().map(|c| if is_harmless(c) { c } else { ' ' }).collect::<String>();
    let words = harmless.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SHOWN_MAX_CHARS) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default().trim_end()),
        None => words,
    }
}

/// True for characters of words, in any script, and for the marks within names that nothing else reads.
fn is_harmless(c: char) -> bool {
    let is_mark = |c: char| unicode_normalization::char::is_combining_mark(c);
    c.is_alphanumeric() || is_mark(c) || matches!(c, ' ' | '-' | '\'' | '’' | '&' | '(' | ')' | ',')
}

#[cfg(test)]
mod tests {
    use super::{EmailAddress, text_in_mail};

    #[test]
    fn a_name_in_a_mail_is_no_link_no_address_and_no_encoded_word() {
        for (name, shown) in [
            ("Müller & Söhne (Köln)", "Müller & Söhne (Köln)"),
            ("Anne-Marie O'Neill, निशा", "Anne-Marie O'Neill, निशा"),
            ("https://evil.example/a?b", "https evil example a b"),
            ("support@bank.example", "support bank example"),
            ("bank。example ｂank．example／", "bank example ｂank example"),
            ("=?utf-8?B?QmFuaw==?=", "utf-8 B QmFuaw"),
            ("a\u{202e}b\u{2066}c\u{200b}d\r\ne", "a b c d e"),
        ] {
            assert_eq!(text_in_mail(name), shown);
        }
        assert_eq!(text_in_mail(&"x".repeat(61)), format!("{}…", "x".repeat(60)));
    }

    #[test]
    fn an_address_has_one_at_and_belongs_to_exactly_one_domain() {
        let address = EmailAddress::parse("Alice@Works.example").unwrap();
        assert_eq!(address.local_part(), "Alice");
        assert!(address.is_of("works.example"));
        for other in ["example", "orks.example", "a.works.example", "works.example.net", ""] {
            assert!(!address.is_of(other), "{other}");
        }
        assert_eq!(EmailAddress::parse("Bob+works+2@Example.com").unwrap().mailbox(), "bob@example.com");
        assert_eq!(EmailAddress::parse("+a@b").unwrap().mailbox(), "+a@b");
        let long = format!("{}@b", "a".repeat(65));
        for bad in ["", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\0", "a@b\n", "é@b", &long] {
            assert_eq!(EmailAddress::parse(bad), None, "{bad}");
        }
        for bad in ["a@[127.0.0.1]", "a@[::1]", "a@b.", "a@.b", "a@b..c", "a@-b", ".a@b", "a..b@c", "a,b@c"] {
            assert_eq!(EmailAddress::parse(bad), None, "{bad}");
        }
        assert!(EmailAddress::parse(&format!("{}@b", "a".repeat(64))).is_some());
        assert_eq!(EmailAddress::parse("Bob@Bücher.example").unwrap().as_str(), "Bob@xn--bcher-kva.example");
        assert_eq!(EmailAddress::parse(&format!("a@{}", "b".repeat(253))), None);
    }
}
