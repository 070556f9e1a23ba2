//! Hostile files: random bytes, and valid files that are damaged at random. Each gives an error, or a scene within the
//! limits.
//!
//! These are the fuzz targets. They run on the stable toolchain; `PROPTEST_CASES` is the number of cases.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use shape::meshes::MeshKind;

use crate::{gltf, obj, ply, read, stl, tetrahedron, three_mf};

const KINDS: [MeshKind; 5] = [MeshKind::Stl, MeshKind::Obj, MeshKind::Gltf, MeshKind::ThreeMf, MeshKind::Ply];

/// A valid file of each encoding.
fn files() -> Vec<(MeshKind, Vec<u8>)> {
    let json = gltf::rich();
    vec![
        (MeshKind::Stl, stl::binary(b"COLOR=abcd", &tetrahedron())),
        (MeshKind::Stl, stl::text(&["a", "b c"]).into_bytes()),
        (MeshKind::Obj, obj::rich().into_bytes()),
        (MeshKind::Gltf, gltf::binary(&json, &gltf::rich_data())),
        (MeshKind::Gltf, gltf::embedded(&json, &gltf::rich_data())),
        (MeshKind::ThreeMf, three_mf::stored(&three_mf::rich())),
        (MeshKind::Ply, ply::text().into_bytes()),
        (MeshKind::Ply, ply::binary(true)),
        (MeshKind::Ply, ply::binary(false)),
    ]
}

/// A change to a file.
#[derive(Clone, Debug)]
enum Damage {
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Cut(Index),
    Repeat(Index, usize),
    /// Replaces one number by another.
    Renumber(Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let pieces = select(vec![
        "solid",
        "facet",
        "vertex",
        "\n",
        "\0",
        "f -1 -2 -3",
        "\\",
        "#",
        "<",
        "/>",
        "{",
        "]",
        "nan",
        "é",
    ]);
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (any::<Index>(), vec(any::<u8>(), 0..8)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        (any::<Index>(), pieces).prop_map(|(at, piece)| Damage::Insert(at, piece.as_bytes().to_vec())),
        (any::<Index>(), 0..80_usize).prop_map(|(at, length)| Damage::Remove(at, length)),
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), 0..300_usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
        renumbering(),
    ]
}

fn renumbering() -> impl Strategy<Value = Damage> {
    let numbers = select(vec![
        "-1",
        "0",
        "1",
        "2",
        "3",
        "7",
        "255",
        "65536",
        "4294967295",
        "18446744073709551615",
        "-9223372036854775808",
        "0.5",
        "1e38",
        "1e39",
        "1e400",
        "nan",
        "",
    ]);
    (any::<Index>(), numbers).prop_map(|(at, number)| Damage::Renumber(at, number))
}

fn apply(bytes: &mut Vec<u8>, damage: Damage) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match damage {
        Damage::Set(at, byte) => bytes[at.index(length)] = byte,
        Damage::Insert(at, inserted) => {
            let at = at.index(length);
            bytes.splice(at..at, inserted);
        }
        Damage::Remove(at, count) => {
            let at = at.index(length);
            bytes.drain(at..length.min(at + count));
        }
        Damage::Cut(at) => bytes.truncate(at.index(length)),
        Damage::Repeat(at, count) => {
            let at = at.index(length);
            let repeated = bytes[at..length.min(at + count)].to_vec();
            bytes.splice(at..at, repeated);
        }
        Damage::Renumber(at, number) => {
            let is_digit = |place: &usize| bytes[*place].is_ascii_digit();
            let begins: Vec<usize> = (0..length)
                .filter(|place| is_digit(place) && (*place == 0 || !is_digit(&(place - 1))))
                .collect();
            if !begins.is_empty() {
                let begin = begins[at.index(begins.len())];
                let end = begin + bytes[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(begin..end, number.bytes());
            }
        }
    }
}

fn damaged(mut bytes: Vec<u8>, damages: Vec<Damage>) -> Vec<u8> {
    damages.into_iter().for_each(|damage| apply(&mut bytes, damage));
    bytes
}

