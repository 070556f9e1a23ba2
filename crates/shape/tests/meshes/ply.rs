//! PLY.

use glam::Vec3;
use insta::assert_snapshot;
use shape::meshes::MeshKind;

use crate::{FACES, TETRAHEDRON, outline};

/// A text with a tetrahedron.
pub(crate) fn text() -> String {
    let mut text = "ply\nformat ascii 1.0\ncomment a\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nproperty uchar red\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
        .to_owned();
    for Vec3 { x, y, z } in TETRAHEDRON {
        text += &format!("{x} {y} {z} 255\n");
    }
    for [a, b, c] in FACES {
        text += &format!("3 {a} {b} {c}\n");
    }
    text
}

/// The same as numbers of another type, with an element between the two.
pub(crate) fn binary(is_big: bool) -> Vec<u8> {
    let (order, number): (&str, fn(f64) -> [u8; 8]) =
        if is_big { ("big", f64::to_be_bytes) } else { ("little", f64::to_le_bytes) };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement vertex 4\nproperty double x\nproperty double y\n\
        property double z\nelement edge 2\nproperty list uchar char data\nelement face 4\n\
        property list uchar ushort vertex_index\nproperty uchar flag\nend_header\n"
    )
    .into_bytes();
    bytes.extend(TETRAHEDRON.iter().flat_map(|point| point.as_dvec3().to_array()).flat_map(number));
    bytes.extend([2, 7, 7, 0]);
    for face in FACES {
        bytes.push(3);
        for corner in face {
            let corner = u16::try_from(corner).unwrap();
            bytes.extend(if is_big { corner.to_be_bytes() } else { corner.to_le_bytes() });
        }
        bytes.push(9);
    }
    bytes
}

const WHOLE: &str = "Z up\n\"\" mesh 0\nmesh 0: 4 of 4 faces; 4 triangles; 6 edges";

#[test]
fn all_encodings_are_read() {
    assert_eq!(outline(MeshKind::Ply, text().as_bytes()), WHOLE);
    assert_eq!(outline(MeshKind::Ply, text().replace('\n', "\r\n").as_bytes()), WHOLE);
    assert_eq!(outline(MeshKind::Ply, &binary(true)), WHOLE);
    assert_eq!(outline(MeshKind::Ply, &binary(false)), WHOLE);
}

#[test]
fn a_file_that_ends_early_is_partial() {
    let bytes = binary(false);
    assert_snapshot!(outline(MeshKind::Ply, &bytes[..bytes.len() - 9]), @r#"
    Z up
    "" mesh 0
    mesh 0: 2 of 4 faces; 2 triangles; 5 edges
    "#);
}

#[test]
fn claims_of_the_header_take_neither_time_nor_memory() {
    let faces = text().replace("face 4", "face 18446744073709551615");
    assert_snapshot!(outline(MeshKind::Ply, faces.as_bytes()), @r#"
    Z up
    "" mesh 0
    mesh 0: 4 of 18446744073709551615 faces; 4 triangles; 6 edges
    "#);
    let other = text().replace("element vertex", "element nothing 18446744073709551615\nelement vertex");
    assert_eq!(outline(MeshKind::Ply, other.as_bytes()), WHOLE);
    let list = text().replace("3 0 2 1", "4000000000 0 2 1");
    assert_snapshot!(outline(MeshKind::Ply, list.as_bytes()), @"There is no shape in this file.");
}

#[test]
fn polygons_are_fans_and_faces_without_their_corners_are_left_out() {
    let text =
        text().replace("3 0 2 1", "4 0 2 1 3").replace("3 1 2 3", "3 1 2 4").replace("3 0 3 2", "3 0 -1 2");
    assert_snapshot!(outline(MeshKind::Ply, text.as_bytes()), @r#"
    Z up
    "" mesh 0
    mesh 0: 2 of 4 faces; 3 triangles; 5 edges
    "#);
}

#[test]
fn clouds_of_points_and_other_headers_have_no_shape() {
    let points = text().replace("face 4", "face 0");
    assert_snapshot!(outline(MeshKind::Ply, points.as_bytes()), @"There is no shape in this file.");
    let names = text().replace("float z", "float w");
    assert_snapshot!(
        outline(MeshKind::Ply, names.as_bytes()),
        @"The file is damaged: its vertices have no coordinates."
    );
    assert_snapshot!(outline(MeshKind::Ply, b"ply\nformat"), @"The file is damaged: its header is not that of a PLY.");
}
