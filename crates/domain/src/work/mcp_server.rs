//! MCP servers, configured by a project's managers, whose tools the project's sessions can use.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;

use crate::time::Timestamp;

/// Most servers of a project.
pub const SERVERS_MAX: u32 = 16;
/// Names of the service's toolboxes, reserved for them.
pub const OWN_TOOLBOXES: [&str; 5] = ["project", "cards", "teams", "files", "code"];
/// Longest name, in characters. Together with a tool's name it has to fit into the 64 that models accept.
pub const SERVER_NAME_MAX_CHARS: usize = 24;
/// Longest URL, in characters.
pub const SERVER_URL_MAX_CHARS: usize = 2_000;
/// Most headers of a server.
pub const HEADERS_MAX: usize = 16;
/// Longest value of a header, in characters.
pub const HEADER_VALUE_MAX_CHARS: usize = 4_096;
/// Reserved first words of header names, which belong to the connection or the protocol.
const RESERVED_HEADERS: [&str; 13] = [
    "host",
    "connection",
    "content",
    "transfer",
    "te",
    "trailer",
    "upgrade",
    "proxy",
    "accept",
    "expect",
    "mcp",
    "last",
    "keep",
];
const NAME_PATTERN: &str = "^[a-z][a-z0-9-]{0,23}$";

/// The name of a server in its project and of its toolbox. It has no underscore, which separates toolbox and tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ServerName(String);

/// The address of a server: `https`, or `http` for hosts that the deployment allows.
///
/// Without a fragment and without credentials, which belong in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl(Url);

/// Headers of every request to a server, for example `Authorization`. Their values are never shown or logged.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretHeaders(BTreeMap<String, String>);

/// A server without the values of its headers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "McpServer")]
pub struct McpServerRecord {
    /// Name of the server and its toolbox.
    pub name: ServerName,
    /// Address.
    pub url: ServerUrl,
    /// Names of its headers; their values are never shown.
    pub header_names: Vec<String>,
    /// Time of addition.
    pub created_at: Timestamp,
    /// Time of the last replacement.
    pub updated_at: Timestamp,
}

impl ServerName {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ServerUrl {
    /// The URL.
    pub fn get(&self) -> &Url {
        &self.0
    }
}

impl SecretHeaders {
    /// The names, in order and in lower case.
    pub fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Names and values, for storage and requests to the server only.
    pub fn reveal(&self) -> &BTreeMap<String, String> {
        &self.0
    }
}

impl FromStr for ServerName {
    type Err = InvalidServerName;

    fn from_str(text: &str) -> Result<Self, InvalidServerName> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name = text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.len() <= SERVER_NAME_MAX_CHARS
            && text.bytes().all(allowed);
        if is_name { Ok(Self(text.to_owned())) } else { Err(InvalidServerName) }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ServerName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ServerName {
    fn schema_name() -> Cow<'static, str> {
        "McpServerName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": NAME_PATTERN })
    }
}

impl FromStr for ServerUrl {
    type Err = InvalidServerUrl;

    fn from_str(text: &str) -> Result<Self, InvalidServerUrl> {
        let url = Url::parse(text).map_err(|_| InvalidServerUrl)?;
        // The normal form, which is stored, may be longer than the text.
        if url.as_str().len() > SERVER_URL_MAX_CHARS {
            return Err(InvalidServerUrl);
        }
        let is_bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let is_http = matches!(url.scheme(), "https" | "http") && url.host().is_some();
        if is_bare && is_http { Ok(Self(url)) } else { Err(InvalidServerUrl) }
    }
}

impl Serialize for ServerUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for ServerUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ServerUrl {
    fn schema_name() -> Cow<'static, str> {
        "McpServerUrl".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uri", "maxLength": SERVER_URL_MAX_CHARS })
    }
}

impl TryFrom<BTreeMap<String, String>> for SecretHeaders {
    type Error = InvalidHeaders;

    fn try_from(headers: BTreeMap<String, String>) -> Result<Self, InvalidHeaders> {
        if headers.len() > HEADERS_MAX {
            return Err(InvalidHeaders::TooMany);
        }
        let mut read = BTreeMap::new();
        for (name, value) in headers {
            let name = name.to_ascii_lowercase();
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            if name.is_empty() || name.len() > 64 || !name.bytes().all(is_token) {
                return Err(InvalidHeaders::Name);
            }
            let first = name.split('-').next().unwrap_or_default();
            if RESERVED_HEADERS.contains(&first) {
                return Err(InvalidHeaders::Reserved);
            }
            let is_visible = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
            if value.len() > HEADER_VALUE_MAX_CHARS || value.trim() != value || !value.bytes().all(is_visible)
            {
                return Err(InvalidHeaders::Value);
            }
            if read.insert(name, value).is_some() {
                return Err(InvalidHeaders::Repeated);
            }
        }
        Ok(Self(read))
    }
}

