//! Real files against the results of independent tools (OpenCascade, libmagic and others). They are too many and too
//! large for the repository: they lie in `../shared/inputs` beside it, or where `ATELIER_TEST_INPUTS` says.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use domain::object::ObjectKind;
use domain::text::Name;
use import::{Conversion, Draft, convert};
use serde_json::Value;

/// The folder of inputs; `None`, and said loudly, where it is absent.
fn inputs() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/inputs");
    // A worktree lies one folder deeper.
    let deeper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/inputs");
    let said = std::env::var_os("ATELIER_TEST_INPUTS").map(PathBuf::from);
    let found = said.into_iter().chain([beside, deeper]).find(|folder| folder.join("expected").is_dir());
    if found.is_none() {
        eprintln!("SKIPPED: no real inputs in ../shared/inputs or ATELIER_TEST_INPUTS");
    }
    found
}

/// Every file of a kind with what is expected of it.
fn cases(kind: &str) -> Vec<(String, Value, Conversion)> {
    let Some(inputs) = inputs() else { return Vec::new() };
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(inputs.join("expected")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let expected: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let file = expected["file"].as_str().unwrap().to_owned();
        if file.starts_with(kind) {
            let name = Name::sanitize(file.rsplit('/').next().unwrap()).unwrap();
            let conversion = convert(&name, File::open(inputs.join("open").join(&file)).unwrap()).unwrap();
            cases.push((file, expected, conversion));
        }
    }
    assert!(!cases.is_empty());
    cases
}

/// A tree by names alone, siblings in order of the alphabet, equal ones counted: as the expectations write it.
fn shape(drafts: &[Draft], parent: Option<usize>) -> BTreeMap<String, usize> {
    let mut siblings = BTreeMap::new();
    for (place, draft) in drafts.iter().enumerate().filter(|(_, draft)| draft.parent == parent) {
        let below = shape(drafts, Some(place));
        *siblings.entry(format!("{}{below:?}", draft.name)).or_default() += 1;
    }
    siblings
}

/// The same of an expectation.
fn expected_shape(tree: &Value) -> BTreeMap<String, usize> {
    let mut siblings = BTreeMap::new();
    for node in tree.as_array().into_iter().flatten() {
        let below = expected_shape(&node["children"]);
        let name = Name::sanitize(node["name"].as_str().unwrap()).unwrap();
        let count = usize::try_from(node["count"].as_u64().unwrap()).unwrap();
        *siblings.entry(format!("{name}{below:?}")).or_default() += count;
    }
    siblings
}

#[test]
fn step_files_give_the_trees_that_other_readers_see() {
    for (file, expected, conversion) in cases("step/") {
        let drafts = conversion.objects();
        let outcome = &expected["outcome"];
        assert_eq!(conversion.media_type(), "model/step", "{file}");
        if outcome["reference_fallback"] == true {
            assert_eq!(drafts.len(), 1, "{file}");
            assert_eq!(drafts[0].kind, ObjectKind::Reference, "{file}");
            assert_eq!(drafts[0].data["conversion"]["status"], "failed", "{file}");
            continue;
        }
        let count = |kind| drafts.iter().filter(|draft| draft.kind == kind).count();
        assert_eq!(outcome["objects"], drafts.len(), "{file}");
        assert_eq!(outcome["assembly"], count(ObjectKind::Assembly), "{file}");
        assert_eq!(outcome["geometry"], count(ObjectKind::Geometry), "{file}");
        let around = (outcome["roots"] != 1).then_some(0);
        assert_eq!(shape(drafts, around), expected_shape(&expected["summary"]["product_tree"]), "{file}");
        // Nothing is left out of what the file says.
        assert!(drafts[0].data.get("conversion").is_none(), "{file}");
        for draft in drafts.iter().filter(|draft| draft.data.contains_key("occurrence")) {
            // This one has no placements.
            assert_eq!(
                draft.data.contains_key("placement"),
                !file.ends_with("A025.stp"),
                "{file} {}",
                draft.name
            );
        }
    }
}

#[test]
fn source_files_become_code() {
    for (file, _, conversion) in cases("source/") {
        let [draft] = conversion.objects() else { panic!("{file}") };
        assert_eq!(draft.kind, ObjectKind::Code, "{file}");
        let language = match file.rsplit('.').next().unwrap() {
            "py" => "Python",
            "js" => "JavaScript",
            "ts" => "TypeScript",
            "rs" => "Rust",
            "c" => "C",
            "cpp" => "C++",
            "m" => "MATLAB",
            "jl" => "Julia",
            "ipynb" => "Jupyter Notebook",
            "tcl" => "Tcl",
            "go" => "Go",
            other => panic!("{other}"),
        };
        assert_eq!(draft.data["language"], language, "{file}");
        let encoding = if file.contains("koi8") { "KOI8-R" } else { "UTF-8" };
        assert_eq!(draft.data["encoding"], encoding, "{file}");
    }
}

#[test]
fn other_files_become_references_of_the_type_that_libmagic_sees() {
    for (file, expected, conversion) in cases("plain/") {
        let [draft] = conversion.objects() else { panic!("{file}") };
        assert_eq!(draft.kind, ObjectKind::Reference, "{file}");
        assert!(!draft.data.contains_key("conversion"), "{file}");
        let media_type = match expected["summary"]["mime"].as_str().unwrap() {
            // No media type but a word of libmagic's.
            "inode/x-empty" => "application/x-empty",
            // Libmagic knows no binary STL, and has no type for PEM.
            "application/octet-stream" if file.ends_with(".stl") => "model/stl",
            "text/plain" if file.ends_with(".crt") => "application/x-pem-file",
            known => known,
        };
        assert_eq!(conversion.media_type(), media_type, "{file}");
    }
}

#[test]
fn of_an_image_the_size_is_told() {
    for (file, expected, conversion) in cases("plain/") {
        let size = &conversion.objects()[0].data;
        let libmagic = expected["summary"]["libmagic"].as_str().unwrap();
        if libmagic.contains("image data") {
            let said = format!("{} x {}", size["image"]["width"], size["image"]["height"]);
            assert!(libmagic.contains(&said), "{file} {said}");
        }
    }
}
