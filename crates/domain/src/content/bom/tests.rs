//! Bills of trees, by hand and at random.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};
use uuid::Uuid;

use super::component::{ComponentReader, ComponentRecord};
use super::items::{BomInput, BomSource, ReadPackage};
use super::warning::BomWarningKind;
use super::{Bill, BomGrouping, BomOptions, BomView, bill};
use crate::content::object::{CommitHash, FileRef, Include, Sha256Hash, TreeNode};
use crate::content::snapshot::Snapshot;
use crate::id::{ObjectId, ProjectId};
use crate::text::Name;

const PROJECT: ProjectId = ProjectId(Uuid::from_u128(1_000_000));

pub(crate) fn id(number: u128) -> ObjectId {
    ObjectId(Uuid::from_u128(number))
}

/// An object: its number, its parent's (0 for the project), its name, and the rest of its record.
pub(crate) type Given<'a> = (u128, u128, &'a str, Value);

/// A tree of these objects. A `kind` makes them what an importer made.
pub(crate) fn source(objects: &[Given<'_>]) -> BomSource {
    let mut reader = ComponentReader::default();
    let mut nodes = Vec::new();
    for (number, parent, name, record) in objects {
        let record_text = record.to_string();
        reader.add(id(*number), serde_json::from_str::<ComponentRecord<'_>>(&record_text).unwrap()).unwrap();
        let file = record["file"].as_str().map(|name| FileRef {
            sha256: Sha256Hash([0; 32]),
            size: 0,
            mime_type: String::new(),
            extension: None,
            name: Name::sanitize(name),
        });
        nodes.push(TreeNode {
            id: id(*number),
            name: Name::sanitize(name).unwrap(),
            object_type: record["type"].as_str().unwrap().to_owned(),
            parent: if *parent == 0 { PROJECT.into() } else { id(*parent) },
            children_count: 0,
            product: None,
            file: file.map(Box::new),
        });
    }
    BomSource {
        project: PROJECT,
        commit: None,
        snapshot: Arc::new(Snapshot::arrange(PROJECT, nodes).unwrap()),
        root: None,
        components: Arc::new(reader.finish()),
    }
}

fn of(source: BomSource) -> BomInput {
    BomInput { sources: vec![source], packages: HashMap::new() }
}

/// A converted part with this definition.
pub(crate) fn part(definition: Value) -> Value {
    json!({ "type": "Part", "kind": "geometry", "data": { "definition": definition } })
}

pub(crate) fn assembly(name: &str) -> Value {
    json!({ "type": "Assembly", "kind": "assembly", "data": { "definition": { "name": name } } })
}

fn folder() -> Value {
    json!({ "type": "Folder" })
}

/// The rows as lines: indented name, quantity and quantity in the whole.
fn lines(bill: &Bill) -> Vec<String> {
    let line = |row: &super::BomRow| {
        let unit = row.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
        let indent = "  ".repeat(usize::try_from(row.level).unwrap());
        format!("{indent}{} {}/{}{unit}", row.name, row.quantity, row.total_quantity)
    };
    bill.rows.iter().map(line).collect()
}

fn indented(input: &BomInput) -> Vec<String> {
    lines(&bill(input, &BomOptions::default()))
}

fn flat(input: &BomInput, by: BomGrouping) -> Vec<String> {
    lines(&bill(input, &BomOptions { view: BomView::Flat, by, ..BomOptions::default() }))
}

fn kinds(input: &BomInput) -> Vec<(BomWarningKind, usize)> {
    let bill = bill(input, &BomOptions::default());
    bill.warnings.iter().map(|warning| (warning.kind, warning.object_count)).collect()
}

#[test]
fn equal_siblings_share_a_row_and_multiply_downwards() {
    let nut = || part(json!({ "id": "nut", "name": "nut" }));
    let pair = |first: u128, above| {
        [
            (first, above, "pair", assembly("pair")),
            (first + 1, first, "nut 1", nut()),
            (first + 2, first, "nut 2", nut()),
        ]
    };
    let mut objects = vec![(1, 0, "Parts", folder()), (2, 1, "top", assembly("top"))];
    objects.extend(pair(10, 2));
    objects.extend(pair(20, 2));
    // A folder within an assembly belongs to it, and files are no parts.
    objects.extend([(30, 2, "Loose", folder()), (31, 30, "nut 5", nut())]);
    objects.push((32, 31, "drawing", json!({ "type": "Document", "kind": "reference" })));
    let mut input = of(source(&objects));
    assert_eq!(indented(&input), ["top 1/1", "  pair 2/2", "    nut 2/4", "  nut 1/1"]);
    assert_eq!(flat(&input, BomGrouping::Definition), ["nut 5/5"]);
    let only = |depth| lines(&bill(&input, &BomOptions { depth: Some(depth), ..BomOptions::default() }));
    assert_eq!(only(0), ["top 1/1"]);
    assert_eq!(only(1), ["top 1/1", "  pair 2/2", "  nut 1/1"]);
    let first = &bill(&input, &BomOptions::default()).rows[2];
    assert_eq!(first.object_count, 4);
    assert_eq!(first.objects.iter().map(|object| object.id).collect::<Vec<_>>(), [11, 12, 21, 22].map(id));
    input.sources[0].root = Some(id(20));
    assert_eq!(indented(&input), ["pair 1/1", "  nut 2/2"]);
}

#[test]
fn occurrences_that_were_edited_apart_have_rows_of_their_own() {
    let nut = || part(json!({ "name": "nut" }));
    let objects = [
        (1, 0, "pair 1", assembly("pair")),
        (2, 1, "nut", nut()),
        (3, 1, "nut", nut()),
        (4, 0, "pair 2", assembly("pair")),
        (5, 4, "nut", nut()),
        (6, 0, "pair 3", assembly("pair")),
        (7, 6, "nut", nut()),
    ];
    assert_eq!(indented(&of(source(&objects))), ["pair 1/1", "  nut 2/2", "pair 2/2", "  nut 1/2"]);
}

#[test]
fn usages_with_quantities_count_as_often_and_in_their_units() {
    let used = |name: &str, quantity: Value| {
        let data = json!({ "definition": { "name": name }, "occurrence": { "quantity": quantity } });
        json!({ "type": "Part", "kind": "geometry", "data": data })
    };
    let objects = [
        (1, 0, "top", used("top", json!({ "value": 2.0 }))),
        (2, 1, "screw", used("screw", json!({ "value": 4.0, "unit": "each" }))),
        (3, 1, "wire", used("wire", json!({ "value": 0.25, "unit": "metre" }))),
        (4, 1, "wire", used("wire", json!({ "value": 0.5, "unit": "metre" }))),
        (5, 1, "wire", used("wire", json!({ "value": 1.0 }))),
        (6, 1, "odd", used("odd", json!({ "value": -1.0 }))),
    ];
    let input = of(source(&objects));
    let all = ["top 2/2", "  screw 4/8 each", "  wire 0.75/1.5 metre", "  wire 1/2", "  odd 1/2"];
    assert_eq!(indented(&input), all);
    assert_eq!(
        flat(&input, BomGrouping::Definition),
        ["screw 8/8 each", "wire 1.5/1.5 metre", "wire 2/2", "odd 2/2"]
    );
    assert_eq!(kinds(&input), [(BomWarningKind::InvalidQuantities, 1)]);
}

#[test]
fn one_part_may_be_several_products() {
    let colour = |id: &str| part(json!({ "id": id, "name": id, "geometry": "shape" }));
    // Written twice, with its parts at the same places, once with another one.
    let frame = |first: u128, name: &'static str, hole: u128| {
        let placed = |name: &str, x: u128| {
            let data =
                json!({ "definition": { "name": name, "geometry": name }, "placement": [[1, 0, 0, x]] });
            json!({ "type": "Part", "kind": "geometry", "data": data })
        };
        [
            (first, 0, name, assembly(name)),
            (first + 1, first, "a", placed("bar", 0)),
            (first + 2, first, "b", placed("bar", hole)),
        ]
    };
    let mut objects = vec![(1, 0, "red", colour("red")), (2, 0, "blue", colour("blue"))];
    objects.extend(frame(10, "frame", 5));
    objects.extend(frame(20, "frame_1", 5));
    objects.extend(frame(30, "frame_2", 6));
    let input = of(source(&objects));
    assert_eq!(flat(&input, BomGrouping::Definition), ["red 1/1", "blue 1/1", "bar 6/6"]);
    assert_eq!(flat(&input, BomGrouping::Geometry), ["red 2/2", "bar 6/6"]);
    let by = BomGrouping::Geometry;
    let joined = lines(&bill(&input, &BomOptions { by, ..BomOptions::default() }));
    assert_eq!(joined, ["red 2/2", "frame 2/2", "  bar 2/4", "frame_2 1/1", "  bar 2/2"]);
}

#[test]
fn nameless_parts_are_told_by_shape_or_place_and_called_by_what_holds_them() {
    let chip = |first: u128, name: &'static str, body: Value| {
        [(first, 1, name, assembly(name)), (first + 1, first, "board.step", part(body))]
    };
    let top =
        json!({ "type": "Assembly", "kind": "assembly", "file": "board.step", "data": { "definition": {} } });
    let mut objects = vec![(1, 0, "board.step", top)];
    objects.extend(chip(10, "R_0402", json!({})));
    objects.extend(chip(20, "R_0402", json!({})));
    objects.extend(chip(30, "C_0402", json!({})));
    objects.extend(chip(40, "L_0603", json!({ "geometry": "coil" })));
    objects.push((50, 1, "my own", part(json!({}))));
    let input = of(source(&objects));
    assert_eq!(
        flat(&input, BomGrouping::Definition),
        ["R_0402 2/2", "C_0402 1/1", "L_0603 1/1", "my own 1/1"]
    );
    assert_eq!(indented(&input)[..3], ["board.step 1/1", "  R_0402 2/2", "    R_0402 1/2"]);
}

