//! The product structure: an acyclic graph of definitions and their parts.

use std::collections::{HashMap, HashSet};

use super::limits::DEPTH_MAX;
use super::record::{Entity, Record};
use super::records::{RecordKind, Records};
use crate::conversion::ConversionFailureCode;

/// The keyword of a usage with a quantity.
const QUANTIFIED: &[u8] = b"QUANTIFIED_ASSEMBLY_COMPONENT_USAGE";

/// The definitions of a file and their parts.
pub(super) struct ProductStructure {
    /// All definitions in the order of the file, then those in other files.
    pub(super) definitions: Vec<Definition>,
    /// Indices of the definitions that aren't parts.
    pub(super) roots: Vec<usize>,
}

/// A definition of a product.
pub(super) struct Definition {
    /// Instance name.
    pub(super) id: u64,
    /// Parts in the order of the file.
    pub(super) parts: Vec<Usage>,
    /// Number of occurrences in its tree, itself included.
    pub(super) occurrences: u64,
}

/// The use of a definition as part of another.
#[derive(Clone, Copy)]
pub(super) struct Usage {
    /// Instance name of the usage.
    pub(super) id: u64,
    /// Index of the part's definition.
    pub(super) part: usize,
}

impl ProductStructure {
    /// Reads the structure; `shaped` are the definitions with a shape. Ignores usages of unknown definitions.
    ///
    /// # Errors
    /// The reason why the file has no tree.
    pub(super) fn of(records: &Records, shaped: &HashSet<u64>) -> Result<Self, ConversionFailureCode> {
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
        let is_root = |(place, definition): (usize, &Definition)| {
            let part = is_part.get(place).copied().unwrap_or(false);
            let is_product = place < own.len();
            // A definition without shape and parts is a material, a document, or left over by its exporter.
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

    /// Number of occurrences in all trees.
    pub(super) fn occurrences(&self) -> u64 {
        let roots = self.roots.iter().filter_map(|root| self.get(*root));
        roots.fold(0, |sum, root| sum.saturating_add(root.occurrences))
    }

    pub(super) fn get(&self, place: usize) -> Option<&Definition> {
        self.definitions.get(place)
    }
}

/// The two definitions of a usage: the whole and its part.
pub(super) fn ends_of_usage(records: &Records, id: u64) -> Option<(u64, u64)> {
    let record = records.get(id)?;
    let usage = usage_of(&record)?;
    Some((usage.reference(3)?, usage.reference(4)?))
}

/// The entity with the names and definitions of a usage.
pub(super) fn usage_of<'a, 'r>(record: &'a Record<'r>) -> Option<&'a Entity<'r>> {
    // In a complex instance the supertype has the attributes.
    record
        .entity(&[b"PRODUCT_DEFINITION_RELATIONSHIP"])
        .or_else(|| record.entity(&[b"NEXT_ASSEMBLY_USAGE_OCCURRENCE", QUANTIFIED]))
}

/// The measure of a usage's quantity: a number of parts or an amount.
pub(super) fn quantity_of(records: &Records, id: u64) -> Option<u64> {
    records.get(id)?.entity(&[QUANTIFIED])?.nth_last(0)?.reference()
}

/// The reference `<file#name>` to a definition in another file.
pub(super) fn external(records: &Records, id: u64) -> Option<&[u8]> {
    let right = records.statement(id)?.splitn(2, |byte| *byte == b'=').nth(1)?;
    right.trim_ascii().strip_prefix(b"<")?.strip_suffix(b">")
}

/// The definition or usage of a `PRODUCT_DEFINITION_SHAPE`.
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

/// Counts the occurrences below every definition. Without recursion, because nesting has no limit here.
fn count(definitions: &mut [Definition]) -> Result<(), ConversionFailureCode> {
    let mut states = vec![VisitState::New; definitions.len()];
    let mut depths = vec![1_usize; definitions.len()];
    for root in 0..definitions.len() {
        // Definitions with the number of their visited parts.
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

/// Sums the occurrences and takes the greatest depth of a definition's parts.
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
