//! Conflicts of merges and reverts over HTTP: an answer lists them up to its limits, nothing is applied before all are
//! resolved, and each can be resolved either way.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Base;

use crate::support::Project;

/// A project whose branches `main` and `side` changed the same objects since their common commit.
struct Fork {
    project: Project,
    /// Below `Model`; has `part` below it.
    gear: String,
    part: String,
    /// Below `Model`, too.
    axle: String,
}

impl Fork {
    async fn open() -> Self {
        let project = Project::open().await;
        let model = project.model.clone();
        let create = async |name: &str, parent: &str| {
            let body = json!({ "name": name, "parent": parent, "data": { "teeth": 20, "size": { "x": 1 } } });
            project.post("objects", body).await.expect(201).text("/object/id")
        };
        let gear = create("Gear", &model).await;
        let part = create("Part", &gear).await;
        let axle = create("Axle", &model).await;
        project.commit("main", "Begin").await;
        project.post("branches", json!({ "name": "side" })).await.expect(201);
        Self { project, gear, part, axle }
    }

    fn at(&self, branch: &str, object: &str) -> String {
        format!("/api/v2/projects/{}--{branch}/objects/{object}", self.project.id)
    }

    async fn change(&self, branch: &str, object: &str, body: Value) {
        self.project.caller.patch(&self.at(branch, object)).json(body).await.expect(200);
    }

    async fn delete(&self, branch: &str, object: &str) {
        self.project.caller.delete(&self.at(branch, object)).await.expect(200);
    }

    /// An object of a branch; `None` if its tree lacks it.
    async fn read(&self, branch: &str, object: &str) -> Option<Value> {
        let answer = self.project.caller.get(&self.at(branch, object)).await;
        (answer.status == 200).then(|| answer.json()["object"].clone())
    }

    /// Commits the changes of both branches.
    async fn commit(&self) {
        for branch in ["main", "side"] {
            self.project.commit(branch, "Change").await;
        }
    }

    /// Merges `side` into `main`.
    async fn merge(&self, resolutions: Value) -> Answer {
        let body = json!({ "source": "side", "resolutions": resolutions });
        self.project.post("branches/main/merge", body).await
    }

    /// Merges `side` into a new branch at `main`.
    async fn merge_aside(&self, name: &str, resolutions: Value) {
        self.project.post("branches", json!({ "name": name })).await.expect(201);
        let body = json!({ "source": "side", "resolutions": resolutions });
        self.project.post(&format!("branches/{name}/merge"), body).await.expect(200);
    }
}

