//! Merges and reverts over HTTP: effect on the branch, and Git's view of them.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Base;
use testkit::session::encoded;

use crate::support::{Project, texts};

impl Project {
    /// Creates a branch at the head of `main`.
    async fn branch(&self, name: &str) {
        self.post("branches", json!({ "name": name })).await.expect(201);
    }

    /// Uploads a file and commits it; returns the object and the commit.
    async fn commit_file(&self, branch: &str, name: &str) -> (String, String) {
        let object = self.upload(branch, name).await;
        (object, self.commit(branch, &format!("Add {name}")).await)
    }

    async fn merge(&self, branch: &str, body: Value) -> Answer {
        self.post(&format!("branches/{}/merge", encoded(branch)), body).await
    }

    /// Names of the objects of a branch.
    async fn names(&self, branch: &str) -> Vec<String> {
        let path = format!("/api/v2/projects/{}--{}/tree", self.id, encoded(branch));
        let mut names = texts(&self.caller.get(&path).await.expect(200).json()["tree"], "name");
        names.sort();
        names
    }
}

#[tokio::test]
async fn a_merge_is_a_commit_of_both_lines() {
    let project = Project::open().await;
    project.branch("gear/teeth").await;
    let (_, ours) = project.commit_file("main", "a.txt").await;
    let (_, theirs) = project.commit_file("gear/teeth", "b.txt").await;
    let answer = project.merge("main", json!({ "source": "gear/teeth" })).await;
    assert_snapshot!(
        answer,
        @r#"
        200 {
          "merge": {
            "baseHash": "<hash 1>",
            "commitHash": "<hash 2>",
            "dryRun": false,
            "previousHash": "<hash 3>",
            "sourceHash": "<hash 4>",
            "status": "merged"
          }
        }
        "#
    );
    let merge = answer.text("/merge/commitHash");
    assert_eq!(
        (answer.text("/merge/previousHash"), answer.text("/merge/sourceHash")),
        (ours.clone(), theirs.clone())
    );
    assert_eq!(project.head("main").await, merge);
    assert_eq!(project.names("main").await, ["Library", "Model", "a.txt", "b.txt"]);
    assert_eq!(project.names("gear/teeth").await, ["Library", "Model", "b.txt"]);
    let history = project.history("main").await;
    assert_eq!(
        history,
        ["Merge branch 'gear/teeth' into main", "Add b.txt", "Add a.txt", "Create the project"]
    );

    let repository = project.repository().await;
    assert_eq!(repository.git(&["log", "-1", "--format=%P", "main"]), format!("{ours} {theirs}"));
    assert_eq!(repository.git(&["merge-base", &ours, &theirs]), answer.text("/merge/baseHash"));
    // Git merges the same, because no file changed on both sides.
    let merged = repository.git(&["merge-tree", "--write-tree", &ours, &theirs]);
    assert_eq!(merged, repository.git(&["rev-parse", "main^{tree}"]));
}

#[tokio::test]
async fn a_branch_without_own_commits_fast_forwards_and_an_up_to_date_one_is_unchanged() {
    let project = Project::open().await;
    project.branch("side").await;
    let first = project.head("main").await;
    let (_, head) = project.commit_file("side", "a.txt").await;
    let forward = project.merge("main", json!({ "source": "side", "message": "Unused" })).await;
    assert_eq!(forward.text("/merge/status"), "fastForward");
    assert_eq!(
        (forward.text("/merge/commitHash"), forward.text("/merge/previousHash")),
        (head.clone(), first.clone())
    );
    assert_eq!(project.head("main").await, head);
    assert_eq!(project.names("main").await, ["Library", "Model", "a.txt"]);
    for source in ["side", "main", &head, &first] {
        let tag = project.get("tree").await.header("etag").to_owned();
        let again = project.merge("main", json!({ "source": source })).await.expect(200);
        assert_eq!(
            (again.text("/merge/status"), again.text("/merge/commitHash")),
            ("upToDate".into(), head.clone())
        );
        assert_eq!(project.get("tree").await.header("etag"), tag, "nothing has changed");
    }
    // Uncommitted changes don't matter and stay.
    project.upload("main", "b.txt").await;
    project.merge("main", json!({ "source": "side" })).await.expect(200);
    assert_eq!(project.history("main").await, ["Add a.txt", "Create the project"]);
}