/// Replaces a value of a document by a number, by its place among all values.
fn replace(json: &mut Value, at: Index, with: &Value) {
    let mut paths = vec![String::new()];
    let mut next = 0;
    while let Some(path) = paths.get(next).cloned() {
        next += 1;
        match json.pointer(&path).unwrap() {
            Value::Array(items) => paths.extend((0..items.len()).map(|item| format!("{path}/{item}"))),
            Value::Object(fields) => paths.extend(fields.keys().map(|field| format!("{path}/{field}"))),
            _ => {}
        }
    }
    let path = &paths[at.index(paths.len())];
    *json.pointer_mut(path).unwrap() = with.clone();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_as_any_kind(bytes in vec(any::<u8>(), 0..1024), kind in select(&KINDS[..])) {
        drop(read(kind, &bytes));
        for extension in ["", "stl", "obj", "gltf", "3mf"] {
            shape::meshes::kind(extension, &bytes, 0);
        }
    }

    #[test]
    fn any_bytes_after_the_mark_of_a_kind_are_read(
        (kind, mark) in select(vec![
            (MeshKind::Stl, &b"solid a\nfacet normal\nvertex "[..]), (MeshKind::Stl, &[0; 83]),
            (MeshKind::Obj, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf "), (MeshKind::Gltf, b"glTF\x02\0\0\0\0\0\0\0"),
            (MeshKind::Gltf, b"{\"asset\":"), (MeshKind::ThreeMf, b"PK\x03\x04"),
            (MeshKind::Ply, b"ply\nformat ascii 1.0\nelement vertex 3\n"),
        ]),
        bytes in vec(any::<u8>(), 0..512),
    ) {
        drop(read(kind, &[mark, &bytes].concat()));
    }

    #[test]
    fn a_damaged_file_is_read((kind, file) in select(files()), damages in vec(damage(), 1..12)) {
        drop(read(kind, &damaged(file, damages)));
    }

    #[test]
    fn a_file_with_damaged_numbers_is_read(
        (kind, file) in select(files()),
        damages in vec(renumbering(), 1..4),
    ) {
        drop(read(kind, &damaged(file, damages)));
    }

    #[test]
    fn a_package_with_damaged_parts_is_read(part in any::<Index>(), damages in vec(damage(), 1..6)) {
        let mut parts = three_mf::rich();
        let part = part.index(parts.len());
        let content = std::mem::take(&mut parts[part].1).into_bytes();
        parts[part].1 = String::from_utf8_lossy(&damaged(content, damages)).into_owned();
        drop(read(MeshKind::ThreeMf, &three_mf::stored(&parts)));
    }

    #[test]
    fn a_document_with_other_values_is_read(
        changes in vec((any::<Index>(), select(vec![
            json!(0), json!(1), json!(2), json!(3), json!(5), json!(5121), json!(5126), json!(u64::MAX),
            json!(-1), json!(1e30), json!("VEC3"), json!(null), json!([]), json!({}), json!([0, 1]),
        ])), 1..6),
        data in vec(any::<u8>(), 0..120),
        is_whole in any::<bool>(),
    ) {
        let mut json = gltf::rich();
        changes.iter().for_each(|(at, with)| replace(&mut json, *at, with));
        let data = if is_whole { gltf::rich_data() } else { data };
        drop(read(MeshKind::Gltf, &gltf::binary(&json, &data)));
    }

    #[test]
    fn any_graph_of_nodes_is_read(children in vec(vec(0..12_usize, 0..4), 12)) {
        let mut json = gltf::document();
        json["nodes"] = children.iter().map(|children| json!({"mesh": 0, "children": children})).collect();
        drop(read(MeshKind::Gltf, &gltf::binary(&json, &gltf::rich_data())));
    }

    #[test]
    fn any_graph_of_components_is_read(components in vec(vec(0..6_usize, 0..3), 6)) {
        let mesh = three_mf::mesh([""; 4]);
        let object = |(id, components): (usize, &Vec<usize>)| {
            let components: String = components.iter().map(|id| format!("<component objectid='{id}'/>")).collect();
            format!("<object id='{id}'><components>{components}</components>{mesh}</object>")
        };
        let resources: String = components.iter().enumerate().map(object).collect();
        let file = three_mf::package(&[("3D/3dmodel.model", &three_mf::model(&resources, "<item objectid='0'/>"))]);
        drop(read(MeshKind::ThreeMf, &file));
    }
}

#[test]
fn undamaged_files_are_read_completely() {
    for (kind, file) in files() {
        let scene = read(kind, &file).unwrap();
        assert!(scene.meshes.iter().all(|mesh| mesh.faces.all == mesh.faces.shown), "{kind:?}");
    }
}

#[test]
fn endless_nesting_and_lines_are_read() {
    let deep = "[".repeat(500_000);
    let tags = format!("<model>{}", "<a>".repeat(200_000));
    for (kind, file) in [
        (MeshKind::Gltf, deep.clone().into_bytes()),
        (MeshKind::Gltf, format!("{{\"extras\":{deep}").into_bytes()),
        (MeshKind::Gltf, format!("{{\"nodes\":[{{\"children\":{deep}").into_bytes()),
        (MeshKind::ThreeMf, three_mf::package(&[("3D/3dmodel.model", &tags)])),
        (MeshKind::Obj, "\\\n".repeat(500_000).into_bytes()),
        (MeshKind::Obj, format!("v 0 0 0\nf{}", " 1".repeat(500_000)).into_bytes()),
        (MeshKind::Stl, format!("solid\n{}", "vertex 0 0 0\nendfacet\n".repeat(50_000)).into_bytes()),
        (MeshKind::Ply, format!("ply\nformat ascii 1.0\n{}", "comment\n".repeat(100_000)).into_bytes()),
    ] {
        assert!(read(kind, &file).is_err(), "{kind:?}");
    }
}
