//! glTF 2.0, as JSON and binary (GLB): its nodes, and the data of their shapes. Base colours are the only thing that is
//! read of materials.
//!
//! Read here: the crate `gltf` (1.4.1) panics at indices out of range if it doesn't validate, and its validation
//! refuses files with quantized coordinates or instances. Either way it refuses scenes without nodes
//! (`findings/gltf-refuses-scenes-without-nodes.sh`).

mod accessor;
mod container;
mod document;

use std::collections::HashSet;

use glam::{DAffine3, DMat4, DQuat, DVec3};

pub use self::accessor::Accessor;
pub use self::container::GltfFile;
use self::container::{MAGIC, without_mark};
pub use self::document::{Attributes, Primitive};
use self::document::{GltfNode, Instancing};
use super::fingerprints::{MeshHash, MeshHasher};
use super::node_list::NodeList;
use super::text::shortened;
use super::{MISSING, MeshError, MeshNode, MeshProduct};

/// The mode of primitives that say none.
const TRIANGLES: u32 = 4;

/// True for the beginning of a glTF file. Under its own extension, each object in JSON may be one.
pub fn begins(head: &[u8], is_named: bool) -> bool {
    let text = without_mark(head);
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    let is_json = text.trim_ascii_start().starts_with(b"{");
    head.starts_with(MAGIC) || is_json && (is_named || has(b"\"asset\"") && has(b"\"bufferViews\""))
}

/// Bytes of a binary file up to the end of its JSON; `None` for a text. The JSON is all that nodes need.
pub(super) fn json_end(head: &[u8]) -> Option<u64> {
    let length = head.strip_prefix(MAGIC)?.get(8..12)?.try_into().ok()?;
    Some(u64::from(u32::from_le_bytes(length)).saturating_add(20))
}

impl GltfFile<'_> {
    /// The nodes of the scene to show, with the indices of their meshes. Instances of a node's mesh are nodes below it.
    ///
    /// # Errors
    /// Nodes are missing, twice in the tree, too many or too deep.
    pub fn nodes(&self) -> Result<Vec<MeshNode<u32>>, MeshError> {
        let mut list = NodeList::new();
        let mut visited = HashSet::new();
        // In the order in which the last one is the next.
        let mut open: Vec<(u32, Option<usize>)> =
            self.roots().into_iter().rev().map(|root| (root, None)).collect();
        while let Some((index, parent)) = open.pop() {
            let node = self.document.nodes.get(index).ok_or(MISSING)?;
            if !visited.insert(index) {
                return Err(MeshError::Damaged("a part is in two others, or in itself"));
            }
            let added = self.add(node, parent, &mut list)?;
            open.extend(node.children.0.iter().rev().map(|child| (*child, Some(added))));
        }
        Ok(list.numbered())
    }

    /// An accessor of vectors of `width` numbers.
    ///
    /// # Errors
    /// It is missing, of another type, or claims more than its bytes hold.
    pub fn accessor(&self, index: u32, width: usize) -> Result<Accessor<'_>, MeshError> {
        Accessor::new(self, index, width)
    }

    /// The nodes of the scene to show; without scenes, all that are nobody's children.
    fn roots(&self) -> Vec<u32> {
        let document = &self.document;
        if let Some(scene) = document.scenes.get(document.scene.unwrap_or(0)) {
            return scene.nodes.0.clone();
        }
        let nodes = &document.nodes.0;
        let children: HashSet<u32> = nodes.iter().flat_map(|node| &node.children.0).copied().collect();
        (0..).zip(nodes).map(|(index, _)| index).filter(|index| !children.contains(index)).collect()
    }

    /// Adds a node, and returns its index.
    fn add(
        &self,
        node: &GltfNode,
        parent: Option<usize>,
        list: &mut NodeList<u32>,
    ) -> Result<usize, MeshError> {
        let mesh = node.mesh.map(|mesh| self.document.meshes.get(mesh).ok_or(MISSING)).transpose()?;
        let product = MeshProduct {
            name: mesh.map_or_else(String::new, |mesh| shortened(&mesh.name)),
            ..MeshProduct::default()
        };
        let one = |placement: DAffine3, parent: Option<usize>| MeshNode {
            name: shortened(&node.name),
            product: product.clone(),
            parent,
            placement,
            shape: node.mesh,
            object: None,
        };
        let Some(instancing) = &node.extensions.instancing else {
            return list.add(one(placement(node), parent));
        };
        let group = MeshNode { shape: None, product: MeshProduct::default(), ..one(placement(node), parent) };
        let added = list.add(group)?;
        let instances = MeshInstances::new(self, instancing)?;
        for number in 0..instances.count {
            list.add(one(instances.placement(number), Some(added)))?;
        }
        Ok(added)
    }

    /// A hash of the corners and faces of a mesh, in the order of the file. `None` if they can't be read, or are more
    /// numbers than are `left`.
    pub(super) fn hash(&self, mesh: u32, left: &mut u64) -> Option<MeshHash> {
        if self.encoding().is_some() {
            return None;
        }
        let mut hasher = MeshHasher::default();
        let primitives = self.primitives(mesh).ok()?;
        for primitive in primitives {
            let Some(positions) = primitive.attributes.position else { continue };
            let positions = self.accessor(positions, 3).ok()?;
            let indices = primitive.indices.map(|indices| self.accessor(indices, 1)).transpose().ok()?;
            let corners = indices.as_ref().map_or(0, |indices| indices.count);
            *left = left.checked_sub(positions.count.saturating_mul(3).saturating_add(corners))?;
            hasher.number(primitive.mode.unwrap_or(TRIANGLES).into());
            hasher.number(positions.count);
            for index in 0..positions.count {
                hasher.point(positions.vector::<3>(index)?);
            }
            hasher.number(corners);
            for index in 0..corners {
                hasher.number(indices.as_ref()?.index(index)?);
            }
        }
        (!primitives.is_empty()).then(|| hasher.finish())
    }
}