#[test]
fn objects_of_users_count_by_type_definition_or_part_number() {
    let own = |data: Value| json!({ "type": "Part", "data": data });
    let objects = [
        (1, 0, "left", own(json!({ "partNumber": "4711" }))),
        (2, 0, "right", own(json!({ "partNumber": "4711" }))),
        (3, 0, "plate", own(json!({}))),
        (4, 0, "plate", own(json!({}))),
        (5, 0, "wheel", json!({ "type": "Wheel", "data": { "definition": { "name": "wheel" } } })),
        (6, 0, "wheel", json!({ "type": "Wheel", "data": { "definition": { "name": "wheel" } } })),
        (7, 0, "note", json!({ "type": "Note", "data": { "partNumber": "4711" } })),
    ];
    let input = of(source(&objects));
    assert_eq!(indented(&input), ["left 2/2", "plate 1/1", "plate 1/1", "wheel 2/2"]);
    let options = BomOptions { columns: "partNumber,missing".parse().unwrap(), ..BomOptions::default() };
    let first = bill(&input, &options).rows.remove(0);
    assert_eq!(first.properties, BTreeMap::from([("partNumber".into(), vec![json!("4711")])]));
}

#[test]
fn a_row_has_the_different_values_of_its_objects() {
    let used = |finish: Value| {
        let data =
            json!({ "definition": { "name": "nut", "material": { "name": "steel" } }, "finish": finish });
        json!({ "type": "Part", "kind": "geometry", "data": data })
    };
    let objects: Vec<Given<'_>> = [json!("zinc"), json!("zinc"), json!(null), json!("black"), json!("zinc")]
        .into_iter()
        .zip(1..)
        .map(|(finish, number)| (number, 0, "nut", used(finish)))
        .collect();
    let options = BomOptions { columns: "material,finish".parse().unwrap(), ..BomOptions::default() };
    let rows = bill(&of(source(&objects)), &options).rows;
    let shown = json!({ "material": ["steel"], "finish": ["zinc", "black"] });
    assert_eq!(json!(rows[0].properties), shown);
}

