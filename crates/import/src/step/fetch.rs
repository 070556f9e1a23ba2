//! Finds instances that the pass over the file didn't keep, since only what refers to them tells that they matter:
//! placements, their points and directions, units.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use super::collect::{Collected, Mark, instance_id};
use super::record::{Entity, Parameter, Record};
use super::records::{RecordKind, Records, TooMany};
use super::scan::{CHUNK, statements};
use crate::conversion::ConversionFailureCode;

/// Bytes that are read at a time where a single instance is looked for.
const NEAR: usize = 18 * 1024;
/// How often what was found may ask for more. A placement asks for points; a unit for a measure, for a unit.
const ROUNDS: usize = 10;
/// How often the whole file is read again, for what isn't where the order of names says.
const PASSES: usize = 3;

/// Looks for the instances `wanted`, and for those that they are made of, and keeps them. What isn't found is left out.
///
/// # Errors
/// Whatever reading fails with; within, that there is more than is kept.
pub(super) fn fetch<R: Read + Seek>(
    mut input: R,
    collected: &mut Collected,
    wanted: BTreeSet<u64>,
) -> io::Result<Result<(), ConversionFailureCode>> {
    let mut index = collected.index.clone();
    index.sort_by_key(|mark| (mark.id, mark.offset));
    let mut search = Search { records: &mut collected.records, sought: HashSet::new(), wanted: Vec::new() };
    search.want(wanted);
    let mut passes = 0;
    for _ in 0..ROUNDS {
        let mut looking: HashSet<u64> = std::mem::take(&mut search.wanted).into_iter().collect();
        if looking.is_empty() {
            break;
        }
        let mut near: BTreeMap<u64, (u64, usize)> = BTreeMap::new();
        for id in &looking {
            let before = index.partition_point(|mark| mark.id <= *id);
            if let Some(Mark { offset, .. }) = before.checked_sub(1).and_then(|place| index.get(place)) {
                near.entry(*offset).or_insert((0, 0)).1 += 1;
            }
        }
        for (offset, (_, count)) in near {
            // Statements that begin past the next mark belong to that.
            let next = collected.index.partition_point(|mark| mark.offset <= offset);
            let end = collected.index.get(next).map_or(u64::MAX, |mark| mark.offset);
            input.seek(SeekFrom::Start(offset))?;
            if search.scan(&mut input, Stretch { offset, end, count }, NEAR, &mut looking)?.is_err() {
                return Ok(Err(ConversionFailureCode::ProductStructureTooLarge));
            }
        }
        if !looking.is_empty() && passes < PASSES {
            passes += 1;
            input.seek(SeekFrom::Start(0))?;
            let whole = Stretch { offset: 0, end: u64::MAX, count: looking.len() };
            if search.scan(&mut input, whole, CHUNK, &mut looking)?.is_err() {
                return Ok(Err(ConversionFailureCode::ProductStructureTooLarge));
            }
        }
    }
    Ok(Ok(()))
}

/// Part of a file.
struct Stretch {
    offset: u64,
    end: u64,
    /// Instances that are expected in it.
    count: usize,
}

struct Search<'a> {
    records: &'a mut Records,
    /// Everything that was ever wanted, so that a cycle ends.
    sought: HashSet<u64>,
    wanted: Vec<u64>,
}

impl Search<'_> {
    /// Wants instances, and of those that are kept already what they are made of.
    fn want(&mut self, ids: impl IntoIterator<Item = u64>) {
        let mut pending: Vec<u64> = ids.into_iter().collect();
        while let Some(id) = pending.pop() {
            if !self.sought.insert(id) {
                continue;
            }
            match self.records.contains(id) {
                true => pending.extend(self.records.get(id).iter().flat_map(made_of)),
                false => self.wanted.push(id),
            }
        }
    }

    fn scan<R: Read>(
        &mut self,
        input: R,
        stretch: Stretch,
        chunk: usize,
        looking: &mut HashSet<u64>,
    ) -> io::Result<Result<(), TooMany>> {
        let mut result = Ok(());
        let mut found = Vec::new();
        let mut left = stretch.count;
        statements(input, stretch.offset, chunk, |statement| {
            if statement.offset >= stretch.end || left == 0 {
                return ControlFlow::Break(());
            }
            let bytes = statement.bytes.trim_ascii_start();
            // A comment may stand within the name.
            let id = instance_id(bytes).or_else(|| Some(Record::parse(bytes)?.id));
            if let Some(id) = id.filter(|id| looking.contains(id))
                && !statement.cut
            {
                looking.remove(&id);
                left -= 1;
                if let Some(record) = Record::parse(bytes).filter(|record| may_be_asked_for(&record.entities))
                {
                    found.extend(made_of(&record));
                    result = self.records.keep(RecordKind::Other, id, bytes);
                }
            }
            if result.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.want(found);
        Ok(result)
    }
}

/// Whether a reader of placements, units or quantities asks for such an instance.
fn may_be_asked_for(parts: &[Entity<'_>]) -> bool {
    parts.iter().any(|part| {
        let keyword = part.keyword.to_ascii_uppercase();
        keyword.ends_with(b"REPRESENTATION")
            || keyword.ends_with(b"RELATIONSHIP")
            || keyword.ends_with(b"_UNIT")
            || keyword.ends_with(b"MEASURE_REPRESENTATION_ITEM")
            || keyword.starts_with(b"AXIS2_PLACEMENT")
            || keyword.starts_with(b"CARTESIAN_TRANSFORMATION_OPERATOR")
            || keyword == b"ITEM_DEFINED_TRANSFORMATION"
            || matches!(
                keyword.as_slice(),
                b"CARTESIAN_POINT"
                    | b"DIRECTION"
                    | b"GLOBAL_UNIT_ASSIGNED_CONTEXT"
                    | b"MAPPED_ITEM"
                    | b"REPRESENTATION_MAP"
            )
    })
}

/// The instances that are needed to make sense of one.
fn made_of(record: &Record<'_>) -> Vec<u64> {
    let mut needed = Vec::new();
    for part in &record.entities {
        let keyword = part.keyword.to_ascii_uppercase();
        if keyword.ends_with(b"REPRESENTATION") {
            // Its context, which has the units. Not its items: they are the geometry.
            needed.extend(part.nth_last(0).and_then(Parameter::reference));
        } else if keyword.as_slice() == b"GLOBAL_UNIT_ASSIGNED_CONTEXT" {
            needed.extend(part.list(0).iter().filter_map(Parameter::reference));
        } else {
            needed.extend(part.parameters.iter().filter_map(Parameter::reference));
        }
    }
    needed
}
