//! Readers of mesh files, each from bytes to a scene: STL, OBJ, glTF, 3MF and PLY.
//!
//! Rules for all formats:
//! - A face of which a corner doesn't exist or isn't finite is not shown, and neither are those beyond
//!   [`TRIANGLES_MAX`]. The mesh counts them ([`crate::scene::FaceCount`]): a scene with fewer faces than the file is
//!   partial, and not an error.
//! - Polygons are divided into a fan of triangles.
//! - Directions in files are not read. Faces are smooth where their triangles meet at less than 30°, and have edges
//!   elsewhere ([`creases`]); lines of the file are edges as well.
//! - Textures and colours of corners are not read.
//! - Nothing outside of the file is followed.
//! - Nodes stand in the order in which they appear. Those of glTF and 3MF are read by `import`, and have the numbers of
//!   their objects. Every other file is one object.

mod builder;
pub mod creases;
mod gltf;
mod obj;
mod ply;
mod stl;
mod three_mf;

use import::mesh;
use import::mesh::MeshError;

use crate::scene::Scene;

/// Most triangles that are read, over all meshes of a file.
pub const TRIANGLES_MAX: usize = 1_000_000;
/// Most lines that are read, over all meshes of a file. Further ones are left out.
pub const SEGMENTS_MAX: usize = 1_000_000;
/// Most colours of a mesh. Faces of further ones have no colour.
pub const COLOURS_MAX: usize = 64;

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshKind {
    /// Stereolithography, as text or binary: triangles without units.
    Stl,
    /// Wavefront OBJ: polygons in named groups, without units.
    Obj,
    /// glTF 2.0, as JSON with its data in it, or binary (GLB): nodes in metres.
    Gltf,
    /// 3D Manufacturing Format: objects that are built of others, with a unit.
    ThreeMf,
    /// Polygon File Format (Stanford): one mesh without units.
    Ply,
}

/// The kind of a mesh file by its content; `None` for other files.
///
/// `head` is its beginning, of 64 KiB or all of it, and `size_bytes` its whole length. The extension, without a dot and
/// in any case, helps where content is not enough: an OBJ and a damaged STL have no mark, and the first entries of a
/// 3MF and the first words of a glTF may be those of other formats.
pub fn kind(extension: &str, head: &[u8], size_bytes: u64) -> Option<MeshKind> {
    let is_named = |known: &str| extension.eq_ignore_ascii_case(known);
    if mesh::gltf::begins(head, is_named("gltf")) {
        return Some(MeshKind::Gltf);
    }
    if ply::begins(head) {
        return Some(MeshKind::Ply);
    }
    if mesh::three_mf::begins(head, is_named("3mf")) {
        return Some(MeshKind::ThreeMf);
    }
    if stl::begins(head, size_bytes, is_named("stl")) {
        return Some(MeshKind::Stl);
    }
    (is_named("obj") && obj::begins(head)).then_some(MeshKind::Obj)
}

/// Reads a mesh file.
///
/// # Errors
/// It shows nothing, and why.
pub fn read(kind: MeshKind, bytes: &[u8]) -> Result<Scene, MeshError> {
    match kind {
        MeshKind::Stl => stl::read(bytes),
        MeshKind::Obj => obj::read(bytes),
        MeshKind::Gltf => gltf::read(bytes),
        MeshKind::ThreeMf => three_mf::read(bytes),
        MeshKind::Ply => ply::read(bytes),
    }
}
