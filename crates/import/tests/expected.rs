//! Real files against the results of independent tools (OpenCascade, libmagic and others).
//!
//! The files are too large for the repository. They are in `../shared/inputs` beside it or in `ATELIER_TEST_INPUTS`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::content::bom::component::{ComponentReader, ComponentRecord};
use domain::content::bom::items::{BomInput, BomSource};
use domain::content::bom::{Bill, BomOptions, BomView, bill};
use domain::content::design::is_placeholder;
use domain::content::object::{ObjectKind, TreeNode};
use domain::content::snapshot::Snapshot;
use domain::id::{ObjectId, ProjectId};
use domain::text::Name;
use import::{Conversion, DraftObject, DraftType, Settings, convert};
use serde_json::{Value, json};

/// The folder of inputs; prints that tests are skipped if it is absent.
fn inputs() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/inputs");
    // The same for a checkout one folder deeper.
    let deeper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/inputs");
    let said = std::env::var_os("ATELIER_TEST_INPUTS").map(PathBuf::from);
    let found = said.into_iter().chain([beside, deeper]).find(|folder| folder.join("expected").is_dir());
    if found.is_none() {
        eprintln!("NOT TESTED: no real inputs in ../shared/inputs or ATELIER_TEST_INPUTS");
    }
    found
}

/// The files of a kind with their expectations.
fn expectations(kind: &str) -> Vec<(PathBuf, Value)> {
    let Some(inputs) = inputs() else { return Vec::new() };
    let entries = std::fs::read_dir(inputs.join("expected")).unwrap().map(|entry| entry.unwrap().path());
    let written = entries.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let parsed = written.map(|path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap());
    let files = parsed.filter_map(|expected| {
        let file = expected["file"].as_str().unwrap().to_owned();
        file.starts_with(kind).then(|| (inputs.join("open").join(file), expected))
    });
    let files: Vec<_> = files.collect();
    assert!(!files.is_empty());
    files
}

/// The conversion of a file and the images of its pages.
fn converted(file: &Path, settings: &Settings) -> (Conversion, Vec<u8>) {
    let name = Name::sanitize(file.file_name().unwrap().to_str().unwrap()).unwrap();
    let mut images = Vec::new();
    let conversion = convert(&name, File::open(file).unwrap(), settings, &mut images).unwrap();
    assert_eq!(usize::try_from(conversion.output_size()).unwrap(), images.len());
    (conversion, images)
}

/// The files of a kind with their expectations and conversions.
fn cases(kind: &str) -> Vec<(String, Value, Conversion)> {
    let case = |(file, expected): (PathBuf, Value)| {
        (expected["file"].as_str().unwrap().to_owned(), expected, converted(&file, &Settings::default()).0)
    };
    expectations(kind).into_iter().map(case).collect()
}

/// The name of an object's product; nothing for one that only has a placeholder.
fn product(draft: &DraftObject) -> String {
    let Some(definition) = draft.data.get("definition") else { return draft.name.to_string() };
    let name = ["name", "id"].iter().find_map(|key| Name::sanitize(definition.get(key)?.as_str()?));
    name.map(|name| name.to_string()).unwrap_or_default()
}

/// A tree of products as the expectations have it: siblings in alphabetical order, equal ones counted.
fn shape(drafts: &[DraftObject], parent: Option<usize>) -> BTreeMap<String, usize> {
    let mut siblings = BTreeMap::new();
    for (place, draft) in drafts.iter().enumerate().filter(|(_, draft)| draft.parent == parent) {
        let below = shape(drafts, Some(place));
        *siblings.entry(format!("{}{below:?}", product(draft))).or_default() += 1;
    }
    siblings
}

/// The expected tree of names.
fn expected_shape(tree: &Value) -> BTreeMap<String, usize> {
    let mut siblings = BTreeMap::new();
    for node in tree.as_array().into_iter().flatten() {
        let below = expected_shape(&node["children"]);
        let name = Name::sanitize(node["name"].as_str().unwrap()).unwrap().to_string();
        let name = if is_placeholder(&name) { String::new() } else { name };
        let count = usize::try_from(node["count"].as_u64().unwrap()).unwrap();
        *siblings.entry(format!("{name}{below:?}")).or_default() += count;
    }
    siblings
}

#[test]
fn step_files_have_the_same_trees_as_in_other_readers() {
    for (file, expected, conversion) in cases("step/") {
        let drafts = conversion.objects();
        let outcome = &expected["outcome"];
        assert_eq!(conversion.media_type(), "model/step", "{file}");
        if outcome["reference_fallback"] == true {
            assert_eq!(drafts.len(), 1, "{file}");
            assert_eq!(drafts[0].object_type.kind(), ObjectKind::Reference, "{file}");
            assert_eq!(drafts[0].data["conversion"]["status"], "failed", "{file}");
            continue;
        }
        let count = |kind| drafts.iter().filter(|draft| draft.object_type.kind() == kind).count();
        assert_eq!(outcome["objects"], drafts.len(), "{file}");
        assert_eq!(outcome["assembly"], count(ObjectKind::Assembly), "{file}");
        assert_eq!(outcome["geometry"], count(ObjectKind::Geometry), "{file}");
        let around = (outcome["roots"] != 1).then_some(0);
        assert_eq!(shape(drafts, around), expected_shape(&expected["summary"]["product_tree"]), "{file}");
        // The conversion is complete.
        assert!(drafts[0].data.get("conversion").is_none(), "{file}");
        for draft in drafts.iter().filter(|draft| draft.data.contains_key("occurrence")) {
            if let Some(name) = draft.data["occurrence"].get("name") {
                assert_eq!(Some(&draft.name), Name::sanitize(name.as_str().unwrap()).as_ref(), "{file}");
            }
            // This file has no placements.
            assert_eq!(
                draft.data.contains_key("placement"),
                !file.ends_with("A025.stp"),
                "{file} {}",
                draft.name
            );
        }
    }
}

