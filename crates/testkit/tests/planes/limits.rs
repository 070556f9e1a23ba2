//! Limits on what one owner has: each refusal says the resource and the numbers, and removing one makes room.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::{Deployment, Options};
use testkit::open_session::OpenSession;
use testkit::session::Session;

async fn limited(name: &'static str, limit: &str) -> OpenSession {
    let environment = vec![(name, limit.to_owned())];
    OpenSession::on(Deployment::with(Options { environment, ..Options::default() }).await).await
}

#[tokio::test]
async fn a_user_has_a_limit_of_open_sessions() {
    let opened = limited("sessions_per_user", "2").await;
    let path = format!("/api/v2/projects/{}/sessions", opened.project);
    let second = Session::open(&opened.caller, &opened.project).await;
    let refused = opened.caller.post(&path).await;
    assert_snapshot!(refused, @r#"403 LIMIT_REACHED {"current":2,"limit":2,"resource":"sessions"}"#);
    second.close().await.expect(200);
    opened.caller.post(&path).await.expect(201);
}

#[tokio::test]
async fn a_project_has_a_limit_of_branches() {
    let opened = limited("branches_per_project", "2").await;
    let path = format!("/api/v2/projects/{}/branches", opened.project);
    opened.caller.post(&path).json(json!({ "name": "a" })).await.expect(201);
    let refused = opened.caller.post(&path).json(json!({ "name": "b" })).await;
    assert_snapshot!(refused, @r#"403 LIMIT_REACHED {"current":2,"limit":2,"resource":"branches"}"#);
    opened.caller.delete(&format!("{path}/a")).await.expect(200);
    opened.caller.post(&path).json(json!({ "name": "b" })).await.expect(201);
}

#[tokio::test]
async fn a_user_has_a_limit_of_keys_that_can_be_used() {
    // The fixture has issued one.
    let opened = limited("api_keys_per_user", "2").await;
    let browser = opened.alice.browser().await;
    let body = json!({ "name": "key", "scopes": ["projects:read"] });
    let second = browser.post("/api/v2/api-keys").json(body.clone()).await.expect(201);
    let refused = browser.post("/api/v2/api-keys").json(body.clone()).await;
    assert_snapshot!(refused, @r#"403 LIMIT_REACHED {"current":2,"limit":2,"resource":"apiKeys"}"#);
    let id = second.text("/apiKey/id");
    browser.delete(&format!("/api/v2/api-keys/{id}")).await.expect(200);
    browser.post("/api/v2/api-keys").json(body).await.expect(201);
}

#[tokio::test]
async fn an_owner_has_a_limit_of_stored_bytes() {
    let opened = limited("ATELIER_STORED_BYTES_LIMIT", "300000").await;
    let upload = async |name: &str, size: usize| {
        opened.session.upload(&opened.model, name, vec![name.len().try_into().unwrap(); size]).await
    };
    upload("a", 200_000).await.expect(200);
    // Refused before its body, and after it.
    for size in [200_001, 60_001] {
        upload("bb", size).await.expect(if size > 100_000 { 403 } else { 200 });
    }
    let refused = upload("ccc", 50_000).await;
    assert_snapshot!(refused, @r#"403 LIMIT_REACHED {"current":260001,"limit":300000,"resource":"storedBytes"}"#);
    // The limit is the owner's, not the project's.
    let other = testkit::session::create_project(&opened.caller, "Other").await;
    let session = Session::open(&opened.caller, &other).await;
    let refused = session.upload(&session.model().await, "d", vec![0; 50_000]).await;
    assert_eq!(refused.status, 403, "{refused}");
}

#[tokio::test]
async fn uploads_at_the_same_time_dont_exceed_the_limit_together() {
    let opened = limited("ATELIER_STORED_BYTES_LIMIT", "300000").await;
    let other = testkit::session::create_project(&opened.caller, "Other").await;
    let other = Session::open(&opened.caller, &other).await;
    let places = [(&opened.session, &opened.model), (&other, &other.project)];
    let uploads = (0..8_u8).map(|number| {
        let (session, parent) = places[usize::from(number % 2)];
        session.upload(parent, "a.bin", vec![number; 90_000]).into_future()
    });
    let answers = join_all(uploads).await;
    let (attached, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert!((1..=3).contains(&attached.len()), "{} attached", attached.len());
    assert!(refused.iter().all(|answer| answer.code() == "LIMIT_REACHED"), "{refused:?}");
}
