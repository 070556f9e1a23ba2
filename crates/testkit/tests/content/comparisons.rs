//! Comparisons of the versions of a design: aspects of its parts, and the way of those that moved.

use serde_json::{Value, json};
use testkit::open_session::OpenSession;
use testkit::session::objects;

/// A cube of 10 mm in three places of an assembly.
const CUBES: &str = include_str!("../../../shape/tests/shapes/files/coloured-uses.step");

/// Commits a version of the design; returns the commit.
async fn commit(opened: &OpenSession, message: &str) -> String {
    let path = format!("/api/v2/projects/{}/branches/main/commits", opened.project);
    opened.caller.post(&path).json(json!({ "message": message })).await.expect(201).text("/commit/hash")
}

async fn replace(opened: &OpenSession, root: &str, bytes: &str) -> String {
    opened.session.replace(root, "cubes.step", bytes).await.expect(200);
    commit(opened, "Another version").await
}

async fn compare(opened: &OpenSession, base: &str, head: &str) -> Value {
    let path = format!("/api/v2/projects/{}/compare?base={base}&head={head}", opened.project);
    opened.caller.get(&path).await.expect(200).json()["objects"].clone()
}

/// Name, aspects and displacement of each object that differs, by name.
async fn told(opened: &OpenSession, base: &str, head: &str) -> Vec<Value> {
    let differing = compare(opened, base, head).await;
    let mut told: Vec<Value> = differing
        .as_array()
        .unwrap()
        .iter()
        .map(|object| json!([object["name"], object["aspects"], object["displacement"]]))
        .collect();
    told.sort_by_key(|one| one[0].to_string());
    told
}

#[tokio::test]
async fn versions_of_a_design_tell_what_moved_what_has_another_shape_and_what_is_renamed() {
    let opened = OpenSession::open().await;
    let branch = format!("/api/v2/projects/{}/branches/main", opened.project);
    let before = opened.caller.get(&branch).await.expect(200).text("/branch/commitHash");
    let uploaded = objects(&opened.session.upload(&opened.model, "cubes.step", CUBES).await.expect(200));
    let root = uploaded[0]["id"].as_str().unwrap();
    let first = commit(&opened, "One").await;

    let moved = CUBES.replace("(40.,0.,0.)", "(40.,15.,0.)").replace("'use 1'", "'bracket'");
    let second = replace(&opened, root, &moved).await;
    let way =
        json!({ "shift": [0.0, 15.0, 0.0], "distance": 15.0, "unit": "millimetre", "turnDegrees": 0.0 });
    assert_eq!(
        told(&opened, &first, &second).await,
        [
            json!(["assembly", ["content"], null]),
            json!(["bracket", ["renamed"], null]),
            json!(["use 2", ["moved"], way]),
        ]
    );

    let turned = moved
        .replace("#26 = DIRECTION('',(1.,0.,-0.));", "#26 = DIRECTION('',(0.,1.,0.));")
        .replace("#222 = CARTESIAN_POINT('',(10.,10.,10.));", "#222 = CARTESIAN_POINT('',(10.,10.,12.));");
    let third = replace(&opened, root, &turned).await;
    let way = json!({ "shift": [0.0, 0.0, 0.0], "distance": 0.0, "unit": "millimetre", "turnDegrees": 90.0 });
    assert_eq!(
        told(&opened, &second, &third).await,
        [
            json!(["assembly", ["content"], null]),
            json!(["bracket", ["shape"], null]),
            json!(["use 0", ["shape"], null]),
            json!(["use 2", ["moved", "shape"], way]),
        ]
    );

    // An export that rounds otherwise has fields that differ, and nothing that an engineer would call a change.
    let rounded = turned.replace("(40.,15.,0.)", "(40.00000001,15.,0.)");
    let fourth = replace(&opened, root, &rounded).await;
    assert_eq!(
        told(&opened, &third, &fourth).await,
        [json!(["assembly", ["content"], null]), json!(["use 2", null, null])]
    );

    // What is only in one commit has no aspects.
    for object in compare(&opened, &before, &first).await.as_array().unwrap() {
        assert_eq!(
            (&object["change"], object.get("aspects"), object.get("displacement")),
            (&json!("added"), None, None)
        );
    }
}
