//! The layout of a commit, as a clone shows it:
//!
//! ```text
//! .gitattributes                      files/ goes through Git LFS
//! README.md                           a guide to the clone
//! project.json                        {format, id}: the project object
//! objects/2f/07/Gear-20T.<id>.json    one file for each object
//! files/2f/07/gear-v3.<id>.step       the file that an object owns, as a pointer of Git LFS
//! ```
//!
//! The two folders are the last twelve random bits of the object's id. Even 10^5 objects make folders of about 64 and
//! 25 entries, and a commit writes its changes and two small folders above each. Folders that follow the tree would
//! read better, but have three problems: a parent of 10^5 children would be rewritten with every change, a tree of
//! 1,000 levels can't be checked out, and names may contain slashes or differ only in case.
//!
//! A file's name starts with its object's name for people, that of a pointer with the name of the upload, and ends with
//! the id, which identifies it. Attributes and README are part of the first commit, because checkouts of older commits
//! would lack them otherwise.

use domain::content::object::{FileRef, Object};
use domain::id::{ObjectId, ProjectId};
use domain::{Error, Result};
use serde_json::json;

use crate::object::{NewGitObject, Oid};

/// The version of this layout, in `project.json`.
pub const FORMAT: u32 = 1;
/// The folder of the objects' files.
pub const OBJECTS: &str = "objects";
/// The folder of the pointers to the files that objects own.
pub const FILES: &str = "files";

/// The name of the project object's file.
pub(crate) const PROJECT_FILE: &str = "project.json";
/// Git's attributes of every project.
pub(crate) const ATTRIBUTES: (&str, &str) =
    (".gitattributes", "/files/** filter=lfs diff=lfs merge=lfs -text\n");
/// The README of a clone.
pub(crate) const README: (&str, &str) = ("README.md", include_str!("layout/README.md"));

/// Longest part of an object's name in a file name, in bytes.
const LABEL_MAX_BYTES: usize = 64;

/// The two folders of an object's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Shard {
    pub(crate) outer: u8,
    pub(crate) inner: u8,
}

impl Shard {
    /// The shard of an object: twice six of the last bits of its id, which are random.
    pub(crate) fn of(id: ObjectId) -> Self {
        let [.., high, low] = *id.0.as_bytes();
        let twelve = u16::from_be_bytes([high, low]) & 0x0fff;
        let [outer, _] = (twelve << 2).to_be_bytes();
        let [_, inner] = (twelve & 0x3f).to_be_bytes();
        Self { outer, inner }
    }
}

/// The name of a shard's folder.
pub(crate) fn folder(part: u8) -> String {
    format!("{part:02x}")
}

/// The part of a shard from its folder's name; `None` for other names.
pub(crate) fn folder_of(name: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(name).ok()?, 16).ok()
}

/// The name of an object's file: its name in a form that all file systems accept, then its id.
pub(crate) fn file_name(object: &Object) -> String {
    named(object.name.as_str(), object.id, ".json")
}

/// The name of the pointer to the file that an object owns: that of its upload, with the id before its extension.
pub(crate) fn pointer_name(object: &Object, file: &FileRef) -> String {
    let uploaded = file.saved_name(&object.name);
    let stem = uploaded.len().checked_sub(file.suffix().len()).and_then(|end| uploaded.get(..end));
    named(stem.unwrap_or(&uploaded), object.id, file.suffix())
}

/// The object of a file name or pointer name; `None` for other names.
pub(crate) fn object_of(file_name: &[u8]) -> Option<ObjectId> {
    // The id is last, or before the extension, which is always shorter than an id.
    std::str::from_utf8(file_name).ok()?.rsplit('.').take(2).find_map(|part| part.parse().ok())
}

/// The pointer to a stored file, as Git LFS writes it: keys sorted after the first.
pub(crate) fn pointer(file: &FileRef) -> Vec<u8> {
    let FileRef { sha256, size, .. } = file;
    format!("version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n").into_bytes()
}

/// The id of the pointer to a stored file. A project has this Git object if one of its commits refers to the file.
///
/// # Errors
/// `INTERNAL_ERROR` if the pointer can't be hashed.
pub fn pointer_id(file: &FileRef) -> Result<Oid> {
    Ok(NewGitObject::blob(pointer(file))?.oid)
}

fn named(name: &str, id: ObjectId, extension: &str) -> String {
    let mut label = String::new();
    for c in name.chars() {
        let c = if c.is_alphanumeric() { c } else { '-' };
        if c == '-' && (label.is_empty() || label.ends_with('-')) {
            continue;
        }
        if label.len() + c.len_utf8() > LABEL_MAX_BYTES {
            break;
        }
        label.push(c);
    }
    match label.trim_end_matches('-') {
        "" => format!("{id}{extension}"),
        device if is_device(device) => format!("{device}-.{id}{extension}"),
        label => format!("{label}.{id}{extension}"),
    }
}

/// True for names that Windows reserves for devices, with any extension.
fn is_device(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    let number = label.strip_prefix("com").or_else(|| label.strip_prefix("lpt"));
    let is_port = number.is_some_and(|number| {
        matches!(number.as_bytes(), [b'0'..=b'9']) || ["¹", "²", "³"].contains(&number)
    });
    is_port || ["con", "prn", "aux", "nul"].contains(&label.as_str())
}

/// The bytes of `project.json`.
pub(crate) fn project_file(id: ProjectId) -> Result<Vec<u8>> {
    let mut bytes =
        serde_json::to_vec_pretty(&json!({ "format": FORMAT, "id": id })).map_err(Error::internal)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use domain::content::object::Object;
    use domain::id::ObjectId;
    use domain::text::Name;
    use uuid::Uuid;

    use super::{file_name, is_device, object_of};

    fn object(name: &str) -> Object {
        Object {
            id: ObjectId(Uuid::from_u128(1)),
            name: Name::sanitize(name).unwrap(),
            object_type: "Part".to_owned(),
            parent: ObjectId(Uuid::from_u128(2)),
            kind: None,
            file: None,
            include: None,
            data: serde_json::Map::new(),
        }
    }

    #[test]
    fn windows_device_names_are_recognised() {
        for device in ["con", "AUX", "Nul", "prn", "COM1", "com0", "lpt9", "Com¹"] {
            assert!(is_device(device), "{device}");
        }
        for other in ["cone", "com", "com10", "comx", "aux-1", "gear", ""] {
            assert!(!is_device(other), "{other}");
        }
    }

    #[test]
    fn file_names_are_valid_on_windows_and_identify_their_object() {
        let id = "00000000-0000-0000-0000-000000000001";
        for (name, label) in [
            ("Con", "Con-."),
            ("aux.", "aux-."),
            ("COM1 ", "COM1-."),
            ("Gear. ", "Gear."),
            ("...", ""),
            ("nul/a", "nul-a."),
        ] {
            let file = file_name(&object(name));
            assert_eq!(file, format!("{label}{id}.json"), "{name:?}");
            assert_eq!(object_of(file.as_bytes()), Some(object(name).id));
        }
    }
}
