//! Concurrent work on one branch.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Project, id_of};
use testkit::caller::Base;

#[tokio::test]
async fn concurrent_changes_all_count_unless_two_have_the_same_tag() {
    let project = Project::open().await;
    let gear = project.create(&project.model, "Gear").await;
    let path = format!("objects/{gear}");
    let set = |number: usize| {
        project.patch(&path, json!({ "data": { format!("k{number}"): number } })).into_future()
    };
    for answer in join_all((0..16).map(set)).await {
        answer.expect(200);
    }
    assert_eq!(project.object(&gear).await["data"].as_object().unwrap().len(), 16);
    let etag = project.get(&path).await.header("etag").to_owned();
    let rename = |number: usize| {
        project
            .patch(&path, json!({ "name": format!("Gear {number}") }))
            .header("if-match", &etag)
            .into_future()
    };
    let answers = join_all((0..8).map(rename)).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(200), count(412)), (1, 7));
}

#[tokio::test]
async fn concurrent_moves_make_no_cycle_and_no_orphan() {
    let project = Project::open().await;
    for _ in 0..4 {
        let (one, other) =
            (project.create(&project.model, "One").await, project.create(&project.model, "Other").await);
        let to = |id: &str, parent: &str| {
            project.patch(&format!("objects/{id}"), json!({ "parent": parent })).into_future()
        };
        let delete = project.delete(&format!("objects/{one}")).into_future();
        let (first, second, deletion) = tokio::join!(to(&one, &other), to(&other, &one), delete);
        assert!([&first, &second].iter().any(|answer| answer.status != 200), "{first} {second}");
        assert!(matches!(deletion.status, 200 | 404), "{deletion}");
        project.get("tree").await.expect(200);
    }
}

#[tokio::test]
async fn a_batch_concurrent_to_commits_is_in_one_of_them_whole() {
    let project = Project::open().await;
    for round in 0..6 {
        let operations: Vec<Value> = (0..50)
            .map(|number| json!({ "op": "create", "name": format!("{round}-{number}"), "parent": project.model }))
            .collect();
        project.create(&project.model, "So that there is something").await;
        let commit = || project.post("branches/main/commits", json!({ "message": "Race" })).into_future();
        let batch = project.batch(json!(operations)).into_future();
        let (batch, first, second) = tokio::join!(batch, commit(), commit());
        batch.expect(201);
        assert!(matches!((first.status, second.status), (201, 201 | 409) | (409, 201)), "{first} {second}");
        let uncommitted = project.changes("main").await["totalObjectChanges"].clone();
        assert!(uncommitted == 0 || uncommitted == 50, "{uncommitted}");
    }
    // Each commit has whole batches, and all answered ones are stored.
    let repository = project.repository().await;
    for commit in repository.git(&["rev-list", "main"]).lines() {
        let files = repository.git(&["ls-tree", "-r", "--name-only", commit, "objects"]);
        let batches =
            files.lines().filter(|file| !file.contains("So-that-there") && file.contains('-')).count();
        let of_batches = files
            .lines()
            .filter(|file| file.split('/').nth(3).is_some_and(|name| name.as_bytes()[1] == b'-'))
            .count();
        assert_eq!(of_batches % 50, 0, "{commit} {batches}");
    }
    assert_eq!(project.get("tree").await.json()["objectCount"], 3 + 6 * 51);
}

#[tokio::test]
async fn a_branch_is_deleted_during_writes() {
    let project = Project::own().await;
    for round in 0..4 {
        let name = format!("b{round}");
        project.post("branches", json!({ "name": name })).await.expect(201);
        let at = format!("/api/v2/projects/{}--{name}/objects", project.id);
        let create = || project.caller.post(&at).json(json!({ "name": "x" })).into_future();
        let commit =
            project.post(&format!("branches/{name}/commits"), json!({ "message": "x" })).into_future();
        let delete = project.delete(&format!("branches/{name}")).into_future();
        let (writes, commit, delete) = tokio::join!(join_all((0..4).map(|_| create())), commit, delete);
        delete.expect(200);
        assert!(writes.iter().all(|write| matches!(write.status, 201 | 404)), "{writes:?}");
        assert!(matches!(commit.status, 201 | 404 | 409), "{commit}");
    }
    assert_eq!(project.deployment.database.count("select count(*) from working_changes").await, 0);
}

