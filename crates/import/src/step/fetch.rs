//! Lookup of instances that matter only through references to them: placements, their points and directions, units.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use super::collect::{CollectedParts, IndexEntry, instance_id};
use super::record::{Entity, Parameter, Record};
use super::records::{LimitExceeded, RecordKind, Records};
use super::scan::{CHUNK, statements};
use crate::conversion::ConversionFailureCode;

/// Bytes per read in a lookup of single instances.
const LOOKUP_CHUNK: usize = 18 * 1024;
/// Longest chain of references. A placement refers to points; a unit to a measure, and that to another unit.
const ROUNDS: usize = 10;
/// Most passes over the whole file, for instances in another order than that of their names.
const PASSES: usize = 3;

/// Finds and keeps the instances `wanted` and their components. Ignores missing ones.
///
/// # Errors
/// Failures of reading; within, an exceeded limit.
pub(super) fn fetch<R: Read + Seek>(
    mut input: R,
    collected: &mut CollectedParts,
    wanted: BTreeSet<u64>,
) -> io::Result<Result<(), ConversionFailureCode>> {
    let mut index = collected.index.clone();
    index.sort_by_key(|entry| (entry.id, entry.offset));
    let mut search =
        Search { records: &mut collected.records, requested: HashSet::new(), wanted: Vec::new() };
    search.request(wanted);
    let mut passes = 0;
    for _ in 0..ROUNDS {
        let mut missing: HashSet<u64> = std::mem::take(&mut search.wanted).into_iter().collect();
        if missing.is_empty() {
            break;
        }
        let mut by_offset: BTreeMap<u64, usize> = BTreeMap::new();
        for id in &missing {
            let before = index.partition_point(|entry| entry.id <= *id);
            if let Some(IndexEntry { offset, .. }) = before.checked_sub(1).and_then(|place| index.get(place))
            {
                *by_offset.entry(*offset).or_insert(0) += 1;
            }
        }
        for (offset, count) in by_offset {
            // Up to the next entry of the index.
            let next = collected.index.partition_point(|entry| entry.offset <= offset);
            let end = collected.index.get(next).map_or(u64::MAX, |entry| entry.offset);
            input.seek(SeekFrom::Start(offset))?;
            if search.scan(&mut input, Region { offset, end, count }, LOOKUP_CHUNK, &mut missing)?.is_err() {
                return Ok(Err(ConversionFailureCode::ProductStructureTooLarge));
            }
        }
        if !missing.is_empty() && passes < PASSES {
            passes += 1;
            input.seek(SeekFrom::Start(0))?;
            let whole = Region { offset: 0, end: u64::MAX, count: missing.len() };
            if search.scan(&mut input, whole, CHUNK, &mut missing)?.is_err() {
                return Ok(Err(ConversionFailureCode::ProductStructureTooLarge));
            }
        }
    }
    Ok(Ok(()))
}

/// Part of a file that is searched.
struct Region {
    offset: u64,
    end: u64,
    /// Number of wanted instances in it.
    count: usize,
}

struct Search<'a> {
    records: &'a mut Records,
    /// All instances that were requested, which ends cycles.
    requested: HashSet<u64>,
    wanted: Vec<u64>,
}

impl Search<'_> {
    /// Requests instances; for kept ones, their components.
    fn request(&mut self, ids: impl IntoIterator<Item = u64>) {
        let mut pending: Vec<u64> = ids.into_iter().collect();
        while let Some(id) = pending.pop() {
            if !self.requested.insert(id) {
                continue;
            }
            match self.records.contains(id) {
                true => pending.extend(self.records.get(id).iter().flat_map(components)),
                false => self.wanted.push(id),
            }
        }
    }

    fn scan<R: Read>(
        &mut self,
        input: R,
        region: Region,
        chunk: usize,
        missing: &mut HashSet<u64>,
    ) -> io::Result<Result<(), LimitExceeded>> {
        let mut result = Ok(());
        let mut found = Vec::new();
        let mut left = region.count;
        statements(input, region.offset, chunk, |statement| {
            if statement.offset >= region.end || left == 0 {
                return ControlFlow::Break(());
            }
            let bytes = statement.bytes.trim_ascii_start();
            // The name may contain a comment.
            let id = instance_id(bytes).or_else(|| Some(Record::parse(bytes)?.id));
            if let Some(id) = id.filter(|id| missing.contains(id))
                && !statement.is_cut
            {
                missing.remove(&id);
                left -= 1;
                if let Some(record) = Record::parse(bytes).filter(|record| is_description(&record.entities)) {
                    found.extend(components(&record));
                    result = self.records.keep(RecordKind::Other, id, bytes);
                }
            }
            if result.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.request(found);
        Ok(result)
    }
}

/// True for instances that describe placements, units or quantities.
fn is_description(parts: &[Entity<'_>]) -> bool {
    parts.iter().any(|part| {
        let keyword = part.keyword.to_ascii_uppercase();
        keyword.ends_with(b"REPRESENTATION")
            || keyword.ends_with(b"RELATIONSHIP")
            || keyword.ends_with(b"_UNIT")
            || keyword.ends_with(b"_REPRESENTATION_ITEM")
            || keyword.starts_with(b"AXIS2_PLACEMENT")
            || keyword.starts_with(b"CARTESIAN_TRANSFORMATION_OPERATOR")
            || keyword == b"ITEM_DEFINED_TRANSFORMATION"
            || matches!(
                keyword.as_slice(),
                b"CARTESIAN_POINT"
                    | b"DIRECTION"
                    | b"GLOBAL_UNIT_ASSIGNED_CONTEXT"
                    | b"DERIVED_UNIT_ELEMENT"
                    | b"MAPPED_ITEM"
                    | b"REPRESENTATION_MAP"
                    | b"SHAPE_ASPECT"
            )
    })
}

/// The instances that one consists of.
fn components(record: &Record<'_>) -> Vec<u64> {
    let mut needed = Vec::new();
    for part in &record.entities {
        let keyword = part.keyword.to_ascii_uppercase();
        if keyword.ends_with(b"REPRESENTATION") {
            // The context with the units, without the items, which are geometry.
            needed.extend(part.nth_last(0).and_then(Parameter::reference));
        } else if matches!(keyword.as_slice(), b"GLOBAL_UNIT_ASSIGNED_CONTEXT" | b"DERIVED_UNIT") {
            needed.extend(part.list(0).iter().filter_map(Parameter::reference));
        } else if keyword.as_slice() != b"SHAPE_ASPECT" {
            needed.extend(part.parameters.iter().filter_map(Parameter::reference));
        }
    }
    needed
}