#[tokio::test]
async fn a_merge_into_uncommitted_changes_or_from_an_unexpected_commit_is_refused() {
    let project = Project::open().await;
    project.branch("side").await;
    let (_, theirs) = project.commit_file("side", "a.txt").await;
    project.upload("main", "b.txt").await;
    for dry_run in [true, false] {
        let body = json!({ "source": "side", "dryRun": dry_run });
        let refused = project.merge("main", body).await;
        assert_eq!(refused.to_string(), r#"409 BRANCH_CONFLICT {"branch":"main"}"#);
    }
    let head = project.commit("main", "Add b.txt").await;
    let unexpected = json!({ "source": "side", "expectedHead": theirs });
    assert_snapshot!(
        project.merge("main", unexpected).await,
        @r#"409 BRANCH_CONFLICT {"branch":"main","commitHash":"<hash 1>","expectedHead":"<hash 2>"}"#
    );
    let nothing = "1".repeat(40);
    for source in ["nothing", nothing.as_str()] {
        let refused = project.merge("main", json!({ "source": source })).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.source exists");
    }
    assert_snapshot!(project.merge("nothing", json!({ "source": "side" })).await, @"404 NOT_FOUND");
    let bad = json!({ "source": "a..b" });
    assert_eq!(project.merge("main", bad).await.status, 400);
    let blank = json!({ "source": "side", "message": " " });
    assert_snapshot!(project.merge("main", blank).await, @"400 INVALID_REQUEST body.message format");
    assert_eq!(project.head("main").await, head);
    let expected = json!({ "source": theirs, "expectedHead": head, "message": "Bring a.txt" });
    project.merge("main", expected).await.expect(200);
    assert_eq!(project.history("main").await[0], "Bring a.txt");
}

#[tokio::test]
async fn a_dry_run_reports_the_result_of_a_merge_and_changes_nothing() {
    let project = Project::own().await;
    project.branch("side").await;
    project.commit_file("side", "a.txt").await;
    let state = async || {
        let tag = project.get("tree").await.header("etag").to_owned();
        let client = project.deployment.database.connect().await;
        let count = client.query_one("select count(*) from git_objects", &[]).await.unwrap();
        (tag, project.head("main").await, count.get::<_, i64>(0))
    };
    let before = state().await;
    let tried = project.merge("main", json!({ "source": "side", "dryRun": true })).await.expect(200);
    assert_eq!(
        (tried.text("/merge/status"), tried.text("/merge/commitHash")),
        ("fastForward".into(), before.1.clone())
    );
    assert_eq!(state().await, before);

    project.commit_file("main", "b.txt").await;
    let before = state().await;
    let tried = project.merge("main", json!({ "source": "side", "dryRun": true })).await.expect(200);
    assert_eq!(
        (tried.text("/merge/status"), tried.text("/merge/commitHash")),
        ("merged".into(), before.1.clone())
    );
    assert_eq!(tried.json()["merge"]["dryRun"], true);
    let head = &before.1;
    let undo = json!({ "dryRun": true });
    let reverted = project.post(&format!("commits/{head}/revert"), undo).await.expect(200);
    assert_eq!(reverted.text("/merge/status"), "merged");
    assert_eq!(state().await, before);
}

#[tokio::test]
async fn concurrent_merges_into_one_branch_all_succeed_in_turn() {
    let project = Project::open().await;
    // More than would succeed without a lock on the branch.
    let sides: Vec<String> = (0..10).map(|number| format!("side{number}")).collect();
    for side in &sides {
        project.branch(side).await;
    }
    for side in &sides {
        project.commit_file(side, &format!("{side}.txt")).await;
    }
    project.commit_file("main", "main.txt").await;
    let merges = sides.iter().map(|side| project.merge("main", json!({ "source": side })));
    for answer in join_all(merges).await {
        assert_eq!(answer.expect(200).text("/merge/status"), "merged");
    }
    let names = project.names("main").await;
    let files = sides.iter().map(|side| format!("{side}.txt"));
    let expected = ["Library", "Model", "main.txt"].map(str::to_owned).into_iter().chain(files);
    assert_eq!(names, expected.collect::<Vec<_>>());
    // Concurrent merges of the same branch merge it once.
    project.branch("late").await;
    project.commit_file("late", "late.txt").await;
    project.commit_file("main", "more.txt").await;
    let answers = join_all((0..4).map(|_| project.merge("main", json!({ "source": "late" })))).await;
    let mut statuses: Vec<String> =
        answers.into_iter().map(|answer| answer.expect(200).text("/merge/status")).collect();
    statuses.sort();
    assert_eq!(statuses, ["merged", "upToDate", "upToDate", "upToDate"]);
    let repository = project.repository().await;
    assert_eq!(repository.git(&["rev-list", "--count", "--merges", "main"]), "11");
}

#[tokio::test]
async fn a_revert_undoes_only_the_changes_of_one_commit() {
    let project = Project::open().await;
    let (_, first) = project.commit_file("main", "a.txt").await;
    let (_, second) = project.commit_file("main", "b.txt").await;
    let answer = project.post(&format!("commits/{first}/revert"), json!({})).await.expect(200);
    assert_eq!(answer.text("/merge/status"), "merged");
    assert_eq!((answer.text("/merge/previousHash"), answer.text("/merge/baseHash")), (second, first.clone()));
    assert_eq!(project.names("main").await, ["Library", "Model", "b.txt"]);
    assert_eq!(
        project.history("main").await[0],
        format!("Revert \"Add a.txt\"\n\nThis reverts commit {first}.")
    );
    let revert = answer.text("/merge/commitHash");
    // Its effect is already undone.
    let again = project.caller.post(&project.at(&format!("commits/{first}/revert"))).await.expect(200);
    assert_eq!(
        (again.text("/merge/status"), again.text("/merge/commitHash")),
        ("upToDate".into(), revert.clone())
    );
    // Reverting the revert restores the change.
    let body = json!({ "branch": "main", "message": "Again" });
    project.post(&format!("commits/{revert}/revert"), body).await.expect(200);
    assert_eq!(project.names("main").await, ["Library", "Model", "a.txt", "b.txt"]);
    let initial = project.repository().await.git(&["rev-list", "--max-parents=0", "main"]);
    let refused = project.post(&format!("commits/{initial}/revert"), json!({})).await;
    assert_snapshot!(refused, @"409 BRANCH_CONFLICT");
    let absent = format!("commits/{}/revert", "1".repeat(40));
    assert_snapshot!(project.post(&absent, json!({})).await, @"404 NOT_FOUND");
    assert_snapshot!(project.post(&absent, json!({ "branch": "main" })).await, @"404 NOT_FOUND");
    let nowhere = project.post(&format!("commits/{revert}/revert"), json!({ "branch": "none" })).await;
    assert_snapshot!(nowhere, @"400 INVALID_REQUEST body.branch exists");
}

#[tokio::test]
async fn reverting_a_merge_undoes_its_changes() {
    let project = Project::open().await;
    project.branch("side").await;
    project.commit_file("side", "a.txt").await;
    project.commit_file("side", "b.txt").await;
    project.commit_file("main", "c.txt").await;
    let merge = project.merge("main", json!({ "source": "side" })).await.text("/merge/commitHash");
    project.commit_file("main", "d.txt").await;
    project.post(&format!("commits/{merge}/revert"), json!({})).await.expect(200);
    assert_eq!(project.names("main").await, ["Library", "Model", "c.txt", "d.txt"]);
    // As in Git, the branch counts as merged; reverting the revert restores its changes.
    let again = project.merge("main", json!({ "source": "side" })).await;
    assert_eq!(again.text("/merge/status"), "upToDate");
    let revert = project.head("main").await;
    project.post(&format!("commits/{revert}/revert"), json!({})).await.expect(200);
    assert_eq!(project.names("main").await, ["Library", "Model", "a.txt", "b.txt", "c.txt", "d.txt"]);
    project.repository().await;
}

#[tokio::test]
async fn criss_cross_histories_merge() {
    let project = Project::open().await;
    project.branch("side").await;
    let (_, ours) = project.commit_file("main", "a.txt").await;
    let (_, theirs) = project.commit_file("side", "b.txt").await;
    project.merge("main", json!({ "source": theirs })).await.expect(200);
    project.merge("side", json!({ "source": ours })).await.expect(200);
    project.commit_file("main", "c.txt").await;
    project.commit_file("side", "d.txt").await;
    let answer = project.merge("main", json!({ "source": "side" })).await.expect(200);
    // Both bases are best; theirs was written last.
    assert_eq!(answer.text("/merge/baseHash"), theirs);
    assert_eq!(project.names("main").await, ["Library", "Model", "a.txt", "b.txt", "c.txt", "d.txt"]);
    let repository = project.repository().await;
    let (previous, source) = (answer.text("/merge/previousHash"), answer.text("/merge/sourceHash"));
    let mut bases = [ours, theirs];
    bases.sort();
    let mut of_git: Vec<String> =
        repository.git(&["merge-base", "--all", &previous, &source]).lines().map(str::to_owned).collect();
    of_git.sort();
    assert_eq!(of_git, bases);
}

#[tokio::test]
async fn pages_of_a_comparison_are_of_the_commits_at_its_beginning() {
    let project = Project::open().await;
    let first = project.head("main").await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        project.upload("main", name).await;
    }
    let head = project.commit("main", "Add three").await;
    let compare = |query: String| project.get(&format!("compare?{query}")).into_future();
    let page = compare(format!("base={first}&head=main&limit=2")).await.expect(200).json();
    assert_eq!((&page["baseHash"], &page["headHash"]), (&json!(first), &json!(head)));
    assert_eq!(texts(&page["objects"], "change"), ["added", "added"]);
    // The branch moves on; the comparison doesn't.
    project.commit_file("main", "d.txt").await;
    let cursor = page["meta"]["nextCursor"].as_str().unwrap();
    let rest = compare(format!("base={first}&head=main&limit=2&cursor={cursor}")).await.expect(200).json();
    assert_eq!(rest["headHash"], json!(head));
    let mut names = [texts(&page["objects"], "name"), texts(&rest["objects"], "name")].concat();
    names.sort();
    assert_eq!(names, ["a.txt", "b.txt", "c.txt"]);
    assert_eq!(rest["meta"]["hasMore"], false);

    let back = compare(format!("base={head}&head={first}&limit=1")).await;
    assert_eq!(back.json()["objects"][0]["change"], "deleted");
    assert_eq!(compare("base=main&head=main".to_owned()).await.json()["objects"], json!([]));
    assert_snapshot!(compare("base=main&head=none".to_owned()).await, @"404 NOT_FOUND");
    assert_eq!(compare("base=main".to_owned()).await.status, 400);
    let foreign = compare(format!("base=main&head={first}&cursor={cursor}")).await;
    assert_snapshot!(foreign, @"400 INVALID_PAGINATION");
}

