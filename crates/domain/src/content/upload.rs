//! Uploads: their states, the change that attaches one to the tree, its response, and names of stored files.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::edit::IfMatch;
use crate::content::object::{Extension, Object, ObjectKind, Sha256Hash};
use crate::error::Refusal;
use crate::error::code::Code;
use crate::id::{ObjectId, OwnerId, SessionId, UploadId};
use crate::text::Name;
use crate::time::Timestamp;

/// Maximum size of a file, in bytes: 2 GiB. The files of an archive have it together.
pub const FILE_MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// The response to an upload: the created objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectMap {
    /// The created objects by id. Of a replaced file, all its objects.
    pub object: BTreeMap<ObjectId, UploadedObject>,
    /// The changes that a new version of a file has made. Absent from uploads of new files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<ReplacedFile>,
}

/// The changes that a new version of a file has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplacedFile {
    /// The object whose file was replaced.
    pub object_id: ObjectId,
    /// True if the object had the same file before. Nothing has changed then.
    pub unchanged: bool,
    /// Number of objects that the new file has added.
    pub added_count: u64,
    /// Number of changed objects.
    pub changed_count: u64,
    /// Number of objects of the old file that are deleted.
    pub deleted_count: u64,
    /// Number of objects that were kept by their order alone, because nothing in the two files tells them from their
    /// siblings. Absent if all are certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indistinct_count: Option<u64>,
}

/// An object created by an upload.
// docs/api.md, section 9
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedObject {
    /// Id.
    pub id: ObjectId,
    /// Name.
    pub name: Name,
    /// Kind.
    pub kind: ObjectKind,
    /// Type.
    #[serde(rename = "type")]
    pub object_type: String,
    /// Parent in the tree.
    pub parent: ObjectId,
    /// Name under which the stored file was uploaded. Absent from images of pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_name: Option<Name>,
    /// Extension of the stored file, with its leading dot; empty if its name has none. Id and extension form its download
    /// name. Absent from objects without a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// Size of the stored file, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// SHA-256 of the stored file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Sha256Hash>,
    /// Media type of the stored file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Present if the file, or this page of it, was converted in part or not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversion: Option<ConversionOutcome>,
}

/// The reason for an incomplete or missing conversion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConversionOutcome {
    /// `failed`, `partial` or `pending`.
    pub status: String,
    /// Stable: clients branch on it.
    pub code: String,
    /// For people; may be reworded.
    pub message: String,
}

impl From<&Object> for UploadedObject {
    fn from(object: &Object) -> Self {
        let file = object.file.as_ref();
        Self {
            id: object.id,
            name: object.name.clone(),
            kind: object.kind.unwrap_or(ObjectKind::Reference),
            object_type: object.object_type.clone(),
            parent: object.parent,
            file_name: file.and_then(|file| file.name.clone()),
            extension: file.map(|file| file.suffix().to_owned()),
            size: file.map(|file| file.size),
            sha256: file.map(|file| file.sha256),
            mime_type: file.map(|file| file.mime_type.clone()),
            conversion: object.data.get("conversion").and_then(|outcome| {
                // Users may give an object of their own data of this name.
                ConversionOutcome::deserialize(outcome).ok()
            }),
        }
    }
}

impl<'a> FromIterator<&'a Object> for ObjectMap {
    fn from_iter<I: IntoIterator<Item = &'a Object>>(objects: I) -> Self {
        let entries = objects.into_iter().map(|object| (object.id, object.into()));
        Self { object: entries.collect(), replaced: None }
    }
}

/// The change that attaches an upload's objects to the tree, once its bytes are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The upload, which is attached at most once.
    pub upload: UploadId,
    /// The parent of its objects.
    pub parent: ObjectId,
    /// The expected owner of the project, if not checked before.
    pub owner: Option<OwnerId>,
    /// The new objects, at least one. Each one's parent is `parent` or another of them.
    pub objects: Vec<Object>,
    /// The stored files: the uploaded file, then those of its conversion. Some may have the same bytes.
    pub files: Vec<NewFile>,
    /// Set if the file replaces that of an object. `parent` and the first of `objects` are this object then.
    pub replaces: Option<Replacement>,
}

