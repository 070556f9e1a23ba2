//! Conversion of mesh files with several parts to assemblies. Others stay files.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use domain::content::object::Extension;
use domain::text::Name;

use super::gltf::{self, GltfFile};
use super::objects::{MeshSource, drafts};
use super::three_mf::{self, ThreeMfFile};
use super::{MeshError, MeshUnit};
use crate::conversion::{Conversion, ConversionFailureCode, DraftObject};

/// Most bytes of a glTF file of which memory holds all. Of a larger binary one only its JSON is read, so its shapes
/// have no fingerprints.
const WHOLE_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Most numbers of a glTF file that are hashed. Many meshes may share one accessor.
const HASHED_MAX: u64 = 32_000_000;

/// A format of files with parts.
#[derive(Clone, Copy)]
enum PartsFormat {
    Gltf,
    ThreeMf,
}

/// The format of a file with this beginning, and if it must be of that: other files may have the same words.
fn format(extension: Option<&Extension>, head: &[u8]) -> Option<(PartsFormat, bool)> {
    let is_named = |known: &str| extension.is_some_and(|extension| extension.as_str() == known);
    if gltf::begins(head, is_named(".gltf")) {
        return Some((PartsFormat::Gltf, is_named(".gltf") || gltf::json_end(head).is_some()));
    }
    let is_package = is_named(".3mf");
    three_mf::begins(head, is_package).then_some((PartsFormat::ThreeMf, is_package))
}

/// True for the beginning of a file that may have parts.
pub(crate) fn may_have_parts(extension: Option<&Extension>, head: &[u8]) -> bool {
    format(extension, head).is_some()
}

/// Converts a mesh file with parts; `None` for another file, and for one with a single shape or none.
///
/// # Errors
/// Failures of reading.
pub(crate) fn convert<R: Read + Seek>(
    name: &Name,
    media_type: &str,
    head: &[u8],
    mut input: R,
) -> io::Result<Option<Conversion>> {
    let extension = Extension::of_file_name(name.as_str());
    let Some((format, is_certain)) = format(extension.as_ref(), head) else { return Ok(None) };
    let read = match format {
        PartsFormat::Gltf => match gltf_bytes(head, &mut input)? {
            Some(bytes) => read_gltf(name, &bytes),
            None => Err(ConversionFailureCode::ProductStructureTooLarge),
        },
        PartsFormat::ThreeMf => {
            input.rewind()?;
            read_three_mf(name, BufReader::new(input))
        }
    };
    let objects = match read {
        Ok(objects) if objects.is_empty() => return Ok(None),
        Err(_) if !is_certain => return Ok(None),
        Ok(objects) => Conversion::new(media_type.to_owned(), objects)
            .map_err(|_| ConversionFailureCode::ProductStructureTooLarge),
        Err(failure) => Err(failure),
    };
    Ok(Some(objects.unwrap_or_else(|failure| Conversion::failed(media_type, name.clone(), failure))))
}

/// The bytes of a file, or of its JSON if they are too many; `None` if that is too long as well.
fn gltf_bytes<R: Read + Seek>(head: &[u8], mut input: R) -> io::Result<Option<Vec<u8>>> {
    let size = input.seek(SeekFrom::End(0))?;
    let needed = if size <= WHOLE_MAX_BYTES { Some(size) } else { gltf::json_end(head) };
    let Some(needed) = needed.filter(|needed| *needed <= WHOLE_MAX_BYTES) else { return Ok(None) };
    input.rewind()?;
    let mut bytes = Vec::new();
    input.take(needed).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn read_gltf(name: &Name, bytes: &[u8]) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let file = GltfFile::read(bytes).map_err(failure)?;
    let nodes = file.nodes().map_err(failure)?;
    let mut left = HASHED_MAX;
    drafts(&MeshSource { name, nodes: &nodes, unit: None }, |mesh| file.hash(mesh, &mut left))
}

fn read_three_mf(name: &Name, input: impl Read + Seek) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let file = ThreeMfFile::read(input).map_err(failure)?;
    let unit: Option<MeshUnit> = Some(file.unit);
    drafts(&MeshSource { name, nodes: &file.nodes, unit }, |shape| file.hash(shape))
}

fn failure(error: MeshError) -> ConversionFailureCode {
    match error {
        MeshError::Empty | MeshError::Damaged(_) | MeshError::Unsupported(_) => {
            ConversionFailureCode::MeshDamaged
        }
        MeshError::External(_) => ConversionFailureCode::MeshExternal,
        MeshError::TooDeep => ConversionFailureCode::ProductStructureTooDeep,
        MeshError::TooManyNodes | MeshError::TooLarge => ConversionFailureCode::ProductStructureTooLarge,
    }
}
