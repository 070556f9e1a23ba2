//! Objects of a project's tree, and the tree and its uncommitted changes as clients read them.

mod converted;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::design::product_beside;
use crate::content::project::RESERVED_PACKAGES;
use crate::id::{ObjectId, ProjectId};
use crate::text::Name;
use crate::time::Timestamp;

pub use converted::CONVERTED_DATA;

/// Type of the project object, the root of a tree.
pub const PROJECT_TYPE: &str = "Project";
/// Type of a package.
pub const PACKAGE_TYPE: &str = "Package";
/// Type of an object that includes a package of another project.
pub const INCLUDE_TYPE: &str = "Include";
/// Type of a folder that an upload makes.
pub const FOLDER_TYPE: &str = "Folder";
/// Type of a file that is stored as it is.
pub const FILE_TYPE: &str = "File";
/// Type of a stored document, whose children are pages.
pub const DOCUMENT_TYPE: &str = "Document";
/// Type of a page of a document, which owns its image.
pub const PAGE_TYPE: &str = "Page";
/// Type of an imported instance with parts.
pub const ASSEMBLY_TYPE: &str = "Assembly";
/// Type of an imported instance without parts.
pub const PART_TYPE: &str = "Part";
/// Type of an imported source file.
pub const CODE_TYPE: &str = "Code";

/// The field of an object's data that tells of its file's conversion, if that was not complete.
pub const CONVERSION: &str = "conversion";

/// Most bytes that a branch's uncommitted objects hold together, as JSON; migration 18 has the number, too.
pub const UNCOMMITTED_MAX_BYTES: usize = 256 * 1024 * 1024;

/// A Git object id (SHA-1, 20 bytes), written as 40 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitHash(pub [u8; 20]);

impl CommitHash {
    /// Represents "no commit", as in a project created with `skipInitialCommit`.
    pub const ZERO: Self = Self([0; 20]);
}

impl fmt::Display for CommitHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for CommitHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for CommitHash {
    type Err = InvalidCommitHash;

    fn from_str(text: &str) -> Result<Self, InvalidCommitHash> {
        hexadecimal(text).map(Self).ok_or(InvalidCommitHash)
    }
}

/// The text is not a commit hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 40 hexadecimal digits")]
pub struct InvalidCommitHash;

impl Serialize for CommitHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CommitHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::borrow::Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for CommitHash {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CommitHash".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{40}$" })
    }
}

/// The kind of an uploaded object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    /// A stored file.
    Reference,
    /// An imported part.
    Geometry,
    /// An imported assembly.
    Assembly,
    /// An imported source file.
    Code,
}

impl ObjectKind {
    /// True for what an importer made of a design.
    pub fn is_design(self) -> bool {
        matches!(self, Self::Geometry | Self::Assembly)
    }
}

/// The extension of a stored file with its leading dot, as in `.step`.
///
/// It consists of ASCII letters and digits, so that id and extension form a safe file name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Extension(String);

impl Extension {
    /// Longest extension without its dot, in characters.
    pub const MAX_CHARS: usize = 16;

    /// The extension of a file name, in lower case; `None` if it is missing or unsafe.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.')?;
        let safe = !extension.is_empty()
            && extension.len() <= Self::MAX_CHARS
            && extension.chars().all(|c| c.is_ascii_alphanumeric());
        (safe && !stem.is_empty()).then(|| Self(format!(".{}", extension.to_ascii_lowercase())))
    }

    /// The text, with its leading dot.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A SHA-256 of a file's bytes, written as 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sha256Hash(pub [u8; 32]);

impl fmt::Display for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Sha256Hash {
    type Err = InvalidSha256;

    fn from_str(text: &str) -> Result<Self, InvalidSha256> {
        let is_lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        hexadecimal(text).filter(|_| is_lower).map(Self).ok_or(InvalidSha256)
    }
}

/// Decodes pairs of hexadecimal digits.
fn hexadecimal<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |c: u8| u8::try_from(char::from(c).to_digit(16)?).ok();
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(*high)? * 16 + digit(*low)?;
    }
    Some(bytes)
}

/// The text is not a SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 64 hexadecimal digits in lower case")]
pub struct InvalidSha256;

impl Serialize for Sha256Hash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256Hash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::borrow::Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Sha256Hash {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sha256Hash".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

/// The stored file that an object owns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileRef {
    /// SHA-256 of the bytes.
    pub sha256: Sha256Hash,
    /// Size in bytes.
    pub size: u64,
    /// Media type from the service's list, never the client's claim.
    pub mime_type: String,
    /// Extension with its leading dot; absent for unnamed files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension: Option<Extension>,
    /// Name under which it was uploaded, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
}

impl FileRef {
    /// The end of the download's name: the extension, or nothing.
    pub fn suffix(&self) -> &str {
        self.extension.as_ref().map_or("", Extension::as_str)
    }

    /// The name under which the file of an object called `object` is saved: that of its upload. A file without one is
    /// called as its object, with its extension at the end.
    pub fn saved_name(&self, object: &Name) -> String {
        if let Some(name) = &self.name {
            return name.as_str().to_owned();
        }
        let (name, suffix) = (object.as_str(), self.suffix());
        let has_suffix = name.to_lowercase().ends_with(&suffix.to_lowercase());
        if has_suffix { name.to_owned() } else { format!("{name}{suffix}") }
    }
}

/// An included package of another project, pinned to a published commit.
///
/// It reveals nothing of the package to readers who can't reach its project.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Include {
    /// The publishing project.
    pub project_id: ProjectId,
    /// The published object.
    pub package_id: ObjectId,
    /// The pinned commit.
    pub commit_hash: CommitHash,
}