/// The replacement of an object's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The expected entity tag of the object, or SHA-256 of its file.
    pub expected: Option<IfMatch>,
}

/// A file in the object store without a reference so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// SHA-256 of its bytes.
    pub sha256: Sha256Hash,
    /// Size in bytes.
    pub size: u64,
    /// Key in the object store.
    pub blob_key: String,
}

/// Result of an applied [`Attachment`], the same each time it is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// The upload's answer.
    pub map: ObjectMap,
    /// Blobs that the project doesn't refer to: those of the attachment whose bytes it has in another blob, and those of
    /// replaced files that no commit has.
    pub unneeded_blobs: Vec<String>,
}

/// The state of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UploadStatus {
    /// Receiving bytes.
    Receiving,
    /// All bytes are stored; the conversion is running.
    Converting,
    /// The objects are in the tree.
    Done,
    /// Failed for good.
    Failed,
}

/// The complete files of an archive that is being unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnpackedFiles {
    /// Number of files in the tree.
    pub attached_count: u64,
    /// Number of refused files.
    pub refused_count: u64,
}

/// The progress of an upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadProgress {
    /// The upload.
    pub upload_id: UploadId,
    /// State.
    pub status: UploadStatus,
    /// Bytes received.
    pub received_bytes: u64,
    /// Size of the whole file, in bytes; null if unknown before its end.
    pub size_bytes: Option<u64>,
    /// The complete files of an archive. Absent from other uploads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<UnpackedFiles>,
    /// The reason of a failed upload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Refusal>,
}

/// The state of an upload, resumable or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UploadState")]
pub struct UploadState {
    /// Id.
    pub id: UploadId,
    /// State. An unfinished upload in one piece counts as failed after a minute without progress.
    pub status: UploadStatus,
    /// Bytes received.
    pub received_bytes: u64,
    /// Size of the whole file, in bytes; null if unknown before its end.
    pub size_bytes: Option<u64>,
    /// The complete files of an archive. Absent from other uploads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<UnpackedFiles>,
    /// The reason of a failed upload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Refusal>,
    /// Time of the report.
    pub updated_at: Timestamp,
    /// The objects of an attached upload.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub map: Option<ObjectMap>,
}

impl UploadState {
    /// Seconds without progress after which an upload in one piece counts as failed, as its process must have died.
    ///
    /// A client has to send more bytes within half of it, and a conversion reports progress more often.
    pub const SILENCE_SECS: i64 = 60;

    /// The state after the last progress, reported at `at`.
    pub fn of_word(word: UploadProgress, at: Timestamp, now: Timestamp) -> Self {
        let UploadProgress { upload_id: id, status, received_bytes, size_bytes, files, failure } = word;
        let told = Self { id, status, received_bytes, size_bytes, files, failure, updated_at: at, map: None };
        let is_over = matches!(status, UploadStatus::Done | UploadStatus::Failed);
        if is_over || now < at.plus_seconds(Self::SILENCE_SECS) {
            return told;
        }
        let lost = Refusal {
            code: Code::Unavailable,
            message: "The process that received the upload has fallen silent. Upload the file again."
                .to_owned(),
            details: None,
        };
        Self { status: UploadStatus::Failed, failure: Some(lost), ..told }
    }

    /// The state of an upload attached at `at`.
    pub fn done(id: UploadId, map: ObjectMap, at: Timestamp) -> Self {
        // The first object owns the file, unless it was replaced.
        let owner = match map.replaced {
            Some(ReplacedFile { object_id, .. }) => map.object.get(&object_id),
            None => map.object.values().next(),
        };
        let size_bytes = owner.and_then(|object| object.size);
        Self {
            id,
            status: UploadStatus::Done,
            received_bytes: size_bytes.unwrap_or_default(),
            size_bytes,
            files: None,
            failure: None,
            updated_at: at,
            map: Some(map),
        }
    }
}