#[test]
fn a_person_is_warned_of_doubled_parts_and_of_shapes_under_one_name() {
    let placed = |geometry: &str, x: f64| {
        let data = json!({
            "definition": { "id": "bolt", "name": "bolt", "geometry": geometry }, "placement": [[1.0, 0.0, 0.0, x]],
        });
        json!({ "type": "Part", "kind": "geometry", "data": data })
    };
    let objects = [
        (1, 0, "top", assembly("top")),
        (2, 1, "bolt", placed("a", 1.0)),
        (3, 1, "bolt", placed("a", 2.0)),
        (4, 1, "bolt", placed("a", 1.0)),
        (5, 1, "bolt", placed("b", 1.0)),
        // Another parent, another place.
        (6, 0, "bolt", placed("a", 1.0)),
    ];
    let input = of(source(&objects));
    assert_eq!(kinds(&input), [(BomWarningKind::Doubled, 1), (BomWarningKind::DifferentShapes, 2)]);
    let warnings = bill(&input, &BomOptions::default()).warnings;
    assert_eq!(warnings[0].objects[0].id, id(4));
    assert_eq!(indented(&input), ["top 1/1", "  bolt 3/3", "  bolt 1/1", "bolt 1/1"]);
}

fn include_of(package: u128) -> Include {
    Include { project_id: PROJECT, package_id: id(package), commit_hash: CommitHash([7; 20]) }
}

pub(crate) fn including(package: u128) -> Value {
    json!({ "type": "Include", "include": include_of(package) })
}

