//! API keys: issue by browser sessions, secrecy, confinement, rotation, revocation, and the limits of their users.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::seed::{Key, MANAGE};
use testkit::session::{Session, create_project};

use testkit::open_session::eventually_async;

const KEYS: &str = "/api/v2/api-keys";

#[tokio::test]
async fn a_key_is_shown_once_and_works() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await.browser().await;
    let issued =
        alice.post(KEYS).json(json!({ "name": "ci", "scopes": ["projects:write", "usage:read"] })).await;
    assert_snapshot!(issued.to_string().replace(&issued.text("/apiKey/mask"), "<mask>"), @r#"
    201 {
      "apiKey": {
        "createdAt": "<time>",
        "expiresAt": "<time>",
        "id": "<id 1>",
        "lastUsedAt": null,
        "mask": "<mask>",
        "name": "ci",
        "scopes": ["projects:write","usage:read"]
      },
      "key": "<key>"
    }
    "#);
    let key = issued.text("/key");
    assert!(key.starts_with("svc_ak_live_") && issued.text("/apiKey/mask").ends_with(&key[key.len() - 4..]));
    create_project(&alice.with(&key), "Gear").await;

    let listed = alice.get(KEYS).await.expect(200);
    assert!(!String::from_utf8_lossy(&listed.body).contains(&key), "the list shows a key");
    assert_eq!(listed.json()["apiKeys"].as_array().unwrap().len(), 1);
    let test = alice.post(KEYS).json(json!({ "name": "t", "scopes": ["projects:read"], "test": true })).await;
    assert!(test.text("/key").starts_with("svc_ak_test_"));
    let stored = format!("select count(*) from api_keys where mask = '{key}' or name = '{key}'");
    assert_eq!(deployment.database.count(&stored).await, 0);
}

#[tokio::test]
async fn keys_are_managed_only_by_browser_sessions() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await;
    let every = alice.key(&["projects:manage", "cards:manage", "teams:manage", "usage:read"]).await;
    let body = json!({ "name": "x", "scopes": ["projects:read"] });
    assert_snapshot!(every.get(KEYS).await, @"403 CREDENTIAL_NOT_PERMITTED");
    assert_snapshot!(every.post(KEYS).json(body).await, @"403 CREDENTIAL_NOT_PERMITTED");
    let id = alice.browser().await.get(KEYS).await.json()["apiKeys"][0]["id"].as_str().unwrap().to_owned();
    assert_snapshot!(every.delete(&format!("{KEYS}/{id}")).await, @"403 CREDENTIAL_NOT_PERMITTED");
    assert_snapshot!(every.post(&format!("{KEYS}/{id}/rotate")).await, @"403 CREDENTIAL_NOT_PERMITTED");
}

#[tokio::test]
async fn invalid_requests_for_keys_are_refused() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await.browser().await;
    let refused = async |body| alice.post(KEYS).json(body).await.to_string();
    assert_snapshot!(refused(json!({ "scopes": ["projects:read"] })).await, @"400 INVALID_REQUEST body.name required");
    assert_snapshot!(refused(json!({ "name": "x" })).await, @"400 INVALID_REQUEST body.scopes required");
    assert_snapshot!(refused(json!({ "name": "x", "scopes": [] })).await, @"400 INVALID_REQUEST body.scopes minItems");
    assert_snapshot!(
        refused(json!({ "name": "x", "scopes": ["projects:all"] })).await,
        @"400 INVALID_REQUEST body.scopes[0] enum"
    );
    assert_snapshot!(
        refused(json!({ "name": "x", "scopes": ["projects:read"], "expiresAt": "2020-01-01T00:00:00Z" })).await,
        @"400 INVALID_REQUEST body.expiresAt notBefore"
    );
    assert_snapshot!(
        refused(json!({ "name": "x", "scopes": ["projects:read"], "expiresAt": "2099-01-01T00:00:00Z" })).await,
        @"400 INVALID_REQUEST body.expiresAt notAfter"
    );
    assert_snapshot!(
        refused(json!({ "name": "x", "scopes": ["projects:read"], "expiresAt": "soon" })).await,
        @"400 INVALID_REQUEST body.expiresAt format"
    );
    assert_snapshot!(
        refused(json!({ "name": "x", "scopes": ["projects:read"], "projectIds": ["x"] })).await,
        @"400 INVALID_REQUEST body.projectIds[0] format"
    );
    assert_eq!(deployment.database.count("select count(*) from api_keys").await, 0);
}

