//! The pass over the whole file: keeps the statements of the product structure, and indexes the offsets of some
//! instances for later lookups.

use std::io::{self, Read};
use std::ops::ControlFlow;

use wide::u8x16;

use super::record::Record;
use super::records::{LimitExceeded, RecordKind, Records, kind_of, kind_of_parts};
use super::scan::{CHUNK, StepStatement, statements};
use super::{END, begins, begins_with};
use crate::conversion::ConversionFailureCode;

/// Bytes between two entries of the index, which a lookup reads. The index of a file of 1 GB takes 1 MB.
const SPACING: u64 = 16 * 1024;
/// Longest instance name that the fast path takes, with its `=` and white space.
const NAME_MAX: usize = 24;
/// Most bytes of the header that are kept.
const HEADER_MAX: usize = 256 * 1024;

/// The kept parts of a file.
#[derive(Default)]
pub(super) struct CollectedParts {
    /// The statements of the header section.
    pub(super) header: Vec<Vec<u8>>,
    pub(super) records: Records,
    /// Offsets of some instances, in the order of the file.
    pub(super) index: Vec<IndexEntry>,
    /// True if the file has its end marker.
    pub(super) is_complete: bool,
}

/// The offset of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) id: u64,
    pub(super) offset: u64,
}

/// Reads a whole file.
///
/// # Errors
/// Failures of reading; within, the reason why the file has no usable structure.
pub(super) fn collect<R: Read>(input: R) -> io::Result<Result<CollectedParts, ConversionFailureCode>> {
    let mut collector = Collector {
        collected: CollectedParts::default(),
        section: Section::Start,
        failure: None,
        next_entry: 0,
        header_left: HEADER_MAX,
    };
    statements(input, 0, CHUNK, |statement| collector.visit(statement))?;
    let Collector { collected, section, failure, .. } = collector;
    Ok(match failure {
        Some(failure) => Err(failure),
        None if section == Section::Start => Err(ConversionFailureCode::NotStep),
        None => Ok(collected),
    })
}

/// The right side of an instance `#n=KEYWORD(...`; `None` for unusual spellings.
#[inline]
fn right_side(statement: &[u8]) -> Option<&[u8]> {
    // Nearly every name fits into one vector.
    let at_once = statement.first_chunk().and_then(|beginning| {
        let equals = u8x16::new(*beginning).simd_eq(u8x16::splat(b'=')).to_bitmask();
        (equals != 0).then(|| usize::try_from(equals.trailing_zeros()).unwrap_or(0))
    });
    let equals = at_once.or_else(|| statement.iter().take(NAME_MAX).position(|byte| *byte == b'='))?;
    Some(statement.get(equals + 1..)?.trim_ascii_start())
}

/// The name of an instance `#n=...`; `None` for unusual spellings.
pub(super) fn instance_id(statement: &[u8]) -> Option<u64> {
    let digits = statement.strip_prefix(b"#")?;
    let mut id: u64 = 0;
    for (place, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => id = id.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?,
            b'=' | b' ' | b'\t' | b'\r' | b'\n' if place > 0 => return Some(id),
            _ => return None,
        }
    }
    None
}

#[derive(PartialEq, Eq)]
enum Section {
    Start,
    Header,
    Data,
}

struct Collector {
    collected: CollectedParts,
    section: Section,
    failure: Option<ConversionFailureCode>,
    /// Offset from which the next instance is indexed.
    next_entry: u64,
    /// Remaining bytes for the header.
    header_left: usize,
}

impl Collector {
    #[inline]
    fn visit(&mut self, statement: StepStatement<'_>) -> ControlFlow<()> {
        let bytes = statement.bytes.trim_ascii_start();
        if self.section == Section::Data && bytes.first() == Some(&b'#') {
            if statement.offset >= self.next_entry {
                self.add_to_index(statement, bytes);
            }
            // Geometry, nearly every statement, ends here.
            if let Some(right) = right_side(bytes)
                && !may_be_kept(right)
            {
                return ControlFlow::Continue(());
            }
            return self.instance(bytes, statement.is_cut);
        }
        self.outside_of_data(bytes)
    }

    fn add_to_index(&mut self, statement: StepStatement<'_>, bytes: &[u8]) {
        // The offset of a cut statement is unknown.
        if let Some(id) = instance_id(bytes).filter(|_| !statement.is_cut) {
            self.collected.index.push(IndexEntry { id, offset: statement.offset });
            self.next_entry = statement.offset + SPACING;
        }
    }

