//! The revision that a message is in. Revision 2026-07-28 has no `initialize`: each request names its revision in `_meta`,
//! and repeats it, its method and its target in headers. Earlier ones are negotiated once.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::mcp::{INVALID_PARAMS, RpcError, VERSIONS};

/// The revision whose requests stand alone.
pub const STANDALONE: &str = "2026-07-28";
/// The method by which clients of [`STANDALONE`] begin.
pub const DISCOVER: &str = "server/discover";
/// Methods that [`STANDALONE`] doesn't have.
const GONE: [&str; 2] = ["initialize", "ping"];
/// Fields of `_meta`.
const VERSION_FIELD: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_FIELD: &str = "io.modelcontextprotocol/clientCapabilities";
/// Headers and body differ.
const HEADER_MISMATCH: i32 = -32020;
const UNSUPPORTED_VERSION: i32 = -32022;

/// The headers of a message.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageHeaders<'a> {
    /// `MCP-Protocol-Version`.
    pub version: Option<&'a str>,
    /// `Mcp-Method`.
    pub method: Option<&'a str>,
    /// `Mcp-Name`: the tool or prompt, or the resource's URI.
    pub name: Option<&'a str>,
}

/// The revision of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Revision {
    /// One of [`VERSIONS`].
    Negotiated,
    /// [`STANDALONE`].
    Standalone,
}

impl Revision {
    /// The revision of a request.
    ///
    /// # Errors
    /// The refusal of a request of [`STANDALONE`] that is incomplete, or whose headers say something else, and of one of an
    /// unknown revision.
    pub(super) fn of(
        headers: MessageHeaders<'_>,
        method: &str,
        params: &Map<String, Value>,
    ) -> Result<Self, RpcError> {
        let Some(version) = named(params) else {
            if headers.version != Some(STANDALONE) && method != DISCOVER {
                return Ok(Self::Negotiated);
            }
            return Err(refusal(INVALID_PARAMS, format!("`_meta` must have `{VERSION_FIELD}`")));
        };
        if version != STANDALONE {
            let supported: Vec<&str> = std::iter::once(STANDALONE).chain(VERSIONS).collect();
            let data = json!({ "supported": supported, "requested": version });
            let message = "this revision of the protocol is not supported".to_owned();
            return Err(RpcError { code: UNSUPPORTED_VERSION, message, data: Some(data) });
        }
        let target = match method {
            "tools/call" | "prompts/get" => params.get("name").and_then(Value::as_str),
            "resources/read" => params.get("uri").and_then(Value::as_str),
            _ => None,
        };
        let name = headers.name.map(decoded);
        let differs = [
            ("MCP-Protocol-Version", headers.version != Some(version)),
            ("Mcp-Method", headers.method != Some(method)),
            ("Mcp-Name", target.is_some() && name.as_deref() != target),
        ];
        if let Some((header, _)) = differs.into_iter().find(|(_, differs)| *differs) {
            return Err(refusal(HEADER_MISMATCH, format!("the header `{header}` must repeat the message")));
        }
        let meta = params.get("_meta").and_then(Value::as_object);
        if !meta.is_some_and(|meta| meta.get(CAPABILITIES_FIELD).is_some_and(Value::is_object)) {
            return Err(refusal(INVALID_PARAMS, format!("`_meta` must have `{CAPABILITIES_FIELD}`")));
        }
        Ok(Self::Standalone)
    }

    /// True if the revision has a method that another has.
    pub(super) fn has(self, method: &str) -> bool {
        match self {
            Self::Standalone => !GONE.contains(&method),
            Self::Negotiated => method != DISCOVER,
        }
    }