fn placement(node: &GltfNode) -> DAffine3 {
    match &node.matrix {
        Some(matrix) => DAffine3::from_mat4(DMat4::from_cols_array(matrix)),
        None => composed(node.scale, node.rotation, node.translation),
    }
}

fn composed(scale: Option<[f64; 3]>, rotation: Option<[f64; 4]>, translation: Option<[f64; 3]>) -> DAffine3 {
    let rotation = rotation.map(DQuat::from_array).filter(|rotation| rotation.length_squared() > 0.0);
    DAffine3::from_scale_rotation_translation(
        scale.map_or(DVec3::ONE, DVec3::from),
        rotation.map_or(DQuat::IDENTITY, DQuat::normalize),
        translation.map_or(DVec3::ZERO, DVec3::from),
    )
}

/// The placements of the instances of a node's mesh.
struct MeshInstances<'a> {
    count: u64,
    translations: Option<Accessor<'a>>,
    rotations: Option<Accessor<'a>>,
    scales: Option<Accessor<'a>>,
}

impl<'a> MeshInstances<'a> {
    fn new(file: &'a GltfFile<'_>, instancing: &Instancing) -> Result<Self, MeshError> {
        let accessor =
            |index: Option<u32>, width| index.map(|index| Accessor::new(file, index, width)).transpose();
        let translations = accessor(instancing.attributes.translation, 3)?;
        let rotations = accessor(instancing.attributes.rotation, 4)?;
        let scales = accessor(instancing.attributes.scale, 3)?;
        let all = [&translations, &rotations, &scales];
        let count = all.into_iter().flatten().map(|accessor| accessor.count).min().unwrap_or(0);
        Ok(Self { count, translations, rotations, scales })
    }

    fn placement(&self, number: u64) -> DAffine3 {
        let vector =
            |values: &Option<Accessor<'_>>| values.as_ref()?.vector::<3>(number).map(|v| v.map(f64::from));
        let rotation = self.rotations.as_ref().and_then(|values| values.vector::<4>(number));
        composed(vector(&self.scales), rotation.map(|r| r.map(f64::from)), vector(&self.translations))
    }
}