#[tokio::test]
async fn a_project_is_deleted_during_writes_to_its_content() {
    let owned = Project::own().await;
    let gear = owned.create(&owned.model, "Gear").await;
    let writes = (0..9).map(|number| match number % 3 {
        0 => owned.post("objects", json!({ "name": "x" })).into_future(),
        1 => owned.patch(&format!("objects/{gear}"), json!({ "data": { "n": number } })).into_future(),
        _ => owned.post("branches", json!({ "name": format!("b{number}") })).into_future(),
    });
    let commit = owned.post("branches/main/commits", json!({ "message": "x" })).into_future();
    let project = format!("/api/v2/projects/{}", owned.id);
    let deletion = owned.caller.delete(&project).into_future();
    let (writes, commit, deletion) = tokio::join!(join_all(writes), commit, deletion);
    deletion.expect(200);
    assert!(writes.iter().all(|write| matches!(write.status, 200 | 201 | 404)), "{writes:?}");
    assert!(matches!(commit.status, 201 | 404), "{commit}");
    for table in ["branches", "working_changes", "commits", "git_objects"] {
        assert_eq!(
            owned.deployment.database.count(&format!("select count(*) from {table}")).await,
            0,
            "{table}"
        );
    }
}

#[tokio::test]
async fn a_branch_is_written_during_the_computation_of_a_merge() {
    let project = Project::own().await;
    project.post("branches", json!({ "name": "side" })).await.expect(201);
    project.upload("side", "a.txt").await;
    project.commit("side", "Of the side").await;
    project.upload("main", "b.txt").await;
    project.commit("main", "Of its own").await;
    // Only the merge reads the graph of commits, for the common ancestor.
    let hold = project.deployment.database.connect().await;
    hold.batch_execute("begin; lock table commits in access exclusive mode").await.unwrap();
    let merge = project.post("branches/main/merge", json!({ "source": "side" })).into_future();
    let meanwhile = async {
        project.deployment.database.wait_for_blocked(1).await;
        project.create(&project.model, "Meanwhile").await;
        hold.batch_execute("rollback").await.unwrap();
    };
    let (refused, ()) = tokio::join!(merge, meanwhile);
    assert_eq!(refused.to_string(), r#"409 BRANCH_CONFLICT {"branch":"main"}"#);
}

#[tokio::test]
async fn a_merge_restarts_after_a_concurrent_commit() {
    let project = Project::own().await;
    for branch in ["side", "ahead"] {
        project.post("branches", json!({ "name": branch })).await.expect(201);
    }
    project.upload("side", "a.txt").await;
    let theirs = project.commit("side", "Of the side").await;
    project.upload("ahead", "b.txt").await;
    let ahead = project.commit("ahead", "Meanwhile").await;
    project.upload("main", "c.txt").await;
    project.commit("main", "Of its own").await;
    project.post("branches/ahead/merge", json!({ "source": "main" })).await.expect(200);
    let ahead_of_main = project.head("ahead").await;
    assert_ne!(ahead, ahead_of_main);

    let writer = project.deployment.database.connect().await;
    writer.batch_execute("begin; select from branches where name = 'main' for update").await.unwrap();
    let merge = project.post("branches/main/merge", json!({ "source": "side" })).into_future();
    let meanwhile = async {
        project.deployment.database.wait_for_blocked(1).await;
        let commit = "update branches set revision = revision + 1, \
                      head = (select head from branches where name = 'ahead') where name = 'main'; commit";
        writer.batch_execute(commit).await.unwrap();
    };
    let (merge, ()) = tokio::join!(merge, meanwhile);
    let merge = merge.expect(200);
    assert_eq!(merge.text("/merge/previousHash"), ahead_of_main);
    let made = project.get(&format!("commits/{}", merge.text("/merge/commitHash"))).await.expect(200).json();
    assert_eq!(made["commit"]["parents"], json!([ahead_of_main, theirs]));
    let tree = project.get("tree").await.expect(200).json();
    for name in ["a.txt", "b.txt", "c.txt"] {
        id_of(&tree, name);
    }
    project.repository().await;
}
