//! The product structure: definitions of products, and which is part of which, as a graph without cycles.

use std::collections::{HashMap, HashSet};

use super::limits::DEPTH_MAX;
use super::record::{Entity, Record};
use super::records::{RecordKind, Records};
use crate::conversion::ConversionFailureCode;

/// The kind of usage that is of so many of its part, or of so much.
const QUANTIFIED: &[u8] = b"QUANTIFIED_ASSEMBLY_COMPONENT_USAGE";

/// Which definition is part of which.
pub(super) struct ProductStructure {
    /// Every definition, in the order of the file, then those that lie in other files.
    pub(super) definitions: Vec<Definition>,
    /// Places of those that are part of nothing.
    pub(super) roots: Vec<usize>,
}

/// A definition of a product.
pub(super) struct Definition {
    /// Its instance name.
    pub(super) id: u64,
    /// Its parts, in the order of the file.
    pub(super) parts: Vec<Usage>,
    /// Occurrences in its tree, itself included.
    pub(super) occurrences: u64,
}

/// A definition as part of another one.
#[derive(Clone, Copy)]
pub(super) struct Usage {
    /// The instance name of the usage.
    pub(super) id: u64,
    /// The place of the definition that is the part.
    pub(super) part: usize,
}

impl ProductStructure {
    /// The structure that a file's statements say. A usage of something that the file neither has nor finds in another one
    /// is passed over.
    ///
    /// # Errors
    /// Why there is no tree to be had.
    pub(super) fn of(records: &Records) -> Result<Self, ConversionFailureCode> {
        let own = records.of_kind(RecordKind::Definition);
        let ids = [own, records.of_kind(RecordKind::External)].concat();
        let places: HashMap<u64, usize> = ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        let mut definitions: Vec<Definition> =
            ids.iter().map(|id| Definition { id: *id, parts: Vec::new(), occurrences: 1 }).collect();
        let mut is_part = vec![false; definitions.len()];
        for id in records.of_kind(RecordKind::Usage) {
            let Some((whole, part)) = ends_of_usage(records, *id) else { continue };
            let (Some(whole), Some(part)) = (places.get(&whole), places.get(&part).copied()) else {
                continue;
            };
            if let (Some(whole), Some(is_part)) = (definitions.get_mut(*whole), is_part.get_mut(part)) {
                whole.parts.push(Usage { id: *id, part });
                *is_part = true;
            }
        }
        let shaped: HashSet<u64> =
            records.of_kind(RecordKind::Shape).iter().filter_map(|id| shape_of(records, *id)).collect();
        let is_root = |(place, definition): (usize, &Definition)| {
            let part = is_part.get(place).copied().unwrap_or(false);
            let is_product = place < own.len();
            // A product without shape that nothing consists of is none: a material, a document.
            let is_some = shaped.contains(&definition.id) || !definition.parts.is_empty();
            (!part && is_product && is_some).then_some(place)
        };
        let roots: Vec<usize> = definitions.iter().enumerate().filter_map(is_root).collect();
        count(&mut definitions)?;
        if roots.is_empty() {
            Err(ConversionFailureCode::NoProductStructure)
        } else {
            Ok(Self { definitions, roots })
        }
    }

    pub(super) fn get(&self, place: usize) -> Option<&Definition> {
        self.definitions.get(place)
    }
}

/// The definitions that a usage joins: the whole and its part.
pub(super) fn ends_of_usage(records: &Records, id: u64) -> Option<(u64, u64)> {
    let record = records.get(id)?;
    let usage = usage_of(&record)?;
    Some((usage.reference(3)?, usage.reference(4)?))
}

/// The entity that says what a usage joins, and what it is called.
pub(super) fn usage_of<'a, 'r>(record: &'a Record<'r>) -> Option<&'a Entity<'r>> {
    // As a complex instance its attributes lie in that of its parts which brings them along.
    record
        .entity(&[b"PRODUCT_DEFINITION_RELATIONSHIP"])
        .or_else(|| record.entity(&[b"NEXT_ASSEMBLY_USAGE_OCCURRENCE", QUANTIFIED]))
}

/// The measure that says how many of its part, or how much, a usage is.
pub(super) fn quantity_of(records: &Records, id: u64) -> Option<u64> {
    records.get(id)?.entity(&[QUANTIFIED])?.nth_last(0)?.reference()
}

/// Where the definition lies that another file has: `<file#name>`.
pub(super) fn external(records: &Records, id: u64) -> Option<&[u8]> {
    let right = records.statement(id)?.splitn(2, |byte| *byte == b'=').nth(1)?;
    right.trim_ascii().strip_prefix(b"<")?.strip_suffix(b">")
}

/// What a `PRODUCT_DEFINITION_SHAPE` is the shape of: a definition or a usage.
pub(super) fn shape_of(records: &Records, id: u64) -> Option<u64> {
    let record = records.get(id)?;
    let shape =
        record.entity(&[b"PROPERTY_DEFINITION"]).or_else(|| record.entity(&[b"PRODUCT_DEFINITION_SHAPE"]))?;
    shape.reference(2)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    Open,
    Done,
}

/// Counts the occurrences below every definition. Without recursion, since a file may nest as deep as it likes.
fn count(definitions: &mut [Definition]) -> Result<(), ConversionFailureCode> {
    let mut states = vec![VisitState::New; definitions.len()];
    let mut depths = vec![1_usize; definitions.len()];
    for root in 0..definitions.len() {
        // A definition, and how many of its parts were seen.
        let mut path = vec![(root, 0_usize)];
        if states.get(root) != Some(&VisitState::New) {
            continue;
        }
        while let Some((place, seen)) = path.last_mut() {
            let place = *place;
            set(&mut states, place, VisitState::Open);
            let part = definitions
                .get(place)
                .and_then(|definition| definition.parts.get(*seen))
                .map(|usage| usage.part);
            *seen += 1;
            match part {
                Some(part) => match states.get(part) {
                    Some(VisitState::Open) => return Err(ConversionFailureCode::CyclicProductStructure),
                    Some(VisitState::New) => path.push((part, 0)),
                    _ => {}
                },
                None => {
                    set(&mut states, place, VisitState::Done);
                    path.pop();
                    sum(definitions, &mut depths, place);
                }
            }
        }
    }
    if depths.iter().any(|depth| *depth > DEPTH_MAX) {
        return Err(ConversionFailureCode::ProductStructureTooDeep);
    }
    Ok(())
}

/// Adds up the parts of a definition, which are all counted.
fn sum(definitions: &mut [Definition], depths: &mut [usize], place: usize) {
    let parts = definitions.get(place).map(|definition| definition.parts.as_slice()).unwrap_or_default();
    let (mut occurrences, mut depth) = (1_u64, 0);
    for usage in parts {
        let below = definitions.get(usage.part).map_or(0, |part| part.occurrences);
        occurrences = occurrences.saturating_add(below);
        depth = depth.max(depths.get(usage.part).copied().unwrap_or(0));
    }
    if let Some(definition) = definitions.get_mut(place) {
        definition.occurrences = occurrences;
    }
    set(depths, place, depth + 1);
}

fn set<T>(list: &mut [T], place: usize, value: T) {
    if let Some(slot) = list.get_mut(place) {
        *slot = value;
    }
}
