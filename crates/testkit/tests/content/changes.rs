//! Working changes: relative to the head, durable, and absent without a difference.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::session::Session;

use crate::support::Project;

#[tokio::test]
async fn a_reverted_edit_is_not_a_change() {
    let project = Project::open().await;
    let gear = json!({
        "name": "Gear", "parent": project.model,
        "data": { "d": 1, "text": "é", "f": 0.1, "list": [1, { "x": null }] },
    });
    let gear = project.post("objects", gear).await.expect(201).text("/object/id");
    let path = format!("objects/{gear}");
    project.commit("main", "Gear").await;
    let none = project.changes("main").await;
    assert_eq!(none["hasChanges"], false);
    let there = [
        json!({ "name": "Wheel" }),
        json!({ "parent": project.id }),
        json!({ "data": { "d": 2, "f": null } }),
    ];
    let back = [
        json!({ "name": "Gear" }),
        json!({ "parent": project.model }),
        json!({ "data": { "d": 1, "f": 0.1 } }),
    ];
    for (there, back) in there.into_iter().zip(back) {
        project.patch(&path, there).await.expect(200);
        assert_eq!(project.changes("main").await["modified"], json!([gear]));
        project.patch(&path, back).await.expect(200);
        assert_eq!(project.changes("main").await, none);
    }
    // A change without effect, and an object that is created and deleted.
    project.patch(&path, json!({ "name": "Gear", "data": { "d": 1 } })).await.expect(200);
    let brief = project.create(&gear, "Brief").await;
    assert_eq!(project.changes("main").await["added"], json!([brief]));
    project.delete(&format!("objects/{brief}")).await.expect(200);
    assert_eq!(project.changes("main").await, none);
}

#[tokio::test]
async fn a_deleted_object_is_listed_with_its_committed_state() {
    let project = Project::open().await;
    let gear = project.create(&project.model, "Gear").await;
    project.commit("main", "Gear").await;
    project.patch(&format!("objects/{gear}"), json!({ "name": "Wheel", "type": "Part" })).await.expect(200);
    project.delete(&format!("objects/{gear}")).await.expect(200);
    let changes = project.changes("main").await;
    let expected = json!([{ "objectId": gear, "name": "Gear", "type": "Object", "parentId": project.model }]);
    assert_eq!(changes["deletedObjects"], expected);
    assert_eq!((&changes["modified"], &changes["deleted"]), (&json!([]), &json!([gear])));
}

#[tokio::test]
async fn changes_survive_a_crash_and_are_equal_with_and_without_a_session() {
    let mut project = Project::own().await;
    let gear = project.create(&project.model, "Gear").await;
    let session = Session::open(&project.caller, &project.id).await;
    let open = project.changes("main").await;
    assert_eq!(open["added"], json!([gear]));
    session.close().await.expect(200);
    assert_eq!(project.changes("main").await, open);
    project.deployment.control[0].restart();
    assert_eq!(project.changes("main").await, open);
    assert_eq!(project.object(&gear).await["name"], "Gear");
}

