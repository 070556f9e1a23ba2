//! STL.

use glam::Vec3;
use insta::assert_snapshot;
use shape::meshes::{COLOURS_MAX, MeshKind, TRIANGLES_MAX};

use crate::{outline, read, tetrahedron};

/// A binary file. The header is filled with zeros.
pub(crate) fn binary(header: &[u8], triangles: &[[Vec3; 3]]) -> Vec<u8> {
    let coloured: Vec<_> = triangles.iter().map(|triangle| (*triangle, 0)).collect();
    with_attributes(header, &coloured)
}

fn with_attributes(header: &[u8], triangles: &[([Vec3; 3], u16)]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, 0);
    bytes.extend(u32::try_from(triangles.len()).unwrap().to_le_bytes());
    for (triangle, attribute) in triangles {
        let vectors = [[Vec3::ZERO].as_slice(), triangle].concat();
        bytes.extend(vectors.iter().flat_map(|vector| vector.to_array()).flat_map(f32::to_le_bytes));
        bytes.extend(attribute.to_le_bytes());
    }
    bytes
}

/// A text with a solid for each name.
pub(crate) fn text(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names {
        text += &format!("solid {name}\n");
        for triangle in tetrahedron() {
            text += "  facet normal 0 0 0\n    outer loop\n";
            for Vec3 { x, y, z } in triangle {
                text += &format!("      vertex {x:e} {y} {z}\n");
            }
            text += "    endloop\n  endfacet\n";
        }
        text += &format!("endsolid {name}\n");
    }
    text
}

const WHOLE: &str = "Z up\n\"\" mesh 0\nmesh 0: 4 of 4 faces; 4 triangles; 6 edges";

#[test]
fn a_binary_file_is_one_mesh_without_a_name_also_if_its_header_begins_as_a_text() {
    for header in [&b""[..], b"solid part", b"solid facet normal", &[b' '; 80]] {
        assert_eq!(outline(MeshKind::Stl, &binary(header, &tetrahedron())), WHOLE);
    }
}

#[test]
fn each_solid_of_a_text_is_a_node_with_its_name() {
    assert_snapshot!(outline(MeshKind::Stl, text(&["a", "b c", "a", ""]).as_bytes()), @r#"
    Z up
    "a" mesh 0
    "b c" mesh 1
    "a" mesh 2
    "" mesh 3
    mesh 0: 4 of 4 faces; 4 triangles; 6 edges
    mesh 1: 4 of 4 faces; 4 triangles; 6 edges
    mesh 2: 4 of 4 faces; 4 triangles; 6 edges
    mesh 3: 4 of 4 faces; 4 triangles; 6 edges
    "#);
    // A solid without triangles shows nothing.
    let upper = text(&["empty\nendsolid empty\nsolid A"]).to_uppercase().replace('\n', "\r\n");
    assert_snapshot!(outline(MeshKind::Stl, upper.as_bytes()), @r#"
    Z up
    "A" mesh 0
    mesh 0: 4 of 4 faces; 4 triangles; 6 edges
    "#);
}

#[test]
fn attributes_are_colours_by_two_conventions() {
    let triangles = tetrahedron();
    let painted: Vec<_> = triangles.into_iter().zip([0x001f, 0x83e0, 0xfc00, 0x7fff]).collect();
    // VisCAM: with the highest bit, blue is lowest.
    assert_snapshot!(outline(MeshKind::Stl, &with_attributes(b"", &painted)), @r#"
    Z up
    "" mesh 0
    mesh 0: 4 of 4 faces; 2 triangles; 1 triangles of 0 255 0; 1 triangles of 255 0 0; 6 edges
    "#);
    // Magics: without the highest bit, red is lowest; with it, the file's colour.
    let header = b"COLOR=\x00\x80\xff\x80,MATERIAL=";
    assert_snapshot!(outline(MeshKind::Stl, &with_attributes(header, &painted)), @r#"
    Z up
    "" mesh 0
    mesh 0: 4 of 4 faces; 2 triangles of 0 55 255 50%; 1 triangles of 255 0 0; 1 triangles of 255 255 255; 6 edges
    "#);
}

#[test]
fn colours_beyond_the_limit_are_left_out() {
    let painted: Vec<_> = (0..70).map(|colour| (tetrahedron()[0], 0x8000 | colour)).collect();
    let scene = read(MeshKind::Stl, &with_attributes(b"", &painted)).unwrap();
    let [mesh] = &scene.meshes[..] else { panic!("one mesh") };
    assert_eq!(mesh.faces.shown, 70);
    assert_eq!(mesh.surfaces.len(), COLOURS_MAX + 1);
    assert_eq!((mesh.surfaces[0].colour, mesh.surfaces[0].triangles.len()), (None, 70 - COLOURS_MAX));
}

#[test]
fn a_file_that_ends_early_is_partial_and_more_bytes_are_ignored() {
    let complete = binary(b"", &tetrahedron());
    let cut = &complete[..complete.len() - 60];
    assert_snapshot!(outline(MeshKind::Stl, cut), @r#"
    Z up
    "" mesh 0
    mesh 0: 2 of 4 faces; 2 triangles; 5 edges
    "#);
    let longer = [complete.as_slice(), b"more"].concat();
    assert_eq!(outline(MeshKind::Stl, &longer), outline(MeshKind::Stl, &complete));
    let claim = [&[0; 80][..], &[0xff; 4], &complete[84..]].concat();
    assert_eq!(read(MeshKind::Stl, &claim).unwrap().meshes[0].faces.all, u64::from(u32::MAX));
}

#[test]
fn corners_that_are_no_points_leave_their_triangle_out() {
    let mut triangles = tetrahedron();
    triangles[0][1].x = f32::NAN;
    triangles[1][2].y = f32::INFINITY;
    assert_eq!(read(MeshKind::Stl, &binary(b"", &triangles)).unwrap().meshes[0].faces.shown, 2);
    let text =
        text(&["a"]).replacen("vertex 1e0", "vertex one", 1).replacen("vertex 0e0 0 1", "vertex 0 0", 1);
    assert_eq!(read(MeshKind::Stl, text.as_bytes()).unwrap().meshes[0].faces.shown, 2);
}

#[test]
fn a_file_without_triangles_has_no_shape() {
    let empty = "There is no shape in this file.";
    let broken = binary(b"", &[[Vec3::NAN; 3]]);
    let flat = binary(b"", &[[Vec3::ONE; 3]]);
    for bytes in [&b""[..], b"solid", b"solid a\nendsolid a\n", &[0; 84], &[1; 84], &broken, &flat] {
        assert_eq!(outline(MeshKind::Stl, bytes), empty);
    }
}

#[test]
fn triangles_beyond_the_limit_are_counted_and_not_shown() {
    // Points in place of triangles, which take no time.
    let mut bytes = binary(b"", &[]);
    bytes[80..84].copy_from_slice(&u32::try_from(TRIANGLES_MAX + 3).unwrap().to_le_bytes());
    let one = binary(b"", &[[Vec3::ZERO, Vec3::X, Vec3::Y]])[84..].to_vec();
    bytes.extend(&one);
    bytes.resize(bytes.len() + 50 * (TRIANGLES_MAX - 1), 0);
    bytes.extend(one.repeat(3));
    assert_snapshot!(outline(MeshKind::Stl, &bytes), @r#"
    Z up
    "" mesh 0
    mesh 0: 1000000 of 1000003 faces; 1 triangles; 3 edges
    "#);
}
