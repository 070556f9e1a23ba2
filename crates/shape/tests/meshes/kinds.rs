//! Kinds of files by their content.

use glam::Vec3;
use shape::meshes::MeshKind;

use crate::{gltf, ply, stl, tetrahedron, three_mf};

fn kind(extension: &str, bytes: &[u8]) -> Option<MeshKind> {
    shape::meshes::kind(extension, bytes, u64::try_from(bytes.len()).unwrap())
}

#[test]
fn content_decides_under_any_extension() {
    let json = gltf::document();
    for extension in ["", "txt", "obj", "stl", "STL", "gltf", "3mf"] {
        for (expected, bytes) in [
            (MeshKind::Gltf, gltf::binary(&json, b"")),
            (MeshKind::Gltf, json.to_string().into_bytes()),
            (MeshKind::Ply, ply::text().into_bytes()),
            (MeshKind::ThreeMf, three_mf::package(&[("3D/3dmodel.model", "<model/>")])),
            (MeshKind::Stl, stl::binary(b"solid", &tetrahedron())),
            (MeshKind::Stl, stl::text(&["a"]).into_bytes()),
        ] {
            let found = kind(extension, &bytes);
            // An extension is believed where the content may be that of both.
            assert!(
                found == Some(expected) || extension == "3mf" && found == Some(MeshKind::ThreeMf),
                "{extension}"
            );
        }
    }
}

#[test]
fn the_extension_decides_where_content_does_not() {
    let text = b"# a corner\nv 1 2 3\nf 1 1 1\n";
    assert_eq!(kind("Obj", text), Some(MeshKind::Obj));
    assert_eq!(kind("txt", text), None);
    // A library's members, an object file of Windows, and a text.
    for other in [&b"!<arch>\n"[..], b"\x64\x86\x02\0v 1 2 3\n", b"v one two three\n", b""] {
        assert_eq!(kind("obj", other), None);
    }
    assert_eq!(kind("3mf", &three_mf::package(&[("a", "")])), Some(MeshKind::ThreeMf));
    assert_eq!(kind("zip", &three_mf::package(&[("a", "")])), None);
    assert_eq!(kind("gltf", b" {\"asset\": {}"), Some(MeshKind::Gltf));
    assert_eq!(kind("json", b" {\"asset\": {}"), None);
    let cut = &stl::binary(b"", &[[Vec3::ZERO; 3]; 3])[..150];
    assert_eq!(kind("stl", cut), Some(MeshKind::Stl));
    assert_eq!(kind("bin", cut), None);
}

#[test]
fn subtitles_and_empty_files_are_no_meshes() {
    let subtitles = [b"850STL25.01".to_vec(), vec![b' '; 1200]].concat();
    for bytes in [&subtitles[..], b"", b"solid as a rock", b"ply", b"{}", b"PK\x05\x06", &[0; 84]] {
        assert_eq!(kind("bin", bytes), None);
    }
    assert_eq!(kind("stl", &subtitles), None);
    assert_eq!(kind("stl", b""), None);
}
