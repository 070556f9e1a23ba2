//! Uploads: the finished change that an upload becomes, the map that it answers, and the names of stored files.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Code, Refusal};
use crate::id::{ObjectId, OwnerId, SessionId, UploadId};
use crate::object::{Extension, Object, ObjectKind, Sha256Hash};
use crate::text::Name;
use crate::time::Timestamp;

/// What an upload answers: the objects that it created (specification, "Uploaded object map").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectMap {
    /// The created objects by id.
    pub object: BTreeMap<ObjectId, UploadedObject>,
}

/// One object that an upload created (contract, section 9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedObject {
    /// Id.
    pub id: ObjectId,
    /// Name.
    pub name: Name,
    /// What it came from.
    pub kind: ObjectKind,
    /// Type.
    #[serde(rename = "type")]
    pub object_type: String,
    /// The object that it was attached under.
    pub parent: ObjectId,
    /// Extension of the stored file, with its leading dot; id and extension make the name that downloads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<Extension>,
    /// Size of the stored file, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// SHA-256 of the stored file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Sha256Hash>,
    /// Media type of the stored file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
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
            extension: file.and_then(|file| file.extension.clone()),
            size: file.map(|file| file.size),
            sha256: file.map(|file| file.sha256),
            mime_type: file.map(|file| file.mime_type.clone()),
        }
    }
}

impl<'a> FromIterator<&'a Object> for ObjectMap {
    fn from_iter<I: IntoIterator<Item = &'a Object>>(objects: I) -> Self {
        let entries = objects.into_iter().map(|object| (object.id, object.into()));
        Self { object: entries.collect() }
    }
}

/// An upload whose bytes are stored, as the change to a tree that it has become: what the data plane asks a
/// session's host to apply, and applies itself where none answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// The upload; it is applied at most once.
    pub upload: UploadId,
    /// The object that it is attached under.
    pub parent: ObjectId,
    /// Whose project that has to be, where nobody has looked.
    pub owner: Option<OwnerId>,
    /// The objects that it creates, never none; each parent is `parent` or among them.
    pub objects: Vec<Object>,
    /// The files that were stored: the uploaded one first, then those that its conversion made. Several may hold the
    /// same bytes.
    pub files: Vec<NewFile>,
}

/// A file that lies in the object store and that nothing refers to yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewFile {
    /// SHA-256 of its bytes.
    pub sha256: Sha256Hash,
    /// Size in bytes.
    pub size: u64,
    /// Where it lies in the object store.
    pub blob_key: String,
}

/// Result of an applied [`Attachment`], the same each time it is applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    /// The upload's answer.
    pub map: ObjectMap,
    /// The attachment's blobs that the project doesn't refer to: it has the same bytes in another blob.
    pub unneeded_blobs: Vec<String>,
}

/// Treatment of uploads whose rows another transaction has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LockedRows {
    /// Wait for the lock. Only uploads through one session may do so together.
    Wait,
    /// Defer the upload, so that it holds up no other session's.
    Defer,
}

/// Result of one upload of several that were attached together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachOutcome {
    /// It is attached.
    Attached(Attached),
    /// It isn't: it would have had to wait, it was refused, or its session has another host. Attaching it with its own
    /// session's uploads waits, or says why it is refused.
    Deferred,
}

impl AttachOutcome {
    /// The result of an upload that is attached.
    pub fn attached(self) -> Option<Attached> {
        match self {
            Self::Attached(attached) => Some(attached),
            Self::Deferred => None,
        }
    }
}

/// How far an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UploadStatus {
    /// Bytes are missing.
    Receiving,
    /// All bytes are stored, and objects are made of them.
    Converting,
    /// Its objects have joined the tree.
    Done,
    /// It can never be attached; it says why.
    Failed,
}

/// What `upload.changed` says of an upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UploadWord {
    /// The upload.
    pub upload_id: UploadId,
    /// How far it is.
    pub status: UploadStatus,
    /// Bytes of it that have arrived.
    pub received_bytes: u64,
    /// Size of the whole file, in bytes; null where that is known only at its end.
    pub size_bytes: Option<u64>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Refusal>,
}

