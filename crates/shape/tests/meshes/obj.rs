//! Wavefront OBJ.

use import::mesh::NODES_MAX;
use insta::assert_snapshot;
use shape::meshes::{MeshKind, SEGMENTS_MAX};

use crate::outline;

/// The corners of a cube.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n";

/// A file with each kind of line that is read.
pub(crate) fn rich() -> String {
    format!(
        "{CUBE}o a\ng b c\nf 1 4 3 2\nf 5//1 6/2 7/3/4\ng\nf -8 -7 \\\n -3\no d\nl 1 2 3\nusemtl e\nf 4 1 5\n"
    )
}

fn cube(faces: &str) -> String {
    outline(MeshKind::Obj, format!("# a comment\nmtllib /etc/passwd\n{CUBE}{faces}").as_bytes())
}

#[test]
fn polygons_are_fans_and_corners_count_from_both_ends() {
    let faces = "f 1 4 3 2\nf 5/1/1 6//2 7/3 8\r\nf -8 -7 -3 -4\nf 2 3 7\\\n 6\nf 3 4 8 7\nf 4 1 \\\r\n5 8\n";
    assert_snapshot!(cube(faces), @r#"
    Y up
    "" mesh 0
    mesh 0: 6 of 6 faces; 12 triangles; 12 edges
    "#);
}

#[test]
fn objects_and_groups_are_nodes_and_materials_divide_nothing() {
    let faces = "o body\nusemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\ng lid left\nf 5 6 7\ng\nf 5 7 8\n\
        o body 2\ng lid left\nusemtl red\nf 1 2 3\no body\nf 2 3 7\n";
    assert_snapshot!(cube(faces), @r#"
    Y up
    "body" mesh 0
      "lid left" mesh 1
    "body 2"
      "lid left" mesh 2
    mesh 0: 4 of 4 faces; 4 triangles; 9 edges
    mesh 1: 1 of 1 faces; 1 triangles; 3 edges
    mesh 2: 1 of 1 faces; 1 triangles; 3 edges
    "#);
    assert_snapshot!(cube("g a\nf 1 2 3\ng b\nf 1 3 4\ng a\nf 5 6 7\n"), @r#"
    Y up
    "a" mesh 0
    "b" mesh 1
    mesh 0: 2 of 2 faces; 2 triangles; 6 edges
    mesh 1: 1 of 1 faces; 1 triangles; 3 edges
    "#);
}

#[test]
fn lines_are_edges_and_points_are_left_out() {
    assert_snapshot!(cube("l 1 2 3/4\nl 99 1\nl 4\np 1 2\n"), @r#"
    Y up
    "" mesh 0
    mesh 0: 0 of 0 faces; 2 edges
    "#);
}

#[test]
fn lines_beyond_the_limit_are_left_out() {
    let long = cube(&format!("l{}", " 1 2".repeat(SEGMENTS_MAX / 2 + 1)));
    assert!(long.ends_with("mesh 0: 0 of 0 faces; 1000000 edges"), "{long}");
}

#[test]
fn faces_with_corners_that_do_not_exist_are_counted_and_left_out() {
    let faces = "f 1 2 3\nf 0 1 2\nf 1 2 9\nf -9 1 2\nf 1//-9 3 4\nf a b c\nf 1 2\nf\nf 9223372036854775807 1 2\n\
        f -9223372036854775808 1 2\n";
    assert_snapshot!(cube(faces), @r#"
    Y up
    "" mesh 0
    mesh 0: 2 of 10 faces; 2 triangles; 4 edges
    "#);
    let no_points = b"v 0 0 0\nv 1e400 0 0\nv nan 0 0\nv 1 0\nv 0 1 0\nf 1 2 5\nf 1 3 5\nf 1 4 5\n";
    assert_snapshot!(outline(MeshKind::Obj, no_points), @"There is no shape in this file.");
}

#[test]
fn a_text_that_is_not_utf_8_is_read() {
    let file = b"o Geh\xe4use \n# \xff\nv 0 0 0 0.5 0.5 0.5\nv 1 0 0 1\nv 0 1 0\nf 1 2 3";
    assert_snapshot!(outline(MeshKind::Obj, file), @r#"
    Y up
    "Geh�use" mesh 0
    mesh 0: 1 of 1 faces; 1 triangles; 3 edges
    "#);
}

#[test]
fn more_groups_than_nodes_are_an_error() {
    let groups: String = (0..=NODES_MAX).map(|group| format!("g {group}\nf 1 2 3\n")).collect();
    assert_snapshot!(cube(&groups), @"The file has more than 100000 parts.");
}
