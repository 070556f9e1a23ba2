//! Commits that name cards, and close them.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::session::create_project;

use crate::cards::support::Project;

impl Project {
    /// Creates a branch at the head of `main`.
    async fn branch(&self, name: &str) {
        self.post("branches", json!({ "name": name })).await.expect(201);
    }

    /// Creates an object on a branch, and commits it by `caller`; returns the commit's hash.
    async fn commit_by(&self, caller: &Caller, branch: &str, message: &str) -> String {
        let objects = format!("/api/v2/projects/{}--{branch}/objects", self.id);
        caller.post(&objects).json(json!({ "name": "Tooth" })).await.expect(201);
        let commits = self.at(&format!("branches/{branch}/commits"));
        caller.post(&commits).json(json!({ "message": message })).await.expect(201).text("/commit/hash")
    }

    async fn commit(&self, branch: &str, message: &str) -> String {
        self.commit_by(&self.caller, branch, message).await
    }

    /// Merges a branch into another one; returns the kind of merge.
    async fn merge(&self, source: &str, into: &str, message: Option<&str>) -> String {
        let body = match message {
            Some(message) => json!({ "source": source, "message": message }),
            None => json!({ "source": source }),
        };
        self.post(&format!("branches/{into}/merge"), body).await.expect(200).text("/merge/status")
    }

    /// The first lines of the messages of a card's commits.
    async fn commits(&self, card: &str) -> Vec<String> {
        let listed = self.get(&format!("cards/{card}/commits")).await.expect(200).json();
        let message = |commit: &Value| commit["message"].as_str().unwrap().to_owned();
        listed["commits"].as_array().unwrap().iter().map(message).collect()
    }

    async fn is_open(&self, card: &str) -> bool {
        self.get(&format!("cards/{card}")).await.expect(200).json()["card"]["is_open"] == json!(true)
    }

    async fn reopen(&self, card: &str) {
        self.patch(&format!("cards/{card}"), json!({ "isOpen": true })).await.expect(200);
    }
}

