//! Versions of an assembly as programs export them: which objects stay. Real files are in `../shared/inputs/tools`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use testkit::environment;
use testkit::open_session::OpenSession;
use testkit::session::objects;

/// The folder of exports; prints that tests are skipped if it is absent.
fn exports() -> Option<PathBuf> {
    let folder = environment::shared_inputs()?.join("tools");
    if !folder.is_dir() {
        eprintln!("NOT TESTED: there are no exports in ../shared/inputs or ATELIER_TEST_INPUTS");
        return None;
    }
    Some(folder)
}

/// Ids of objects by their names.
fn ids(objects: &[Value]) -> BTreeMap<String, BTreeSet<String>> {
    let text = |object: &Value, field: &str| object[field].as_str().unwrap().to_owned();
    let mut ids: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for object in objects {
        ids.entry(text(object, "name")).or_default().insert(text(object, "id"));
    }
    ids
}

#[tokio::test]
async fn occurrences_of_both_exports_keep_their_objects() {
    let Some(folder) = exports() else { return };
    let opened = OpenSession::open().await;
    let read = |name: &str| fs::read(folder.join(format!("cad-{name}.step"))).unwrap();
    for (first, second, added, deleted, changed) in [
        ("bolts-4", "bolts-4-exported-again", 0, 0, 1),
        // The product is called by its last use, in each of its uses.
        ("bolts-4", "bolts-5", 1, 0, 5),
        ("bolts-5", "bolts-4", 0, 1, 5),
        ("bolts-4", "bolts-4-without-second", 0, 1, 1),
        ("left-right", "left-right-first", 1, 0, 3),
        ("gmsh-first", "gmsh-second", 0, 0, 1),
    ] {
        let upload =
            opened.session.upload(&opened.model, &format!("{first}.step"), read(first)).await.expect(200);
        let before = objects(&upload);
        let root = before[0]["id"].as_str().unwrap().to_owned();
        let answer = opened.session.replace(&root, &format!("{second}.step"), read(second)).await.expect(200);
        let summary = json!({
            "objectId": root, "unchanged": false, "addedCount": added, "changedCount": changed,
            "deletedCount": deleted,
        });
        assert_eq!(answer.json()["replaced"], summary, "{first} {second}");
        let (before, after) = (ids(&before), ids(&objects(&answer)));
        for (name, ids) in &before {
            assert!(after.get(name).is_none_or(|after| after == ids), "{first} {second} {name}");
        }
    }
}

#[tokio::test]
async fn objects_of_earlier_conversions_keep_their_ids_and_get_the_names_of_their_occurrences() {
    let Some(folder) = exports() else { return };
    let opened = OpenSession::open().await;
    let read = |name: &str| fs::read(folder.join(format!("cad-bolts-{name}.step"))).unwrap();
    let before = objects(&opened.session.upload(&opened.model, "bolts.step", read("4")).await.expect(200));
    // As conversions were before: called by their products, with numbers of the export and without a hash.
    for bolt in before.iter().filter(|object| object["name"].as_str().unwrap().starts_with("bolt")) {
        let path = format!("/api/v2/projects/{}/objects/{}", opened.project, bolt["id"].as_str().unwrap());
        let definition = json!({ "geometry": null, "instance": "#392" });
        let data = json!({ "definition": definition, "occurrence": { "id": "8" } });
        opened.caller.patch(&path).json(json!({ "name": "bolt 4", "data": data })).await.expect(200);
    }
    let root = before[0]["id"].as_str().unwrap();
    let answer = opened.session.replace(root, "bolts.step", read("5")).await.expect(200);
    let after = ids(&objects(&answer));
    assert_eq!(answer.json()["replaced"]["addedCount"], 1);
    for (name, ids) in ids(&before) {
        assert_eq!(after[&name], ids, "{name}");
    }
}

#[tokio::test]
async fn files_that_a_master_names_are_found_once_they_are_in_the_project() {
    let Some(folder) = exports() else { return };
    let opened = OpenSession::open().await;
    let master = fs::read(folder.join("cad-external-master.step")).unwrap();
    let parts = objects(&opened.session.upload(&opened.model, "master.step", master).await.expect(200));
    let plate = parts.iter().find(|part| part["name"] == "plate").unwrap()["id"].as_str().unwrap();
    let path = format!("/api/v2/projects/{}/objects/{plate}", opened.project);
    let external = async || opened.caller.get(&path).await.expect(200).json()["external"].clone();
    assert_eq!(external().await, json!({ "name": "part_plate.stp", "objectIds": [] }));
    let file = opened.session.upload(&opened.model, "Part_Plate.stp", "a plate").await.expect(200);
    let file = objects(&file)[0]["id"].clone();
    assert_eq!(external().await["objectIds"], json!([file]));
    let root = format!("/api/v2/projects/{}/objects/{}", opened.project, parts[0]["id"].as_str().unwrap());
    assert_eq!(opened.caller.get(&root).await.expect(200).json().get("external"), None);
}