impl fmt::Debug for SecretHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretHeaders({:?}, [redacted])", self.names())
    }
}

impl<'de> Deserialize<'de> for SecretHeaders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The error must not quote the values.
        let headers = BTreeMap::<String, String>::deserialize(deserializer)
            .map_err(|_| serde::de::Error::custom("must be an object of texts"))?;
        Self::try_from(headers).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for SecretHeaders {
    fn schema_name() -> Cow<'static, str> {
        "McpServerHeaders".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "maxProperties": HEADERS_MAX,
            "additionalProperties": { "type": "string", "maxLength": HEADER_VALUE_MAX_CHARS },
            "writeOnly": true,
        })
    }
}

/// The text is not a server name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to 24 lower-case letters, digits and hyphens, and begin with a letter")]
pub struct InvalidServerName;

/// The text is not a server address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an https URL of at most 2,000 characters, without credentials and without a fragment")]
pub struct InvalidServerUrl;

/// The headers can't be sent to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHeaders {
    /// Too many headers.
    #[error("must be at most 16 headers")]
    TooMany,
    /// A name is invalid.
    #[error("must have names of 1 to 64 letters, digits, hyphens, underscores and dots")]
    Name,
    /// A name is reserved.
    #[error("must not have headers of the connection or of the protocol")]
    Reserved,
    /// A name is repeated, ignoring case.
    #[error("must not repeat a name")]
    Repeated,
    /// A value is invalid.
    #[error("must have values of at most 4,096 visible ASCII characters, without spaces around them")]
    Value,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{InvalidHeaders, OWN_TOOLBOXES, SecretHeaders, ServerName, ServerUrl};

    #[test]
    fn a_server_name_is_short_and_has_no_underscore() {
        for good in ["wiki", "a", "issue-tracker-2"].into_iter().chain(OWN_TOOLBOXES) {
            assert_eq!(good.parse::<ServerName>().unwrap().as_str(), good);
        }
        for refused in ["", "Wiki", "2wiki", "-wiki", "a_b", "a.b", "ä", "a b", &"a".repeat(25)] {
            assert!(refused.parse::<ServerName>().is_err(), "{refused}");
        }
    }

    #[test]
    fn a_server_url_has_a_host_and_no_credentials() {
        for good in ["https://mcp.example/mcp", "https://[2001:4860::1]:8443/", "http://localhost:1/x?y=z"] {
            assert!(good.parse::<ServerUrl>().is_ok(), "{good}");
        }
        for refused in [
            "",
            "mcp.example",
            "ftp://mcp.example",
            "file:///etc/passwd",
            "https://",
            "https://user@mcp.example",
            "https://:key@mcp.example",
            "https://mcp.example/#x",
            &format!("https://mcp.example/{}", "x".repeat(2_000)),
            &format!("https://mcp.example/{}", "ü".repeat(400)),
        ] {
            assert!(refused.parse::<ServerUrl>().is_err(), "{refused}");
        }
    }

    #[test]
    fn secret_headers_show_only_names_and_refuse_reserved_ones() {
        let headers = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            SecretHeaders::try_from(pairs.collect::<BTreeMap<_, _>>())
        };
        let good = headers(&[("Authorization", "Bearer wiki-secret"), ("X-Tenant", "1")]).unwrap();
        assert_eq!(good.names(), ["authorization", "x-tenant"]);
        assert!(!format!("{good:?}").contains("wiki-secret"));
        for (refused, why) in [
            (("Host", "evil.example"), InvalidHeaders::Reserved),
            (("Content-Length", "1"), InvalidHeaders::Reserved),
            (("Mcp-Session-Id", "1"), InvalidHeaders::Reserved),
            (("X Tenant", "1"), InvalidHeaders::Name),
            (("X-Tenant", "1\r\nHost: evil.example"), InvalidHeaders::Value),
        ] {
            assert_eq!(headers(&[refused]).unwrap_err(), why, "{refused:?}");
        }
        assert_eq!(headers(&[("a", "1"), ("A", "2")]).unwrap_err(), InvalidHeaders::Repeated);
    }
}
