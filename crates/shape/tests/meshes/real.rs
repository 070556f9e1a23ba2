//! Real files of other programs. They are in `../shared/inputs` beside the repository or in `ATELIER_TEST_INPUTS`.

use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use shape::meshes::kind;

use crate::{describe, read};

/// The outline of a file, read as the kind that its content shows; `None` where there are no real files.
fn outline(path: &str) -> Option<String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/inputs");
    let folder = std::env::var_os("ATELIER_TEST_INPUTS").map_or(beside, PathBuf::from);
    if !folder.is_dir() {
        eprintln!("NOT TESTED: no real inputs in ../shared/inputs or ATELIER_TEST_INPUTS");
        return None;
    }
    let bytes = std::fs::read(folder.join(path)).unwrap();
    let kind = kind("", &bytes, u64::try_from(bytes.len()).unwrap()).unwrap();
    Some(describe(&read(kind, &bytes).unwrap()))
}

#[test]
fn a_part_of_a_printer_is_complete() {
    let Some(outline) = outline("open/plain/Front_Top_Left_Clip_x1.stl") else { return };
    assert_snapshot!(outline, @r#"
    Z up
    "" mesh 0
    mesh 0: 54 of 54 faces; 54 triangles; 40 edges
    "#);
}

#[test]
fn a_package_of_lib3mf_shows_its_components_in_another_part() {
    let Some(outline) = outline("tools/cad-production-paths.3mf") else { return };
    assert_snapshot!(outline, @r#"
    Z up, 0.001 m
    "outer"
      "inner" mesh 0
      "inner" mesh 0 at [50.0, 0.0, 0.0]
    mesh 0: 4 of 4 faces; 4 triangles; 6 edges
    "#);
}