#[test]
fn a_bill_goes_on_in_included_packages() {
    let bolt = || part(json!({ "name": "bolt" }));
    let package = json!({ "type": "Package" });
    let top = source(&[
        (1, 0, "top", assembly("top")),
        (2, 1, "gears", including(100)),
        (3, 1, "gears again", including(100)),
        (4, 1, "secret", including(300)),
        (5, 1, "bolt", bolt()),
    ]);
    let gears = source(&[
        (100, 0, "Gears", package.clone()),
        (101, 100, "gear", assembly("gear")),
        (102, 101, "bolt", bolt()),
        (103, 101, "standard", including(200)),
    ]);
    let standard = source(&[
        (200, 0, "Standard", package),
        (201, 200, "bolt", bolt()),
        (202, 200, "pin", part(json!({ "name": "pin" }))),
    ]);
    let packages = [(100, "Gears", 1), (200, "Standard", 2)].map(|(package, name, source)| {
        (include_of(package), ReadPackage { name: Name::sanitize(name).unwrap(), source })
    });
    let input = BomInput { sources: vec![top, gears, standard], packages: packages.into() };
    assert_eq!(
        indented(&input),
        [
            "top 1/1",
            "  gears 2/2",
            "    gear 1/2",
            "      bolt 1/2",
            "      standard 1/2",
            "        bolt 1/2",
            "        pin 1/2",
            "  secret 1/1",
            "  bolt 1/1",
        ]
    );
    assert_eq!(flat(&input, BomGrouping::Definition), ["secret 1/1", "bolt 5/5", "pin 2/2"]);
    assert_eq!(kinds(&input), [(BomWarningKind::UnavailablePackages, 1)]);
    let whole = bill(&input, &BomOptions { view: BomView::Flat, ..BomOptions::default() });
    let available: Vec<bool> = whole.packages.iter().map(|package| package.available).collect();
    assert_eq!(available, [true, false, true]);
    assert_eq!(whole.rows[0].available, Some(false));
    let of_package: Vec<bool> =
        whole.rows[1].objects.iter().map(|object| object.project_id.is_some()).collect();
    assert_eq!(of_package, [false, true, true]);
}

#[test]
fn packages_in_a_circle_end() {
    let shelf = |number: u128, other: u128| {
        source(&[
            (number, 0, "Shelf", json!({ "type": "Package" })),
            (number + 1, number, "other", including(other)),
        ])
    };
    let name = Name::sanitize("Shelf").unwrap();
    let read = |source| ReadPackage { name: name.clone(), source };
    let input = BomInput {
        sources: vec![source(&[(1, 0, "one", including(100))]), shelf(100, 200), shelf(200, 100)],
        packages: [(include_of(100), read(1)), (include_of(200), read(2))].into(),
    };
    assert_eq!(indented(&input), ["one 1/1"]);
    assert!(kinds(&input).iter().any(|(kind, _)| *kind == BomWarningKind::UnavailablePackages));
}

#[test]
fn packages_that_are_doubled_at_each_level_end_at_the_limit_of_rows() {
    // 2^40 parts in 41 trees.
    let level = |number: u128| {
        let below = (number + 1) * 100;
        let object =
            |place: u128, name: &'static str| (number * 100 + place, number * 100, name, assembly(name));
        let held = |place: u128| (number * 100 + place + 10, number * 100 + place, "x", including(below));
        source(&[
            (number * 100, 0, "Shelf", json!({ "type": "Package" })),
            object(1, "a"),
            object(2, "b"),
            held(1),
            held(2),
        ])
    };
    let mut sources: Vec<BomSource> = (1..=40).map(level).collect();
    sources.push(source(&[(4_100, 0, "bolt", part(json!({ "name": "bolt" })))]));
    let name = Name::sanitize("Shelf").unwrap();
    let packages = (1..=40).map(|number: u128| {
        let source = usize::try_from(number).unwrap();
        (include_of((number + 1) * 100), ReadPackage { name: name.clone(), source })
    });
    let input = BomInput { sources, packages: packages.collect() };
    assert_eq!(flat(&input, BomGrouping::Definition), [format!("bolt {0}/{0}", 1_u64 << 40)]);
    let bill = bill(&input, &BomOptions::default());
    assert_eq!(bill.rows.len(), super::ROWS_MAX);
    assert_eq!(bill.warnings[0].kind, BomWarningKind::RowsLeftOut);
}

/// Objects with a parent among those before (or the project), one of few definitions, and a quantity.
fn forests() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0..6_u8, 1..4_u8), 1..60)
}