    /// A result in the form of the revision.
    pub(super) fn complete(self, method: &str, result: Box<RawValue>) -> Box<RawValue> {
        if self == Self::Negotiated {
            return result;
        }
        // Tools depend on the caller's rights, so nobody else may be given a list.
        let is_cached = method == DISCOVER || method == "resources/read" || method.ends_with("/list");
        let cached = if is_cached { r#""ttlMs":0,"cacheScope":"private","# } else { "" };
        let Some(fields) = result.get().strip_prefix('{') else { return result };
        let comma = if fields.trim_start().starts_with('}') { "" } else { "," };
        let cached = if comma.is_empty() { cached.trim_end_matches(',') } else { cached };
        let first = if cached.is_empty() { comma } else { "," };
        let whole = format!(r#"{{"resultType":"complete"{first}{cached}{fields}"#);
        RawValue::from_string(whole).unwrap_or(result)
    }
}

/// The revision that a request names in `_meta`.
pub(super) fn named(params: &Map<String, Value>) -> Option<&str> {
    params.get("_meta")?.get(VERSION_FIELD)?.as_str()
}

/// The result of [`DISCOVER`]. Revisions that are negotiated are not among these versions.
pub fn discovered(capabilities: Value, instructions: &str) -> Value {
    let server = json!({ "name": "atelier", "title": "Atelier", "version": env!("CARGO_PKG_VERSION") });
    json!({
        "supportedVersions": [STANDALONE],
        "capabilities": capabilities,
        "instructions": instructions,
        "_meta": { "io.modelcontextprotocol/serverInfo": server },
    })
}

/// The value of a header, which is in base64 where a header can't have it.
fn decoded(value: &str) -> String {
    let coded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let decoded = coded.and_then(|coded| String::from_utf8(STANDARD.decode(coded).ok()?).ok());
    decoded.unwrap_or_else(|| value.to_owned())
}

fn refusal(code: i32, message: String) -> RpcError {
    RpcError { code, message, data: None }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::{MessageHeaders, Revision, VERSION_FIELD};

    #[test]
    fn a_request_is_in_the_revision_that_it_names_and_its_headers_repeat_it() {
        let meta = |version: &str| json!({ VERSION_FIELD: version, "io.modelcontextprotocol/clientCapabilities": {} });
        let new = Some("2026-07-28");
        let of = |version: Option<&'static str>, method: Option<&'static str>, name: Option<&'static str>| {
            MessageHeaders { version, method, name }
        };
        let call = json!({ "name": "größe", "_meta": meta("2026-07-28") });
        let list = json!({ "_meta": meta("2026-07-28") });
        for (headers, method, params, expected) in [
            (of(None, None, None), "tools/list", json!({}), Ok(Revision::Negotiated)),
            (of(Some("2025-11-25"), None, None), "tools/list", json!({}), Ok(Revision::Negotiated)),
            (of(new, Some("tools/list"), None), "tools/list", list.clone(), Ok(Revision::Standalone)),
            (of(new, Some("tools/list"), None), "tools/list", json!({}), Err(-32602)),
            (of(None, None, None), "server/discover", json!({}), Err(-32602)),
            (of(None, Some("tools/list"), None), "tools/list", list.clone(), Err(-32020)),
            (of(new, None, None), "tools/list", list.clone(), Err(-32020)),
            (of(new, Some("tools/call"), None), "tools/list", list, Err(-32020)),
            (
                of(new, Some("tools/call"), Some("=?base64?Z3LDtsOfZQ==?=")),
                "tools/call",
                call.clone(),
                Ok(Revision::Standalone),
            ),
            (of(new, Some("tools/call"), None), "tools/call", call, Err(-32020)),
            (
                of(Some("2030-01-01"), Some("tools/list"), None),
                "tools/list",
                json!({ "_meta": meta("2030-01-01") }),
                Err(-32022),
            ),
            (
                of(new, Some("tools/list"), None),
                "tools/list",
                json!({ "_meta": { VERSION_FIELD: "2026-07-28" } }),
                Err(-32602),
            ),
        ] {
            let found =
                Revision::of(headers, method, params.as_object().unwrap()).map_err(|error| error.code);
            assert_eq!(found, expected, "{headers:?} {method} {params}");
        }
    }

    #[test]
    fn results_of_the_newest_revision_say_that_they_are_complete() {
        let complete = |method: &str, result: &str| {
            let result =
                Revision::Standalone.complete(method, RawValue::from_string(result.to_owned()).unwrap());
            serde_json::from_str::<Value>(result.get()).unwrap()
        };
        assert_eq!(complete("tools/call", "{}"), json!({ "resultType": "complete" }));
        assert_eq!(complete("tools/call", r#"{"a":1}"#), json!({ "resultType": "complete", "a": 1 }));
        let cached = json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": [] });
        assert_eq!(complete("tools/list", r#"{"tools":[]}"#), cached);
        assert_eq!(complete("tools/list", "{}")["ttlMs"], 0);
    }
}
