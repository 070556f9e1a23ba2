//! The JSON of a glTF file, as far as it is about shapes. Indices are as the file has them: they may point at nothing.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

/// Most items of a list of the file, which end the reading before they take memory.
const ITEMS_MAX: usize = 500_000;

/// The root.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) extensions_required: BoundedList<String>,
    /// Index of the scene to show.
    pub(super) scene: Option<u32>,
    pub(super) scenes: BoundedList<GltfScene>,
    pub(super) nodes: BoundedList<GltfNode>,
    pub(super) meshes: BoundedList<GltfMesh>,
    pub(super) materials: BoundedList<Material>,
    pub(super) accessors: BoundedList<AccessorEntry>,
    pub(super) buffer_views: BoundedList<BufferView>,
    pub(super) buffers: BoundedList<Buffer>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GltfScene {
    pub(super) nodes: BoundedList<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GltfNode {
    pub(super) name: String,
    pub(super) children: BoundedList<u32>,
    pub(super) mesh: Option<u32>,
    /// By columns; in place of the following three.
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<[f64; 3]>,
    /// A quaternion: x, y, z and w.
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<Box<Instancing>>,
}

/// Many occurrences of a node's mesh.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Instancing {
    pub(super) attributes: InstanceAttributes,
}

/// Indices of accessors with a value for each occurrence.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "UPPERCASE")]
pub(super) struct InstanceAttributes {
    pub(super) translation: Option<u32>,
    pub(super) rotation: Option<u32>,
    pub(super) scale: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GltfMesh {
    pub(super) name: String,
    pub(super) primitives: BoundedList<Primitive>,
}

/// Faces or lines of one material.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Primitive {
    /// Its accessors with a value for each corner.
    pub attributes: Attributes,
    /// Index of the accessor with the indices of corners; without one, all corners in their order.
    pub indices: Option<u32>,
    pub(super) material: Option<u32>,
    /// How corners become faces or lines; triangles by default.
    pub mode: Option<u32>,
}

/// Indices of accessors with a value for each corner.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "UPPERCASE")]
pub struct Attributes {
    /// The coordinates.
    pub position: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Material {
    pub(super) pbr_metallic_roughness: MetallicRoughness,
    /// `BLEND` and `MASK` are transparent.
    pub(super) alpha_mode: String,
    pub(super) extensions: MaterialExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct MetallicRoughness {
    /// Red, green, blue and alpha, in linear light; white by default.
    pub(super) base_color_factor: Option<[f32; 4]>,
    pub(super) base_color_texture: Option<Texture>,
}

/// Properties of materials before the base colour.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub(super) specular_glossiness: Option<SpecularGlossiness>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SpecularGlossiness {
    /// As the factor of the base colour.
    pub(super) diffuse_factor: Option<[f32; 4]>,
    pub(super) diffuse_texture: Option<Texture>,
}

/// A texture, of which nothing is read.
#[derive(Debug, Deserialize)]
pub(super) struct Texture {}

/// AccessorValues in a view: numbers, vectors or matrices.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccessorEntry {
    pub(super) buffer_view: Option<u32>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    /// The number of values.
    pub(super) count: u64,
    /// The type of numbers, as a constant of OpenGL.
    pub(super) component_type: u32,
    /// True if integers stand for values from 0 or -1 to 1.
    #[serde(default)]
    pub(super) normalized: bool,
    /// `SCALAR`, `VEC3` and others.
    #[serde(rename = "type")]
    pub(super) shape: String,
    pub(super) sparse: Option<SparseEntry>,
}

/// AccessorValues in place of some of those in the view.
#[derive(Debug, Deserialize)]
pub(super) struct SparseEntry {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

/// A part of a buffer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    /// Bytes from one value to the next; by default those of a value.
    pub(super) byte_stride: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Buffer {
    /// `data:…` or another file; without one, the binary part of the GLB.
    pub(super) uri: Option<String>,
}

/// A list of at most [`ITEMS_MAX`] items.
#[derive(Debug)]
pub(super) struct BoundedList<T>(pub(super) Vec<T>);

impl<T> Default for BoundedList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> BoundedList<T> {
    pub(super) fn get(&self, index: u32) -> Option<&T> {
        self.0.get(usize::try_from(index).ok()?)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BoundedList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(Vec<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = BoundedList<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "a list of at most {ITEMS_MAX} items")
            }

            fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<BoundedList<T>, A::Error> {
                while let Some(item) = items.next_element()? {
                    if self.0.len() >= ITEMS_MAX {
                        return Err(Error::invalid_length(ITEMS_MAX, &self));
                    }
                    self.0.push(item);
                }
                Ok(BoundedList(self.0))
            }
        }

        deserializer.deserialize_seq(ListVisitor(Vec::new()))
    }
}