#[tokio::test]
async fn a_repeated_creation_makes_one_key_and_shows_it() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await.browser().await;
    let create =
        || alice.post(KEYS).idempotency_key("k").json(json!({ "name": "x", "scopes": ["projects:read"] }));
    let (first, second) = (create().await.expect(201), create().await.expect(201));
    assert!(second.is_replay());
    assert_eq!(first.text("/apiKey/id"), second.text("/apiKey/id"));
    assert_eq!(deployment.database.count("select count(*) from api_keys").await, 1);
    // No secret is stored: the second secret replaces the first.
    assert_snapshot!(alice.with(&first.text("/key")).get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    alice.with(&second.text("/key")).get("/api/v2/me").await.expect(200);
    for key in [first.text("/key"), second.text("/key")] {
        let kept = format!("select count(*) from idempotency_records where outcome::text like '%{key}%'");
        assert_eq!(deployment.database.count(&kept).await, 0);
    }
}

#[tokio::test]
async fn a_rotated_key_works_beside_the_new_one_for_its_grace() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.browser().await;
    let body = json!({ "name": "ci", "scopes": ["projects:write"] });
    let issued = alice.post(KEYS).json(body).await.expect(201);
    let rotate = |id: String, body| alice.post(&format!("{KEYS}/{id}/rotate")).json(body).into_future();
    let rotated = rotate(issued.text("/apiKey/id"), json!({ "graceSeconds": 3600 })).await.expect(201);
    assert_ne!(rotated.text("/apiKey/id"), issued.text("/apiKey/id"));
    assert_eq!(rotated.json()["apiKey"]["scopes"], json!(["projects:write"]));
    assert_eq!(rotated.text("/apiKey/name"), "ci");
    let (old, new) = (alice.with(&issued.text("/key")), alice.with(&rotated.text("/key")));
    old.get("/api/v2/me").await.expect(200);
    new.get("/api/v2/me").await.expect(200);

    let third = rotate(rotated.text("/apiKey/id"), json!({})).await.expect(201);
    assert_snapshot!(new.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    alice.with(&third.text("/key")).get("/api/v2/me").await.expect(200);
    assert_snapshot!(rotate(rotated.text("/apiKey/id"), json!({})).await, @"404 NOT_FOUND");
    assert_snapshot!(
        rotate(third.text("/apiKey/id"), json!({ "graceSeconds": 2_592_001 })).await,
        @"400 INVALID_REQUEST body.graceSeconds maximum"
    );
    assert_snapshot!(
        rotate(third.text("/apiKey/id"), json!({ "graceSeconds": -1 })).await,
        @"400 INVALID_REQUEST body.graceSeconds minimum"
    );
}