/// An upload, in pieces or in one, as far as it is known.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UploadState")]
pub struct UploadState {
    /// Id.
    pub id: UploadId,
    /// How far it is. One in one piece of which nothing has been heard for a minute, though it was not done, has failed.
    pub status: UploadStatus,
    /// Bytes of it that have arrived.
    pub received_bytes: u64,
    /// Size of the whole file, in bytes; null where that is known only at its end.
    pub size_bytes: Option<u64>,
    /// Why it failed; absent unless it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Refusal>,
    /// When this was heard of it.
    pub updated_at: Timestamp,
    /// What it created, once it is done: the uploaded object map.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub map: Option<ObjectMap>,
}

impl UploadState {
    /// How long after the last word of it an upload in one piece counts as dead with the process that received it, in
    /// seconds. A client must send more within half of that, and a conversion is told of more often.
    pub const SILENCE_SECS: i64 = 60;

    /// What it is by the last word of it, heard at `at`.
    pub fn of_word(word: UploadWord, at: Timestamp, now: Timestamp) -> Self {
        let UploadWord { upload_id: id, status, received_bytes, size_bytes, failure } = word;
        let told = Self { id, status, received_bytes, size_bytes, failure, updated_at: at, map: None };
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

    /// One that has joined the tree at `at`.
    pub fn done(id: UploadId, map: ObjectMap, at: Timestamp) -> Self {
        // The first object owns the file.
        let size_bytes = map.object.values().next().and_then(|object| object.size);
        Self {
            id,
            status: UploadStatus::Done,
            received_bytes: size_bytes.unwrap_or_default(),
            size_bytes,
            failure: None,
            updated_at: at,
            map: Some(map),
        }
    }
}

/// An upload in pieces, as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResumableUpload {
    /// Id.
    pub id: UploadId,
    /// The session that it belongs to.
    pub session_id: SessionId,
    /// The object that it goes under.
    pub parent_id: ObjectId,
    /// What the file is called.
    pub name: Name,
    /// How far it is.
    pub status: UploadStatus,
    /// Size of the whole file, in bytes.
    pub size_bytes: u64,
    /// Bytes of it that have arrived and are durable.
    pub received_bytes: u64,
    /// Why it can never be attached; absent unless it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Refusal>,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it is given up, unless more arrives.
    pub expires_at: Timestamp,
}

/// The name that downloads a stored file: its object's id, then the extension where there is one.
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
        // One name per file: no other spelling of the id or the extension.
        if name.to_string() == text { Ok(name) } else { Err(InvalidFileName) }
    }
}

/// A text that names no stored file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an object id followed by the file's extension")]
pub struct InvalidFileName;

#[cfg(test)]
mod tests {
    use super::{Attachment, FileName, ObjectMap};
    use serde_json::json;

    const ID: &str = "0198c5f0-0000-7000-8000-000000000001";

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
    fn the_map_shows_of_an_object_what_the_contract_lists() {
        let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let attachment: Attachment = serde_json::from_value(json!({
            "upload": ID, "parent": ID,
            "objects": [
                {"id": ID, "name": "gear", "type": "File", "parent": ID, "kind": "reference", "data": {"a": 1},
                 "file": {"sha256": sha256, "size": 7, "mimeType": "model/step", "extension": ".step"}},
            ],
            "files": [{"sha256": sha256, "size": 7, "blobKey": "b"}],
        }))
        .unwrap();
        let map: ObjectMap = attachment.objects.iter().collect();
        assert_eq!(
            serde_json::to_value(&map).unwrap(),
            json!({"object": {ID: {
                "id": ID, "name": "gear", "type": "File", "parent": ID, "kind": "reference",
                "extension": ".step", "size": 7, "sha256": sha256, "mimeType": "model/step",
            }}})
        );
    }
}
