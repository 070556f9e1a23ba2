//! Objects of a project's tree, and the shapes in which a tree and its uncommitted changes are read.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{ObjectId, ProjectId};
use crate::package::Include;
use crate::project::RESERVED_PACKAGES;
use crate::text::Name;
use crate::time::Timestamp;

/// Type of the project object, the root of a tree.
pub const PROJECT_TYPE: &str = "Project";
/// Type of a package.
pub const PACKAGE_TYPE: &str = "Package";
/// Type of an object that stands for a package of another project.
pub const INCLUDE_TYPE: &str = "Include";
/// Type of a stored file that needed no conversion.
pub const FILE_TYPE: &str = "File";
/// Type of a stored file that has pages.
pub const DOCUMENT_TYPE: &str = "Document";
/// Type of a page of a document, which owns its image.
pub const PAGE_TYPE: &str = "Page";
/// Type of an imported instance that has parts.
pub const ASSEMBLY_TYPE: &str = "Assembly";
/// Type of an imported instance that has none.
pub const PART_TYPE: &str = "Part";
/// Type of an imported source file.
pub const CODE_TYPE: &str = "Code";

/// Most bytes that a branch's uncommitted objects hold together, as JSON; migration 18 has the number, too.
pub const UNCOMMITTED_MAX_BYTES: usize = 256 * 1024 * 1024;

/// A Git object id (SHA-1, 20 bytes), written as 40 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitHash(pub [u8; 20]);

impl CommitHash {
    /// What stands for "no commit" (contract, section 7: `skipInitialCommit`).
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

/// A text that is not 40 hexadecimal digits.
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

/// What an object that came from an upload is (specification, "Uploaded object map").
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

/// An extension of a stored file, with its leading dot: `.step`. Letters and digits of ASCII alone, so that
/// id and extension make a safe file name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Extension(String);

impl Extension {
    /// Longest extension without its dot, in characters.
    pub const MAX_CHARS: usize = 16;

    /// The extension of a file name, in lower case; `None` where there is none that is safe to keep.
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

/// A SHA-256 of a file's bytes, written as 64 hexadecimal digits.
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
        hexadecimal(text).map(Self).ok_or(InvalidSha256)
    }
}

/// The bytes that a text of two hexadecimal digits each says.
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

/// A text that is not 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 64 hexadecimal digits")]
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
    /// Media type, from our own list; never the client's word.
    pub mime_type: String,
    /// Extension with its leading dot; absent where nobody named the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extension: Option<Extension>,
}

/// An object as it is stored: in a commit as one JSON file, in the working changes as one row.
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
    /// The object it hangs under.
    pub parent: ObjectId,
    /// What it came from, where it was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ObjectKind>,
    /// The file that it owns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRef>,
    /// The package of another project that it stands for: one value, which is changed, compared and merged as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Include>,
    /// Free properties.
    #[serde(default)]
    pub data: Map<String, Value>,
}

impl Object {
    /// Which of the packages that every project holds this is, by name; they stay what and where they are. `None` for
    /// any other object.
    pub fn reserved(&self, project: ProjectId) -> Option<&'static str> {
        let is_package = self.parent == project.into() && self.object_type == PACKAGE_TYPE;
        RESERVED_PACKAGES.into_iter().find(|name| is_package && *name == self.name.as_str())
    }
}

/// Every object of a branch with its uncommitted state (specification, "Object tree").
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    /// Total number of objects, the project object included.
    pub object_count: u64,
    /// The objects without the project object, parents before children.
    pub tree: Vec<TreeNode>,
}

/// One object of a [`Tree`].
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
}

impl From<Object> for TreeNode {
    /// The object's node, as if it had no children.
    fn from(object: Object) -> Self {
        let Object { id, name, object_type, parent, .. } = object;
        Self { id, name, object_type, parent, children_count: 0 }
    }
}

/// What a branch holds that its head commit does not (specification, "Uncommitted changes of a branch").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UncommittedChanges {
    /// Whether there is any.
    pub has_changes: bool,
    /// Number of changed objects.
    pub total_object_changes: u64,
    /// Objects that the commit does not have.
    pub added: Vec<ObjectId>,
    /// Objects that differ from the commit's.
    pub modified: Vec<ObjectId>,
    /// Objects of the commit that are gone.
    pub deleted: Vec<ObjectId>,
    /// What the deleted objects were; they can't be read any more.
    pub deleted_objects: Vec<DeletedObject>,
    /// The commit against which the changes are measured; 40 zeros where there is none.
    #[schemars(regex(pattern = "^[0-9a-f]{40}$"))]
    pub committed_hash: String,
}

/// What is known of a deleted object.
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
    /// When.
    pub time: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::{CommitHash, Extension, Sha256Hash};

    #[test]
    fn an_extension_is_kept_only_where_it_is_safe() {
        let of = |name| Extension::of_file_name(name).map(|e| e.as_str().to_owned());
        assert_eq!(of("gear.STEP").as_deref(), Some(".step"));
        assert_eq!(of("archive.tar.gz").as_deref(), Some(".gz"));
        for none in ["LICENSE", ".gitignore", "a.", "a.b/c", "a.%2e", "x.täg", "a.12345678901234567"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn a_sha256_reads_what_it_writes() {
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(text.parse::<Sha256Hash>().unwrap().to_string(), text);
        assert!("zz".parse::<Sha256Hash>().is_err());
    }

    #[test]
    fn a_commit_hash_reads_what_it_writes() {
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
