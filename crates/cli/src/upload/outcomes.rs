//! The outcomes of a run's files.

use client::StoredFile;
use domain::content::upload::{ObjectMap, UploadedObject};
use serde::Serialize;

use crate::failure::{CommandFailure, Exit};
use crate::output::count;

/// Failures and differences that are listed; the others are counted.
pub(super) const LISTED_MAX: usize = 10_000;

/// A file that can't be sent, or was not.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileFailure {
    /// Its path, as messages show it.
    pub(crate) path: String,
    /// The service's code; none for local reasons.
    pub(crate) code: Option<String>,
    /// The reason.
    pub(crate) message: String,
}

/// The failure of a run in which files failed, and none was `done`, as in `sent`. It has the code that all of them have.
pub(crate) fn nothing_done(done: &str, failed: &[&FileFailure], failed_count: u64) -> CommandFailure {
    let first = failed.first().and_then(|failure| failure.code.as_ref());
    let code = first.filter(|code| failed.iter().all(|failure| failure.code.as_ref() == Some(code)));
    CommandFailure::new(Exit::Part, format!("no file was {done}: {} failed", count(failed_count))).code(code)
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
    /// Number of objects that conversions made.
    pub(crate) converted: Converted,
    /// Files that are converted later.
    pub(crate) pending: u64,
    /// Files that were converted without some of their content, with the reason.
    pub(crate) partial: Vec<FileFailure>,
    /// Files that were kept as they are, with the reason.
    pub(crate) unconverted: Vec<FileFailure>,
    /// Files that failed.
    pub(crate) failed: Vec<FileFailure>,
    /// Number of all that failed.
    pub(crate) failed_count: u64,
}

/// Objects that conversions made, and the kinds of their files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Converted {
    /// Number of files that are an assembly.
    pub(crate) assemblies: u64,
    /// Number of files that are a single part.
    pub(crate) parts: u64,
    /// Number of files that are a document.
    pub(crate) documents: u64,
    /// Number of all objects that were made of these files.
    pub(crate) objects: u64,
}

/// A file that has arrived.
#[derive(Clone, Debug)]
pub(super) struct ArrivedFile {
    /// The object that owns it.
    pub(super) owner: Option<UploadedObject>,
    /// Number of objects that were made of it.
    pub(super) object_count: u64,
    /// True if it is a new version of another file.
    pub(super) is_new_version: bool,
}

impl From<StoredFile> for ArrivedFile {
    fn from(StoredFile { owner, object_count }: StoredFile) -> Self {
        Self { owner: Some(owner), object_count, is_new_version: false }
    }
}

impl From<ObjectMap> for ArrivedFile {
    fn from(mut map: ObjectMap) -> Self {
        let object_count = u64::try_from(map.object.len()).unwrap_or(u64::MAX);
        let is_root = |object: &&UploadedObject| !map.object.contains_key(&object.parent);
        let root = || map.object.values().find(is_root).map(|object| object.id);
        let owner = map.replaced.map(|replaced| replaced.object_id).or_else(root);
        let owner = owner.and_then(|id| map.object.remove(&id));
        Self { owner, object_count, is_new_version: map.replaced.is_some() }
    }
}

impl Outcomes {
    /// Adds a file that has arrived.
    pub(super) fn add(&mut self, shown: &str, bytes: u64, arrived: &ArrivedFile) {
        self.sent += 1;
        self.updated += u64::from(arrived.is_new_version);
        self.bytes += bytes;
        let Some(owner) = &arrived.owner else { return };
        let number = match owner.object_type.as_str() {
            "Assembly" => Some(&mut self.converted.assemblies),
            "Part" => Some(&mut self.converted.parts),
            "Document" => Some(&mut self.converted.documents),
            _ => None,
        };
        if let Some(number) = number {
            *number += 1;
            self.converted.objects += arrived.object_count;
        }
        let Some(outcome) = &owner.conversion else { return };
        let listed = match outcome.status.as_str() {
            "pending" => {
                self.pending += 1;
                return;
            }
            "partial" => &mut self.partial,
            _ => &mut self.unconverted,
        };
        if listed.len() < LISTED_MAX {
            listed.push(FileFailure {
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

#[cfg(test)]
mod tests {
    use domain::content::upload::{ConversionOutcome, UploadedObject};
    use serde_json::json;

    use super::{ArrivedFile, FileFailure, Outcomes, nothing_done};

    fn arrived(status: &str) -> ArrivedFile {
        let conversion = ConversionOutcome {
            status: status.to_owned(),
            code: "CONTENT_REFUSED".to_owned(),
            message: "m".to_owned(),
        };
        let id = "0198c5f0-0000-7000-8000-000000000000";
        let object = json!({ "id": id, "name": "a", "kind": "geometry", "type": "Assembly", "parent": id });
        let owner: UploadedObject = serde_json::from_value(object).unwrap();
        let owner = UploadedObject { conversion: Some(conversion), ..owner };
        ArrivedFile { owner: Some(owner), object_count: 1, is_new_version: false }
    }

    #[test]
    fn a_file_that_was_converted_in_part_is_not_called_unconverted() {
        let mut outcomes = Outcomes::default();
        for status in ["partial", "failed", "pending", "partial"] {
            outcomes.add(status, 1, &arrived(status));
        }
        assert_eq!((outcomes.partial.len(), outcomes.unconverted.len(), outcomes.pending), (2, 1, 1));
    }

    #[test]
    fn a_run_that_did_nothing_has_the_code_that_all_its_failures_have() {
        let failure = |code: Option<&str>| FileFailure {
            path: "a".to_owned(),
            code: code.map(str::to_owned),
            message: "m".to_owned(),
        };
        let [limit, other, local] = [Some("LIMIT_REACHED"), Some("FORBIDDEN"), None].map(failure);
        let code = |failed: &[&FileFailure]| nothing_done("sent", failed, 2).json()["code"].clone();
        assert_eq!(code(&[&limit, &limit]), "LIMIT_REACHED");
        assert!(code(&[&limit, &other]).is_null() && code(&[&limit, &local]).is_null());
    }
}
