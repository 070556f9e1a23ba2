//! Signing in by a ticket of the development issuer.

use reqwest::{Response, StatusCode};
use serde_json::Value;
use testkit::deployment::{Deployment, Options};

/// The answer to the exchange of `ticket` at a control process.
async fn exchange(deployment: &Deployment, process: usize, ticket: &str) -> Response {
    let url = format!("{}/sign-in/ticket", deployment.control_urls[process]);
    deployment.http.post(url).header("Authorization", format!("Bearer {ticket}")).send().await.unwrap()
}

#[tokio::test]
async fn a_ticket_signs_its_person_in_once_at_any_replica() {
    let deployment = Deployment::with(Options { control_replicas: 2, ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let ticket = alice.ticket().await;
    let (first, second) = tokio::join!(exchange(&deployment, 0, &ticket), exchange(&deployment, 1, &ticket));
    let mut statuses = [first.status(), second.status()];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::UNAUTHORIZED]);
    let answer = if first.status() == StatusCode::OK { first } else { second };
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let answer: Value = answer.json().await.unwrap();
    let me = deployment
        .anonymous()
        .with(answer["access_token"].as_str().unwrap())
        .get("/api/v2/me")
        .await
        .expect(200);
    assert_eq!(me.text("/user/name"), "alice");
    assert_eq!(exchange(&deployment, 0, &ticket).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_sender_whose_answer_was_lost_exchanges_the_ticket_again_by_its_key() {
    let deployment = Deployment::shared();
    let ticket = deployment.operator().user("alice").await.ticket().await;
    let send = async |key: &str| {
        let request = deployment.anonymous().with(&ticket).post("/sign-in/ticket").idempotency_key(key);
        request.await.status
    };
    assert_eq!([send("mine").await, send("mine").await, send("other").await], [200, 200, 401]);
    assert_eq!(exchange(&deployment, 0, &ticket).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_credential_of_the_api_is_no_ticket_and_a_ticket_no_credential() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await;
    deployment.anonymous().with(&alice.ticket().await).get("/api/v2/me").await.expect(401);
    for other in ["", "x", "a.b.c"] {
        assert_eq!(exchange(&deployment, 0, other).await.status(), StatusCode::UNAUTHORIZED, "{other}");
    }
    deployment.anonymous().post("/sign-in/ticket").await.expect(401);
    deployment.anonymous().get("/sign-in/ticket").await.expect(405);
}
