//! The closed list of rules that the input of a request can break.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// The requirements of formats, by name.
const REQUIREMENTS: [(&str, &str); 28] = [
    ("uuid", "must be a UUID"),
    ("date-time", "must be an RFC 3339 date-time of the years 1 to 9999"),
    ("date", "must be an ISO 8601 date of the years 1 to 9999"),
    ("date-or-time", "must be an ISO 8601 date or date-time of the years 1 to 9999"),
    ("time-zone", "must be the name of an IANA time zone, for example `Europe/Berlin`"),
    ("text", "must not contain the character NUL"),
    ("visible-text", "must contain a visible character, and not the character NUL"),
    ("name", "must contain a visible character"),
    ("object-type", "must contain a visible character, and not be the type of the project object"),
    ("branch", "must be a branch name that Git accepts"),
    ("revision", "must be a branch name or the hash of a commit"),
    ("project", "must be a project id, or `{projectId}--{branchName}`"),
    ("package", "must be `{projectId}/{packageId}`, optionally followed by `@{commitHash}`"),
    ("sequence", "must be the sequence of a history row"),
    ("board-revision", "must be the `ETag` of a board, with or without quotes"),
    ("card", "must be the id of a card, or its key, for example `GEAR-12`"),
    (
        "field-filters",
        "must be JSON as {\"Weight\": {\"from\": 2}}: values, `from` and `to`, or `not`, for at most 5 fields",
    ),
    ("card-type", "must contain a visible character and no comma, and have at most 50 characters"),
    ("card-type-filter", "must be the name of a type, or `!` and the name of one that cards must not have"),
    (
        "card-sort",
        "must be `newest`, `oldest`, `updated`, `deadline`, `priority`, or `field-` with a custom field's id or name, and `-` \
         in front for the last first",
    ),
    ("view-column", "must name a field of cards, for example `priority`, or be `field-{fieldId}`"),
    ("uuid-filter", "must be a UUID, or `!` and the UUID that cards must not have"),
    ("user-filter", "must be `me` or the id of a user, or `!` and one that cards must not have"),
    ("optional-uuid-filter", "must be `none` or a UUID, or `!` and one that cards must not have"),
    (
        "optional-user-filter",
        "must be `me`, `none` or the id of a user, or `!` and one that cards must not have",
    ),
    (
        "optional-card-filter",
        "must be `none`, or the id or key of a card, or `!` and one that cards must not have",
    ),
    ("email", "must be an email address"),
    ("uri", "must be an http or https URL without credentials and fragment"),
];

/// A rule that input breaks, with its bound. `Display` says what input must be to keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", content = "bound", rename_all = "camelCase")]
pub enum Rule {
    /// The field is missing, or `null` where it can't be cleared.
    Required,
    /// The value has another JSON type. The bound names the types that are accepted.
    Type(Vec<String>),
    /// The value is not among those of the bound.
    Enum(Vec<Value>),
    /// The text does not match the regular expression.
    Pattern(String),
    /// The text is not of this format, as the OpenAPI document names it.
    Format(String),
    /// The text has fewer characters.
    MinLength(usize),
    /// The text has more characters.
    MaxLength(usize),
    /// The value has more bytes.
    MaxBytes(usize),
    /// The list has fewer elements.
    MinItems(usize),
    /// The list has more elements, or a header or parameter occurs more often.
    MaxItems(usize),
    /// The object has fewer fields.
    MinProperties(usize),
    /// The object has more fields.
    MaxProperties(usize),
    /// The value is nested in more levels.
    MaxDepth(usize),
    /// The number is lower.
    Minimum(Number),
    /// The number is higher.
    Maximum(Number),
    /// The number is no multiple of the bound.
    MultipleOf(Number),
    /// The point in time is earlier.
    NotBefore(String),
    /// The point in time is later.
    NotAfter(String),
    /// The operation has no such field or parameter.
    Unknown,
    /// The field, parameter or element occurs twice.
    Duplicate,
    /// The input can't be read: it is not JSON, or ends too early.
    Syntax,
    /// The value names nothing that exists, or that the caller sees.
    Exists,
    /// The value belongs to another resource already.
    Unique,
    /// The value contradicts the field that the bound names.
    Conflict(String),
    /// The value names something whose type or state does not allow this.
    State,
    /// The object would be below itself.
    Cycle,
    /// The name is reserved for the service.
    Reserved,
    /// This deployment does not offer it.
    Unsupported,
}

impl Rule {
    /// The value has none of these JSON types.
    pub fn types<const N: usize>(names: [&str; N]) -> Self {
        Self::Type(names.map(str::to_owned).to_vec())
    }

    /// The text is not of the format with this name.
    pub fn format(name: &str) -> Self {
        Self::Format(name.to_owned())
    }

    /// The value contradicts `field`.
    pub fn conflict(field: &str) -> Self {
        Self::Conflict(field.to_owned())
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required => f.write_str("is required"),
            Self::Type(types) => write!(f, "must be of type {}", types.join(" or ")),
            Self::Enum(values) => match values.as_slice() {
                [value] => write!(f, "must be {value}"),
                values => write!(f, "must be one of {}", listed(values)),
            },
            Self::Pattern(pattern) => write!(f, "must match the pattern `{pattern}`"),
            Self::Format(name) => match REQUIREMENTS.iter().find(|(known, _)| known == name) {
                Some((_, requirement)) => f.write_str(requirement),
                None => write!(f, "must have the format `{name}`"),
            },
            Self::MinLength(1) => f.write_str("must not be empty"),
            Self::MinLength(least) => write!(f, "must be at least {least} characters"),
            Self::MaxLength(most) => write!(f, "must be at most {most} characters"),
            Self::MaxBytes(most) => write!(f, "must be at most {most} bytes"),
            Self::MinItems(1) => f.write_str("must not be empty"),
            Self::MinItems(least) => write!(f, "must hold at least {least} elements"),
            Self::MaxItems(most) => write!(f, "must hold at most {most} elements"),
            Self::MinProperties(1) => f.write_str("must name a field"),
            Self::MinProperties(least) => write!(f, "must name at least {least} fields"),
            Self::MaxProperties(most) => write!(f, "must name at most {most} fields"),
            Self::MaxDepth(most) => write!(f, "must be nested at most {most} levels deep"),
            Self::Minimum(least) => write!(f, "must be at least {least}"),
            Self::Maximum(most) => write!(f, "must be at most {most}"),
            Self::MultipleOf(unit) => write!(f, "must be a multiple of {unit}"),
            Self::NotBefore(earliest) => write!(f, "must not be before {earliest}"),
            Self::NotAfter(latest) => write!(f, "must not be after {latest}"),
            Self::Unknown => f.write_str("is not known here"),
            Self::Duplicate => f.write_str("must not be repeated"),
            Self::Syntax => f.write_str("can't be read"),
            Self::Exists => f.write_str("does not exist or is not visible to you"),
            Self::Unique => f.write_str("belongs to another resource already"),
            Self::Conflict(other) => write!(f, "contradicts `{other}`"),
            Self::State => f.write_str("is in a state that does not allow this"),
            Self::Cycle => f.write_str("would be below itself"),
            Self::Reserved => f.write_str("is reserved"),
            Self::Unsupported => f.write_str("is not supported by this deployment"),
        }
    }
}

fn listed(values: &[Value]) -> String {
    values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}
