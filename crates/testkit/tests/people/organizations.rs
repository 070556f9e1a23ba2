//! Organizations that people create, rename and delete.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::Organization;

#[tokio::test]
async fn a_person_creates_an_organization_and_owns_it() {
    let org = Organization::own().await;
    let create = || {
        let request = org.alice.browser.post("/api/v2/orgs").json(json!({ "name": "Gear & Söhne" }));
        request.idempotency_key("once").into_future()
    };
    let (first, second) = (create().await, create().await);
    assert_snapshot!(first, @r#"
    201 {
      "organization": {"createdAt":"<time>","id":"<id 1>","name":"Gear & Söhne","role":"owner","slug":"gear-sohne"}
    }
    "#);
    assert!(second.is_replay());
    assert_eq!(first.body, second.body);
    // A name that is taken in URLs gets a variant, and reveals nothing of the other organization.
    let other = org.person("bob").await.browser.post("/api/v2/orgs").json(json!({ "name": "Works" })).await;
    assert_eq!(other.expect(201).text("/organization/slug"), "works-2");

    let key = org.alice.key(&["projects:manage", "teams:manage"]).await;
    assert_snapshot!(key.post("/api/v2/orgs").json(json!({ "name": "x" })).await, @"403 CREDENTIAL_NOT_PERMITTED");
    let count =
        "select count(*) from audit_log where action = 'createOrganization' and organization_id is not null";
    assert_eq!(org.deployment.database.count(count).await, 3);
}

#[tokio::test]
async fn admins_rename_an_organization_in_the_state_that_they_expect() {
    let organization = Organization::own().await;
    let (admin, member) =
        (organization.member("ben", "admin").await, organization.member("cleo", "member").await);
    let path = organization.at("");
    let rename = |person: &crate::support::Person, name: &str| {
        person.browser.patch(&path).json(json!({ "name": name }))
    };
    assert_snapshot!(rename(&member, "Mine").await, @"403 FORBIDDEN");
    let tag = admin.browser.get(&path).await.expect(200).header("etag").to_owned();
    let renamed = rename(&admin, "Gears").header("if-match", &tag).await.expect(200);
    assert_eq!(
        (renamed.text("/organization/name"), renamed.text("/organization/slug")),
        ("Gears".into(), "works".into())
    );
    assert_eq!(rename(&admin, "Again").header("if-match", &tag).await.status, 412);
}

#[tokio::test]
async fn only_an_owner_deletes_an_organization_and_only_an_empty_one() {
    let organization = Organization::own().await;
    let admin = organization.member("ben", "admin").await;
    let project = organization.alice.project("Gear", Some(&organization.org)).await;
    let path = organization.at("");
    assert_snapshot!(admin.browser.delete(&path).await, @"403 FORBIDDEN");
    assert_snapshot!(
        organization.alice.browser.delete(&path).await,
        @r#"409 ORGANIZATION_NOT_EMPTY {"projects":1,"teams":0}"#
    );
    organization.alice.browser.delete(&format!("/api/v2/projects/{project}")).await.expect(200);
    let account = json!({ "name": "robot", "role": "member" });
    let account = organization
        .alice
        .browser
        .post(&organization.at("/service-accounts"))
        .json(account)
        .await
        .expect(201);
    let keys = organization.at(&format!("/service-accounts/{}/keys", account.text("/member/userId")));
    let key = json!({ "name": "k", "scopes": ["projects:read"] });
    let key = organization.alice.browser.post(&keys).json(key).await.expect(201).text("/key");
    organization.alice.browser.delete(&path).await.expect(200);
    assert_snapshot!(admin.browser.get(&path).await, @"404 NOT_FOUND");
    assert_snapshot!(organization.alice.browser.with(&key).get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    // Its name in URLs is kept: links and clones have it.
    let again = organization.alice.browser.post("/api/v2/orgs").json(json!({ "name": "Works" })).await;
    assert_eq!(again.expect(201).text("/organization/slug"), "works-2");
}

#[tokio::test]
async fn a_user_owns_a_limited_number_of_organizations() {
    let environment =
        vec![("ATELIER_SIGN_UP", "anybody".to_owned()), ("organizations_per_user", "1".to_owned())];
    let options = testkit::deployment::Options { environment, ..Default::default() };
    let deployment = testkit::deployment::Deployment::with(options).await;
    let alice = crate::support::Person::sign_in(&deployment, "alice").await;
    alice.organization("One").await;
    let second = alice.browser.post("/api/v2/orgs").json(json!({ "name": "Two" })).await;
    assert_snapshot!(second, @r#"403 LIMIT_REACHED {"current":1,"limit":1,"resource":"organizations"}"#);
}
