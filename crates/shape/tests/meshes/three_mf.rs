//! 3MF.

use std::io::{Cursor, Write};

use insta::assert_snapshot;
use shape::meshes::MeshKind;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{FACES, TETRAHEDRON, outline};

/// A ZIP of these parts.
pub(crate) fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    packed(parts, SimpleFileOptions::default())
}

fn packed(parts: &[(&str, &str)], options: SimpleFileOptions) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The parts of a package with most of what is read.
pub(crate) fn rich() -> Vec<(&'static str, String)> {
    let resources = "<basematerials id='7'><base name='red' displaycolor='#FF0000'/></basematerials>\
        <m:colorgroup id='8'><m:color color='#00FF00FF'/></m:colorgroup><object id='2'><components>\
        <component objectid='3'/><component objectid='1' p:path='/inner.model' transform='1 0 0 0 1 0 0 0 1 50 0 0'/>\
        </components></object><object id='3' name='a' pid='7' pindex='0'>";
    let build = "<item objectid='2'/><item objectid='3' partnumber='b'/>";
    let coloured = mesh(["", "pid='8' p1='0'", "", ""]);
    let inner = format!("<object id='1'>{}</object>", mesh([""; 4]));
    let settings = "<config><object id='2'><metadata key='name' value='c'/></object></config>";
    let relations =
        "<Relationships><Relationship Type='http://a/3dmodel' Target='/a.model'/></Relationships>";
    vec![
        ("_rels/.rels", relations.to_owned()),
        ("a.model", model(&format!("{resources}{coloured}</object>"), build)),
        ("inner.model", model(&inner, "")),
        ("Metadata/model_settings.config", settings.to_owned()),
    ]
}

/// A package whose parts are not compressed.
pub(crate) fn stored(parts: &[(&str, String)]) -> Vec<u8> {
    let parts: Vec<_> = parts.iter().map(|(name, content)| (*name, content.as_str())).collect();
    packed(&parts, SimpleFileOptions::default().compression_method(CompressionMethod::Stored))
}

/// The mesh of a tetrahedron. Each of its triangles has further attributes.
pub(crate) fn mesh(of_triangles: [&str; 4]) -> String {
    let vertices: String = TETRAHEDRON
        .iter()
        .map(|point| format!("<vertex x='{}' y='{}' z='{}'/>", point.x, point.y, point.z))
        .collect();
    let triangles: String = FACES
        .iter()
        .zip(of_triangles)
        .map(|([a, b, c], more)| format!("<triangle v1='{a}' v2='{b}' v3='{c}' {more}/>"))
        .collect();
    format!("<mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>")
}

/// A file with these resources and items.
pub(crate) fn model(resources: &str, build: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='utf-8'?><model unit='inch' xmlns='core' xmlns:m='material' xmlns:p='production'>\
         <resources>{resources}</resources><build>{build}</build></model>"
    )
}

const MISSING: &str = "The file is damaged: it points at something that it does not contain.";

fn read(resources: &str, build: &str) -> String {
    outline(MeshKind::ThreeMf, &package(&[("3D/3dmodel.model", &model(resources, build))]))
}

