//! A project of 100,000 objects: the cost of a change depends on its own size.

use serde_json::{Value, json};

use crate::support::{Project, texts};
use testkit::caller::Base;

const BATCH: usize = 10_000;
const BATCHES: usize = 10;

#[tokio::test]
async fn a_hundred_thousand_objects_are_built_committed_edited_and_read() {
    let project = Project::own().await;
    let mut ids: Vec<String> = Vec::new();
    for batch in 0..BATCHES {
        let operations: Vec<Value> = (0..BATCH)
            .map(|number| {
                // Folders of 100.
                let parent = match number % 100 {
                    0 => project.model.clone(),
                    _ => format!("#{}", number - number % 100),
                };
                let mut operation =
                    json!({ "op": "create", "name": format!("Part {batch}-{number}"), "parent": parent });
                if number % 100 == 0 {
                    operation["ref"] = json!(number.to_string());
                }
                operation
            })
            .collect();
        let made = project.batch(json!(operations)).await.expect(201).json();
        ids.extend(texts(&made["results"], "id"));
    }
    let expected = BATCH * BATCHES + 3;
    assert_eq!(project.get("tree?depth=0").await.json()["objectCount"], expected);
    project.commit("main", "All").await;
    assert_eq!(project.changes("main").await["hasChanges"], false);
    let tree = project.get("tree").await.expect(200).json();
    assert_eq!(tree["objectCount"], expected);
    assert_eq!(tree["tree"].as_array().unwrap().len(), expected - 1);

    // The writes of ten changes have a limit.
    let size = "select coalesce(sum(octet_length(data)), 0)::bigint from git_objects";
    let before = project.deployment.database.count(size).await;
    let changes: Vec<Value> = ids
        .iter()
        .step_by(9_973)
        .take(10)
        .map(|id| json!({ "op": "update", "id": id, "data": { "n": 1 } }))
        .collect();
    project.batch(json!(changes)).await.expect(201);
    assert_eq!(project.changes("main").await["modified"].as_array().unwrap().len(), 10);
    project.commit("main", "Ten").await;
    let written = project.deployment.database.count(size).await - before;
    assert!(written < 100_000, "{written} bytes");

    project.post("branches", json!({ "name": "other" })).await.expect(201);
    let deleted = project.delete(&format!("objects/{}", ids[0])).await.expect(200).json();
    assert_eq!(deleted["deletedCount"], 100);
    let moved = json!({ "parent": ids[200] });
    project.patch(&format!("objects/{}", ids[100]), moved).await.expect(200);
    assert_eq!(project.get("tree").await.json()["objectCount"], expected - 100);
    project.commit("main", "Fewer").await;
    let part = project.get(&format!("tree?root={}", ids[200])).await.expect(200).json();
    assert_eq!(part["tree"].as_array().unwrap().len(), 200);
    assert_eq!(part["objectCount"], expected - 100);
}
