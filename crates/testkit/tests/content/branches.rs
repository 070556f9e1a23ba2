//! Branches: start, name and deletion.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Base;
use testkit::session::{Session, encoded};

use crate::support::{Project, texts};

#[tokio::test]
async fn a_branch_starts_at_a_head_or_a_commit_without_uncommitted_changes() {
    let project = Project::open().await;
    let first = project.head("main").await;
    project.upload("main", "a.txt").await;
    let second = project.commit("main", "Second").await;
    let uncommitted = project.upload("main", "b.txt").await;

    let answer = project.post("branches", json!({ "name": "feature/teeth" })).await;
    assert_snapshot!(answer, @r#"
    201 {
      "branch": {
        "commitHash": "<hash 1>",
        "createdAt": "<time>",
        "hasChanges": false,
        "isDefault": false,
        "name": "feature/teeth"
      }
    }
    "#);
    assert_eq!(answer.text("/branch/commitHash"), second);
    let from = json!({ "name": "old", "fromCommit": first });
    assert_eq!(project.post("branches", from).await.text("/branch/commitHash"), first);
    let from = json!({ "name": "older", "fromBranch": "old" });
    assert_eq!(project.post("branches", from).await.text("/branch/commitHash"), first);

    assert_eq!(project.changes("main").await["added"], json!([uncommitted]));
    assert_eq!(project.changes("feature/teeth").await["hasChanges"], false);
    // Changes stay on their branch.
    project.upload("feature/teeth", "c.txt").await;
    project.commit("feature/teeth", "Third").await;
    assert_eq!(project.history("feature/teeth").await, ["Third", "Second", "Create the project"]);
    assert_eq!(project.history("main").await, ["Second", "Create the project"]);
    assert_eq!(project.head("main").await, second);
    let count = async |at: &str| {
        let path = format!("/api/v2/projects/{}--{at}/tree", project.id);
        project.caller.get(&path).await.expect(200).json()["objectCount"].clone()
    };
    assert_eq!(
        (count("main").await, count("old").await, count("feature%2Fteeth").await),
        (json!(5), json!(3), json!(5))
    );
    project.repository().await;
}

#[tokio::test]
async fn a_branch_name_is_unique_and_valid_in_git() {
    let project = Project::open().await;
    let create = |name: &str| project.post("branches", json!({ "name": name })).into_future();
    let longest = "l".repeat(255);
    for name in ["a/b", "v1.0", "Ünïcode/设计", "MAIN", "Main", &longest, "x--y", "per%cent_", "a-b"] {
        create(name).await.expect(201);
        let read = project.get(&format!("branches/{}", encoded(name))).await.expect(200);
        assert_eq!(read.text("/branch/name"), name);
    }
    assert_snapshot!(create("a/b").await, @r#"409 BRANCH_CONFLICT {"branch":"a/b"}"#);
    assert_snapshot!(create("a").await, @r#"409 BRANCH_CONFLICT {"branch":"a/b"}"#);
    assert_snapshot!(create("a/b/c").await, @r#"409 BRANCH_CONFLICT {"branch":"a/b"}"#);
    // Percent sign and underscore are literal.
    create("per%cent_x").await.expect(201);
    for name in ["", "a..b", "a b", "/a", "HEAD", ".a", "a.lock", "a.git", &"l".repeat(256)] {
        assert_eq!(create(name).await.to_string(), "400 INVALID_REQUEST body.name format", "{name}");
    }
    let listed = project.get("branches?limit=100").await.expect(200).json();
    let names = texts(&listed["branches"], "name");
    assert!(names.is_sorted());
    assert_eq!(names.len(), 11);
    project.repository().await;
}

#[tokio::test]
async fn path_and_body_name_the_same_branch() {
    let project = Project::open().await;
    project.post("branches", json!({ "name": "a" })).await.expect(201);
    let at = |path: &str| format!("/api/v2/projects/{}--a/{path}", project.id);
    project.caller.get(&at("branches/a")).await.expect(200);
    assert_snapshot!(
        project.caller.get(&at("branches/main")).await,
        @"400 INVALID_REQUEST path.branch conflict"
    );
    let body = json!({ "name": "b", "fromBranch": "main" });
    assert_snapshot!(
        project.caller.post(&at("branches")).json(body).await,
        @"400 INVALID_REQUEST body.fromBranch conflict"
    );
    project.caller.post(&at("branches")).json(json!({ "name": "b", "fromBranch": "a" })).await.expect(201);
    assert_snapshot!(project.get("branches/none").await, @"404 NOT_FOUND");
    let body = json!({ "name": "c", "fromBranch": "none" });
    assert_snapshot!(project.post("branches", body).await, @"400 INVALID_REQUEST body.fromBranch exists");
}

#[tokio::test]
async fn the_default_branch_can_be_changed_and_not_deleted() {
    let project = Project::own().await;
    project.upload("main", "a.txt").await;
    project.post("branches", json!({ "name": "next" })).await.expect(201);
    assert_snapshot!(project.delete("branches/main").await, @r#"409 BRANCH_CONFLICT {"branch":"main"}"#);
    assert_snapshot!(
        project.change_project(json!({ "defaultBranch": "none" })).await,
        @"400 INVALID_REQUEST body.defaultBranch exists"
    );
    let cleared = project.change_project(json!({ "defaultBranch": null })).await;
    assert_snapshot!(cleared, @"400 INVALID_REQUEST body.defaultBranch required");
    let changed = project.change_project(json!({ "defaultBranch": "next" })).await.expect(200);
    assert_eq!(changed.text("/project/defaultBranch"), "next");
    // An id without a branch now means the new default.
    assert_eq!(project.get("tree").await.json()["objectCount"], 3);
    assert_eq!(project.get("branches/next").await.json()["branch"]["isDefault"], true);
    // With its uncommitted changes.
    assert_snapshot!(project.delete("branches/main").await, @r#"200 {"branch":"main","deleted":true}"#);
    assert_snapshot!(project.get("branches/main/changes").await, @"404 NOT_FOUND");
    assert_snapshot!(project.delete("branches/main").await, @"404 NOT_FOUND");
    assert_eq!(project.deployment.database.count("select count(*) from working_changes").await, 0);
    project.caller.get(&format!("/api/v2/projects/{}--main/tree", project.id)).await.expect(404);
}

#[tokio::test]
async fn a_deleted_branch_keeps_its_commits_and_ends_uploads_of_its_sessions() {
    let project = Project::open().await;
    project.post("branches", json!({ "name": "a/b" })).await.expect(201);
    project.upload("a/b", "a.txt").await;
    let commit = project.commit("a/b", "Kept").await;
    let session = Session::open(&project.caller, &format!("{}--a%2Fb", project.id)).await;
    project.delete("branches/a%2Fb").await.expect(200);
    let refused = session.upload(&project.model, "b.txt", "b").await;
    assert_snapshot!(refused, @"401 UNAUTHENTICATED");
    project.get(&format!("commits/{commit}")).await.expect(200);
    let again = project.post("branches", json!({ "name": "a", "fromCommit": commit })).await.expect(201);
    assert_eq!(again.text("/branch/commitHash"), commit);
    assert_eq!(project.history("a").await, ["Kept", "Create the project"]);
}

#[tokio::test]
async fn of_concurrent_branches_with_one_name_one_is_created() {
    let project = Project::open().await;
    let names = ["a", "a/b", "a", "a/b", "a/b/c", "a"];
    let create = |name| project.post("branches", json!({ "name": name })).into_future();
    let answers = join_all(names.map(create)).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(201), count(409)), (1, 5), "{answers:?}");
}

#[tokio::test]
async fn a_branch_can_not_become_the_default_and_be_deleted_at_once() {
    let project = Project::open().await;
    for round in 0..6 {
        let name = format!("b{round}");
        project.post("branches", json!({ "name": name })).await.expect(201);
        let path = format!("branches/{name}");
        let choose = project.change_project(json!({ "defaultBranch": name }));
        let (chosen, deleted) = tokio::join!(choose, project.delete(&path).into_future());
        // The check at the end asserts that the default branch exists.
        assert!(matches!((chosen.status, deleted.status), (200, 409) | (400, 200)), "{chosen} {deleted}");
        project.change_project(json!({ "defaultBranch": "main" })).await.expect(200);
    }
}

#[tokio::test]
async fn a_thousand_branches_are_created_listed_and_deleted() {
    const BRANCHES: usize = 1_000;
    let project = Project::own().await;
    let name = |number: usize| format!("work/{number:04}");
    for from in (0..BRANCHES).step_by(20) {
        let create = |number| project.post("branches", json!({ "name": name(number) })).into_future();
        for answer in join_all((from..from + 20).map(create)).await {
            answer.expect(201);
        }
    }
    let mut names = Vec::new();
    let mut path = "branches?limit=100".to_owned();
    loop {
        let page = project.get(&path).await.expect(200).json();
        names.extend(texts(&page["branches"], "name"));
        let Some(cursor) = page["meta"]["nextCursor"].as_str() else { break };
        path = format!("branches?limit=100&cursor={cursor}");
    }
    let expected: Vec<String> = std::iter::once("main".to_owned()).chain((0..BRANCHES).map(name)).collect();
    assert_eq!(names, expected);
    project.upload(&name(500), "a.txt").await;
    project.commit(&name(500), "Of one").await;
    assert_eq!(project.history(&name(499)).await.len(), 1);
    project.delete(&format!("branches/{}", encoded(&name(0)))).await.expect(200);
    assert_eq!(project.deployment.database.count("select count(*) from branches").await, 1_000);
    // All of them share one commit: nothing was copied.
    assert_eq!(project.deployment.database.count("select count(*) from commits").await, 2);
}