    /// Keeps an instance of the structure. Ignores invalid ones, because the others may be intact.
    fn instance(&mut self, bytes: &[u8], cut: bool) -> ControlFlow<()> {
        let simple = right_side(bytes).filter(|right| right.first().is_some_and(u8::is_ascii_alphabetic));
        let kept = match (simple, instance_id(bytes)) {
            (Some(right), Some(id)) => {
                let length =
                    right.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                kind_of(right.get(..length).unwrap_or_default()).map(|kind| (kind, id))
            }
            _ if cut => None,
            _ => Record::parse(bytes).and_then(|record| Some((kind_of_parts(&record.entities)?, record.id))),
        };
        let Some((kind, id)) = kept else { return ControlFlow::Continue(()) };
        // A cut statement is only acceptable for a representation or a layer, which may list many items.
        if cut && !matches!(kind, RecordKind::Other | RecordKind::Detail) {
            self.failure = Some(ConversionFailureCode::ProductStructureTooLarge);
            return ControlFlow::Break(());
        }
        if !cut && self.collected.records.keep(kind, id, bytes).is_err() {
            self.failure = Some(ConversionFailureCode::ProductStructureTooLarge);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn outside_of_data(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        match self.section {
            Section::Start => {
                if !begins(bytes) {
                    return ControlFlow::Break(());
                }
                self.section = Section::Header;
            }
            Section::Header if begins_with(bytes, b"DATA") => self.section = Section::Data,
            // `#n=<file#name>`: a reference to another file.
            Section::Header if bytes.starts_with(b"#") => {
                if let Some(id) = instance_id(bytes)
                    && let Err(failure) = self.collected.records.keep(RecordKind::External, id, bytes)
                {
                    self.failure = Some(failure.into());
                    return ControlFlow::Break(());
                }
            }
            Section::Header => {
                if let Some(left) = self.header_left.checked_sub(bytes.len() + 1) {
                    self.header_left = left;
                    self.collected.records.sample(bytes);
                    self.collected.header.push(bytes.to_vec());
                }
            }
            Section::Data if begins_with(bytes, END) => {
                self.collected.is_complete = true;
                return ControlFlow::Break(());
            }
            Section::Data => {}
        }
        ControlFlow::Continue(())
    }
}

/// True if the first letters of the keyword are those of a kept instance.
#[inline]
fn may_be_kept(right: &[u8]) -> bool {
    let Some([first, second, third]) = right.first_chunk() else { return true };
    match [first & !0x20, second & !0x20, third & !0x20] {
        // `PRODUCT...`, `NEXT_...`, `QUANTIFIED_...`, `CONTEXT_...`, `ITEM_...`, `SHAPE_...`,
        // `MANIFOLD_SURFACE_SHAPE_...`, `FACETED_BREP_SHAPE_...`, `TESSELLATED_SHAPE_...`, `PROPERTY_...`,
        // `MATERIAL_...`, `MAKE_...`, `DOCUMENT_...`, `APPLIED_...`
        [b'P', b'R', b'O']
        | [b'N', b'E', b'X']
        | [b'Q', b'U', b'A']
        | [b'C', b'O', b'N']
        | [b'I', b'T', b'E']
        | [b'S', b'H', b'A']
        | [b'M', b'A', b'N']
        | [b'F', b'A', b'C']
        | [b'T', b'E', b'S']
        | [b'M', b'A', b'K' | b'T']
        | [b'D', b'O', b'C']
        | [b'A', b'P', b'P'] => true,
        // `PRESENTATION_LAYER_...` without the many `PRESENTATION_STYLE_...`.
        [b'P', b'R', b'E'] => right.get(13).is_some_and(|byte| byte & !0x20 == b'L'),
        // `ADVANCED_BREP_SHAPE_...` without the many `ADVANCED_FACE`.
        [b'A', b'D', b'V'] => right.get(9).is_some_and(|byte| byte & !0x20 == b'B'),
        // Complex instances without the many splines: `BOUNDED_...`, `B_SPLINE_...`.
        _ if *first == b'(' => right.get(1..).unwrap_or_default().trim_ascii_start().first() != Some(&b'B'),
        // A comment; the keyword follows.
        _ => *first == b'/',
    }
}

impl From<LimitExceeded> for ConversionFailureCode {
    fn from(_: LimitExceeded) -> Self {
        Self::ProductStructureTooLarge
    }
}
