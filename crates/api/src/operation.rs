//! Operations: the trait that each is declared by, its properties, and the kinds of its bodies and answers.
//! [`crate::operations`] declares them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Default limit of a JSON body, in bytes.
pub const JSON_LIMIT_BYTES: u64 = 1024 * 1024;

/// Characters that stay as they are in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The beginning of all paths of the data plane.
const DATA_PLANE: [u8; 8] = *b"/api/v1/";

/// An operation of the API.
pub trait Operation: 'static {
    /// The parameters of the path: a struct with a field for each placeholder.
    type Path: Serialize + DeserializeOwned + JsonSchema + 'static;
    /// The parameters of the query: a struct that denies unknown fields.
    type Query: Serialize + DeserializeOwned + JsonSchema + 'static;
    /// [`NoBody`], [`Json`], an optional [`Json`], or [`Raw`].
    type Body: 'static;
    /// The type of the JSON in the answer, or [`Raw`].
    type Answer: 'static;

    /// The rest of the declaration.
    const DECLARATION: Declaration;
}

/// The properties of an operation that are no types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declaration {
    /// The `operationId` of the OpenAPI document.
    pub id: &'static str,
    /// The method.
    pub method: Method,
    /// The path, with its parameters in braces.
    pub path: &'static str,
    /// The purpose in a few words, for documents and tools.
    pub summary: &'static str,
    /// The description for users, as Markdown. It names the operation's own error codes, in backticks.
    pub text: &'static str,
    /// The group of the OpenAPI document.
    pub tag: &'static Tag,
    /// The effect, which decides if a repeat is safe.
    pub effect: Effect,
    /// The operation's place among the tools.
    pub tool: ToolMembership,
    /// True if MCP clients that choose no toolsets get the tool.
    pub is_everyday: bool,
    /// True if the operation honours `If-Match` for a change.
    pub is_conditional: bool,
    /// True if the operation can delete data.
    pub can_delete: bool,
    /// True if the audit log has its requests.
    pub is_audited: bool,
    /// True if the answer shows a secret, and so is never compressed.
    pub shows_secret: bool,
    /// True if the specification has a closed list of its statuses. Its document has neither 503 nor a default then.
    pub has_closed_statuses: bool,
    /// The headers that the operation reads beside those of its kind.
    pub request_headers: &'static [Header],
    /// The headers of its answers beside those of its kind.
    pub answer_headers: &'static [Header],
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// GET. HEAD is answered, too.
    Get,
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
    /// DELETE.
    Delete,
    /// OPTIONS.
    Options,
}

/// A service of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// Small JSON requests, with an API key or a browser token.
    Control,
    /// Files, with grants.
    Data,
}

/// The effect of an operation and of its repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// A repeat leaves the same state.
    Idempotent,
    /// Takes an `Idempotency-Key`, under which a repeat has no further effect.
    Creates,
    /// Each request has its own effect.
    Changes,
}

/// The place of an operation among the tools of sessions, and among those of MCP clients without a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolMembership {
    /// The declaration does not say, which a plane with tools refuses.
    Unstated,
    /// A tool in this toolbox.
    Toolbox(&'static str),
    /// A tool in this toolbox, of MCP clients alone, and the reason why sessions don't have it.
    ClientsOnly(&'static str, &'static str),
    /// Not a tool, for this reason.
    NotATool(&'static str),
}

/// A group of operations in an OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its name.
    pub name: &'static str,
    /// Its subject, as Markdown.
    pub text: &'static str,
}

/// A service of the API, as its OpenAPI document shows it.
#[derive(Clone, Copy, Debug)]
pub struct PlaneDeclaration {
    /// The title of the document.
    pub title: &'static str,
    /// The introduction, as Markdown.
    pub introduction: &'static str,
    /// The operation that answers the document.
    pub document: &'static Declaration,
    /// The groups, in the order of the document.
    pub tags: &'static [&'static Tag],
    /// The operations, by modules.
    pub operations: &'static [&'static [&'static Declaration]],
}

/// A header's name, and its meaning for users.
pub type Header = (&'static str, &'static str);

/// The path of an operation without placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoPath {}

/// The query of an operation without query parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("additionalProperties" = false))]
pub struct NoQuery {}

/// The absent body. `{}` is accepted from clients that send it with every request. Anything else is refused, as
/// unknown fields are: the client expects an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoBody;

/// A JSON body of at most `LIMIT_BYTES`. `T` has `deny_unknown_fields`, so an unknown field is a 400 that names it.
///
/// `Option<Json<T>>` is an optional body.
#[derive(Clone, Debug)]
pub struct Json<T, const LIMIT_BYTES: u64 = JSON_LIMIT_BYTES>(pub T);

/// A body or an answer in a format of its own, for example a file or a stream of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw {}

/// A body that is sent as JSON.
pub trait JsonBody {
    /// The JSON's type.
    type Value: Serialize;
}

/// A body that a request can leave out.
pub trait OptionalBody {}

impl<T: Serialize, const LIMIT_BYTES: u64> JsonBody for Json<T, LIMIT_BYTES> {
    type Value = T;
}

impl<B: JsonBody> JsonBody for Option<B> {
    type Value = B::Value;
}

