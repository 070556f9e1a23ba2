//! STEP files (ISO 10303-21 with the schemas of AP203, AP214 and AP242): the tree of occurrences in their product
//! structure, with names, units and placements.
//!
//! One pass keeps the statements of the structure and skips geometry, which is most of a file, at the speed of a search
//! for semicolons. An index then finds the few points and units that placements need. Memory depends only on the size of
//! the structure, and a broken statement doesn't affect others.

mod assembly;
mod collect;
mod design;
mod details;
mod fetch;
mod geometry;
mod header;
mod instances;
pub mod limits;
pub(crate) mod packed;
mod placement;
mod record;
mod records;
mod scan;
mod structure;
mod text;
mod tree;
mod units;

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use domain::content::object::Extension;
use domain::text::Name;
use serde_json::Value;

use self::assembly::Shapes;
use self::collect::CollectedParts;
use self::packed::Unpacked;
use self::structure::ProductStructure;
use self::tree::Sources;
use self::units::UnitReader;
use crate::conversion::{Conversion, ConversionFailureCode, DraftObject, HEAD_BYTES, OBJECTS_MAX};
use crate::plain;

pub use self::design::{Design, DesignShape, PlacedOccurrence};
pub use self::instances::Instances;
pub use self::record::{Entity, Parameter, Record};

/// Media type of STEP files.
pub(crate) const MEDIA_TYPE: &str = "model/step";

/// Extensions of STEP files.
const EXTENSIONS: [&str; 3] = [".step", ".stp", ".p21"];
/// Extensions of other formats with the same syntax: buildings, machining programs.
const OTHER_EXTENSIONS: [&str; 3] = [".ifc", ".stpnc", ".spf"];

/// First and last statement of a file; comments and white space may precede them.
const BEGIN: &[u8] = b"ISO-10303-21";
const END: &[u8] = b"END-ISO-10303-21";
/// Bytes at the end that are searched for an end marker without semicolon.
const END_WITHIN: u64 = 64;

/// True for a STEP file, by its extension or else by its beginning.
pub(crate) fn is_step(extension: Option<&Extension>, head: &[u8]) -> bool {
    match extension.map(Extension::as_str) {
        Some(extension) if EXTENSIONS.contains(&extension) => true,
        Some(extension) if OTHER_EXTENSIONS.contains(&extension) => false,
        _ => begins(head),
    }
}

/// True if the first statement after comments is that of a STEP file.
fn begins(head: &[u8]) -> bool {
    let mut rest = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head).trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"/*") {
        let Some(end) = memchr::memmem::find(comment, b"*/") else { return false };
        rest = comment.get(end + 2..).unwrap_or_default().trim_ascii_start();
    }
    begins_with(rest, BEGIN)
}

/// True if a text begins with a keyword in any case. Files in small letters are common enough to be read by all programs.
fn begins_with(text: &[u8], keyword: &[u8]) -> bool {
    text.get(..keyword.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(keyword))
}

/// The text of a STEP file, unpacked if it is packed alone; `None` for another file, and for a packed one that is too large.
///
/// # Errors
/// Failures of reading.
pub fn text<R: Read + Seek>(name: &Name, mut input: R) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    input.rewind()?;
    input.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    if packed::may_be_packed(&head)
        && let Some(unpacked) = packed::unpack(&head, &mut input)?
    {
        return Ok(unpacked.content.map(Cursor::into_inner));
    }
    if !is_step(Extension::of_file_name(name.as_str()).as_ref(), &head) {
        return Ok(None);
    }
    input.seek(SeekFrom::Start(u64::try_from(head.len()).map_err(io::Error::other)?))?;
    input.read_to_end(&mut head)?;
    Ok(Some(head))
}

/// Converts a STEP file. Another file with such a name becomes a reference of the media type `otherwise`.
///
/// # Errors
/// Failures of reading.
pub(crate) fn convert<R: Read + Seek>(name: &Name, otherwise: &str, mut input: R) -> io::Result<Conversion> {
    match read(name, &mut input)? {
        Err(ConversionFailureCode::NotStep) => {
            plain::convert_failed(name, otherwise, input, ConversionFailureCode::NotStep)
        }
        read => Ok(conversion(name, MEDIA_TYPE, read)),
    }
}

/// Converts the STEP file that is packed in another one.
///
/// # Errors
/// Failures of reading, which memory has none of.
pub(crate) fn convert_packed(name: &Name, unpacked: Unpacked) -> io::Result<Conversion> {
    let Unpacked { media_type, content } = unpacked;
    let read = match content {
        Some(content) => read(name, content)?,
        None => Err(ConversionFailureCode::PackedTooLarge),
    };
    Ok(conversion(name, media_type, read))
}

