//! glTF 2.0, as JSON and binary (GLB). Base colours are the only thing that is read of materials.
//!
//! Read here: the crate `gltf` (1.4.1) panics at indices out of range if it doesn't validate, and its validation
//! refuses files with quantized coordinates or instances. Either way it refuses scenes without nodes
//! (`findings/gltf-refuses-scenes-without-nodes.sh`).

mod accessor;
mod container;
mod document;
mod primitives;

use std::collections::HashSet;

use glam::{DAffine3, DMat4, DQuat, DVec3};

use self::accessor::Accessor;
use self::container::{Container, MAGIC, without_mark};
use self::document::{GltfNode, Instancing};
use self::primitives::SharedMeshes;
use super::builder::SceneBuilder;
use super::{MISSING, MeshError};
use crate::scene::{Scene, UpAxis};

/// Extensions without which the shape can't be read, by the names of what they add. Others change only the looks, or
/// add what is left out.
const ENCODINGS: [(&str, &str); 3] = [
    ("KHR_draco_mesh_compression", "Draco (KHR_draco_mesh_compression)"),
    ("EXT_meshopt_compression", "meshopt (EXT_meshopt_compression)"),
    ("KHR_meshopt_compression", "meshopt (KHR_meshopt_compression)"),
];

/// True for the beginning of a glTF file. Under its own extension, each object in JSON may be one.
pub(super) fn begins(head: &[u8], is_named: bool) -> bool {
    let text = without_mark(head);
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    let is_json = text.trim_ascii_start().starts_with(b"{");
    head.starts_with(MAGIC) || is_json && (is_named || has(b"\"asset\"") && has(b"\"bufferViews\""))
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Scene, MeshError> {
    let file = Container::read(bytes)?;
    let required = &file.document.extensions_required.0;
    if let Some((_, name)) = ENCODINGS.iter().find(|(known, _)| required.iter().any(|name| name == known)) {
        return Err(MeshError::Unsupported(name));
    }
    let mut scene = SceneBuilder::default();
    let mut meshes = SharedMeshes::default();
    let mut visited = HashSet::new();
    // In the order in which the last one is the next.
    let mut open: Vec<(u32, Option<usize>)> =
        roots(&file).into_iter().rev().map(|root| (root, None)).collect();
    while let Some((index, parent)) = open.pop() {
        let node = file.document.nodes.get(index).ok_or(MISSING)?;
        if !visited.insert(index) {
            return Err(MeshError::Damaged("a part is in two others, or in itself"));
        }
        let added = add(&file, node, parent, &mut scene, &mut meshes)?;
        open.extend(node.children.0.iter().rev().map(|child| (*child, Some(added))));
    }
    scene.build(UpAxis::Y, Some(1.0))
}

/// The nodes of the scene to show; without scenes, all that are nobody's children.
fn roots(file: &Container<'_>) -> Vec<u32> {
    let document = &file.document;
    if let Some(scene) = document.scenes.get(document.scene.unwrap_or(0)) {
        return scene.nodes.0.clone();
    }
    let nodes = &document.nodes.0;
    let children: HashSet<u32> = nodes.iter().flat_map(|node| &node.children.0).copied().collect();
    (0..).zip(nodes).map(|(index, _)| index).filter(|index| !children.contains(index)).collect()
}

/// Adds a node, and returns its index. MeshInstances of its mesh are nodes below it.
fn add(
    file: &Container<'_>,
    node: &GltfNode,
    parent: Option<usize>,
    scene: &mut SceneBuilder,
    meshes: &mut SharedMeshes,
) -> Result<usize, MeshError> {
    let mesh = node.mesh.map(|mesh| meshes.get(file, scene, mesh)).transpose()?;
    let name_of_mesh = || Some(file.document.meshes.get(node.mesh?)?.name.as_str());
    let name = Some(node.name.as_str()).filter(|name| !name.is_empty()).or_else(name_of_mesh);
    let name = name.unwrap_or_default();
    let Some(instancing) = &node.extensions.instancing else {
        return scene.node(name, parent, placement(node), mesh);
    };
    let added = scene.node(name, parent, placement(node), None)?;
    let instances = MeshInstances::new(file, instancing)?;
    for number in 0..instances.count {
        scene.node(name, Some(added), instances.placement(number), mesh)?;
    }
    Ok(added)
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
    fn new(file: &'a Container<'_>, instancing: &Instancing) -> Result<Self, MeshError> {
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