impl OptionalBody for NoBody {}

impl<B> OptionalBody for Option<B> {}

/// A text as a segment of a path.
pub fn encoded_segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

impl From<()> for NoPath {
    fn from((): ()) -> Self {
        Self {}
    }
}

impl PlaneDeclaration {
    /// The beginning of the paths of its operations: that of its document.
    pub const fn root(&self) -> &'static str {
        let path = self.document.path;
        let mut folder = path.as_bytes();
        while let [rest @ .., last] = folder
            && *last != b'/'
        {
            folder = rest;
        }
        path.split_at(folder.len()).0
    }

    /// All operations.
    pub fn operations(&self) -> impl Iterator<Item = &'static Declaration> + use<> {
        self.operations.iter().flat_map(|module| module.iter().copied())
    }
}

impl Method {
    /// The method as it is sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }
}

impl Declaration {
    /// A declaration of an operation that is no tool yet.
    pub const fn new(
        id: &'static str,
        tag: &'static Tag,
        method: Method,
        path: &'static str,
        effect: Effect,
    ) -> Self {
        Self {
            id,
            method,
            path,
            summary: "",
            text: "",
            tag,
            effect,
            tool: ToolMembership::Unstated,
            is_everyday: false,
            is_conditional: false,
            can_delete: matches!(method, Method::Delete),
            is_audited: !matches!(effect, Effect::Reads),
            shows_secret: false,
            has_closed_statuses: false,
            request_headers: &[],
            answer_headers: &[],
        }
    }

    /// This declaration with its summary and its text.
    #[must_use]
    pub const fn described(self, summary: &'static str, text: &'static str) -> Self {
        Self { summary, text, ..self }
    }

    /// This declaration with its place among the tools.
    #[must_use]
    pub const fn tool(self, tool: ToolMembership) -> Self {
        Self { tool, ..self }
    }

    /// This tool, which MCP clients get that choose no toolsets.
    #[must_use]
    pub const fn everyday(self) -> Self {
        Self { is_everyday: true, ..self }
    }

    /// This operation, which honours `If-Match`.
    #[must_use]
    pub const fn conditional(self) -> Self {
        Self { is_conditional: true, ..self }
    }

    /// This operation, which can delete data. Every `DELETE` can.
    #[must_use]
    pub const fn deletes(self) -> Self {
        Self { can_delete: true, ..self }
    }

    /// This operation, which the audit log leaves out.
    #[must_use]
    pub const fn unaudited(self) -> Self {
        Self { is_audited: false, ..self }
    }

    /// This operation, whose answer shows a secret.
    #[must_use]
    pub const fn secret(self) -> Self {
        Self { shows_secret: true, ..self }
    }

    /// This operation, of whose statuses the specification has a closed list.
    #[must_use]
    pub const fn closed_statuses(self) -> Self {
        Self { has_closed_statuses: true, ..self }
    }

    /// This operation, which also reads these headers.
    #[must_use]
    pub const fn reads(self, headers: &'static [Header]) -> Self {
        Self { request_headers: headers, ..self }
    }

    /// This operation, whose answers also have these headers.
    #[must_use]
    pub const fn answers(self, headers: &'static [Header]) -> Self {
        Self { answer_headers: headers, ..self }
    }

    /// True if it takes an `Idempotency-Key`.
    pub const fn takes_key(&self) -> bool {
        matches!(self.effect, Effect::Creates)
    }

    /// The service that answers it.
    pub const fn plane(&self) -> Plane {
        match self.path.as_bytes().first_chunk() {
            // Arrays can't be compared in a constant.
            Some(begin) if u64::from_ne_bytes(*begin) == u64::from_ne_bytes(DATA_PLANE) => Plane::Data,
            _ => Plane::Control,
        }
    }

    /// The path with these parameters, which are encoded. A placeholder without a parameter stays.
    pub fn path_with(&self, parameters: &impl Serialize) -> String {
        let parameters = serde_json::to_value(parameters).unwrap_or_default();
        let segments = self.path.split('/').map(|segment| {
            let name = segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'));
            match name.and_then(|name| parameters.get(name)).and_then(Value::as_str) {
                Some(value) => encoded_segment(value),
                None => segment.to_owned(),
            }
        });
        segments.collect::<Vec<_>>().join("/")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Operation, Plane, PlaneDeclaration};
    use crate::content::objects::GetObject;
    use crate::{control, dataplane};

    #[test]
    fn an_operation_knows_its_plane_and_a_plane_its_root() {
        let planes: [(PlaneDeclaration, Plane); 2] =
            [(control::PLANE, Plane::Control), (dataplane::PLANE, Plane::Data)];
        for (declared, plane) in planes {
            assert!(declared.operations().all(|operation| operation.plane() == plane));
        }
        assert_eq!((control::PLANE.root(), dataplane::PLANE.root()), ("/api/v2/", "/api/v1/"));
    }

    #[test]
    fn a_path_is_filled_by_names_and_encoded_and_keeps_other_placeholders() {
        let filled = GetObject::DECLARATION.path_with(&json!({ "projectId": "p--feature/é" }));
        assert_eq!(filled, "/api/v2/projects/p--feature%2F%C3%A9/objects/{objectId}");
    }
}