/// The conversion of a file with these objects, or without any.
fn conversion(
    name: &Name,
    media_type: &str,
    read: Result<Vec<DraftObject>, ConversionFailureCode>,
) -> Conversion {
    let objects = read.and_then(|objects| match objects.len() <= OBJECTS_MAX {
        true => Conversion::new(media_type.to_owned(), objects)
            .map_err(|_| ConversionFailureCode::ProductStructureTooLarge),
        false => Err(ConversionFailureCode::ProductStructureTooLarge),
    });
    objects.unwrap_or_else(|failure| Conversion::failed(media_type, name.clone(), failure))
}

/// A file whose product structure is read.
struct StructuredFile {
    collected: CollectedParts,
    shapes: Shapes,
    structure: ProductStructure,
}

/// Reads the product structure, with the placements of its usages.
fn structured<R: Read + Seek>(mut input: R) -> io::Result<Result<StructuredFile, ConversionFailureCode>> {
    input.rewind()?;
    let mut collected = match collect::collect(&mut input)? {
        Ok(collected) => collected,
        Err(failure) => return Ok(Err(failure)),
    };
    if !collected.is_complete {
        collected.is_complete = ends_without_semicolon(&mut input)?;
    }
    let shapes = Shapes::of(&collected.records);
    let shaped = shapes.shaped(&collected.records, collected.is_complete);
    let structure = match ProductStructure::of(&collected.records, &shaped) {
        Ok(structure) => structure,
        // The structure may have been in the missing part.
        Err(ConversionFailureCode::NoProductStructure) if !collected.is_complete => {
            return Ok(Err(ConversionFailureCode::StepTruncated));
        }
        Err(failure) => return Ok(Err(failure)),
    };
    // What one lookup finds tells the next one what to look for.
    for needed in [Shapes::needed, Shapes::needed_of_mapped] {
        let needed = needed(&shapes, &collected.records);
        if let Err(failure) = fetch::fetch(&mut input, &mut collected, needed)? {
            return Ok(Err(failure));
        }
    }
    Ok(Ok(StructuredFile { collected, shapes, structure }))
}

fn read<R: Read + Seek>(
    name: &Name,
    mut input: R,
) -> io::Result<Result<Vec<DraftObject>, ConversionFailureCode>> {
    let StructuredFile { mut collected, shapes, structure } = match structured(&mut input)? {
        Ok(file) => file,
        Err(failure) => return Ok(Err(failure)),
    };
    for needed in [details::needed, details::needed_items] {
        let needed = needed(&collected.records);
        if let Err(failure) = fetch::fetch(&mut input, &mut collected, needed)? {
            return Ok(Err(failure));
        }
    }
    let fingerprints = geometry::fingerprints(&mut input, &leaves(&structure, &shapes))?;
    let records = &collected.records;
    let decoder = records.decoder();
    let details = details::read(records, &shapes, &mut UnitReader::new(records, decoder));
    let sources = Sources {
        records,
        structure: &structure,
        shapes: &shapes,
        details: &details,
        fingerprints: &fingerprints,
        decoder,
        file_name: name,
    };
    let mut drafts = match tree::drafts(&sources) {
        Ok(drafts) => drafts,
        Err(failure) => return Ok(Err(failure)),
    };
    if let Some(first) = drafts.first_mut() {
        let header = header::properties(&collected.header, decoder);
        first.data.insert("header".to_owned(), Value::Object(header));
        if !collected.is_complete {
            first.set_outcome("partial", ConversionFailureCode::StepTruncated);
        }
    }
    Ok(Ok(drafts))
}

/// The representations of each part without parts.
fn leaves(structure: &ProductStructure, shapes: &Shapes) -> BTreeMap<u64, Vec<u64>> {
    let leaves = structure.definitions.iter().filter(|definition| definition.parts.is_empty());
    let mut representations: BTreeMap<u64, Vec<u64>> = leaves.map(|leaf| (leaf.id, Vec::new())).collect();
    for (representation, owner) in shapes.owned() {
        if let Some(own) = representations.get_mut(&owner) {
            own.push(representation);
        }
    }
    representations
}

/// True if the end marker is there and only its semicolon is missing.
fn ends_without_semicolon<R: Read + Seek>(mut input: R) -> io::Result<bool> {
    let size = input.seek(SeekFrom::End(0))?;
    input.seek(SeekFrom::Start(size.saturating_sub(END_WITHIN)))?;
    let mut end = Vec::new();
    input.take(END_WITHIN).read_to_end(&mut end)?;
    let end = end.trim_ascii_end();
    Ok(begins_with(end.get(end.len().saturating_sub(END.len())..).unwrap_or_default(), END))
}
