//! The kept statements of a file's product structure, by name and by kind.
//!
//! They are stored as text and parsed on access, in a third of the memory of parsed records.

use std::collections::HashMap;
use std::ops::Range;

use super::limits::{DETAILS_MAX, DETAILS_MAX_BYTES, RECORDS_MAX, SHORT_MAX, STRUCTURE_MAX};
use super::record::{Entity, Record};
use super::text::{Decoder, Sample};

/// The role of a statement in the product structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// A product's definition; a product may have several.
    Definition,
    /// The use of a definition as part of another.
    Usage,
    /// The shape of a definition or of a usage, as a property.
    Shape,
    /// The representation of a shape.
    ShapeRepresentation,
    /// The placement of a usage's shape.
    Placement,
    /// A relation of two representations: part and whole, or equivalent.
    Relation,
    /// A reference to another file.
    External,
    /// A property, layer or document of a definition. Above their limits they are not kept.
    Detail,
    /// An instance that others reference; only names find it.
    Other,
}

/// The kept statements of one file.
#[derive(Default)]
pub(super) struct Records {
    text: Vec<u8>,
    places: HashMap<u64, Range<usize>>,
    kinds: [Vec<u64>; 8],
    details_bytes: usize,
    sample: Sample,
}

/// The structure exceeds [`RECORDS_MAX`] or [`STRUCTURE_MAX`].
pub(super) struct LimitExceeded;

impl Records {
    /// Keeps an instance. Of several with the same name, the first counts.
    pub(super) fn keep(&mut self, kind: RecordKind, id: u64, statement: &[u8]) -> Result<(), LimitExceeded> {
        if self.places.contains_key(&id) {
            return Ok(());
        }
        let details = self.of_kind(RecordKind::Detail).len();
        if kind == RecordKind::Detail {
            let bytes = self.details_bytes.saturating_add(statement.len());
            if details >= DETAILS_MAX || bytes > DETAILS_MAX_BYTES || self.text.len() + bytes > STRUCTURE_MAX
            {
                return Ok(());
            }
            self.details_bytes = bytes;
        } else if self.places.len() - details >= RECORDS_MAX
            || self.text.len() + statement.len() > STRUCTURE_MAX
        {
            return Err(LimitExceeded);
        }
        self.sample.add(statement);
        let begin = self.text.len();
        self.text.extend_from_slice(statement);
        self.places.insert(id, begin..self.text.len());
        if let Some(ids) = self.kinds.get_mut(place(kind)) {
            ids.push(id);
        }
        Ok(())
    }

    /// Uses a statement for the detection of the encoding without keeping it.
    pub(super) fn sample(&mut self, statement: &[u8]) {
        self.sample.add(statement);
    }

    /// The instances of a kind, in the order of the file.
    pub(super) fn of_kind(&self, kind: RecordKind) -> &[u64] {
        self.kinds.get(place(kind)).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn contains(&self, id: u64) -> bool {
        self.places.contains_key(&id)
    }

    /// An instance; `None` if it isn't kept or is invalid.
    pub(super) fn get(&self, id: u64) -> Option<Record<'_>> {
        Record::parse(self.statement(id)?)
    }

    /// An instance that is no list. Others may refer to it without end, and it is parsed for each of them.
    pub(super) fn get_short(&self, id: u64) -> Option<Record<'_>> {
        Record::parse(self.statement(id).filter(|statement| statement.len() <= SHORT_MAX)?)
    }

    /// The text of an instance's statement.
    pub(super) fn statement(&self, id: u64) -> Option<&[u8]> {
        self.text.get(self.places.get(&id)?.clone())
    }

    pub(super) fn decoder(&self) -> Decoder {
        self.sample.decoder()
    }
}

fn place(kind: RecordKind) -> usize {
    match kind {
        RecordKind::Definition => 0,
        RecordKind::Usage => 1,
        RecordKind::Shape => 2,
        RecordKind::ShapeRepresentation => 3,
        RecordKind::Placement => 4,
        RecordKind::Relation => 5,
        RecordKind::External => 6,
        RecordKind::Detail => 7,
        RecordKind::Other => usize::MAX,
    }
}

/// The kind of an entity by keyword; `None` for entities outside of the product structure.
pub(super) fn kind_of(keyword: &[u8]) -> Option<RecordKind> {
    Some(match keyword.to_ascii_uppercase().as_slice() {
        b"PRODUCT_DEFINITION" | b"PRODUCT_DEFINITION_WITH_ASSOCIATED_DOCUMENTS" => RecordKind::Definition,
        b"NEXT_ASSEMBLY_USAGE_OCCURRENCE" | b"QUANTIFIED_ASSEMBLY_COMPONENT_USAGE" => RecordKind::Usage,
        b"PRODUCT_DEFINITION_SHAPE" => RecordKind::Shape,
        b"SHAPE_DEFINITION_REPRESENTATION" => RecordKind::ShapeRepresentation,
        b"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION" => RecordKind::Placement,
        b"SHAPE_REPRESENTATION_RELATIONSHIP" | b"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION" => {
            RecordKind::Relation
        }
        b"PROPERTY_DEFINITION"
        | b"PROPERTY_DEFINITION_REPRESENTATION"
        | b"MAKE_FROM_USAGE_OPTION"
        | b"MATERIAL_DESIGNATION"
        | b"MATERIAL_PROPERTY"
        | b"MATERIAL_PROPERTY_REPRESENTATION"
        | b"PRESENTATION_LAYER_ASSIGNMENT"
        | b"DOCUMENT_FILE"
        | b"DOCUMENT_PRODUCT_EQUIVALENCE"
        | b"APPLIED_DOCUMENT_REFERENCE"
        | b"APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT" => RecordKind::Detail,
        b"PRODUCT"
        | b"PRODUCT_DEFINITION_FORMATION"
        | b"PRODUCT_DEFINITION_FORMATION_WITH_SPECIFIED_SOURCE"
        | b"ITEM_DEFINED_TRANSFORMATION"
        | b"GLOBAL_UNIT_ASSIGNED_CONTEXT"
        | b"LENGTH_UNIT"
        | b"PLANE_ANGLE_UNIT" => RecordKind::Other,
        other if other.ends_with(b"SHAPE_REPRESENTATION") => RecordKind::Other,
        _ => return None,
    })
}

/// The kind of a complex instance by its parts.
pub(super) fn kind_of_parts(parts: &[Entity<'_>]) -> Option<RecordKind> {
    let mut found = None;
    for part in parts {
        match kind_of(part.keyword) {
            Some(RecordKind::Other) => found = found.or(Some(RecordKind::Other)),
            None => {}
            kind => return kind,
        }
    }
    found
}
