//! Service accounts and their keys.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::seed::MANAGE_WITH_TEAMS;
use testkit::session::Session;

use crate::support::{Organization, Person, listed};

/// A service account of the organization, and a caller with a key of it.
async fn robot(organization: &Organization, role: &str) -> (String, Caller) {
    let body = json!({ "name": "robot", "role": role });
    let made =
        organization.alice.browser.post(&organization.at("/service-accounts")).json(body).await.expect(201);
    let id = made.text("/member/userId");
    let key =
        issue(&organization.alice, organization, &id, json!({ "name": "ci", "scopes": MANAGE_WITH_TEAMS }))
            .await;
    (id, organization.alice.browser.with(&key))
}

async fn issue(by: &Person, organization: &Organization, account: &str, body: Value) -> String {
    let keys = organization.at(&format!("/service-accounts/{account}/keys"));
    by.browser.post(&keys).json(body).await.expect(201).text("/key")
}

#[tokio::test]
async fn a_service_account_works_in_its_organization_and_nowhere_else() {
    let organization = Organization::open().await;
    let (id, robot) = robot(&organization, "member").await;
    let body = json!({ "name": "Gear", "orgId": organization.org, "visibility": "internal" });
    let project = robot.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    Session::open(&robot, &project).await.upload(&project, "a.txt", "a").await.expect(200);
    let members = organization.alice.browser.get(&organization.at("/members")).await;
    assert_eq!(listed(&members, "members", "kind"), ["person", "service"]);
    let assignees = robot.get(&format!("/api/v2/projects/{project}/members")).await;
    assert_eq!(listed(&assignees, "members", "userId"), [organization.alice.id.clone(), id.clone()]);

    // It owns nothing, reads no public project of others, and joins nothing.
    assert_snapshot!(robot.post("/api/v2/projects").json(json!({ "name": "Own" })).await, @"403 FORBIDDEN");
    let bob = organization.person("bob").await;
    let body = json!({ "name": "Open", "visibility": "public" });
    let public = bob.browser.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    assert_snapshot!(robot.get(&format!("/api/v2/projects/{public}")).await, @"404 NOT_FOUND");
    let share = format!("/api/v2/projects/{public}/members/{id}");
    assert_snapshot!(bob.browser.put(&share).json(json!({ "role": "manager" })).await, @"404 NOT_FOUND");
    let other = organization.alice.organization("Other").await;
    let elsewhere = organization.alice.project("Elsewhere", Some(&other)).await;
    let share = format!("/api/v2/projects/{elsewhere}/members/{id}");
    assert_snapshot!(organization.alice.browser.put(&share).json(json!({ "role": "viewer" })).await, @"404 NOT_FOUND");
    assert_snapshot!(robot.get(&format!("/api/v2/projects/{elsewhere}")).await, @"404 NOT_FOUND");
    // It manages no people and no keys.
    assert_snapshot!(robot.get("/api/v2/api-keys").await, @"403 CREDENTIAL_NOT_PERMITTED");
}

#[tokio::test]
async fn a_removed_service_account_ends_with_its_keys_and_sessions() {
    let organization = Organization::open().await;
    let (id, robot) = robot(&organization, "admin").await;
    let project = organization.alice.project("Gear", Some(&organization.org)).await;
    let session = Session::open(&robot, &project).await;
    let path = organization.at(&format!("/members/{id}"));
    organization.alice.browser.delete(&path).await.expect(200);
    assert_snapshot!(robot.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    assert_snapshot!(session.upload(&project, "a.txt", "a").await, @"401 UNAUTHENTICATED");
    assert_snapshot!(organization.alice.browser.get(&path).await, @"404 NOT_FOUND");
    let keys = organization.at(&format!("/service-accounts/{id}/keys"));
    let key = json!({ "name": "again", "scopes": ["projects:read"] });
    assert_snapshot!(organization.alice.browser.post(&keys).json(key).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn keys_of_service_accounts_are_shown_once_and_managed_by_admins() {
    let organization = Organization::open().await;
    let (admin, member) =
        (organization.member("ben", "admin").await, organization.member("cleo", "member").await);
    let (id, _) = robot(&organization, "member").await;
    let keys = organization.at(&format!("/service-accounts/{id}/keys"));
    let body = || json!({ "name": "ci", "scopes": ["projects:read"] });
    assert_snapshot!(member.browser.post(&keys).json(body()).await, @"403 FORBIDDEN");
    assert_snapshot!(member.browser.get(&keys).await, @"403 FORBIDDEN");
    let create = || admin.browser.post(&keys).json(body()).idempotency_key("once").into_future();
    let (first, second) = (create().await.expect(201), create().await.expect(201));
    assert_eq!(first.text("/apiKey/id"), second.text("/apiKey/id"));
    assert_snapshot!(admin.browser.with(&first.text("/key")).get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    let robot = admin.browser.with(&second.text("/key"));
    robot.get("/api/v2/me").await.expect(200);
    let list = admin.browser.get(&keys).await.expect(200);
    assert_eq!(listed(&list, "apiKeys", "name"), ["ci", "ci"]);
    assert!(!String::from_utf8_lossy(&list.body).contains(&second.text("/key")));
    let path = format!("{keys}/{}", second.text("/apiKey/id"));
    admin.browser.delete(&path).await.expect(200);
    admin.browser.delete(&path).await.expect(404);
    assert_snapshot!(robot.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    // People's keys are not reached this way.
    let of_person = organization.at(&format!("/service-accounts/{}/keys", member.id));
    assert_snapshot!(admin.browser.get(&of_person).await, @"404 NOT_FOUND");
    let owner = json!({ "name": "boss", "role": "owner" });
    let owner = organization.alice.browser.post(&organization.at("/service-accounts")).json(owner).await;
    assert_snapshot!(owner, @"400 INVALID_REQUEST body.role state");
    let promote = organization.alice.browser.patch(&organization.at(&format!("/members/{id}")));
    assert_snapshot!(promote.json(json!({ "role": "owner" })).await, @"400 INVALID_REQUEST body.role state");
}