/// The tree of a conversion, for bills of materials.
fn tree(drafts: &[DraftObject]) -> BomInput {
    let id = |number: usize| format!("0198c5f0-0000-7000-8000-{number:012x}").parse::<ObjectId>().unwrap();
    let project: ProjectId = "0198c5f0-0000-7000-9000-000000000000".parse().unwrap();
    let mut reader = ComponentReader::default();
    let node = |(number, draft): (usize, &DraftObject)| {
        let kind = draft.object_type.kind();
        let record = json!({ "type": draft.object_type, "kind": kind, "data": draft.data }).to_string();
        reader.add(id(number), serde_json::from_str::<ComponentRecord<'_>>(&record).unwrap()).unwrap();
        TreeNode {
            id: id(number),
            name: draft.name.clone(),
            object_type: String::new(),
            parent: draft.parent.map_or(project.into(), id),
            children_count: 0,
            product: None,
            file: None,
        }
    };
    let nodes = drafts.iter().enumerate().map(node).collect();
    let snapshot = Arc::new(Snapshot::arrange(project, nodes).unwrap());
    let components = Arc::new(reader.finish());
    let source = BomSource { project, commit: None, snapshot, root: None, components };
    BomInput { sources: vec![source], packages: HashMap::new() }
}

/// The quantities of a bill's products by name.
fn quantities(bill: &Bill) -> BTreeMap<String, u64> {
    let mut quantities = BTreeMap::new();
    for row in &bill.rows {
        let Some(definition) = &row.definition else { continue };
        let name = definition.name.as_ref().or(definition.id.as_ref()).and_then(|name| Name::sanitize(name));
        let name = name.map(|name| name.to_string()).unwrap_or_default();
        *quantities.entry(name).or_default() += row.total_quantity.whole().unwrap();
    }
    quantities
}

/// The expected quantities by name, of all products or of those without parts.
fn expected_quantities(tree: &Value, leaves_only: bool) -> BTreeMap<String, u64> {
    let mut quantities = BTreeMap::new();
    let mut pending: Vec<(&Value, u64)> = tree.as_array().unwrap().iter().map(|node| (node, 1)).collect();
    while let Some((node, above)) = pending.pop() {
        let count = above * node["count"].as_u64().unwrap();
        let below = node["children"].as_array().map(Vec::as_slice).unwrap_or_default();
        if below.is_empty() || !leaves_only {
            let name = Name::sanitize(node["name"].as_str().unwrap()).unwrap().to_string();
            *quantities.entry(if is_placeholder(&name) { String::new() } else { name }).or_default() += count;
        }
        pending.extend(below.iter().map(|node| (node, count)));
    }
    quantities
}

#[test]
fn bills_of_materials_have_the_quantities_of_other_readers() {
    for (file, expected, conversion) in cases("step/") {
        if expected["outcome"]["reference_fallback"] == true {
            continue;
        }
        let input = tree(conversion.objects());
        let list = bill(&input, &BomOptions { view: BomView::Flat, ..BomOptions::default() });
        let whole = bill(&input, &BomOptions::default());
        let summary = &expected["summary"];
        assert_eq!(quantities(&list), expected_quantities(&summary["product_tree"], true), "{file}");
        assert_eq!(quantities(&whole), expected_quantities(&summary["product_tree"], false), "{file}");
        // OpenCascade drops products without a shape, and takes bodies of a part for its parts.
        if !file.ends_with("A025.stp") && !file.ends_with("nist_ctc_01_asme1_ap242.stp") {
            assert_eq!(quantities(&list), expected_quantities(&summary["occ_tree"], true), "{file}");
        }
    }
}

/// Grey values of a PNG from 0 to 255 by rows, and the width of a row.
fn grey(png: &[u8]) -> (Vec<f64>, usize) {
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut samples = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut samples).unwrap();
    let channels = frame.color_type.samples();
    let mean = |pixel: &[u8]| {
        pixel.iter().copied().map(f64::from).sum::<f64>() / f64::from(u32::try_from(channels).unwrap())
    };
    let width = usize::try_from(frame.width).unwrap();
    (samples[..frame.buffer_size()].chunks(channels).map(mean).collect(), width)
}

