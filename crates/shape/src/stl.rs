//! Scenes as binary STL: triangles without units, colours or names.

use glam::{DAffine3, DVec3, Vec3};

use crate::scene::{Scene, Surface};

/// The first bytes of the file. They must not be `solid`, with which files as text begin.
const HEADER: &[u8; 80] = b"Triangles in the unit of the file that they were made of. Z is up.              ";

/// A scene as the bytes of an STL file, in its own coordinates and unit. It holds the triangles of all placed meshes;
/// `None` without any, and with more than `triangles_max`.
pub fn write(scene: &Scene, triangles_max: usize) -> Option<Vec<u8>> {
    let placed = || {
        let nodes = scene.nodes.iter().zip(scene.placements());
        nodes.filter_map(|(node, placement)| Some((scene.meshes.get(node.mesh?)?, placement)))
    };
    let count = placed().map(|(mesh, _)| mesh.triangles()).fold(0, usize::saturating_add);
    if count == 0 || count > triangles_max {
        return None;
    }
    let mut file = Vec::from(HEADER);
    file.extend_from_slice(&u32::try_from(count).ok()?.to_le_bytes());
    for (mesh, placement) in placed() {
        for surface in &mesh.surfaces {
            surface.triangles.iter().for_each(|corners| add(&mut file, surface, corners, &placement));
        }
    }
    Some(file)
}

/// Adds a triangle: its direction, and its corners in the order that turns left when seen from outside.
fn add(file: &mut Vec<u8>, surface: &Surface, corners: &[u32; 3], placement: &DAffine3) {
    let corner = |index: u32| {
        let position = usize::try_from(index).ok().and_then(|index| surface.positions.get(index));
        placement.transform_point3(position.copied().unwrap_or(Vec3::ZERO).as_dvec3())
    };
    let mut corners: [DVec3; 3] = corners.map(corner);
    // A mirrored part would be inside out.
    if placement.matrix3.determinant() < 0.0 {
        corners.swap(1, 2);
    }
    let [a, b, c] = corners;
    let direction = (b - a).cross(c - a).normalize_or_zero();
    for vector in [direction, a, b, c] {
        vector.as_vec3().to_array().iter().for_each(|value| file.extend_from_slice(&value.to_le_bytes()));
    }
    file.extend_from_slice(&[0, 0]);
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DVec3, Vec3};

    use super::write;
    use crate::meshes::{self, MeshKind};
    use crate::scene::{Mesh, Node, Scene, Surface};

    /// A triangle, and the same one mirrored and moved.
    fn scene() -> Scene {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let surface = Surface { positions, triangles: vec![[0, 1, 2]], ..Surface::default() };
        let mesh = Mesh { surfaces: vec![surface], ..Mesh::default() };
        let node = |placement| Node {
            name: String::new(),
            parent: None,
            placement,
            mesh: Some(0),
            colour: None,
            object: None,
        };
        let mirrored =
            DAffine3::from_translation(DVec3::Z) * DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0));
        Scene {
            meshes: vec![mesh],
            nodes: vec![node(DAffine3::IDENTITY), node(mirrored)],
            ..Scene::default()
        }
    }

    #[test]
    fn a_written_file_has_the_placed_triangles_and_all_look_outwards() {
        let file = write(&scene(), 2).unwrap();
        assert_eq!(file.len(), 84 + 2 * 50);
        assert_eq!(meshes::kind("", &file, 184), Some(MeshKind::Stl));
        let read = meshes::read(MeshKind::Stl, &file).unwrap();
        assert_eq!((read.triangles(), read.bounds()), (2, scene().bounds()));
        let directions: Vec<[u8; 4]> =
            [84, 134].map(|begin| file[begin + 8..begin + 12].try_into().unwrap()).into();
        assert_eq!(directions, [1.0_f32.to_le_bytes(); 2]);
        assert_eq!(write(&scene(), 1), None);
    }
}
