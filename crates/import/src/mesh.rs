//! Parts of mesh files: the nodes of glTF and the components of 3MF, with their names, places and shapes.
//!
//! `shape` draws these nodes, and a conversion makes their objects, so both have the same numbers. Nothing here makes
//! triangles. Files are untrusted: what a file claims takes no memory, and nothing outside of it is followed.

mod files;
mod fingerprints;
pub mod gltf;
mod node_list;
mod objects;
pub mod points;
pub mod text;
pub mod three_mf;

use glam::DAffine3;

pub(crate) use self::files::{convert, may_have_parts};

/// Most nodes of a file.
pub const NODES_MAX: usize = 100_000;
/// Most levels of nodes.
pub const LEVELS_MAX: usize = 256;
/// Most points to which faces refer by their numbers, of a file or an object; faces of further ones are not shown.
pub const POINTS_MAX: usize = 9_000_000;
/// Longest name of a node, in characters; the rest is cut. Many nodes may repeat one name of the file.
pub const NAME_MAX_CHARS: usize = 255;
/// Most bytes of all parts of a 3MF that are read, unpacked. A million triangles have a third of it.
pub const UNPACKED_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A node of a mesh file: the use of a product, or a group of other nodes. `S` names a shape in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshNode<S> {
    /// Name of this use; empty without one.
    pub name: String,
    /// The thing that is used.
    pub product: MeshProduct,
    /// Index of the node around it, which precedes it.
    pub parent: Option<usize>,
    /// From its coordinates to those of its parent, or of the file.
    pub placement: DAffine3,
    /// The shape that stands there.
    pub shape: Option<S>,
    /// Its object among the drafts of the file's conversion, by index. `None` in a file that stays one object, and for
    /// a node with no shape in it, as cameras and bones are.
    pub object: Option<usize>,
}

/// The thing that a node is a use of. Its texts are empty where the file has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshProduct {
    /// Name.
    pub name: String,
    /// Part number.
    pub number: String,
    /// Part number of this use, where the product has a name of its own.
    pub use_number: String,
    /// Its unit of length. glTF prescribes metres, and programs write others, so it has none.
    pub unit: Option<MeshUnit>,
}

/// A unit of length that a mesh file states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshUnit {
    /// Name, in English.
    pub name: &'static str,
    /// Its length in metres.
    pub metres: f64,
}

impl MeshUnit {
    /// The length in another unit. Counted in whole micrometres: a foot is twelve inches, and not a little more.
    pub(crate) fn length_in(self, other: Self) -> f64 {
        let micrometres = |unit: Self| (unit.metres * 1e6).round();
        micrometres(self) / micrometres(other)
    }
}

/// The reason for which a mesh file shows nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshError {
    /// Nothing in it has a face or a line.
    #[error("There is no shape in this file.")]
    Empty,
    /// It breaks the rules of its format.
    #[error("The file is damaged: {0}.")]
    Damaged(&'static str),
    /// Its shape is encoded by an extension of the format that is not read.
    #[error("The shape is encoded by {0}, which is not read.")]
    Unsupported(&'static str),
    /// Its shape is in another file.
    #[error("The shape is in another file, \"{0}\". Upload one file that contains all, for example a GLB.")]
    External(String),
    /// It has more than [`NODES_MAX`] nodes.
    #[error("The file has more than {NODES_MAX} parts.")]
    TooManyNodes,
    /// It has more than [`LEVELS_MAX`] levels of nodes, or a circle of them.
    #[error("The file has parts in more than {LEVELS_MAX} levels, or parts that contain themselves.")]
    TooDeep,
    /// It unpacks to more bytes than are read.
    #[error("The file unpacks to more than {} MiB.", UNPACKED_MAX_BYTES / 1024 / 1024)]
    TooLarge,
}

/// The error of an index, an id or a path without an item.
pub const MISSING: MeshError = MeshError::Damaged("it points at something that it does not contain");

impl<S> MeshNode<S> {
    /// The name to show; empty if the file has none.
    pub fn shown_name(&self) -> &str {
        let MeshProduct { name, number, .. } = &self.product;
        [&self.name, name, number].into_iter().find(|text| !text.is_empty()).map_or("", String::as_str)
    }
}