#[test]
fn pdfs_have_the_same_pages_as_in_other_readers() {
    let settings =
        Settings { resolution_dpi: 72, render_time: Duration::from_secs(600), ..Settings::default() };
    for (path, expected) in expectations("pdf/") {
        let (file, summary) = (expected["file"].as_str().unwrap(), &expected["summary"]);
        let (conversion, images) = converted(&path, &settings);
        let [document, pages @ ..] = conversion.objects() else { panic!("{file}") };
        if pages.is_empty() {
            assert_eq!(expected["outcome"]["reference_fallback"], true, "{file}");
            assert_eq!(document.object_type, DraftType::File, "{file}");
            assert_eq!(document.data["conversion"]["status"], "failed", "{file}");
            continue;
        }
        assert_eq!(conversion.media_type(), "application/pdf", "{file}");
        assert_eq!(document.object_type, DraftType::Document, "{file}");
        // The readers disagree about the number of pages of this file, which has one.
        let count = if file.ends_with("poppler-67295-0.pdf") {
            &Value::from(1)
        } else {
            &expected["outcome"]["pages"]
        };
        assert_eq!(*count, pages.len(), "{file}");
        assert_eq!(document.data["document"]["pages"], pages.len(), "{file}");
        assert!(
            pages.iter().all(|page| page.object_type == DraftType::Page && page.image.is_some()),
            "{file}"
        );

        // This page's unit is an inch, which poppler ignores.
        if file.ends_with("issue19176.pdf") {
            assert_eq!(pages[0].data["page"], json!({ "number": 1, "width": 612.0, "height": 792.0 }));
            continue;
        }
        // The boxes of this file have no area, and each reader assumes another size.
        if file.ends_with("boundingBox_invalid.pdf") {
            continue;
        }
        let sizes = summary["page_sizes_pts_poppler"].as_array().cloned().unwrap_or_default();
        let sideways = |number: usize| match &summary["page_rotations_poppler"] {
            Value::Array(turns) => turns[number] == 90 || turns[number] == 270,
            _ => false,
        };
        for (number, (page, size)) in pages.iter().zip(&sizes).enumerate() {
            let mut sides = [size[0].as_f64().unwrap(), size[1].as_f64().unwrap()];
            if sideways(number) {
                sides.reverse();
            }
            let (width, height) = (&page.data["page"]["width"], &page.data["page"]["height"]);
            let near = |said: &Value, side: f64| (said.as_f64().unwrap() - side).abs() < 0.01;
            assert!(
                near(width, sides[0]) && near(height, sides[1]),
                "{file} {number} {width} {height} {sides:?}"
            );
        }
        let Some(rendered) = summary["render_file"].as_str() else { continue };
        let rendered = std::fs::read(path.with_file_name("../../expected").join(rendered)).unwrap();
        let span = pages[0].image.unwrap();
        let (begin, size) = (usize::try_from(span.offset).unwrap(), usize::try_from(span.size).unwrap());
        let ((ours, width), (theirs, their_width)) = (grey(&images[begin..begin + size]), grey(&rendered));
        assert_eq!((width, ours.len()), (their_width, theirs.len()), "{file}");
        #[expect(clippy::as_conversions, reason = "a number of pixels, for a mean")]
        let difference =
            ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).sum::<f64>() / ours.len() as f64;
        // Other fonts and small shifts of text give differences of a few levels.
        assert!(difference < 12.0, "{file} {difference}");
    }
}

#[test]
fn source_files_become_code() {
    for (file, _, conversion) in cases("source/") {
        let [draft] = conversion.objects() else { panic!("{file}") };
        assert_eq!(draft.object_type.kind(), ObjectKind::Code, "{file}");
        let language = match file.rsplit('.').next().unwrap() {
            "py" => "Python",
            "js" => "JavaScript",
            "ts" => "TypeScript",
            "rs" => "Rust",
            "c" => "C",
            "cpp" => "C++",
            "m" => "MATLAB",
            "jl" => "Julia",
            // The language of the kernel.
            "ipynb" => "Python",
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
fn other_files_become_references_of_the_same_type_as_in_libmagic() {
    for (file, expected, conversion) in cases("plain/") {
        let [draft] = conversion.objects() else { panic!("{file}") };
        assert_eq!(draft.object_type.kind(), ObjectKind::Reference, "{file}");
        assert!(!draft.data.contains_key("conversion"), "{file}");
        let media_type = match expected["summary"]["mime"].as_str().unwrap() {
            // Libmagic's own word.
            "inode/x-empty" => "application/x-empty",
            // Libmagic lacks types for binary STL and PEM.
            "application/octet-stream" if file.ends_with(".stl") => "model/stl",
            "text/plain" if file.ends_with(".crt") => "application/x-pem-file",
            known => known,
        };
        assert_eq!(conversion.media_type(), media_type, "{file}");
    }
}

#[test]
fn images_have_the_same_size_as_in_libmagic() {
    for (file, expected, conversion) in cases("plain/") {
        let size = &conversion.objects()[0].data;
        let libmagic = expected["summary"]["libmagic"].as_str().unwrap();
        if libmagic.contains("image data") {
            let said = format!("{} x {}", size["image"]["width"], size["image"]["height"]);
            assert!(libmagic.contains(&said), "{file} {said}");
        }
    }
}