/// A tree of these objects. An object of definition 0 is a folder; the sixth is nameless.
fn forest(drawn: &[(prop::sample::Index, u8, u8)]) -> Vec<(u128, u128, String, Value)> {
    let objects = drawn.iter().zip(1_u128..).map(|((parent, kind, quantity), number)| {
        let parent = u128::try_from(parent.index(usize::try_from(number).unwrap())).unwrap();
        let definition = if *kind == 5 { json!({}) } else { json!({ "name": kind.to_string() }) };
        let data = json!({ "definition": definition, "occurrence": { "quantity": { "value": quantity } } });
        let record = match kind {
            0 => folder(),
            _ => json!({ "type": "Part", "kind": "geometry", "data": data }),
        };
        (number, parent, format!("o{number}"), record)
    });
    objects.collect()
}

/// The quantity of each leaf by walking up from it.
fn counted(objects: &[(u128, u128, String, Value)]) -> HashMap<ObjectId, f64> {
    let by_number: HashMap<u128, (u128, f64, bool)> = objects
        .iter()
        .map(|(number, parent, _, record)| {
            let quantity = record.pointer("/data/occurrence/quantity/value").and_then(Value::as_f64);
            (*number, (*parent, quantity.unwrap_or(1.0), quantity.is_some()))
        })
        .collect();
    let above = |number: u128| {
        std::iter::successors(Some(number), |number| by_number.get(number).map(|(parent, ..)| *parent))
    };
    let has_parts = |number: u128| {
        objects
            .iter()
            .any(|(other, ..)| by_number[other].2 && above(*other).skip(1).any(|above| above == number))
    };
    let leaves = objects.iter().filter(|(number, ..)| by_number[number].2 && !has_parts(*number));
    let quantity =
        |number: u128| above(number).filter_map(|number| Some(by_number.get(&number)?.1)).product();
    leaves.map(|(number, ..)| (id(*number), quantity(*number))).collect()
}

proptest! {
    #[test]
    fn a_parts_list_has_every_leaf_as_often_as_the_whole_has_it(drawn in forests()) {
        let objects = forest(&drawn);
        let given: Vec<Given<'_>> =
            objects.iter().map(|(id, parent, name, record)| (*id, *parent, name.as_str(), record.clone())).collect();
        let input = of(source(&given));
        let leaves = counted(&objects);
        for by in [BomGrouping::Definition, BomGrouping::Geometry] {
            let list = bill(&input, &BomOptions { view: BomView::Flat, by, ..BomOptions::default() });
            let total: f64 = list.rows.iter().map(|row| row.total_quantity.get()).sum();
            prop_assert_eq!(total, leaves.values().sum::<f64>());
            for row in &list.rows {
                prop_assert_eq!(row.object_count.min(20), row.objects.len());
                if row.object_count == row.objects.len() {
                    let sum: f64 = row.objects.iter().map(|object| leaves[&object.id]).sum();
                    prop_assert_eq!(row.total_quantity.get(), sum);
                }
            }
        }
    }

    #[test]
    fn an_indented_bill_has_every_object_once_and_the_totals_of_the_parts_list(drawn in forests()) {
        let objects = forest(&drawn);
        let given: Vec<Given<'_>> =
            objects.iter().map(|(id, parent, name, record)| (*id, *parent, name.as_str(), record.clone())).collect();
        let input = of(source(&given));
        let whole = bill(&input, &BomOptions::default());
        let components = given.iter().filter(|(.., record)| record["type"] != "Folder").count();
        prop_assert_eq!(whole.rows.iter().map(|row| row.object_count).sum::<usize>(), components);
        let mut above: Vec<f64> = Vec::new();
        let mut leaves: f64 = 0.0;
        for (number, row) in whole.rows.iter().enumerate() {
            let level = usize::try_from(row.level).unwrap();
            prop_assert!(level <= above.len());
            above.truncate(level);
            let total = above.last().copied().unwrap_or(1.0) * row.quantity.get();
            prop_assert_eq!(row.total_quantity.get(), total);
            above.push(total);
            if whole.rows.get(number + 1).is_none_or(|next| next.level <= row.level) {
                leaves += total;
            }
        }
        let list = bill(&input, &BomOptions { view: BomView::Flat, ..BomOptions::default() });
        prop_assert_eq!(list.rows.iter().map(|row| row.total_quantity.get()).sum::<f64>(), leaves);
        prop_assert!(list.rows.len() <= whole.rows.len());
    }
}