#[tokio::test]
async fn a_comparison_with_the_merge_base_has_the_changes_of_the_head_alone() {
    let project = Project::open().await;
    let fork = project.commit_file("main", "a.txt").await.1;
    project.branch("teeth").await;
    let (_, ours) = project.commit_file("main", "b.txt").await;
    let (_, theirs) = project.commit_file("teeth", "c.txt").await;
    let compare = |query: &str| project.get(&format!("compare?{query}")).into_future();
    let direct = compare("base=main&head=teeth").await.expect(200).json();
    assert_eq!((&direct["baseHash"], texts(&direct["objects"], "change").len()), (&json!(ours), 2));
    let since = compare("base=main&head=teeth&mergeBase=true").await.expect(200).json();
    assert_eq!((&since["baseHash"], &since["headHash"]), (&json!(fork), &json!(theirs)));
    assert_eq!(texts(&since["objects"], "name"), ["c.txt"]);
    assert_eq!(texts(&since["objects"], "change"), ["added"]);
    // A position is of one comparison.
    let page = compare("base=main&head=teeth&limit=1").await.expect(200).json();
    let cursor = page["meta"]["nextCursor"].as_str().unwrap();
    let other = compare(&format!("base=main&head=teeth&limit=1&mergeBase=true&cursor={cursor}")).await;
    assert_snapshot!(other, @"400 INVALID_PAGINATION");

    // After the merge there is nothing that another one would bring; other values of the parameter are refused.
    project.merge("main", json!({ "source": "teeth" })).await.expect(200);
    let merged = compare("base=main&head=teeth&mergeBase=true").await.expect(200).json();
    assert_eq!((&merged["baseHash"], &merged["objects"]), (&json!(theirs), &json!([])));
    assert_eq!(compare("base=main&head=teeth&mergeBase=1").await.status, 400);
}