/// An object of a branch, as its last commit or an uncommitted change has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Object {
    /// Id, stable for life.
    pub id: ObjectId,
    /// Name.
    pub name: Name,
    /// Type: `Package`, `File`, ...
    #[serde(rename = "type")]
    pub object_type: String,
    /// Parent in the tree.
    pub parent: ObjectId,
    /// Kind of an uploaded object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ObjectKind>,
    /// The stored file that it owns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRef>,
    /// The included package of another project: one value in changes, comparisons and merges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Include>,
    /// Custom properties.
    #[serde(default)]
    pub data: Map<String, Value>,
}

impl Object {
    /// The name of the reserved package that this object is, if it is one. Every project has these; they can't be
    /// changed or moved.
    pub fn reserved(&self, project: ProjectId) -> Option<&'static str> {
        let is_package = self.parent == project.into() && self.object_type == PACKAGE_TYPE;
        RESERVED_PACKAGES.into_iter().find(|name| is_package && *name == self.name.as_str())
    }

    /// True if its file is still to be converted.
    pub fn is_conversion_pending(&self) -> bool {
        let status = self.data.get(CONVERSION).and_then(|conversion| conversion.get("status"));
        status.and_then(Value::as_str) == Some("pending")
    }
}

/// All objects of a branch, including uncommitted changes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    /// Number of objects, including the project object.
    pub object_count: u64,
    /// The objects without the project object, parents before children.
    pub tree: Vec<TreeNode>,
}

/// An object in a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    /// Id.
    pub id: ObjectId,
    /// Name.
    pub name: Name,
    /// Type.
    #[serde(rename = "type")]
    pub object_type: String,
    /// Parent; the project's id at the top.
    pub parent: ObjectId,
    /// Number of direct children.
    pub children_count: u64,
    /// The name of the product of which this is an occurrence, unless it is the object's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<Name>,
    /// The stored file that it owns. A client compares its files with a project's by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<FileRef>>,
}

impl From<Object> for TreeNode {
    /// Makes the node of an object without children.
    fn from(object: Object) -> Self {
        let Object { id, name, object_type, parent, kind, file, data, .. } = object;
        let definition = data.get("definition").filter(|_| kind.is_some_and(ObjectKind::is_design));
        let product = definition.and_then(|definition| product_beside(&name, definition));
        Self { id, name, object_type, parent, children_count: 0, product, file: file.map(Box::new) }
    }
}

/// The uncommitted changes of a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UncommittedChanges {
    /// True if there are any.
    pub has_changes: bool,
    /// Number of changed objects.
    pub total_object_changes: u64,
    /// New objects.
    pub added: Vec<ObjectId>,
    /// Changed objects.
    pub modified: Vec<ObjectId>,
    /// Deleted objects.
    pub deleted: Vec<ObjectId>,
    /// Details of the deleted objects, which can't be read any more.
    pub deleted_objects: Vec<DeletedObject>,
    /// The head commit; 40 zeros if there is no commit.
    #[schemars(regex(pattern = "^[0-9a-f]{40}$"))]
    pub committed_hash: String,
}

/// A deleted object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletedObject {
    /// Id.
    pub object_id: ObjectId,
    /// Name.
    pub name: Name,
    /// Type.
    #[serde(rename = "type")]
    pub object_type: String,
    /// Parent.
    pub parent_id: ObjectId,
}

/// A commit's author or committer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Display name.
    pub name: String,
    /// Email address.
    pub email: String,
    /// Time.
    pub time: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::{CommitHash, Extension, FileRef, Sha256Hash};
    use crate::text::Name;

    #[test]
    fn unsafe_extensions_are_dropped() {
        let of = |name| Extension::of_file_name(name).map(|e| e.as_str().to_owned());
        assert_eq!(of("gear.STEP").as_deref(), Some(".step"));
        assert_eq!(of("archive.tar.gz").as_deref(), Some(".gz"));
        for none in ["LICENSE", ".gitignore", "a.", "a.b/c", "a.%2e", "x.täg", "a.12345678901234567"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn a_file_is_saved_under_the_name_of_its_upload() {
        let of = |name| Name::sanitize(name).unwrap();
        let mut file = FileRef {
            sha256: Sha256Hash([0; 32]),
            size: 0,
            mime_type: String::new(),
            extension: Extension::of_file_name("x.stp"),
            name: None,
        };
        assert_eq!(file.saved_name(&of("Gear 2.0")), "Gear 2.0.stp");
        assert_eq!(file.saved_name(&of("gear.STP")), "gear.STP");
        file.name = Some(of("SCDR.stp"));
        assert_eq!(file.saved_name(&of("SC+DRcolored_Last_2")), "SCDR.stp");
    }

    #[test]
    fn a_sha256_round_trips_as_hexadecimal() {
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(text.parse::<Sha256Hash>().unwrap().to_string(), text);
        assert!("zz".parse::<Sha256Hash>().is_err());
    }

    #[test]
    fn a_commit_hash_round_trips_as_hexadecimal() {
        let text = "cd2f1b4f3ff3c9d2de4c3dbb09ccb4bd1b5ae5f0";
        assert_eq!(text.parse::<CommitHash>().unwrap().to_string(), text);
        for bad in [
            "",
            "cd2f",
            "gg2f1b4f3ff3c9d2de4c3dbb09ccb4bd1b5ae5f0",
            "é2f1b4f3ff3c9d2de4c3dbb09ccb4bd1b5ae5f0",
        ] {
            assert!(bad.parse::<CommitHash>().is_err(), "{bad}");
        }
    }
}