#[test]
fn the_build_is_shown_and_nothing_else() {
    let plain = mesh([""; 4]);
    let resources = format!(
        "<object id='1' name='a &amp; b'>{plain}</object><object id='2' partnumber='P-2'>{plain}</object>\
         <object id='3' name='unused'>{plain}</object>\
         <object id='4' name='whole'><components><component objectid='1'/>\
         <component objectid='2' transform='0 1 0 -1 0 0 0 0 1 5 6 7'/></components></object>"
    );
    let build = "<item objectid='4' transform='1 0 0 0 1 0 0 0 1 50 0 0'/><item objectid='1' partnumber='other'/>\
        <item objectid='2' partnumber='P-9'/><item objectid='2'/>";
    assert_snapshot!(read(&resources, build), @r#"
    Z up, 0.0254 m
    "whole" at [50.0, 0.0, 0.0]
      "a & b" mesh 0
      "P-2" mesh 1 axes [0.0, 1.0, 0.0] [-1.0, 0.0, 0.0] [0.0, 0.0, 1.0] at [5.0, 6.0, 7.0]
    "a & b" mesh 0
    "P-9" mesh 1
    "P-2" mesh 1
    mesh 0: 4 of 4 faces; 4 triangles; 6 edges
    mesh 1: 4 of 4 faces; 4 triangles; 6 edges
    "#);
    assert_snapshot!(read(&resources, ""), @"There is no shape in this file.");
}

#[test]
fn components_in_other_parts_are_found_and_scaled_to_the_unit_of_the_build() {
    let inner = format!(
        "<model unit='foot'><resources><object id='1' name='inner'>{}</object></resources></model>",
        mesh([""; 4])
    );
    let resources = "<object id='1' name='outer'><components>\
        <component objectid='1' p:path='/3D/Objects/Inner.model' \
        transform='1 0 0 0 1 0 0 0 1 1 0 0'/>\
        <component objectid='1' p:path='/3D/objects/inner.model'/></components></object>";
    let relations = "<Relationships><Relationship Type='thumbnail' Target='/missing.png'/>\
        <Relationship Type='http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel' Target='/3D/other.model'/>\
        </Relationships>";
    let root = model(resources, "<item objectid='1'/>");
    let parts = [
        ("_rels/.rels", relations),
        ("3D/other.model", root.as_str()),
        ("3D/Objects/inner.model", inner.as_str()),
    ];
    assert_snapshot!(outline(MeshKind::ThreeMf, &package(&parts)), @r#"
    Z up, 0.0254 m
    "outer"
      "inner" mesh 0 axes [12.0, 0.0, 0.0] [0.0, 12.0, 0.0] [0.0, 0.0, 12.0] at [1.0, 0.0, 0.0]
      "inner" mesh 0 axes [12.0, 0.0, 0.0] [0.0, 12.0, 0.0] [0.0, 0.0, 12.0]
    mesh 0: 4 of 4 faces; 4 triangles; 6 edges
    "#);
    assert_eq!(outline(MeshKind::ThreeMf, &package(&parts[..2])), MISSING);
}

#[test]
fn a_package_that_is_not_compressed_is_read() {
    assert_snapshot!(outline(MeshKind::ThreeMf, &stored(&rich())), @r#"
    Z up, 0.0254 m
    "c"
      "a" mesh 0
      "" mesh 1 at [50.0, 0.0, 0.0]
    "a" mesh 0
    mesh 0: 4 of 4 faces; 1 triangles of 0 255 0; 3 triangles of 255 0 0; 6 edges
    mesh 1: 4 of 4 faces; 4 triangles; 6 edges
    "#);
}

#[test]
fn colours_are_those_of_triangles_or_else_of_their_objects() {
    let resources = format!(
        "<basematerials id='7'><base name='red' displaycolor='#FF0000'/>\
         <base name='b' displaycolor='#0000ff80'/></basematerials>\
         <m:colorgroup id='8'><m:color color='#00FF00FF'/></m:colorgroup>\
         <object id='1' pid='7' pindex='1'>{}</object><object id='2' pid='9' pindex='0'>{}</object>",
        mesh(["", "pid='7' p1='0'", "pid='8' p1='0' p2='1' p3='0'", ""]),
        mesh([""; 4])
    );
    assert_snapshot!(read(&resources, "<item objectid='1'/><item objectid='2'/>"), @r#"
    Z up, 0.0254 m
    "" mesh 0
    "" mesh 1
    mesh 0: 4 of 4 faces; 2 triangles of 0 0 255 50%; 1 triangles of 0 255 0; 1 triangles of 255 0 0; 6 edges
    mesh 1: 4 of 4 faces; 4 triangles; 6 edges
    "#);
}

#[test]
fn names_that_slicers_keep_beside_the_model_are_read() {
    let root = model(&format!("<object id='1'>{}</object>", mesh([""; 4])), "<item objectid='1'/>");
    let settings = "<config><object id='1'><metadata type='object' key='extruder' value='0'/>\
        <metadata type='object' key='name' value='bracket'/><volume firstid='0' lastid='3'>\
        <metadata type='volume' key='name' value='piece'/></volume></object></config>";
    for path in ["Metadata/Slic3r_PE_model.config", "Metadata/model_settings.config"] {
        let file = package(&[("3D/3dmodel.model", &root), (path, settings)]);
        assert!(
            outline(MeshKind::ThreeMf, &file).contains(
                "
\"bracket\" mesh 0
"
            ),
            "{path}"
        );
    }
    let broken = package(&[("3D/3dmodel.model", &root), ("Metadata/model_settings.config", "<config></a>")]);
    assert_snapshot!(outline(MeshKind::ThreeMf, &broken), @r#"
    Z up, 0.0254 m
    "" mesh 0
    mesh 0: 4 of 4 faces; 4 triangles; 6 edges
    "#);
}

#[test]
fn circles_of_components_and_too_many_of_them_are_errors() {
    let twice = |id: u32| format!("<component objectid='{id}'/>").repeat(2);
    let circle = format!(
        "<object id='1'><components>{}</components></object><object id='2'><components>{}</components></object>",
        twice(2),
        twice(1)
    );
    assert_snapshot!(
        read(&circle, "<item objectid='1'/>"),
        @"The file has parts in more than 256 levels, or parts that contain themselves."
    );
    // Two of two of two ...: 2 to the power of 40 nodes.
    let mut doubled = format!("<object id='0'>{}</object>", mesh([""; 4]));
    for id in 1..=40 {
        doubled += &format!("<object id='{id}'><components>{}</components></object>", twice(id - 1));
    }
    assert_snapshot!(read(&doubled, "<item objectid='40'/>"), @"The file has more than 100000 parts.");
    assert_eq!(read("", "<item objectid='1'/>"), MISSING);
    let many = "<item objectid='1'/>".repeat(600_000);
    assert_snapshot!(read("", &many), @"The file has more than 100000 parts.");
}

#[test]
fn triangles_without_their_corners_are_counted_and_left_out() {
    let broken = mesh([""; 4])
        .replacen("v1='0'", "v1='9'", 1)
        .replacen("v3='2'/", "/", 1)
        .replacen("v3='2'", "v3='-1'", 1);
    assert_snapshot!(read(&format!("<object id='1'>{broken}</object>"), "<item objectid='1'/>"), @r#"
    Z up, 0.0254 m
    "" mesh 0
    mesh 0: 2 of 4 faces; 2 triangles; 5 edges
    "#);
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked_and_also_if_it_lies() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("3D/3dmodel.model", SimpleFileOptions::default()).unwrap();
    let spaces = vec![b' '; 1 << 20];
    (0..260).for_each(|_| zip.write_all(&spaces).unwrap());
    let mut file = zip.finish().unwrap().into_inner();
    assert_snapshot!(outline(MeshKind::ThreeMf, &file), @"The file unpacks to more than 256 MiB.");
    // The size of the entry in the directory, 24 bytes behind its mark, and in its own header.
    let directory = file.windows(4).rposition(|mark| mark == b"PK\x01\x02").unwrap();
    file[directory + 24..directory + 28].copy_from_slice(&9_u32.to_le_bytes());
    file[22..26].copy_from_slice(&9_u32.to_le_bytes());
    let refused =
        ["The file unpacks to more than 256 MiB.", "The file is damaged: its XML is broken, or its ZIP."];
    assert!(refused.contains(&outline(MeshKind::ThreeMf, &file).as_str()));
}

#[test]
fn packages_and_parts_that_are_damaged_are_errors() {
    let damaged = |parts: &[(&str, &str)]| outline(MeshKind::ThreeMf, &package(parts));
    assert_eq!(damaged(&[]), MISSING);
    assert_snapshot!(
        damaged(&[("3D/3dmodel.model", "<model><a></b>")]),
        @"The file is damaged: its XML is broken, or its ZIP."
    );
    assert_snapshot!(damaged(&[("3D/3dmodel.model", "")]), @"There is no shape in this file.");
    assert_snapshot!(outline(MeshKind::ThreeMf, b"PK\x03\x04"), @"The file is damaged: it is not a ZIP.");
}
