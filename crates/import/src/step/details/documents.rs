//! Documents of definitions, among them the files that hold the parts of an assembly.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use super::{Details, Owners, push};
use crate::step::assembly::Shapes;
use crate::step::limits::{DETAILS_MAX, PROPERTIES_MAX};
use crate::step::record::{Parameter, Record};
use crate::step::records::{RecordKind, Records};
use crate::step::text::Decoder;

/// Adds the file of each definition without geometry as `external`, and other documents by their names.
pub(super) fn add_documents(records: &Records, shapes: &Shapes, owners: &mut Owners, details: &mut Details) {
    let references = references(records);
    if references.is_empty() {
        return;
    }
    let files = Files::of(records, records.decoder());
    let with_geometry = with_geometry(records, shapes);
    for (document, item) in references {
        let Some(owner) = owners.find(records, item) else { continue };
        for name in files.of_document(document) {
            let known = details.entry(owner.id).or_default();
            let is_external = !with_geometry.contains(&owner.id);
            if is_external && known.get("external").is_none_or(|other| other == name) {
                known.insert("external".to_owned(), json!(name));
            } else {
                push(details, owner.id, "documents", name);
            }
        }
    }
}

/// Documents, or formations of documents, with the items that refer to them.
fn references(records: &Records) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    for id in records.of_kind(RecordKind::Detail) {
        let Some(record) = records.get(*id) else { continue };
        let Some(reference) = record.entity(&[b"APPLIED_DOCUMENT_REFERENCE"]) else { continue };
        let Some(document) = reference.reference(0) else { continue };
        found.extend(references_in(reference.list(2)).map(|item| (document, item)).take(PROPERTIES_MAX));
    }
    found.truncate(DETAILS_MAX);
    found
}

fn references_in<'a>(list: &'a [Parameter<'_>]) -> impl Iterator<Item = u64> + 'a {
    list.iter().filter_map(Parameter::reference)
}

/// The definitions whose shape has a representation of its own, beside the place of the part.
fn with_geometry(records: &Records, shapes: &Shapes) -> HashSet<u64> {
    let is_plain =
        |record: &Record<'_>| matches!(record.entities.as_slice(), [one] if one.is(b"SHAPE_REPRESENTATION"));
    let shown = shapes
        .owned()
        .filter(|(representation, _)| records.get(*representation).is_some_and(|record| !is_plain(&record)));
    shown.map(|(_, owner)| owner).collect()
}

/// Names of files by the documents that stand for them.
struct Files {
    /// Names by `DOCUMENT_FILE`.
    names: HashMap<u64, String>,
    /// Files by formation of a document.
    of_formations: HashMap<u64, Vec<u64>>,
    /// Formations by `DOCUMENT`.
    formations: HashMap<u64, u64>,
}

impl Files {
    fn of(records: &Records, decoder: Decoder) -> Self {
        let mut files =
            Self { names: HashMap::new(), of_formations: HashMap::new(), formations: HashMap::new() };
        let mut located = HashMap::new();
        let text = |written: Option<&[u8]>| {
            written.map(|written| decoder.decode(written)).filter(|text| !text.trim().is_empty())
        };
        for id in records.of_kind(RecordKind::Detail) {
            let Some(record) = records.get(*id) else { continue };
            if let Some(file) = record.entity(&[b"DOCUMENT_FILE"]) {
                files.names.extend(text(file.text(0)).or_else(|| text(file.text(1))).map(|name| (*id, name)));
            } else if let Some(same) = record.entity(&[b"DOCUMENT_PRODUCT_EQUIVALENCE"]) {
                files.formations.extend(same.reference(2).zip(same.reference(3)));
            } else if let Some(assignment) = record.entity(&[b"APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT"])
                && let Some(name) = text(assignment.text(0))
            {
                let named = references_in(assignment.list(3)).take(PROPERTIES_MAX);
                located.extend(named.map(|file| (file, name.clone())));
            }
        }
        // Where a file is assigned a place, its own id may be a number.
        for (file, name) in located {
            files.names.insert(file, name);
        }
        for id in records.of_kind(RecordKind::Definition) {
            let Some(record) = records.get(*id) else { continue };
            if let Some(definition) = record.entity(&[b"PRODUCT_DEFINITION_WITH_ASSOCIATED_DOCUMENTS"])
                && let Some(formation) = definition.reference(2)
            {
                let documents = references_in(definition.list(4));
                files.of_formations.entry(formation).or_default().extend(documents);
            }
        }
        files
    }

    /// The names of a document's files.
    fn of_document(&self, document: u64) -> Vec<&str> {
        if let Some(name) = self.names.get(&document) {
            return vec![name];
        }
        let formation = self.formations.get(&document).copied().unwrap_or(document);
        let files = self.of_formations.get(&formation).map(Vec::as_slice).unwrap_or_default();
        let names = files.iter().filter_map(|file| self.names.get(file).map(String::as_str));
        names.take(PROPERTIES_MAX).collect()
    }
}
