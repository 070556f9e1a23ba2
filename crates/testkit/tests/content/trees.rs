//! Trees and parts of them after every kind of change.

use std::io::Read as _;

use flate2::read::GzDecoder;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Project, texts};
use testkit::caller::Base;

#[tokio::test]
async fn a_part_of_a_tree_is_selected_by_root_depth_type_and_name() {
    let project = Project::open().await;
    let made = project
        .batch(json!([
            { "op": "create", "ref": "a", "name": "Assembly", "parent": project.model, "type": "Assembly" },
            { "op": "create", "ref": "b", "name": "Gear Ä", "parent": "#a", "type": "Part" },
            { "op": "create", "name": "Tooth", "parent": "#b", "type": "Part" },
            { "op": "create", "name": "gear ä", "parent": "#a", "type": "Part" },
        ]))
        .await
        .expect(201)
        .json();
    let ids = texts(&made["results"], "id");
    let read = async |query: &str| {
        let tree = project.get(&format!("tree?{query}")).await.expect(200).json();
        // The count covers the whole tree, even if only a part is shown.
        assert_eq!(tree["objectCount"], 7);
        texts(&tree["tree"], "name").join(", ")
    };
    assert_snapshot!(read("").await, @"Model, Assembly, Gear Ä, Tooth, gear ä, Library");
    assert_snapshot!(
        read(&format!("root={}", project.id)).await,
        @"Model, Assembly, Gear Ä, Tooth, gear ä, Library"
    );
    assert_snapshot!(read("depth=1").await, @"Model, Library");
    assert_snapshot!(read("depth=2").await, @"Model, Assembly, Library");
    assert_snapshot!(read(&format!("root={}", ids[0])).await, @"Assembly, Gear Ä, Tooth, gear ä");
    assert_snapshot!(read(&format!("root={}&depth=0", ids[0])).await, @"Assembly");
    assert_snapshot!(read(&format!("root={}&depth=1", ids[0])).await, @"Assembly, Gear Ä, gear ä");
    assert_snapshot!(read("type=Part").await, @"Gear Ä, Tooth, gear ä");
    assert_snapshot!(read("q=gear%20%C3%84").await, @"Gear Ä, gear ä");
    assert_snapshot!(read(&format!("root={}&depth=0&type=Part", ids[0])).await, @"");
    assert_snapshot!(read("depth=0").await, @"");
    let absent = project.get("tree?root=0198c5f0-0000-7000-8000-000000000000").await;
    assert_snapshot!(absent, @"404 NOT_FOUND");
    assert_snapshot!(project.get("tree?depth=-1").await, @"400 INVALID_REQUEST query.depth minimum");
    assert_snapshot!(project.get("tree?deep=1").await, @"400 INVALID_REQUEST query.deep unknown");
    let part = format!("tree?root={}", ids[0]);
    let etag = project.get(&part).await.expect(200).header("etag").to_owned();
    assert!(etag.starts_with("W/"));
    assert_snapshot!(project.get(&part).header("if-none-match", &etag).await, @"304");
    project.create(&project.model, "x").await;
    project.get(&part).header("if-none-match", &etag).await.expect(200);
}

#[tokio::test]
async fn every_process_shows_the_same_tree_before_and_after_a_commit() {
    let options = testkit::deployment::Options { control_replicas: 2, ..Default::default() };
    let owned = Project::on(testkit::deployment::Deployment::with(options).await).await;
    let other = Project {
        caller: owned.caller.at(&owned.deployment.control_urls[1]),
        id: owned.id.clone(),
        model: owned.model.clone(),
        deployment: testkit::deployment::Deployment::start().await,
    };
    let tree = async |owned: &Project| owned.get("tree").await.expect(200).json();
    for round in 0..4 {
        let gear = owned.create(&owned.model, &format!("Gear {round}")).await;
        other.create(&gear, "Tooth").await;
        // One process has its trees from its own work, the other from the database.
        let before = tree(&owned).await;
        assert_eq!(tree(&other).await, before);
        owned.commit("main", "Another").await;
        assert_eq!(tree(&owned).await, before);
        assert_eq!(tree(&other).await, before);
    }
}

