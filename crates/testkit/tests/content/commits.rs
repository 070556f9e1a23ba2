//! Commits: content, effect on changes, and Git's view of them.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Base;
use testkit::seed::MANAGE;

use crate::support::{Project, texts};

#[tokio::test]
async fn a_commit_takes_the_uncommitted_changes_and_is_a_commit_of_git() {
    let project = Project::own().await;
    let first = project.head("main").await;
    let gear = project.upload("main", "gear.step").await;
    let tree = project.get("tree").await.expect(200);
    let answer =
        project.post("branches/main/commits", json!({ "message": "Add a gear\n\nIt has teeth.\n" })).await;
    assert_snapshot!(
        answer,
        @r#"
        201 {
          "commit": {
            "author": {"email":"<id 1>@users.noreply.control.test","name":"alice"},
            "createdAt": "<time>",
            "hash": "<hash 1>",
            "message": "Add a gear\n\nIt has teeth.",
            "parents": ["<hash 2>"]
          }
        }
        "#
    );
    let commit = answer.text("/commit/hash");
    assert_eq!(answer.text("/commit/parents/0"), first);
    assert_eq!(project.head("main").await, commit);
    let changes = project.changes("main").await;
    assert_eq!((&changes["hasChanges"], &changes["committedHash"]), (&json!(false), &json!(commit)));
    // The same tree with another tag.
    let after = project.get("tree").await.expect(200);
    assert_eq!(after.json(), tree.json());
    assert_ne!(after.header("etag"), tree.header("etag"));
    // Reading gives the answer of the creation.
    let read = project.get(&format!("commits/{commit}")).await.expect(200);
    assert_eq!(read.json(), answer.json());

    let repository = project.repository().await;
    assert_eq!(repository.git(&["rev-parse", "main", "main^"]), format!("{commit}\n{first}"));
    let files = repository.git(&["ls-tree", "-r", "--name-only", "main"]);
    let pointer = files.lines().find(|file| file.starts_with("files/")).unwrap();
    assert!(pointer.ends_with(&format!("/gear.{gear}.step")), "{pointer}");
    let pointer = repository.git(&["show", &format!("main:{pointer}")]);
    assert_snapshot!(pointer, @r"
    version https://git-lfs.github.com/spec/v1
    oid sha256:f77e181535cc38f886d87e7f29fafbfd4a759ca97b814db9f2bdeab4d7cd5ad8
    size 9
    ");
}

#[tokio::test]
async fn a_commit_needs_changes_and_a_message() {
    let project = Project::open().await;
    let commit = |body| project.post("branches/main/commits", body).into_future();
    assert_snapshot!(commit(json!({ "message": "Nothing" })).await, @"409 NOTHING_TO_COMMIT");
    project.upload("main", "a.txt").await;
    for body in
        [json!({}), json!({ "message": "" }), json!({ "message": " \n" }), json!({ "message": "a\u{0}" })]
    {
        assert_eq!(commit(body).await.status, 400);
    }
    commit(json!({ "message": "x".repeat(10_001) })).await.expect(400);
    commit(json!({ "message": "é".repeat(10_000) })).await.expect(201);
    assert_eq!(project.history("main").await.len(), 2);
}

#[tokio::test]
async fn a_branch_without_a_commit_gets_its_first() {
    let gear = Project::open().await;
    let body = json!({ "name": "Bare", "skipInitialCommit": true });
    let bare = gear.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let gear = Project { id: bare, ..gear };
    assert_eq!(gear.history("main").await, [""; 0]);
    assert_eq!(gear.head("main").await, "0".repeat(40));
    let refused = gear.post("branches", json!({ "name": "early" })).await;
    assert_snapshot!(refused, @r#"409 BRANCH_CONFLICT {"branch":"main"}"#);
    let answer = gear.post("branches/main/commits", json!({ "message": "Begin" })).await.expect(201);
    assert_eq!(answer.json()["commit"]["parents"], json!([]));
    assert_eq!(gear.changes("main").await["hasChanges"], false);
    assert_eq!(gear.repository().await.git(&["rev-list", "--count", "main"]), "1");
    gear.post("branches", json!({ "name": "now" })).await.expect(201);
}

#[tokio::test]
async fn a_history_is_paged_and_equals_that_of_git() {
    let project = Project::open().await;
    let mut hashes = vec![project.head("main").await];
    for number in 0..7 {
        project.upload("main", &format!("{number}.txt")).await;
        hashes.push(project.commit("main", &format!("Commit {number}")).await);
    }
    hashes.reverse();
    let mut read = Vec::new();
    let mut path = "branches/main/commits?limit=3".to_owned();
    loop {
        let page = project.get(&path).await.expect(200).json();
        read.push(texts(&page["commits"], "hash"));
        let Some(cursor) = page["meta"]["nextCursor"].as_str() else { break };
        path = format!("branches/main/commits?limit=3&cursor={cursor}");
    }
    assert_eq!(read.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 2]);
    assert_eq!(read.concat(), hashes);
    let repository = project.repository().await;
    assert_eq!(repository.git(&["log", "--format=%H", "main"]), hashes.join("\n"));

    let other = project.get("branches/other/commits?limit=3").await;
    assert_snapshot!(other, @"404 NOT_FOUND");
    assert_snapshot!(project.get("branches/main/commits?cursor=x").await, @"400 INVALID_PAGINATION");
}

#[tokio::test]
async fn a_history_with_many_open_lines_is_paged_while_the_branch_moves() {
    const LINES: usize = 70;
    let project = Project::open().await;
    let branch = |number: usize| format!("line{number}");
    for number in 0..LINES {
        project.post("branches", json!({ "name": branch(number) })).await.expect(201);
        let at = format!("/api/v2/projects/{}--{}/objects", project.id, branch(number));
        project.caller.post(&at).json(json!({ "name": "Part" })).await.expect(201);
        project.commit(&branch(number), &format!("Line {number}")).await;
    }
    for number in 0..LINES {
        let body = json!({ "source": branch(number), "message": format!("Merge {number}") });
        project.post("branches/main/merge", body).await.expect(200);
    }
    let mut read = Vec::new();
    let mut path = "branches/main/commits?limit=40".to_owned();
    loop {
        let page = project.get(&path).await.expect(200).json();
        read.extend(texts(&page["commits"], "message"));
        let Some(cursor) = page["meta"]["nextCursor"].as_str() else { break };
        path = format!("branches/main/commits?limit=40&cursor={cursor}");
        project.create(&project.model, "Later").await;
        project.commit("main", "Later").await;
    }
    // The first of them moved `main` forward; the others left open lines.
    let merges = (1..LINES).rev().map(|number| format!("Merge {number}"));
    let lines = (0..LINES).rev().map(|number| format!("Line {number}"));
    let expected: Vec<String> = merges.chain(lines).chain(["Create the project".to_owned()]).collect();
    assert_eq!(read, expected);
}

#[tokio::test]
async fn a_commit_of_another_project_is_not_found() {
    let gear = Project::open().await;
    let head = gear.head("main").await;
    let other = testkit::session::create_project(&gear.caller, "Other").await;
    let other = Project { id: other, ..gear };
    assert_snapshot!(other.get(&format!("commits/{head}")).await, @"404 NOT_FOUND");
    let from = json!({ "name": "x", "fromCommit": head });
    assert_snapshot!(other.post("branches", from).await, @"400 INVALID_REQUEST body.fromCommit exists");
    assert_snapshot!(other.get("commits/abc").await, @"400 INVALID_REQUEST path.hash pattern");
}

#[tokio::test]
async fn of_concurrent_commits_one_takes_the_changes() {
    let project = Project::open().await;
    for round in 0..4 {
        project.upload("main", &format!("{round}.txt")).await;
        let commit = || project.post("branches/main/commits", json!({ "message": "x" })).into_future();
        let answers = join_all((0..6).map(|_| commit())).await;
        let count = |status| answers.iter().filter(|answer| answer.status == status).count();
        assert_eq!((count(201), count(409)), (1, 5), "{answers:?}");
    }
    assert_eq!(project.history("main").await.len(), 5);
    project.repository().await;
}

#[tokio::test]
async fn a_commit_belongs_to_the_committer_not_to_the_authors_of_its_changes() {
    let project = Project::own().await;
    project.upload("main", "a.txt").await;
    let operator = project.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &project.id, "editor").await;
    let path = project.at("branches/main/commits");
    let answer = bob.key(MANAGE).await.post(&path).json(json!({ "message": "x" })).await.expect(201);
    assert_eq!(answer.text("/commit/author/name"), "bob");
}