#[tokio::test]
async fn a_revoked_key_and_its_grants_are_refused_by_every_replica_at_once() {
    let deployment = Deployment::with(Options { control_replicas: 2, ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let browser = alice.browser().await;
    let issued = browser.post(KEYS).json(json!({ "name": "x", "scopes": MANAGE })).await.expect(201);
    let key = browser.with(&issued.text("/key"));
    let session = Session::open(&key, &create_project(&key, "Gear").await).await;
    let replicas: Vec<Caller> = deployment.control_urls.iter().map(|url| key.at(url)).collect();
    for replica in &replicas {
        replica.get("/api/v2/me").await.expect(200);
    }
    let path = format!("{KEYS}/{}", issued.text("/apiKey/id"));
    assert_snapshot!(browser.delete(&path).await, @r#"200 {"deleted":true,"keyId":"<id 1>"}"#);
    for replica in &replicas {
        assert_eq!(replica.get("/api/v2/me").await.to_string(), "401 UNAUTHENTICATED");
    }
    assert_snapshot!(session.upload(&session.project, "a", "a").await, @"401 UNAUTHENTICATED");
    assert_snapshot!(browser.delete(&path).await, @"404 NOT_FOUND");
    assert_snapshot!(
        browser.get(KEYS).await,
        @r#"200 {"apiKeys":[],"meta":{"hasMore":false,"limit":50,"nextCursor":null}}"#
    );
    let strange = deployment.operator().user("bob").await.browser().await;
    let other = browser.post(KEYS).json(json!({ "name": "x", "scopes": MANAGE })).await.expect(201);
    assert_snapshot!(strange.delete(&format!("{KEYS}/{}", other.text("/apiKey/id"))).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn an_expired_key_is_refused() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await;
    let Key { caller, .. } = alice.issue(MANAGE, &["--expires-in", "1s"]).await;
    eventually_async("the key expires", async || caller.get("/api/v2/me").await.status == 401).await;
    assert_snapshot!(caller.get("/api/v2/me").await, @"401 CREDENTIAL_EXPIRED");
}

#[tokio::test]
async fn the_last_use_of_a_key_is_recorded() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await;
    let (key, browser) = (alice.key(MANAGE).await, alice.browser().await);
    let last_used = async || browser.get(KEYS).await.json()["apiKeys"][0]["lastUsedAt"].clone();
    assert!(last_used().await.is_null());
    key.get("/api/v2/me").await.expect(200);
    eventually_async("the use is noted", async || last_used().await.is_string()).await;
}

#[tokio::test]
async fn a_confined_key_has_access_only_within_its_confinement() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let browser = alice.browser().await;
    let (inside, outside) = (create_project(&browser, "In").await, create_project(&browser, "Out").await);
    let of_org =
        browser.post("/api/v2/projects").json(json!({ "name": "Of org", "orgId": org })).await.text("/id");
    let issue = async |confinement: serde_json::Value| {
        let mut body = json!({ "name": "x", "scopes": MANAGE });
        body.as_object_mut().unwrap().extend(confinement.as_object().unwrap().clone());
        browser.with(&browser.post(KEYS).json(body).await.expect(201).text("/key"))
    };
    let reached = async |key: &Caller| {
        let mut reached = Vec::new();
        for id in [&inside, &outside, &of_org] {
            reached.push(key.get(&format!("/api/v2/projects/{id}")).await.status);
        }
        let listed = key.get("/api/v2/projects").await.json()["projects"].as_array().unwrap().len();
        (reached, listed)
    };
    let to_project = issue(json!({ "projectIds": [inside] })).await;
    assert_eq!(reached(&to_project).await, (vec![200, 404, 404], 1));
    let to_org = issue(json!({ "orgIds": [org] })).await;
    assert_eq!(reached(&to_org).await, (vec![404, 404, 200], 1));
    let to_both = issue(json!({ "projectIds": [inside], "orgIds": [org] })).await;
    assert_eq!(reached(&to_both).await, (vec![200, 404, 200], 2));
    let to_nothing = issue(json!({ "projectIds": [] })).await;
    assert_eq!(reached(&to_nothing).await, (vec![404, 404, 404], 0));

    // A key confined to a project creates none; a key confined to an organization creates them there.
    let create = |key: &Caller, body| key.post("/api/v2/projects").json(body).into_future();
    assert_snapshot!(create(&to_project, json!({ "name": "New" })).await, @"403 FORBIDDEN");
    assert_snapshot!(
        create(&to_project, json!({ "name": "New", "orgId": org })).await,
        @"400 INVALID_REQUEST body.orgId exists"
    );
    assert_snapshot!(create(&to_org, json!({ "name": "New" })).await, @"403 FORBIDDEN");
    create(&to_org, json!({ "name": "New", "orgId": org })).await.expect(201);
    Session::open(&to_project, &inside).await.upload(&inside, "a.txt", "a").await.expect(200);
}

#[tokio::test]
async fn a_key_never_exceeds_the_current_rights_of_its_user() {
    let deployment = Deployment::shared();
    let operator = deployment.operator();
    let (alice, bob) = (operator.user("alice").await, operator.user("bob").await);
    let project = create_project(&alice.key(MANAGE).await, "Gear").await;
    let key = bob.key(MANAGE).await;
    let path = format!("/api/v2/projects/{project}");
    let patch = || key.patch(&path).json(json!({ "description": "d" })).into_future();
    assert_snapshot!(patch().await, @"404 NOT_FOUND");
    operator.add_member(&bob, "--project", &project, "manager").await;
    patch().await.expect(200);
    operator.add_member(&bob, "--project", &project, "viewer").await;
    assert_snapshot!(patch().await, @"403 FORBIDDEN");
    key.get(&path).await.expect(200);
    operator.remove_member(&bob, "--project", &project).await;
    assert_snapshot!(patch().await, @"404 NOT_FOUND");
    assert_snapshot!(key.get(&path).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn limits_hold_exactly_for_requests_at_once() {
    let limits = [("api_keys_per_user", "5"), ("sessions_per_user", "5"), ("organizations_per_user", "5")];
    let environment = limits.map(|(name, limit)| (name, limit.to_owned())).to_vec();
    let deployment = Deployment::with(Options { environment, ..Options::default() }).await;
    let browser = deployment.operator().user("alice").await.browser().await;
    let project = create_project(&browser, "Gear").await;
    let made = async |path: &str, body: serde_json::Value| {
        let requests = (0..12).map(|_| browser.post(path).json(body.clone()).into_future());
        let answers = join_all(requests).await;
        let refused = answers.iter().filter(|answer| answer.status == 403);
        for answer in refused {
            assert_eq!(answer.json()["error"]["code"], "LIMIT_REACHED");
        }
        answers.iter().filter(|answer| answer.status == 201).count()
    };
    assert_eq!(made(KEYS, json!({ "name": "ci", "scopes": MANAGE })).await, 5);
    assert_eq!(made("/api/v2/orgs", json!({ "name": "Works" })).await, 5);
    assert_eq!(made(&format!("/api/v2/projects/{project}/sessions"), json!({})).await, 5);
    // A successor beside its old key is one more.
    let id = browser.get(KEYS).await.json()["apiKeys"][0]["id"].as_str().unwrap().to_owned();
    let rotate = async |grace: u32| {
        browser.post(&format!("{KEYS}/{id}/rotate")).json(json!({ "graceSeconds": grace })).await
    };
    assert_eq!(rotate(60).await.json()["error"]["code"], "LIMIT_REACHED");
    rotate(0).await.expect(201);
}