#[tokio::test]
async fn a_commit_on_the_default_branch_is_listed_at_the_cards_that_it_names_and_closes_them() {
    let project = Project::open().await;
    for name in ["Cut", "Grind", "Harden", "Polish"] {
        project.card(name).await;
    }
    let message = "Closes gear-1, GEAR-2\n\nfixed: (GEAR-3), resolves GEAR-99 and XGEAR-4";
    let hash = project.commit("main", message).await;
    let listed = project.get("cards/GEAR-1/commits").await.expect(200).json();
    let commit = &listed["commits"][0];
    assert_eq!(
        (&commit["commitHash"], &commit["message"], &commit["author"]["name"]),
        (&json!(hash), &json!("Closes gear-1, GEAR-2"), &json!("alice"))
    );
    let read = project.get(&format!("commits/{hash}")).await.expect(200).json();
    assert_eq!(commit["committedAt"], read["commit"]["createdAt"]);
    assert_eq!(commit["closes"], json!(true));
    assert_eq!(
        project.get("cards/GEAR-2/commits").await.expect(200).json()["commits"][0]["closes"],
        json!(false)
    );
    // The word counts for the key right behind it.
    let mut open = Vec::new();
    for card in ["GEAR-1", "GEAR-2", "GEAR-3", "GEAR-4"] {
        open.push((project.is_open(card).await, project.commits(card).await.len()));
    }
    assert_eq!(open, [(false, 1), (true, 1), (true, 1), (true, 0)]);
    assert_eq!(project.history("GEAR-1").await, ["created is_open,name", "closed is_open"]);
    assert!(project.get("cards/GEAR-1").await.json()["card"]["closed_at"].is_string());
    // A closed card stays as it is, and the newest commit comes first.
    project.commit("main", "Again: fixes GEAR-1").await;
    assert_eq!(project.commits("GEAR-1").await, ["Again: fixes GEAR-1", "Closes gear-1, GEAR-2"]);
    assert_eq!(project.history("GEAR-1").await.len(), 2);
    assert_snapshot!(project.get("cards/GEAR-99/commits").await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_commit_on_a_branch_closes_cards_when_it_is_merged_into_the_default_branch() {
    let project = Project::open().await;
    for name in ["Cut", "Grind", "Harden"] {
        project.card(name).await;
    }
    for branch in ["teeth", "more"] {
        project.branch(branch).await;
    }
    project.commit("teeth", "Fixes GEAR-1").await;
    assert_eq!(project.merge("teeth", "more", None).await, "fastForward");
    assert!(project.is_open("GEAR-1").await);
    assert_eq!(project.commits("GEAR-1").await, ["Fixes GEAR-1"]);
    // The list tells it before and after the commit reaches the default branch.
    let closes =
        async || project.get("cards/GEAR-1/commits").await.expect(200).json()["commits"][0]["closes"].clone();
    assert_eq!(closes().await, json!(true));
    project.commit("main", "Something else").await;
    project.commit("more", "See GEAR-3").await;
    assert_eq!(project.merge("more", "main", Some("Bring the teeth, closes GEAR-2")).await, "merged");
    let open =
        [project.is_open("GEAR-1").await, project.is_open("GEAR-2").await, project.is_open("GEAR-3").await];
    assert_eq!(open, [false, false, true]);
    assert_eq!(closes().await, json!(true));
    assert_eq!(project.commits("GEAR-2").await, ["Bring the teeth, closes GEAR-2"]);
    // What has reached the default branch closes nothing a second time.
    project.reopen("GEAR-1").await;
    assert_eq!(project.merge("teeth", "main", None).await, "upToDate");
    project.commit("teeth", "Resolves GEAR-3").await;
    assert_eq!(project.merge("main", "teeth", None).await, "merged");
    assert!(project.is_open("GEAR-3").await);
    assert_eq!(project.merge("teeth", "main", None).await, "fastForward");
    assert_eq!((project.is_open("GEAR-1").await, project.is_open("GEAR-3").await), (true, false));
}

#[tokio::test]
async fn a_dry_run_closes_nothing_and_so_does_the_quote_of_a_revert() {
    let project = Project::open().await;
    project.card("Cut").await;
    project.branch("teeth").await;
    project.commit("teeth", "Fixes GEAR-1").await;
    project.post("branches/main/merge", json!({ "source": "teeth", "dryRun": true })).await.expect(200);
    assert!(project.is_open("GEAR-1").await);
    project.merge("teeth", "main", None).await;
    project.reopen("GEAR-1").await;
    let head = project.get("branches/main").await.expect(200).text("/branch/commitHash");
    project.post(&format!("commits/{head}/revert"), json!({ "branch": "main" })).await.expect(200);
    assert!(project.is_open("GEAR-1").await);
    assert_eq!(project.commits("GEAR-1").await, ["Revert \"Fixes GEAR-1\"", "Fixes GEAR-1"]);
}

#[tokio::test]
async fn a_caller_without_the_right_to_write_cards_commits_and_the_card_stays_open() {
    let project = Project::open().await;
    for name in ["Cut", "Grind"] {
        project.card(name).await;
    }
    let reader = project.alice.key(&["projects:manage", "cards:read"]).await;
    project.commit_by(&reader, "main", "Closes GEAR-1").await;
    assert!(project.is_open("GEAR-1").await);
    assert_eq!(project.commits("GEAR-1").await, ["Closes GEAR-1"]);
    project.branch("teeth").await;
    project.commit_by(&reader, "teeth", "Closes GEAR-2").await;
    // The caller who merges it may close the card.
    project.merge("teeth", "main", None).await;
    assert_eq!((project.is_open("GEAR-1").await, project.is_open("GEAR-2").await), (true, false));
    let cards_alone = project.alice.key(&["cards:manage"]).await;
    assert_snapshot!(
        cards_alone.get(&project.at("cards/GEAR-1/commits")).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"projects:read"}"#
    );
}

#[tokio::test]
async fn only_keys_of_the_projects_own_cards_count_and_former_ones_do() {
    let project = Project::open().await;
    project.card("Cut").await;
    let other = create_project(&project.caller, "Wheel").await;
    let theirs = format!("/api/v2/projects/{other}/cards");
    let theirs = project.caller.post(&theirs).json(json!({ "name": "Roll" })).await.expect(201);
    let (id, key) = (theirs.text("/card/id"), theirs.text("/card/key"));
    let path = format!("/api/v2/projects/{}", project.id);
    project.caller.patch(&path).json(json!({ "key": "TOOTH" })).await.expect(200);
    project.commit("main", &format!("TOOTH-1: closes GEAR-1, closes {key}")).await;
    assert!(!project.is_open("TOOTH-1").await);
    assert_eq!(project.commits("TOOTH-1").await.len(), 1);
    let read = project.caller.get(&format!("/api/v2/projects/{other}/cards/{id}")).await.expect(200).json();
    assert_eq!(read["card"]["is_open"], true);
    let listed = project.caller.get(&format!("/api/v2/projects/{other}/cards/{id}/commits")).await;
    assert_eq!(listed.expect(200).json()["commits"], json!([]));
}

#[tokio::test]
async fn a_deleted_card_loses_its_commits_and_refuses_no_merge() {
    let project = Project::own().await;
    for name in ["Cut", "Grind"] {
        project.card(name).await;
    }
    project.branch("teeth").await;
    project.commit("teeth", "Closes GEAR-1, closes GEAR-2").await;
    let rows = async || project.deployment.database.count("select count(*) from card_commits").await;
    assert_eq!(rows().await, 2);
    project.delete("cards/GEAR-1").await.expect(200);
    assert_eq!(rows().await, 1);
    project.merge("teeth", "main", None).await;
    assert!(!project.is_open("GEAR-2").await);
    project.caller.delete(&format!("/api/v2/projects/{}", project.id)).await.expect(200);
    assert_eq!(rows().await, 0);
}

#[tokio::test]
async fn commits_merges_and_changes_at_once_close_a_card_once() {
    let project = Project::open().await;
    for round in 0..4 {
        let card = project.post("cards", json!({ "name": "Cut" })).await.expect(201).text("/card/key");
        let branches: Vec<String> = (0..4).map(|at| format!("side-{round}-{at}")).collect();
        for branch in &branches {
            project.branch(branch).await;
            project.commit(branch, &format!("Closes {card}")).await;
        }
        let merges = branches.iter().map(async |branch| {
            let body = json!({ "source": branch, "message": format!("Resolves {card}") });
            project.post("branches/main/merge", body).await.status
        });
        let path = format!("cards/{card}");
        let (merges, closing) =
            tokio::join!(join_all(merges), project.patch(&path, json!({ "isOpen": false })).into_future());
        assert_eq!((merges, closing.status), (vec![200; 4], 200));
        let closed = project.history(&card).await.iter().filter(|row| row.starts_with("closed")).count();
        assert_eq!(closed, 1);
        let listed = project.commits(&card).await;
        assert_eq!(listed.iter().filter(|message| message.starts_with("Closes")).count(), 4, "{listed:?}");
    }
}

#[tokio::test]
async fn commits_at_once_with_the_deletion_of_their_card_succeed() {
    let project = Project::open().await;
    for round in 0..4 {
        let card = project.post("cards", json!({ "name": "Cut" })).await.expect(201).text("/card/key");
        let branches: Vec<String> = (0..3).map(|at| format!("side-{round}-{at}")).collect();
        for branch in &branches {
            project.branch(branch).await;
        }
        let message = format!("Closes {card}");
        let on_main = project.commit("main", &message);
        let on_sides = branches.iter().map(|branch| project.commit(branch, &message));
        let path = format!("cards/{card}");
        let deletion = project.delete(&path).into_future();
        let (_, _, deleted) = tokio::join!(on_main, join_all(on_sides), deletion);
        deleted.expect(200);
    }
}
