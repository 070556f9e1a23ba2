//! Signing in by a ticket of the development issuer.

use reqwest::{Response, StatusCode};
use serde_json::Value;
use testkit::api::{Api, Options};

/// The answer to the exchange of `ticket` at a control process.
async fn exchange(api: &Api, process: usize, ticket: &str) -> Response {
    let url = format!("{}/sign-in/ticket", api.control_urls[process]);
    api.http.post(url).header("Authorization", format!("Bearer {ticket}")).send().await.unwrap()
}

#[tokio::test]
async fn a_ticket_signs_its_person_in_once_at_any_replica() {
    let api = Api::with(Options { control_replicas: 2, ..Options::default() }).await;
    let alice = api.operator().user("alice").await;
    let ticket = alice.ticket().await;
    let (first, second) = tokio::join!(exchange(&api, 0, &ticket), exchange(&api, 1, &ticket));
    let mut statuses = [first.status(), second.status()];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::UNAUTHORIZED]);
    let answer = if first.status() == StatusCode::OK { first } else { second };
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let answer: Value = answer.json().await.unwrap();
    let me =
        api.anonymous().with(answer["access_token"].as_str().unwrap()).get("/api/v2/me").await.expect(200);
    assert_eq!(me.text("/user/name"), "alice");
    assert_eq!(exchange(&api, 0, &ticket).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_credential_of_the_api_is_no_ticket_and_a_ticket_no_credential() {
    let api = Api::start().await;
    let alice = api.operator().user("alice").await;
    api.anonymous().with(&alice.ticket().await).get("/api/v2/me").await.expect(401);
    for other in ["", "x", "a.b.c"] {
        assert_eq!(exchange(&api, 0, other).await.status(), StatusCode::UNAUTHORIZED, "{other}");
    }
    api.anonymous().post("/sign-in/ticket").await.expect(401);
    api.anonymous().get("/sign-in/ticket").await.expect(405);
}
