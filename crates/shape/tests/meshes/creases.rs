//! Directions and edges of surfaces.

use glam::Vec3;
use shape::meshes::MeshKind;
use shape::meshes::creases::{OUTLINED_MAX, crease_edges};
use shape::scene::{Mesh, Surface};

use crate::{TETRAHEDRON, read, stl, tetrahedron, tube};

fn mesh(triangles: &[[Vec3; 3]]) -> Mesh {
    let mut scene = read(MeshKind::Stl, &stl::binary(b"", triangles)).unwrap();
    scene.meshes.remove(0)
}

#[test]
fn a_cylinder_is_round_and_a_prism_has_edges() {
    for (sides, walls, corners) in [(12, 0, 24), (64, 0, 128), (11, 11, 44), (6, 6, 24)] {
        let mesh = mesh(&tube(sides));
        // Two circles of open borders, and the edges between the sides of a prism.
        assert_eq!(mesh.edges.segments.len(), usize::from(sides) * 2 + walls, "{sides}");
        assert_eq!(mesh.surfaces[0].positions.len(), corners, "{sides}");
    }
    let surface = &mesh(&tube(24)).surfaces[0];
    for (point, normal) in surface.positions.iter().zip(&surface.normals) {
        assert!(normal.dot(point.with_z(0.0)) > 0.9999, "{point} {normal}");
    }
}

#[test]
fn a_solid_with_sharp_edges_keeps_the_direction_of_each_face() {
    let mesh = mesh(&tetrahedron());
    assert_eq!(mesh.edges.segments.len(), 6);
    assert_eq!(mesh.edges.positions.len(), 4);
    let mut normals: Vec<_> =
        mesh.surfaces[0].normals.iter().map(|n| n.to_array().map(|part| part.round())).collect();
    normals.dedup();
    assert_eq!(normals.len(), 4);
}

#[test]
fn flat_faces_have_no_edges_inside_even_with_two_sides_or_a_triangle_the_wrong_way_round() {
    let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    for triangles in
        [&[[a, b, c], [a, c, d]][..], &[[a, b, c], [a, d, c]], &[[a, b, c], [a, c, d], [a, c, b], [a, d, c]]]
    {
        let mesh = mesh(triangles);
        let diagonal = mesh.edges.segments.iter().any(|ends| {
            let [from, to] = ends.map(|end| mesh.edges.positions[usize::try_from(end).unwrap()]);
            [from, to] == [a, c] || [from, to] == [c, a]
        });
        assert!(!diagonal, "{triangles:?}");
    }
}

#[test]
fn a_fold_by_half_a_turn_is_an_edge() {
    let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.5, 0.5, 0.0)];
    assert_eq!(mesh(&[[a, b, c], [b, a, d]]).edges.segments.len(), 5);
}

#[test]
fn corners_at_one_point_count_as_one() {
    let triangles = tube(16);
    let surface = Surface {
        positions: triangles.iter().flatten().copied().collect(),
        triangles: (0..32).map(|index| [index * 3, index * 3 + 1, index * 3 + 2]).collect(),
        ..Surface::default()
    };
    assert_eq!(crease_edges(&surface).segments.len(), 32);
    assert_eq!(crease_edges(&Surface::default()).segments.len(), 0);
}

#[test]
fn surfaces_of_very_many_triangles_have_no_edges() {
    let edges = |count: usize| {
        let mut triangles = vec![[0, 1, 2]; count - 1];
        triangles.push([0, 1, 3]);
        let surface = Surface { positions: TETRAHEDRON.to_vec(), triangles, ..Surface::default() };
        crease_edges(&surface).segments.len()
    };
    assert_eq!(edges(OUTLINED_MAX), 3);
    assert_eq!(edges(OUTLINED_MAX + 1), 0);
}