/// The conflicts of a refusal: kind and field of each.
fn conflicts_of(answer: &Answer) -> Vec<String> {
    let json = answer.json();
    let conflicts = json["error"]["details"]["conflicts"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    conflicts
        .iter()
        .map(|conflict| format!("{} {}", text(&conflict["kind"]), text(&conflict["field"])))
        .collect()
}

#[tokio::test]
async fn every_field_that_both_changed_is_listed_and_can_be_resolved_either_way() {
    let fork = Fork::open().await;
    fork.change("main", &fork.gear, json!({ "name": "Ours", "data": { "teeth": 21, "size": { "x": 2 } } }))
        .await;
    fork.change(
        "side",
        &fork.gear,
        json!({ "name": "Theirs", "data": { "teeth": null, "size": { "x": 3 } } }),
    )
    .await;
    fork.change("side", &fork.axle, json!({ "name": "Longer axle" })).await;
    fork.commit().await;
    let head = fork.project.head("main").await;
    let refused = fork.merge(json!([])).await;
    assert_snapshot!(
        refused,
        @r#"
        409 MERGE_CONFLICT {
          "base": "<hash 1>",
          "conflicts": [
            {"base":1,"field":"/data/size/x","kind":"field","objectId":"<id 1>","ours":2,"theirs":3},
            {"base":20,"field":"/data/teeth","kind":"field","objectId":"<id 1>","ours":21},
            {
              "base": "Gear",
              "field": "/name",
              "kind": "field",
              "objectId": "<id 1>",
              "ours": "Ours",
              "theirs": "Theirs"
            }
          ],
          "ours": "<hash 2>",
          "theirs": "<hash 3>",
          "total": 3
        }
        "#
    );
    let dry = json!({ "source": "side", "dryRun": true });
    let tried = fork.project.post("branches/main/merge", dry).await;
    assert_eq!(tried.to_string(), refused.to_string());

    let gear = |field: &str, decision: Value| {
        let mut resolution = json!({ "objectId": fork.gear, "field": field });
        resolution.as_object_mut().unwrap().extend(decision.as_object().unwrap().clone());
        resolution
    };
    let half =
        json!([gear("/name", json!({ "take": "ours" })), gear("/data/teeth", json!({ "value": null }))]);
    assert_eq!(conflicts_of(&fork.merge(half).await), ["field /data/size/x"]);
    // Nothing was applied, not even changes without a conflict.
    assert_eq!(fork.project.head("main").await, head);
    assert_eq!(fork.read("main", &fork.axle).await.unwrap()["name"], "Axle");

    let all = |one: Value, two: Value, three: Value| {
        json!([gear("/name", one), gear("/data/teeth", two), gear("/data/size/x", three)])
    };
    let take = |side: &str| json!({ "take": side });
    for (branch, resolutions, name, data) in [
        (
            "ours",
            all(take("ours"), take("ours"), take("ours")),
            "Ours",
            json!({ "teeth": 21, "size": { "x": 2 } }),
        ),
        (
            "theirs",
            all(take("theirs"), take("theirs"), take("theirs")),
            "Theirs",
            json!({ "size": { "x": 3 } }),
        ),
        (
            "values",
            all(json!({ "value": "Both" }), json!({ "value": null }), take("delete")),
            "Both",
            json!({ "teeth": null, "size": {} }),
        ),
    ] {
        fork.merge_aside(branch, resolutions).await;
        let merged = fork.read(branch, &fork.gear).await.unwrap();
        assert_eq!((&merged["name"], &merged["data"]), (&json!(name), &data), "{branch}");
        assert_eq!(fork.read(branch, &fork.axle).await.unwrap()["name"], "Longer axle");
    }
    fork.project.repository().await;
}

#[tokio::test]
async fn an_object_changed_below_a_deleted_parent_is_kept_or_deleted() {
    let fork = Fork::open().await;
    fork.delete("main", &fork.gear).await;
    fork.change("side", &fork.part, json!({ "name": "Changed" })).await;
    fork.commit().await;
    let refused = fork.merge(json!([])).await;
    assert_eq!(conflicts_of(&refused), ["deletedParent ", "deleted "]);
    let conflict = &refused.json()["error"]["details"]["conflicts"][1];
    assert_eq!((&conflict["base"]["name"], &conflict["theirs"]["name"]), (&json!("Part"), &json!("Changed")));
    assert!(conflict.get("ours").is_none());

    let decide = |take: &str| json!([{ "objectId": fork.gear, "take": take }, { "objectId": fork.part, "take": take }]);
    for (branch, take, names) in [
        ("kept", "keep", Some(("Gear", "Changed"))),
        ("theirs", "theirs", Some(("Gear", "Changed"))),
        ("deleted", "delete", None),
        ("ours", "ours", None),
    ] {
        fork.merge_aside(branch, decide(take)).await;
        let name = async |object: &str| Some(fork.read(branch, object).await?["name"].clone());
        let found = (name(&fork.gear).await, name(&fork.part).await);
        let expected = (names.map(|names| json!(names.0)), names.map(|names| json!(names.1)));
        assert_eq!(found, expected, "{branch}");
    }
    // Moved out of the deleted parent.
    let saved = json!([
        { "objectId": fork.part, "take": "keep" },
        { "objectId": fork.part, "field": "/parent", "value": fork.axle },
    ]);
    fork.merge(saved).await.expect(200);
    assert_eq!(fork.read("main", &fork.part).await.unwrap()["parent"], json!(fork.axle));
    assert_eq!(fork.read("main", &fork.gear).await, None);
    fork.project.repository().await;
}

#[tokio::test]
async fn a_merge_never_creates_orphans_or_cycles() {
    let fork = Fork::open().await;
    let Fork { gear, part, axle, .. } = &fork;
    fork.delete("side", gear).await;
    let body = json!({ "name": "New", "parent": part });
    let new = fork.project.post("objects", body).await.expect(201).text("/object/id");
    fork.commit().await;
    assert_eq!(conflicts_of(&fork.merge(json!([])).await), ["deletedParent ", "deletedParent "]);
    let both = json!([{ "objectId": gear, "take": "keep" }, { "objectId": part, "take": "keep" }]);
    fork.merge_aside("kept", both).await;
    assert_eq!(fork.read("kept", &new).await.unwrap()["parent"], json!(part));
    fork.merge(json!([{ "objectId": gear, "take": "delete" }])).await.expect(200);
    for object in [gear, part, &new] {
        assert_eq!(fork.read("main", object).await, None);
    }

    let fork = Fork { gear: axle.clone(), ..Fork::open_more(fork).await };
    fork.change("main", &fork.gear, json!({ "parent": fork.part })).await;
    fork.change("side", &fork.part, json!({ "parent": fork.gear })).await;
    fork.commit().await;
    assert_eq!(conflicts_of(&fork.merge(json!([])).await), ["cycle /parent", "cycle /parent"]);
    let place = |object: &str, take: &str| json!({ "objectId": object, "field": "/parent", "take": take });
    let still = json!([place(&fork.gear, "ours"), place(&fork.part, "theirs")]);
    assert_eq!(conflicts_of(&fork.merge(still).await), ["cycle /parent", "cycle /parent"]);
    fork.merge_aside("theirs-place", json!([place(&fork.gear, "theirs")])).await;
    assert_eq!(fork.read("theirs-place", &fork.part).await.unwrap()["parent"], json!(fork.gear));
    fork.merge(json!([place(&fork.part, "ours")])).await.expect(200);
    assert_eq!(fork.read("main", &fork.gear).await.unwrap()["parent"], json!(fork.part));
    fork.project.repository().await;
}

impl Fork {
    /// The same project with another part beside the axle, and both branches at one commit.
    async fn open_more(fork: Self) -> Self {
        let body = json!({ "name": "Plate", "parent": fork.project.model });
        let part = fork.project.post("objects", body).await.expect(201).text("/object/id");
        fork.project.commit("main", "Add a plate").await;
        fork.project.post("branches/side/merge", json!({ "source": "main" })).await.expect(200);
        Self { part, ..fork }
    }
}

#[tokio::test]
async fn a_revert_conflicts_with_later_changes_of_the_same_objects() {
    let fork = Fork::open().await;
    let project = &fork.project;
    let begin = project.head("main").await;
    fork.change("main", &fork.gear, json!({ "name": "Bevel gear" })).await;
    let body = json!({ "name": "Tooth", "parent": fork.part });
    let tooth = project.post("objects", body).await.expect(201).text("/object/id");
    project.commit("main", "Build on it").await;
    let path = format!("commits/{begin}/revert");
    let refused = project.post(&path, json!({})).await.expect(409);
    assert_eq!(conflicts_of(&refused), ["deleted ", "deletedParent "]);
    let keep = json!([{ "objectId": fork.gear, "take": "ours" }, { "objectId": fork.part, "take": "keep" }]);
    project.post(&path, json!({ "resolutions": keep })).await.expect(200);
    assert_eq!(fork.read("main", &fork.axle).await, None);
    assert_eq!(fork.read("main", &fork.gear).await.unwrap()["name"], "Bevel gear");
    assert!(fork.read("main", &tooth).await.is_some());
    let gone = json!([{ "objectId": fork.gear, "take": "theirs" }]);
    project.post(&path, json!({ "resolutions": gone })).await.expect(200);
    assert_eq!(fork.read("main", &tooth).await, None);
    project.repository().await;
}

#[tokio::test]
async fn a_resolution_is_stored_like_an_edit() {
    let fork = Fork::open().await;
    fork.change("main", &fork.gear, json!({ "type": "Ours", "name": "Ours" })).await;
    fork.change("side", &fork.gear, json!({ "type": "Theirs", "name": "Theirs" })).await;
    fork.commit().await;
    let decide = |field: &str, value: &str| json!({ "objectId": fork.gear, "field": field, "value": value });
    fork.merge(json!([decide("/type", "Pa\0rt"), decide("/name", " Gear\n wheel ")])).await.expect(200);
    let merged = fork.read("main", &fork.gear).await.unwrap();
    assert_eq!((&merged["type"], &merged["name"]), (&json!("Part"), &json!("Gear wheel")));
    fork.change("main", &fork.gear, json!({ "name": "Gear" })).await;
}

#[tokio::test]
async fn properties_that_only_fit_separately_conflict_as_a_whole() {
    let fork = Fork::open().await;
    let text = "x".repeat(200_000);
    fork.change("main", &fork.gear, json!({ "data": { "ours": text } })).await;
    fork.change("side", &fork.gear, json!({ "data": { "theirs": text } })).await;
    fork.commit().await;
    assert_eq!(conflicts_of(&fork.merge(json!([])).await), ["field /data"]);
    let take = |side: &str| json!([{ "objectId": fork.gear, "field": "/data", "take": side }]);
    fork.merge_aside("ours", take("ours")).await;
    assert_eq!(fork.read("ours", &fork.gear).await.unwrap()["data"]["ours"], text);
    fork.merge(take("theirs")).await.expect(200);
    let merged = fork.read("main", &fork.gear).await.unwrap();
    assert_eq!((&merged["data"]["theirs"], merged["data"].get("ours")), (&json!(text), None));
}

#[tokio::test]
async fn an_object_that_becomes_a_reserved_package_on_both_sides_can_be_renamed() {
    let fork = Fork::open().await;
    let project = &fork.project;
    let part = project.create(&project.id, "Extra").await;
    project.commit("main", "Add a part").await;
    project.post("branches/side/merge", json!({ "source": "main" })).await.expect(200);
    fork.change("main", &part, json!({ "name": "Model" })).await;
    fork.change("side", &part, json!({ "type": "Package" })).await;
    fork.commit().await;
    let refused = fork.merge(json!([])).await;
    assert_eq!(conflicts_of(&refused), ["field /name"]);
    let conflict = &refused.json()["error"]["details"]["conflicts"][0];
    assert_eq!((&conflict["base"], &conflict["ours"]), (&json!("Extra"), &json!("Model")));
    let name = |decision: Value| {
        let mut resolution = json!({ "objectId": part, "field": "/name" });
        resolution.as_object_mut().unwrap().extend(decision.as_object().unwrap().clone());
        json!([resolution])
    };
    assert_eq!(conflicts_of(&fork.merge(name(json!({ "take": "ours" }))).await), ["field /name"]);
    fork.merge_aside("theirs", name(json!({ "take": "theirs" }))).await;
    fork.merge(name(json!({ "value": "Parts" }))).await.expect(200);
    let merged = fork.read("main", &part).await.unwrap();
    assert_eq!((&merged["name"], &merged["type"]), (&json!("Parts"), &json!("Package")));
}

#[tokio::test]
async fn a_whole_object_is_resolved_only_if_it_is_in_conflict() {
    let fork = Fork::open().await;
    fork.delete("side", &fork.axle).await;
    fork.change("main", &fork.gear, json!({ "data": { "teeth": 30 } })).await;
    fork.commit().await;
    let whole = |take: &str| json!([{ "objectId": fork.axle, "take": take }]);
    for take in ["keep", "ours", "theirs", "delete"] {
        let refused = fork.merge(whole(take)).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.resolutions[0] exists", "{take}");
    }
}

#[tokio::test]
async fn an_invalid_resolution_is_refused_with_its_position() {
    let fork = Fork::open().await;
    fork.change("main", &fork.gear, json!({ "name": "Ours" })).await;
    fork.change("side", &fork.gear, json!({ "name": "Theirs" })).await;
    fork.commit().await;
    let name = |decision: &str| {
        let text = format!(r#"[{{ "objectId": "{}", "field": "/name" {decision} }}]"#, fork.gear);
        serde_json::from_str::<Value>(&text).unwrap()
    };
    for (resolutions, issue) in [
        (name(""), "body.resolutions[0] conflict"),
        (name(r#", "take": "ours", "value": "x""#), "body.resolutions[0] conflict"),
        (name(r#", "take": "keep""#), "body.resolutions[0] conflict"),
        (name(r#", "value": " ""#), "body.resolutions[0].value format"),
        (json!([{ "objectId": fork.axle, "take": "keep" }]), "body.resolutions[0] exists"),
        (json!([{ "objectId": fork.gear, "field": "/file", "value": {} }]), "body.resolutions[0] conflict"),
    ] {
        assert_eq!(fork.merge(resolutions).await.to_string(), format!("400 INVALID_REQUEST {issue}"));
    }
    assert_eq!(fork.merge(name(r#", "take": "mine""#)).await.status, 400);
    assert_eq!(fork.merge(json!([{ "field": "/name", "take": "ours" }])).await.status, 400);
    fork.merge(name(r#", "value": "Agreed""#)).await.expect(200);
    assert_eq!(fork.read("main", &fork.gear).await.unwrap()["name"], "Agreed");
}

#[tokio::test]
async fn only_the_first_thousand_conflicts_are_listed_with_their_total() {
    let fork = Fork::open().await;
    let data = |value: u32| (0..1_001).map(|number| (format!("p{number}"), json!(value))).collect();
    for (branch, value) in [("main", 1), ("side", 2)] {
        fork.change(branch, &fork.gear, json!({ "data": Value::Object(data(value)) })).await;
    }
    fork.commit().await;
    let refused = fork.merge(json!([])).await.expect(409).json();
    let details = &refused["error"]["details"];
    assert_eq!(details["conflicts"].as_array().unwrap().len(), 1_000);
    assert_eq!(details["total"], 1_001);
    let take =
        |conflict: &Value| json!({ "objectId": fork.gear, "field": conflict["field"], "take": "ours" });
    let told = details["conflicts"].as_array().unwrap();
    let next = fork.merge(told.iter().map(take).collect()).await.expect(409).json();
    assert_eq!(next["error"]["details"]["total"], 1);
    let last = &next["error"]["details"]["conflicts"][0];
    fork.merge(told.iter().chain([last]).map(take).collect()).await.expect(200);
}

#[tokio::test]
async fn large_conflicts_are_listed_up_to_the_size_limit_and_all_can_be_resolved() {
    let fork = Fork::open().await;
    let project = &fork.project;
    let text = |letter: &str| json!({ "data": { "text": letter.repeat(200_000) } });
    let mut objects = Vec::new();
    for number in 0..9 {
        let object = project.create(&project.model, &format!("Text {number}")).await;
        fork.change("main", &object, text("a")).await;
        objects.push(object);
    }
    project.commit("main", "Add texts").await;
    project.post("branches/side/merge", json!({ "source": "main" })).await.expect(200);
    for object in &objects {
        fork.change("main", object, text("b")).await;
        fork.change("side", object, text("c")).await;
    }
    fork.commit().await;
    let refused = fork.merge(json!([])).await.expect(409).json();
    let details = &refused["error"]["details"];
    // Of 600 kB each.
    assert_eq!(details["conflicts"].as_array().unwrap().len(), 7);
    assert_eq!(details["total"], 9);
    let decide = |object: &String| json!({ "objectId": object, "field": "/data/text", "take": "theirs" });
    fork.merge(objects.iter().map(decide).collect()).await.expect(200);
}
