//! The outcomes of a run's files.

use domain::upload::{ObjectMap, UploadedObject};
use serde::Serialize;

/// Failures and differences that are listed; the others are counted.
pub(super) const LISTED_MAX: usize = 10_000;

/// A file that can't be sent, or was not.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileFailure {
    /// Its path, as messages show it.
    pub(crate) path: String,
    /// The service's code; absent for local reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// The reason.
    pub(crate) message: String,
}

/// The outcomes of the files.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// Files that have arrived.
    pub(crate) sent: u64,
    /// Those of them that are new versions.
    pub(crate) updated: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Number of assemblies and parts, of documents and of pages that conversions made.
    pub(crate) converted: Converted,
    /// Files that are converted later.
    pub(crate) pending: u64,
    /// Files that were kept as they are, with the reason.
    pub(crate) unconverted: Vec<FileFailure>,
    /// Files that failed.
    pub(crate) failed: Vec<FileFailure>,
    /// Number of all that failed.
    pub(crate) failed_count: u64,
}

/// Objects that conversions made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Converted {
    /// Number of assemblies.
    pub(crate) assemblies: u64,
    /// Number of parts.
    pub(crate) parts: u64,
    /// Number of documents.
    pub(crate) documents: u64,
    /// Number of pages.
    pub(crate) pages: u64,
}

impl Outcomes {
    /// Adds a file that has arrived.
    pub(super) fn add(&mut self, shown: &str, bytes: u64, stored: &ObjectMap) {
        self.sent += 1;
        self.updated += u64::from(stored.replaced.is_some());
        self.bytes += bytes;
        for object in stored.object.values() {
            match object.object_type.as_str() {
                "Assembly" => self.converted.assemblies += 1,
                "Part" => self.converted.parts += 1,
                "Document" => self.converted.documents += 1,
                "Page" => self.converted.pages += 1,
                _ => {}
            }
        }
        let Some(outcome) = owner(stored).and_then(|object| object.conversion.as_ref()) else { return };
        if outcome.status == "pending" {
            self.pending += 1;
        } else if self.unconverted.len() < LISTED_MAX {
            self.unconverted.push(FileFailure {
                path: shown.to_owned(),
                code: Some(outcome.code.clone()),
                message: outcome.message.clone(),
            });
        }
    }

    /// Adds a file that failed.
    pub(super) fn fail(&mut self, failure: FileFailure) {
        self.failed_count += 1;
        if self.failed.len() < LISTED_MAX {
            self.failed.push(failure);
        }
    }
}

/// The object that owns the file.
pub(super) fn owner(stored: &ObjectMap) -> Option<&UploadedObject> {
    if let Some(replaced) = &stored.replaced {
        return stored.object.get(&replaced.object_id);
    }
    let is_root = |object: &&UploadedObject| !stored.object.contains_key(&object.parent);
    stored.object.values().find(is_root)
}
