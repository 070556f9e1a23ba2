//! Refused clones and pushes, and their messages in Git.

use insta::assert_snapshot;
use serde_json::json;
use testkit::open_session::OpenSession;
use testkit::seed::MANAGE;
use testkit::session::create_project;
use uuid::Uuid;

use crate::clone::support::{Git, Run, commit};

#[tokio::test]
async fn git_shows_why_a_push_is_refused() {
    let opened = OpenSession::open().await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);
    let identity = ["-c", "user.name=alice", "-c", "user.email=alice@example.com"];
    git.run(&clone, &[&identity[..], &["commit", "--quiet", "--allow-empty", "--message", "Mine"]].concat());
    let Run { succeeded, said } = git.try_run(&clone, &["push"]);
    assert!(!succeeded);
    assert_snapshot!(said, @"fatal: remote error: this repository is read-only: change the project through its API");
}

#[tokio::test]
async fn git_asks_for_a_missing_credential_and_fails_with_a_wrong_one() {
    let opened = OpenSession::open().await;
    let anonymous = opened.caller.without_credential();
    let path = format!("/git/{}.git/info/refs?service=git-upload-pack", opened.project);
    let answer = anonymous.get(&path).await.expect(401);
    let challenges: Vec<&str> =
        answer.headers.get_all("www-authenticate").iter().map(|value| value.to_str().unwrap()).collect();
    assert_eq!(challenges, ["Bearer", "Basic realm=\"Atelier\", charset=\"UTF-8\""]);
    // Other paths send no challenge, so browsers don't ask for a password.
    let elsewhere = anonymous.get("/api/v2/me").await.expect(401);
    assert_eq!(elsewhere.headers.get_all("www-authenticate").iter().count(), 1);
    let basic = format!("Basic {}", "YTpi");
    anonymous.get("/api/v2/me").header("authorization", &basic).await.expect(401);

    let wrong = Git::with_password(&opened.caller, "svc_ak_live_wrong");
    let Run { succeeded, said } =
        wrong.try_run(".", &["clone", "--quiet", &wrong.url(&opened.project), "gear"]);
    assert!(!succeeded);
    assert_snapshot!(
        said.replace(&opened.project, "<project>"),
        @"fatal: Authentication failed for 'http://<host>/git/<project>.git/'"
    );
}

#[tokio::test]
async fn a_key_is_the_user_of_settings_of_build_services() {
    let opened = OpenSession::open().await;
    let git = Git::of(&opened.caller);
    let address = opened.caller.url.replace("http://", "");
    let url = |user: &str| format!("http://{user}@{address}/git/{}.git", opened.project);
    let key = opened.caller.credential();
    git.run(".", &["ls-remote", &url(&format!("{key}:x-oauth-basic"))]);
    git.run(".", &["ls-remote", &url(&format!("x-oauth-basic:{key}"))]);
    assert!(!git.try_run(".", &["ls-remote", &url("svc_ak_live_wrong:x-oauth-basic")]).succeeded);
}

#[tokio::test]
async fn a_bearer_token_is_accepted() {
    let opened = OpenSession::open().await;
    let git = Git::of(&opened.caller);
    let header = format!("http.extraHeader=Authorization: Bearer {}", opened.caller.credential());
    let url = format!("{}/git/{}", opened.caller.url, opened.project);
    git.run(".", &["-c", &header, "clone", "--quiet", &url, "gear"]);
    git.check(&git.folder.path().join("gear"));
}

#[tokio::test]
async fn a_revoked_key_can_not_fetch() {
    let opened = OpenSession::open().await;
    let key = opened.alice.issue(MANAGE, &[]).await;
    let git = Git::of(&key.caller);
    let clone = git.clone(&opened.project, "gear", &[]);
    commit(&opened, "gear.txt").await;
    opened.deployment.operator().revoke(&key).await;
    let Run { succeeded, said } = git.try_run(&clone, &["fetch"]);
    assert!(!succeeded && said.contains("Authentication failed"), "{said}");
}

// I8
#[tokio::test]
async fn a_foreign_project_is_answered_like_an_absent_one() {
    let opened = OpenSession::open().await;
    let stranger = opened.deployment.operator().user("stranger").await.key(MANAGE).await;
    let git = Git::of(&stranger);
    let says = |project: &str| {
        let Run { succeeded, said } = git.try_run(".", &["clone", "--quiet", &git.url(project), "gear"]);
        assert!(!succeeded);
        said.replace(project, "<project>")
    };
    let hidden = says(&opened.project);
    assert_snapshot!(hidden, @"fatal: repository 'http://<host>/git/<project>.git/' not found");
    assert_eq!(hidden, says(&Uuid::now_v7().to_string()));
    // Unsupported services don't reveal it either.
    for service in ["git-upload-pack", "git-receive-pack"] {
        let path = format!("/git/{}/info/refs?service={service}", opened.project);
        stranger.get(&path).await.expect(404);
    }
}

#[tokio::test]
async fn a_confined_key_clones_only_its_projects() {
    let opened = OpenSession::open().await;
    let other = create_project(&opened.caller, "Other").await;
    let body = json!({ "name": "ci", "scopes": ["projects:read"], "projectIds": [opened.project] });
    let issued = opened.alice.browser().await.post("/api/v2/api-keys").json(body).await.expect(201);
    let git = Git::with_password(&opened.caller, &issued.text("/key"));
    git.check(&git.clone(&opened.project, "gear", &[]));
    let Run { succeeded, said } = git.try_run(".", &["clone", &git.url(&other), "other"]);
    assert!(!succeeded && said.contains("not found"), "{said}");
}

#[tokio::test]
async fn a_key_without_the_scope_is_refused_before_the_lookup() {
    let opened = OpenSession::open().await;
    let cards = opened.alice.key(&["cards:manage"]).await;
    let path = format!("/git/{}.git/info/refs?service=git-upload-pack", opened.project);
    assert_snapshot!(cards.get(&path).await, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"projects:read"}"#);
}
