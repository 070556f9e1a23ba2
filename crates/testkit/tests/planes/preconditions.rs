//! Entity tags and conditions of resources of the control plane.

use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::open_session::OpenSession;
use testkit::seed::MANAGE_WITH_TEAMS;
use testkit::session::{Session, create_project};

/// Creates a resource, and asserts that the creation answers the tag of the resource's read.
async fn creation_has_tag_of_read(caller: &Caller, path: &str, body: Value, id: &str) -> String {
    let created = caller.post(path).json(body).await.expect(201);
    let read = caller.get(&format!("{path}/{}", created.text(id))).await.expect(200);
    assert_eq!(created.header("etag"), read.header("etag"), "{path}");
    created.text(id)
}

#[tokio::test]
async fn a_creation_answers_the_tag_of_its_resource() {
    let opened = OpenSession::open().await;
    let operator = opened.deployment.operator();
    let alice = operator.user("carol").await;
    let caller = alice.key(MANAGE_WITH_TEAMS).await;
    let org = operator.organization("works", &alice).await;
    let project = creation_has_tag_of_read(
        &caller,
        "/api/v2/projects",
        json!({ "name": "Gear", "description": "d", "visibility": "internal", "orgId": org }),
        "/id",
    )
    .await;
    let at = format!("/api/v2/projects/{project}");
    let team = format!("/api/v2/orgs/{org}/teams");
    let created = creation_has_tag_of_read(&caller, &team, json!({ "name": "Wheels" }), "/team/id").await;
    let team = format!("{team}/{created}");
    let name = json!({ "name": "x" });
    for (path, body, id) in [
        (format!("{team}/statuses"), name.clone(), "/status/id"),
        (format!("{team}/sprints"), name.clone(), "/sprint/id"),
        (format!("{at}/cards"), name.clone(), "/card/id"),
        (format!("{at}/objects"), name.clone(), "/object/id"),
        (format!("{at}/branches"), name.clone(), "/branch/name"),
        (format!("{at}/sessions"), json!({}), "/sessionId"),
        (format!("{at}/branches/main/commits"), json!({ "message": "m" }), "/commit/hash"),
    ] {
        if path.ends_with("commits") {
            let created = caller.post(&path).json(body).await.expect(201);
            let read = caller.get(&format!("{at}/commits/{}", created.text(id))).await.expect(200);
            assert_eq!(created.header("etag"), read.header("etag"));
            continue;
        }
        creation_has_tag_of_read(&caller, &path, body, id).await;
    }
    let key = json!({ "name": "ci", "scopes": ["projects:read"] });
    let browser = alice.browser().await;
    creation_has_tag_of_read(&browser, "/api/v2/api-keys", key, "/apiKey/id").await;
}

#[tokio::test]
async fn of_two_deletions_of_a_project_with_an_old_tag_none_deletes_what_another_changed() {
    let opened = OpenSession::own().await;
    let path = format!("/api/v2/projects/{}", create_project(&opened.caller, "Gear").await);
    let first = opened.caller.get(&path).await.expect(200).header("etag").to_owned();
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from projects for update", &[]).await.unwrap();
    let change = opened.caller.patch(&path).json(json!({ "name": "Wheel" })).header("if-match", &first);
    let change = tokio::spawn(change.into_future());
    opened.deployment.database.wait_for_blocked(1).await;
    let delete = tokio::spawn(opened.caller.delete(&path).header("if-match", &first).into_future());
    opened.deployment.database.wait_for_blocked(2).await;
    lock.rollback().await.unwrap();
    let (changed, deleted) = (change.await.unwrap(), delete.await.unwrap());
    let statuses = (changed.status, deleted.status);
    assert!([(200, 412), (404, 200)].contains(&statuses), "{changed} {deleted}");
    if changed.status == 200 {
        assert_eq!(deleted.text("/error/details/etag"), changed.header("etag"));
        opened.caller.get(&path).await.expect(200);
    }
}

#[tokio::test]
async fn use_of_a_key_does_not_change_its_tag() {
    let opened = OpenSession::open().await;
    let browser = opened.deployment.operator().user("carol").await.browser().await;
    let body = json!({ "name": "ci", "scopes": ["projects:read"] });
    let issued = browser.post("/api/v2/api-keys").json(body).await.expect(201);
    let path = format!("/api/v2/api-keys/{}", issued.text("/apiKey/id"));
    browser.with(&issued.text("/key")).get("/api/v2/projects").await.expect(200);
    let tag = issued.header("etag").to_owned();
    assert!(tag.starts_with("W/"));
    assert_eq!(browser.get(&path).await.expect(200).header("etag"), tag);
    assert_eq!(browser.delete(&path).header("if-match", "\"x\"").await.status, 412);
    browser.delete(&path).header("if-match", &tag).await.expect(200);
}

#[tokio::test]
async fn an_open_session_is_closed_only_in_the_state_that_its_caller_expects() {
    let opened = OpenSession::open().await;
    let session = Session::open(&opened.caller, &opened.project).await;
    let tag = opened.caller.get(&session.path()).await.expect(200).header("etag").to_owned();
    assert_eq!(opened.caller.delete(&session.path()).header("if-match", "\"x\"").await.status, 412);
    session.upload(&opened.model, "a.txt", "a").await.expect(200);
    opened.caller.delete(&session.path()).header("if-match", &tag).await.expect(200);
}
