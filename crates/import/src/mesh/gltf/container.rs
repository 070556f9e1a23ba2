//! The parts of a glTF file: its JSON, and the bytes that it describes.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::document::{Buffer, Document, Material, Primitive};
use crate::mesh::text::shortened;
use crate::mesh::{MISSING, MeshError};

/// First bytes of a binary file.
pub(super) const MAGIC: &[u8] = b"glTF";
/// Marks of the parts of a binary file.
const JSON: &[u8; 4] = b"JSON";
const BINARY: &[u8; 4] = b"BIN\0";
const VERSION: u32 = 2;

/// Base64 with or without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Extensions without which the shape can't be read, by the names of what they add. Others change only the looks, or
/// add what is left out.
const ENCODINGS: [(&str, &str); 3] = [
    ("KHR_draco_mesh_compression", "Draco (KHR_draco_mesh_compression)"),
    ("EXT_meshopt_compression", "meshopt (EXT_meshopt_compression)"),
    ("KHR_meshopt_compression", "meshopt (KHR_meshopt_compression)"),
];

/// A file whose JSON is read.
pub struct GltfFile<'a> {
    pub(super) document: Document,
    /// The bytes of each buffer, or the reason for their absence.
    buffers: Vec<Result<Cow<'a, [u8]>, MeshError>>,
}

impl<'a> GltfFile<'a> {
    /// Reads a file. One that is cut off after its JSON has nodes without shapes.
    ///
    /// # Errors
    /// The JSON is damaged.
    pub fn read(bytes: &'a [u8]) -> Result<Self, MeshError> {
        let (json, binary) = if bytes.starts_with(MAGIC) { split(bytes)? } else { (bytes, None) };
        let document: Document = serde_json::from_slice(without_mark(json))
            .map_err(|_| MeshError::Damaged("its JSON is not that of glTF 2.0"))?;
        let buffers = document.buffers.0.iter().map(|buffer| content(buffer, binary)).collect();
        Ok(Self { document, buffers })
    }

    /// The name of the extension without which its shapes can't be read, if it requires one.
    pub fn encoding(&self) -> Option<&'static str> {
        let required = &self.document.extensions_required.0;
        let is_required = |known: &str| required.iter().any(|name| name == known);
        ENCODINGS.into_iter().find(|(known, _)| is_required(known)).map(|(_, name)| name)
    }

    /// The primitives of a mesh.
    ///
    /// # Errors
    /// There is no such mesh.
    pub fn primitives(&self, mesh: u32) -> Result<&[Primitive], MeshError> {
        Ok(&self.document.meshes.get(mesh).ok_or(MISSING)?.primitives.0)
    }

    /// The base colour of a primitive in linear light, with its opacity. `None` without a material, and for one with a
    /// texture, which is not read.
    pub fn base_colour(&self, primitive: &Primitive) -> Option<[f32; 4]> {
        let material: &Material = self.document.materials.get(primitive.material?)?;
        let (factor, texture) = match &material.extensions.specular_glossiness {
            Some(diffuse) => (diffuse.diffuse_factor, &diffuse.diffuse_texture),
            None => {
                let base = &material.pbr_metallic_roughness;
                (base.base_color_factor, &base.base_color_texture)
            }
        };
        let [red, green, blue, alpha] = factor.unwrap_or([1.0; 4]).map(|part| part.clamp(0.0, 1.0));
        // Opaque materials may have any alpha.
        let alpha = if matches!(material.alpha_mode.as_str(), "BLEND" | "MASK") { alpha } else { 1.0 };
        texture.is_none().then_some([red, green, blue, alpha])
    }

    /// The bytes of a view.
    pub(super) fn view(&self, index: u32) -> Result<&[u8], MeshError> {
        let view = self.document.buffer_views.get(index).ok_or(MISSING)?;
        let buffer = usize::try_from(view.buffer)
            .ok()
            .and_then(|buffer| self.buffers.get(buffer))
            .ok_or(MISSING)?
            .as_ref()
            .map_err(MeshError::clone)?;
        let start = usize::try_from(view.byte_offset).ok();
        let length = usize::try_from(view.byte_length).ok();
        let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
        start.zip(end).and_then(|(start, end)| buffer.get(start..end)).ok_or(TOO_SHORT)
    }
}

/// A text without the byte order mark that some programs write.
pub(super) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// The JSON and the bytes of a binary file.
fn split(file: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    let (version, rest) = number(file.get(MAGIC.len()..).unwrap_or_default()).ok_or(TOO_SHORT)?;
    if version != VERSION {
        return Err(MeshError::Damaged("it is not of version 2 of glTF"));
    }
    // The length of all is not needed: each part has its own.
    let (_, rest) = number(rest).ok_or(TOO_SHORT)?;
    let (json, rest) = part(rest, JSON).ok_or(MeshError::Damaged("it does not begin with its JSON"))?;
    Ok((json, part(rest, BINARY).map(|(binary, _)| binary)))
}

/// The content of the part that comes next, if it is of this kind, and what follows.
fn part<'a>(bytes: &'a [u8], kind: &[u8; 4]) -> Option<(&'a [u8], &'a [u8])> {
    let (length, rest) = number(bytes)?;
    rest.strip_prefix(kind)?.split_at_checked(usize::try_from(length).ok()?)
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*number), rest))
}

/// The bytes of a buffer.
fn content<'a>(buffer: &Buffer, binary: Option<&'a [u8]>) -> Result<Cow<'a, [u8]>, MeshError> {
    let Some(uri) = &buffer.uri else { return binary.map(Cow::Borrowed).ok_or(MISSING) };
    let Some(data) = uri.strip_prefix("data:") else { return Err(MeshError::External(shortened(uri))) };
    let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
    let decoded = encoded.and_then(|encoded| BASE64.decode(encoded).ok());
    decoded.map(Cow::Owned).ok_or(MeshError::Damaged("data in its JSON is not encoded in Base64"))
}

/// The error of a claim beyond the bytes that are there.
pub(super) const TOO_SHORT: MeshError = MeshError::Damaged("it claims more data than it contains");