#[tokio::test]
async fn an_unchanged_tree_gets_304_without_being_read() {
    let options = testkit::deployment::Options { control_replicas: 2, ..Default::default() };
    let project = Project::on(testkit::deployment::Deployment::with(options).await).await;
    let tag = project.get("tree").await.expect(200).header("etag").to_owned();
    // The other process has never read the tree and can't now.
    let hold = project.deployment.database.connect().await;
    hold.batch_execute("begin; lock table git_objects in access exclusive mode").await.unwrap();
    let other = project.caller.at(&project.deployment.control_urls[1]);
    let answer = other.get(&project.at("tree")).header("if-none-match", &tag).await;
    assert_eq!((answer.status, answer.header("etag")), (304, tag.as_str()));
    hold.batch_execute("rollback").await.unwrap();
    other.get(&project.at("tree")).header("if-none-match", "\"other\"").await.expect(200);
}

#[tokio::test]
async fn a_kept_tree_is_sent_as_it_is_and_compressed_until_the_next_change() {
    let project = Project::open().await;
    for number in 0..20 {
        project.create(&project.model, &format!("Tooth {number}")).await;
    }
    let read = async |coding: &str| {
        let answer = project.get("tree").header("accept-encoding", coding).await.expect(200);
        let is_packed = answer.headers.contains_key("content-encoding");
        assert_eq!(is_packed, coding == "gzip");
        let mut text = Vec::new();
        match is_packed {
            true => GzDecoder::new(&*answer.body).read_to_end(&mut text).unwrap(),
            false => answer.body.as_ref().read_to_end(&mut text).unwrap(),
        };
        (answer.header("etag").to_owned(), text)
    };
    let first = read("identity").await;
    for coding in ["identity", "gzip", "gzip"] {
        assert_eq!(read(coding).await, first);
    }
    project.create(&project.model, "Another").await;
    let next = read("gzip").await;
    assert_ne!(next, first);
    assert!(String::from_utf8(next.1.clone()).unwrap().contains("Another"));
    assert_eq!(read("identity").await, next);
}

#[tokio::test]
async fn a_tree_of_a_thousand_levels_is_created_moved_committed_and_deleted() {
    const LEVELS: usize = 1_000;
    let project = Project::open().await;
    let mut operations: Vec<Value> =
        vec![json!({ "op": "create", "ref": "0", "name": "Level 0", "parent": project.model })];
    for level in 1..LEVELS {
        let parent = format!("#{}", level - 1);
        operations.push(json!({
            "op": "create", "ref": level.to_string(), "name": format!("Level {level}"), "parent": parent,
        }));
    }
    let made = project.batch(json!(operations)).await.expect(201).json();
    let ids = texts(&made["results"], "id");
    let deep = async || {
        let tree = project.get("tree").await.expect(200).json();
        assert_eq!(tree["objectCount"], LEVELS + 3);
        texts(&tree["tree"], "name")[1..=LEVELS].to_vec()
    };
    let levels: Vec<String> = (0..LEVELS).map(|level| format!("Level {level}")).collect();
    assert_eq!(deep().await, levels);
    project.commit("main", "Deep").await;
    assert_eq!(deep().await, levels);
    let to = |id: &str, parent: &str| project.patch(&format!("objects/{id}"), json!({ "parent": parent }));
    let refused = to(&ids[0], &ids[LEVELS - 1]).await;
    assert_snapshot!(refused, @"400 INVALID_REQUEST body.parent cycle");
    // Move the lower half to the top.
    to(&ids[500], &project.model).await.expect(200);
    let tree = project.get(&format!("tree?root={}", ids[500])).await.expect(200).json();
    assert_eq!(texts(&tree["tree"], "name"), levels[500..]);
    let deleted = project.delete(&format!("objects/{}", ids[500])).await.expect(200).json();
    assert_eq!(deleted["deletedCount"], 500);
    assert_eq!(project.changes("main").await["deleted"].as_array().unwrap().len(), 500);
    project.commit("main", "Half").await;
    project.repository().await;
}
