//! Credentials: accepted kinds, lifetimes, and forgeries.

use std::fs;

use auth::grant::{GrantSigner, GrantTerms, GrantVerifier, LIFETIME_SECS};
use domain::time::{Clock, Timestamp};
use insta::{allow_duplicates, assert_snapshot};
use serde_json::{Value, json};
use testkit::database::Database;
use testkit::deployment::{Deployment, Options};
use testkit::proxy::FaultProxy;
use testkit::seed::{ABSENT_ID, MANAGE};
use testkit::session::{Session, create_project, uploaded};

use crate::uploads::Upload;
use testkit::open_session::{OpenSession, eventually_async};

/// Time for which a grant is accepted after its `exp`, in seconds.
const LEEWAY_SECS: i64 = 5;

#[tokio::test]
async fn a_browser_token_and_a_key_of_one_user_are_the_same_user_on_the_control_plane() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    for caller in [alice.browser().await, alice.key(MANAGE).await] {
        let me = caller.get("/api/v2/me").await.expect(200);
        let orgs = caller.get("/api/v2/orgs").await;
        let one = caller.get(&format!("/api/v2/orgs/{org}")).await;
        assert_eq!(one.expect(200).json()["organization"], orgs.json()["organizations"][0]);
        assert_eq!(me.text("/user/id"), alice.id);
        allow_duplicates! {
            assert_snapshot!(me, @r#"
            200 {
              "user": {
                "commitEmail": "<id 1>@users.noreply.control.test",
                "createdAt": "<time>",
                "email": "alice@example.com",
                "id": "<id 1>",
                "name": "alice",
                "showEmailInCommits": false,
                "slug": "alice"
              }
            }
            "#);
            assert_snapshot!(orgs, @r#"
            200 {
              "meta": {"hasMore":false,"limit":50,"nextCursor":null},
              "organizations": [{"createdAt":"<time>","id":"<id 1>","name":"works","role":"owner","slug":"works"}]
            }
            "#);
        }
        create_project(&caller, "Gear").await;
    }
    let eve = deployment.operator().user("eve").await.key(MANAGE).await;
    assert_snapshot!(eve.get(&format!("/api/v2/orgs/{org}")).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_header_without_a_single_bearer_credential_is_refused() {
    let deployment = Deployment::shared();
    let key = deployment.operator().user("alice").await.key(MANAGE).await;
    let credential = key.credential().to_owned();
    let get = |header: &str| deployment.anonymous().get("/api/v2/me").header("authorization", header);
    get(&format!("bearer {credential}")).await.expect(200);
    for header in [
        "",
        "Bearer",
        "Bearer ",
        &credential,
        &format!("Basic {credential}"),
        &format!("Bearer {credential} {credential}"),
        &format!("Bearer {credential},"),
    ] {
        assert_eq!(get(header).await.to_string(), "401 UNAUTHENTICATED");
    }
    let two =
        get(&format!("Bearer {credential}")).header("authorization", &format!("Bearer {credential}")).await;
    assert_snapshot!(two, @"401 UNAUTHENTICATED");
    // An unusable credential is refused even where none is needed.
    deployment.anonymous().with("nonsense").get("/api/v2/openapi.json").await;
}

#[tokio::test]
async fn a_browser_token_of_another_issuer_or_without_a_signature_is_refused() {
    let (deployment, other) = (Deployment::start().await, Deployment::start().await);
    let alice = deployment.operator().user("alice").await;
    let good = alice.browser().await;
    good.get("/api/v2/me").await.expect(200);
    let token = good.credential();
    let [header, payload, signature]: [&str; 3] = token.split('.').collect::<Vec<_>>().try_into().unwrap();
    // {"alg":"none","typ":"JWT"}
    let unsigned = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{payload}.");
    let swapped = format!("{header}.{payload}.{}", signature.chars().rev().collect::<String>());
    for forged in [unsigned, swapped, format!("{header}.{payload}"), format!("{token}x")] {
        assert_eq!(good.with(&forged).get("/api/v2/me").await.to_string(), "401 UNAUTHENTICATED");
    }
    // Both deployments of this test process share a key pair but not their users.
    assert_snapshot!(other.anonymous().with(token).get("/api/v2/me").await, @"401 UNAUTHENTICATED");
}

#[tokio::test]
async fn the_development_issuer_exists_only_in_development() {
    let deployment = Deployment::start().await;
    let mut refused = std::process::Command::new(testkit::environment::program("control"));
    refused
        .arg("serve")
        .env("ATELIER_ENVIRONMENT", "production")
        .env("ATELIER_DATABASE_URL", deployment.database.url())
        .env("ATELIER_REDIS_URL", testkit::environment::redis_url())
        .env("ATELIER_LISTEN", "127.0.0.1:0")
        .env("ATELIER_OPS_LISTEN", "127.0.0.1:0")
        .env("ATELIER_PUBLIC_URL", "http://control.test")
        .env("ATELIER_DATA_URL", "http://data.test")
        .env("ATELIER_GRANT_KEY_FILE", deployment.key_file("grant-private.pem"))
        .env("ATELIER_DEVELOPMENT_ISSUER_KEY_FILE", deployment.key_file("issuer-private.pem"));
    let output = refused.output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    assert!(said.to_lowercase().contains("development"), "{said}");
}

#[tokio::test]
async fn a_grant_is_valid_only_for_its_signed_terms() {
    let opened = OpenSession::open().await;
    let get = async |grant: &str| {
        let path = opened.session.download_path(ABSENT_ID);
        opened.session.grant.with(grant).get(&path).await.to_string()
    };
    let good = opened.session.grant.credential();
    assert_snapshot!(get(good).await, @"404 NOT_FOUND");
    let [header, payload, signature]: [&str; 3] = good.split('.').collect::<Vec<_>>().try_into().unwrap();
    for forged in [
        format!("{header}.{payload}."),
        format!("svc_gr_eyJhbGciOiJub25lIiwidHlwIjoiYXRlbGllci1ncmFudCtqd3QifQ.{payload}."),
        format!("{header}.{}.{signature}", &payload[..payload.len() - 4]),
    ] {
        assert_eq!(get(&forged).await, "401 UNAUTHENTICATED");
    }
    // Correctly signed, for a session that never existed or another project than its session's.
    let other = create_project(&opened.caller, "Other").await;
    for (field, value) in [("session", ABSENT_ID), ("project", other.as_str())] {
        let grant = grant_with(&opened, &opened.session, |terms| terms[field] = json!(value));
        assert_eq!(get(&grant).await, "401 UNAUTHENTICATED");
    }
}

// X29
#[tokio::test]
async fn a_grant_is_valid_within_its_time_and_a_small_leeway() {
    let opened = OpenSession::open().await;
    let upload_at = async |offset_secs: i64| {
        let now = Clock::ahead_by(offset_secs).now();
        let session = Session {
            grant: opened.session.grant.with(&mint(&opened, &opened.session, now, |_| {})),
            ..opened.session.clone()
        };
        session.upload(&opened.model, "a.txt", "a").await.status
    };
    assert_eq!(upload_at(0).await, 200);
    assert_eq!(upload_at(2 - LIFETIME_SECS - LEEWAY_SECS).await, 200);
    assert_eq!(upload_at(-1 - LIFETIME_SECS - LEEWAY_SECS).await, 401);
    assert_eq!(upload_at(LEEWAY_SECS - 2).await, 200);
    assert_eq!(upload_at(LEEWAY_SECS + 5).await, 401);
}

// X28
#[tokio::test]
async fn an_upload_that_outlives_its_grant_finishes_and_the_grant_is_then_refused() {
    let opened = OpenSession::open().await;
    // The grant is valid for two to three seconds.
    let now = Clock::ahead_by(3 - LIFETIME_SECS - LEEWAY_SECS).now();
    let grant = opened.session.grant.with(&mint(&opened, &opened.session, now, |_| {}));
    let session = Session { grant, ..opened.session.clone() };
    let opened = OpenSession { session: session.clone(), ..opened };
    let mut upload = Upload::begin(&opened, "slow.bin").await;
    eventually_async("the grant expires", async || {
        session.grant.head(&session.download_path(ABSENT_ID)).await.status == 401
    })
    .await;
    upload.complete().await;
    let answer = upload.connection.answer().await.expect(200);
    assert_eq!(opened.added().await, [uploaded(&answer)["id"].as_str().unwrap()]);
    assert_snapshot!(session.upload(&opened.model, "late.txt", "late").await, @"401 CREDENTIAL_EXPIRED");
}

#[tokio::test]
async fn malformed_keys_and_grants_are_refused_without_the_database() {
    let database = Database::create().await;
    let proxy = FaultProxy::before(&database.url());
    let environment = vec![("ATELIER_DATABASE_URL", proxy.url(&database.url()))];
    let options = Options { environment, database: Some(database), ..Options::default() };
    let opened = OpenSession::on(Deployment::with(options).await).await;
    proxy.cut();
    let garbled =
        |good: &str| format!("{}{}", &good[..good.len() - 1], if good.ends_with('a') { 'b' } else { 'a' });
    let (key, grant) = (&opened.caller, &opened.session.grant);
    let file = opened.session.download_path(ABSENT_ID);

    assert_snapshot!(key.get("/api/v2/me").await, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert_snapshot!(key.with(&garbled(key.credential())).get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    assert_snapshot!(key.with("svc_ak_live_0").get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    // A grant that can't be checked is refused.
    assert_snapshot!(grant.get(&file).await, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert_snapshot!(grant.with(&garbled(grant.credential())).get(&file).await, @"401 UNAUTHENTICATED");
    assert_snapshot!(key.with(grant.credential()).get("/api/v2/me").await, @"403 CREDENTIAL_NOT_PERMITTED");
    proxy.mend();
    eventually_async("the service is back", async || key.get("/api/v2/me").await.status == 200).await;
}

/// A grant like a session's own, with other terms.
pub fn grant_with(opened: &OpenSession, session: &Session, change: impl FnOnce(&mut Value)) -> String {
    mint(opened, session, Clock::system().now(), change)
}

/// A grant of this deployment's own key, minted at `now`.
fn mint(opened: &OpenSession, session: &Session, now: Timestamp, change: impl FnOnce(&mut Value)) -> String {
    let read = |name: &str| fs::read_to_string(opened.deployment.key_file(name)).unwrap();
    let verifier = GrantVerifier::from_pem(&read("grant-public.pem")).unwrap();
    let verified = verifier.verify(session.grant.credential(), Clock::system().now()).unwrap();
    let mut terms = serde_json::to_value(&verified.terms).unwrap();
    change(&mut terms);
    let terms: GrantTerms = serde_json::from_value(terms).unwrap();
    let signer = GrantSigner::from_pem(&read("grant-private.pem")).unwrap();
    signer.mint(&terms, now).unwrap().grant.reveal().to_owned()
}