#[tokio::test]
async fn a_commit_has_its_authors_address_only_where_the_author_chooses_so() {
    let project = Project::open().await;
    let operator = project.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &project.id, "editor").await;
    let (path, key) = (project.at("branches/main/commits"), bob.key(MANAGE).await);
    let committed = async |name: &str| {
        project.upload("main", name).await;
        key.post(&path).json(json!({ "message": "x" })).await.expect(201).text("/commit/author/email")
    };
    let browser = bob.browser().await;
    let user = browser.get("/api/v2/me").await.expect(200);
    let stand_in = format!("{}@users.noreply.control.test", user.text("/user/id"));
    assert_eq!(
        (user.text("/user/commitEmail"), committed("a.txt").await),
        (stand_in.clone(), stand_in.clone())
    );
    let choose = async |shows: serde_json::Value| {
        let body = json!({ "showEmailInCommits": shows });
        browser.patch("/api/v2/me").json(body).await.expect(200).text("/user/commitEmail")
    };
    let own = user.text("/user/email");
    assert_eq!((choose(json!(true)).await, committed("b.txt").await), (own.clone(), own));
    assert_eq!((choose(json!(null)).await, committed("c.txt").await), (stand_in.clone(), stand_in));
    let stale =
        browser.patch("/api/v2/me").json(json!({ "showEmailInCommits": true })).header("if-match", "x").await;
    assert_eq!(stale.status, 412);
    key.patch("/api/v2/me").json(json!({ "showEmailInCommits": true })).await.expect(403);
    assert_snapshot!(browser.patch("/api/v2/me").json(json!({})).await, @"400 INVALID_REQUEST body minProperties");
}

#[tokio::test]
async fn an_author_is_answered_as_recorded_in_the_commit() {
    let project = Project::open().await;
    let operator = project.deployment.operator();
    let arguments = ["user", "create", "--email", "bob@example.com", "--name", "Bob <the> Builder"];
    let bob = operator.run(&arguments).await["userId"].as_str().unwrap().to_owned();
    operator.run(&["member", "add", "--user", &bob, "--project", &project.id, "--role", "editor"]).await;
    let key = operator.run(&["key", "issue", "--user", &bob, "--scopes", "projects:manage"]).await;
    let by_bob = project.caller.with(key["key"].as_str().unwrap());
    project.upload("main", "a.txt").await;
    let path = project.at("branches/main/commits");
    let made = by_bob.post(&path).json(json!({ "message": "x" })).await.expect(201);
    assert_eq!(made.text("/commit/author/name"), "Bob the Builder");
    let read = project.get(&format!("commits/{}", made.text("/commit/hash"))).await.expect(200);
    assert_eq!(read.json()["commit"], made.json()["commit"]);
}