/// A resumable upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResumableUpload {
    /// Id.
    pub id: UploadId,
    /// Its session.
    pub session_id: SessionId,
    /// The parent of its objects.
    pub parent_id: ObjectId,
    /// Name of the file.
    pub name: Name,
    /// State.
    pub status: UploadStatus,
    /// True if it becomes a part of another upload. Its status stays `receiving`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
    /// Size of the whole file, in bytes; null until the client knows it.
    pub size_bytes: Option<u64>,
    /// Bytes received. They survive a broken connection.
    pub received_bytes: u64,
    /// The reason of a failed upload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Refusal>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time at which it is discarded, unless more bytes arrive.
    pub expires_at: Timestamp,
}

/// The download name of a stored file: its object's id and extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    /// The object that owns the file.
    pub object: ObjectId,
    /// The file's extension.
    pub extension: Option<Extension>,
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extension = self.extension.as_ref().map_or("", Extension::as_str);
        write!(f, "{}{extension}", self.object)
    }
}

impl FromStr for FileName {
    type Err = InvalidFileName;

    fn from_str(text: &str) -> Result<Self, InvalidFileName> {
        let extension = Extension::of_file_name(text);
        let suffix = extension.as_ref().map_or(0, |extension| extension.as_str().len());
        let id = text.get(..text.len().saturating_sub(suffix)).ok_or(InvalidFileName)?;
        let object = id.parse().map_err(|_| InvalidFileName)?;
        let name = Self { object, extension };
        // Each file has one name: other spellings of the id or the extension are refused.
        if name.to_string() == text { Ok(name) } else { Err(InvalidFileName) }
    }
}

/// The text is not the name of a stored file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an object id followed by the file's extension")]
pub struct InvalidFileName;

#[cfg(test)]
mod tests {
    use super::{FileName, ObjectMap};
    use crate::content::object::Object;
    use serde_json::json;

    const ID: &str = "0198c5f0-0000-7000-8000-000000000001";
    const OTHER: &str = "0198c5f0-0000-7000-8000-000000000002";

    #[test]
    fn a_file_has_one_name() {
        for good in [ID.to_owned(), format!("{ID}.step")] {
            assert_eq!(good.parse::<FileName>().unwrap().to_string(), good);
        }
        for bad in [
            String::new(),
            ".step".to_owned(),
            ID.to_uppercase(),
            ID.replace('-', ""),
            format!("{ID}.STEP"),
            format!("{ID}."),
            format!("{ID}.a.b"),
            format!("{ID}x.step"),
            format!("../{ID}.step"),
            format!("{ID}.é"),
        ] {
            assert!(bad.parse::<FileName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_object_map_has_the_documented_fields() {
        let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let objects: Vec<Object> = serde_json::from_value(json!([
            {"id": ID, "name": "gear", "type": "File", "parent": ID, "kind": "reference",
             "data": {"conversion": {"status": "failed", "code": "NOT_STEP", "message": "m", "more": 1}},
             "file": {"sha256": sha256, "size": 7, "mimeType": "model/step", "extension": ".step"}},
            {"id": OTHER, "name": "LICENSE", "type": "File", "parent": ID, "kind": "reference", "data": {},
             "file": {"sha256": sha256, "size": 7, "mimeType": "text/plain"}},
        ]))
        .unwrap();
        let map: ObjectMap = objects.iter().collect();
        assert_eq!(
            serde_json::to_value(&map).unwrap(),
            json!({"object": {ID: {
                "id": ID, "name": "gear", "type": "File", "parent": ID, "kind": "reference",
                "extension": ".step", "size": 7, "sha256": sha256, "mimeType": "model/step",
                "conversion": {"status": "failed", "code": "NOT_STEP", "message": "m"},
            }, OTHER: {
                "id": OTHER, "name": "LICENSE", "type": "File", "parent": ID, "kind": "reference",
                "extension": "", "size": 7, "sha256": sha256, "mimeType": "text/plain",
            }}})
        );
    }
}
