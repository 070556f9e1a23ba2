//! glTF 2.0, as JSON and binary (GLB): the shapes of its nodes.

mod primitives;

use import::mesh::MeshError;
use import::mesh::gltf::GltfFile;

use self::primitives::SharedMeshes;
use super::builder::SceneBuilder;
use crate::scene::{Scene, UpAxis};

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Scene, MeshError> {
    let file = GltfFile::read(bytes)?;
    if let Some(name) = file.encoding() {
        return Err(MeshError::Unsupported(name));
    }
    let mut scene = SceneBuilder::default();
    let mut meshes = SharedMeshes::default();
    for node in file.nodes()? {
        let mesh = node.shape.map(|mesh| meshes.get(&file, &mut scene, mesh)).transpose()?;
        scene.add(&node, mesh)?;
    }
    scene.build(UpAxis::Y, Some(1.0))
}