#[tokio::test]
async fn discarding_resets_a_branch_to_its_commit() {
    let project = Project::open().await;
    let gear = project.create(&project.model, "Gear").await;
    let tooth = project.create(&gear, "Tooth").await;
    project.commit("main", "Gear").await;
    let before = project.get("tree").await.expect(200).json();
    let added = project.create(&tooth, "Added").await;
    project.patch(&format!("objects/{gear}"), json!({ "name": "Wheel" })).await.expect(200);
    project.delete(&format!("objects/{tooth}")).await.expect(200);
    assert_eq!(project.changes("main").await["totalObjectChanges"], 2);
    let discarded = project.delete("branches/main/changes").await;
    assert_snapshot!(discarded, @r#"200 {"branch":"main","deleted":true,"discardedCount":2}"#);
    assert_eq!(project.changes("main").await["hasChanges"], false);
    assert_eq!(project.get("tree").await.expect(200).json(), before);
    project.get(&format!("objects/{added}")).await.expect(404);
    assert_eq!(project.delete("branches/main/changes").await.json()["discardedCount"], 0);
}

#[tokio::test]
async fn a_single_object_is_restored_unless_the_tree_would_break() {
    let project = Project::open().await;
    let gear = project.create(&project.model, "Gear").await;
    let tooth = project.create(&gear, "Tooth").await;
    project.commit("main", "Gear").await;
    let box_ = project.create(&project.model, "Box").await;
    let bolt = project.create(&box_, "Bolt").await;
    project.patch(&format!("objects/{tooth}"), json!({ "parent": bolt })).await.expect(200);
    project.delete(&format!("objects/{gear}")).await.expect(200);
    let discard = |ids: &[&String]| {
        let ids = ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(",");
        project.delete(&format!("branches/main/changes?objectIds={ids}")).into_future()
    };
    // A bolt in the box, a tooth in the bolt, and no gear for the tooth.
    for ids in [vec![&box_], vec![&bolt], vec![&box_, &bolt], vec![&tooth]] {
        let refused = discard(&ids).await;
        assert_eq!((refused.status, refused.code()), (409, "BRANCH_CONFLICT".to_owned()), "{refused}");
    }
    assert_eq!(discard(&[&gear, &tooth]).await.expect(200).json()["discardedCount"], 2);
    assert_snapshot!(project.outline().await, @"
    7 objects
    Model 2
      Gear 1
        Tooth 0
      Box 1
        Bolt 0
    Library 0
    ");
    assert_eq!(discard(&[&box_, &bolt]).await.expect(200).json()["discardedCount"], 2);
    assert_eq!(project.changes("main").await["hasChanges"], false);
    // An unchanged object has nothing to discard.
    assert_eq!(discard(&[&gear]).await.expect(200).json()["discardedCount"], 0);
    assert_snapshot!(
        project.delete("branches/main/changes?objectIds=x").await,
        @"400 INVALID_REQUEST query.objectIds format"
    );
}

#[tokio::test]
async fn a_branch_without_a_commit_keeps_its_reserved_packages() {
    let gear = Project::open().await;
    let body = json!({ "name": "Bare", "skipInitialCommit": true });
    let bare = gear.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let gear = Project { id: bare, ..gear };
    gear.create(&gear.id, "Other").await;
    assert_eq!(gear.delete("branches/main/changes").await.expect(200).json()["discardedCount"], 1);
    assert_snapshot!(gear.outline().await, @"
    3 objects
    Model 0
    Library 0
    ");
    let added: Vec<Value> = gear.changes("main").await["added"].as_array().unwrap().clone();
    assert_eq!(added.len(), 2);
}

#[tokio::test]
async fn uncommitted_changes_have_a_limit_and_may_always_shrink() {
    let mut project = Project::own().await;
    // The sweep removes the file of the refused upload.
    project.deployment.leaves_blobs = true;
    let gear = project.create(&project.model, "Gear").await;
    let client = project.deployment.database.connect().await;
    // Simulate a branch that holds all but a hundred bytes of the limit.
    let fill = "update branches set uncommitted_bytes = 268435456 - 100";
    client.batch_execute(fill).await.unwrap();
    let body = json!({ "name": "Part", "parent": project.model });
    let refused = project.post("objects", body.clone()).await;
    assert_eq!(refused.to_string(), r#"409 BRANCH_CONFLICT {"limitBytes":268435456}"#);
    let grown =
        project.patch(&format!("objects/{gear}"), json!({ "data": { "text": "x".repeat(200) } })).await;
    assert_eq!(grown.to_string(), r#"409 BRANCH_CONFLICT {"limitBytes":268435456}"#);
    project.patch(&format!("objects/{gear}"), json!({ "name": "G" })).await.expect(200);
    let session = Session::open(&project.caller, &project.id).await;
    let refused = session.upload(&project.model, "a.txt", "a").await;
    assert_eq!(refused.to_string(), r#"409 BRANCH_CONFLICT {"limitBytes":268435456}"#);
    project.commit("main", "All").await;
    let count = "update branches b set uncommitted_bytes = \
                 (select coalesce(sum(bytes), 0) from working_changes w where w.branch_id = b.id)";
    client.batch_execute(count).await.unwrap();
    project.post("objects", body).await.expect(201);
}

#[tokio::test]
async fn an_object_is_read_as_the_last_commit_has_it() {
    let project = Project::open().await;
    let gear = project.create(&project.model, "Gear").await;
    let path = format!("objects/{gear}?committed=true");
    project.get(&path).await.expect(404);
    project.commit("main", "Gear").await;
    project.patch(&format!("objects/{gear}"), json!({ "name": "Wheel" })).await.expect(200);
    assert_eq!(project.get(&path).await.expect(200).text("/object/name"), "Gear");
    project.delete(&format!("objects/{gear}")).await.expect(200);
    assert_eq!(project.get(&path).await.expect(200).text("/object/name"), "Gear");
    project.get(&format!("objects/{gear}?committed=false")).await.expect(404);
}
