//! Signing out: tokens that end before they expire, and what goes on.

use domain::time::Clock;
use futures_util::future::{join, join_all};
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::events::EventStream;
use testkit::open_session::eventually_async;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project};

use crate::browser_tokens::issuer::{Issuer, Key, Mood};
use crate::browser_tokens::{Place, claims, options, with};

const SIGN_OUT: &str = "/api/v2/me/sign-out";

#[tokio::test]
async fn an_ended_token_is_refused_by_every_replica_and_everything_else_goes_on() {
    let place = open(&[]).await;
    let (ended, other) = (place.caller(&token(&place, "tab", 0)), place.caller(&token(&place, "other", 0)));
    let key = ended.post("/api/v2/api-keys").json(json!({ "name": "ci", "scopes": MANAGE })).await;
    let key = ended.with(&key.expect(201).text("/key"));
    let project = create_project(&ended, "Gear").await;
    let session = Session::open(&ended, &project).await;
    assert_eq!(statuses(&place, &ended).await, [200, 200]);

    assert_snapshot!(ended.post(SIGN_OUT).await, @r#"200 {"everywhere":false,"signedOut":true}"#);
    for url in &place.deployment.control_urls {
        let refused = ended.at(url).get("/api/v2/me").await;
        assert_eq!(refused.to_string(), "401 UNAUTHENTICATED");
        assert!(refused.header("www-authenticate").contains("error=\"invalid_token\""));
    }
    assert_snapshot!(ended.post(SIGN_OUT).await, @"401 UNAUTHENTICATED");

    assert_eq!(statuses(&place, &other).await, [200, 200]);
    assert_eq!(statuses(&place, &key).await, [200, 200]);
    session.upload(&project, "a.txt", "a").await.expect(200);
}

#[tokio::test]
async fn signing_out_everywhere_ends_what_was_issued_until_then() {
    let place = open(&[]).await;
    let older = [token(&place, "phone", -60), token(&place, "tab", 0)].map(|text| place.caller(&text));
    let without_iat = place.caller(&place.key.token(&without_iat(&place)));
    let development = place.alice.browser().await;
    let key = place.alice.key(MANAGE).await;
    for caller in older.iter().chain([&without_iat, &development]) {
        assert_eq!(statuses(&place, caller).await, [200, 200]);
    }
    let by = place.caller(&token(&place, "desk", 0));
    let answer = by.post(SIGN_OUT).json(json!({ "everywhere": true })).await;
    assert_snapshot!(answer, @r#"200 {"everywhere":true,"signedOut":true}"#);
    for caller in older.iter().chain([&by, &without_iat, &development]) {
        assert_eq!(statuses(&place, caller).await, [401, 401]);
    }
    // The issuer tells whole seconds: what it issues from the next one on is newer.
    let newer = place.caller(&token(&place, "desk", 2));
    assert_eq!(statuses(&place, &newer).await, [200, 200]);
    assert_eq!(statuses(&place, &key).await, [200, 200]);
    let bob = place.deployment.operator().user("bob").await.browser().await;
    assert_eq!(statuses(&place, &bob).await, [200, 200]);
    // The token of an issuer whose clock is ahead ends, and nothing newer with it.
    let ahead = place.caller(&token(&place, "ahead", 3));
    ahead.post(SIGN_OUT).json(json!({ "everywhere": true })).await.expect(200);
    assert_eq!(statuses(&place, &ahead).await, [401, 401]);
    assert_eq!(statuses(&place, &place.caller(&token(&place, "later", 60))).await, [200, 200]);
}

#[tokio::test]
async fn a_refused_request_ends_nothing() {
    let place = open(&[]).await;
    let browser = place.caller(&token(&place, "tab", 0));
    let key = place.alice.key(MANAGE).await;
    assert_snapshot!(key.post(SIGN_OUT).await, @"403 CREDENTIAL_NOT_PERMITTED");
    assert_snapshot!(
        browser.post(SIGN_OUT).json(json!({ "all": true })).await,
        @"400 INVALID_REQUEST body.all unknown"
    );
    let without_iat = place.caller(&place.key.token(&without_iat(&place)));
    let refused = without_iat.post(SIGN_OUT).json(json!({ "everywhere": true })).await;
    assert_snapshot!(refused, @"403 CREDENTIAL_NOT_PERMITTED");
    for caller in [&browser, &key, &without_iat] {
        assert_eq!(statuses(&place, caller).await, [200, 200]);
    }
    without_iat.post(SIGN_OUT).await.expect(200);
    assert_eq!(statuses(&place, &without_iat).await, [401, 401]);
    assert_eq!(statuses(&place, &browser).await, [200, 200]);
}

#[tokio::test]
async fn of_two_tokens_of_one_second_one_ends_even_if_it_signs_out_twice_at_once() {
    let deployment = Deployment::with(Options { control_replicas: 2, ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let [first, second] = [alice.ticket().await, alice.ticket().await];
    let exchange = async |ticket: &str| {
        let answer = deployment.anonymous().with(ticket).post("/sign-in/ticket").await;
        deployment.anonymous().with(&answer.expect(200).text("/access_token"))
    };
    let (ended, other) = join(exchange(&first), exchange(&second)).await;
    let ending = deployment.control_urls.iter().map(async |url| ended.at(url).post(SIGN_OUT).await.status);
    let answers = join_all(ending).await;
    assert!(
        answers.contains(&200) && answers.iter().all(|status| [200, 401].contains(status)),
        "{answers:?}"
    );
    assert_snapshot!(ended.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    other.get("/api/v2/me").await.expect(200);
}

#[tokio::test]
async fn streams_of_an_ended_token_end_with_their_next_check() {
    let place = open(&[("event_check_secs", "1")]).await;
    let (ended, other) = (place.caller(&token(&place, "tab", 0)), place.caller(&token(&place, "other", 0)));
    let project = create_project(&ended, "Gear").await;
    let session = Session::open(&ended, &project).await;
    let paths = [format!("{}/events", session.path()), format!("/api/v2/projects/{project}/events")];
    let mut ending = Vec::new();
    for path in &paths {
        ending.push(EventStream::open(ended.get(path)).await);
    }
    let mut going = EventStream::open(other.get(&paths[1])).await;
    // Of a replica other than that which ends the token.
    ended.at(&place.deployment.control_urls[1]).post(SIGN_OUT).await.expect(200);
    for stream in &mut ending {
        stream.rest().await;
    }
    let body = json!({ "name": "Tooth" });
    other.post(&format!("/api/v2/projects/{project}/objects")).json(body).await.expect(201);
    going.next_of("objects.changed").await;
}

#[tokio::test]
async fn records_of_tokens_that_have_expired_are_deleted() {
    let place = open(&[("maintenance_secs", "1")]).await;
    let browser = place.caller(&token(&place, "tab", 0));
    browser.post(SIGN_OUT).await.expect(200);
    let expired = "insert into ended_browser_tokens values (sha256('expired'), now() - interval '2 hours')";
    place.deployment.database.connect().await.batch_execute(expired).await.unwrap();
    let count = async || place.deployment.database.count("select count(*) from ended_browser_tokens").await;
    eventually_async("the expired one is deleted", async || count().await == 1).await;
    assert_eq!(statuses(&place, &browser).await, [401, 401]);
}

/// Two replicas that admit everybody, so that an ended token could find its user as a newcomer.
async fn open(settings: &[(&'static str, &str)]) -> Place {
    let (issuer, key) = (Issuer::start(Mood::Well), Key::new("first"));
    issuer.publish(&[&key]);
    let mut options = Options { control_replicas: 2, ..options("anybody", &issuer) };
    options.environment.extend(settings.iter().map(|(name, value)| (*name, (*value).to_owned())));
    Place::with_alice(Deployment::with(options).await, issuer, key).await
}

/// A token of Alice, issued this many seconds from now.
fn token(place: &Place, id: &str, offset_secs: i64) -> String {
    let issued_at = Clock::system().now().unix_seconds() + offset_secs;
    place.key.token(&with(&with(&verified(place), "jti", &json!(id)), "iat", &json!(issued_at)))
}

fn without_iat(place: &Place) -> Value {
    let mut claims = verified(place);
    claims.as_object_mut().unwrap().remove("iat").unwrap();
    claims
}

/// Claims with an address by which a newcomer gets an account.
fn verified(place: &Place) -> Value {
    with(&with(&claims(&place.issuer), "email", &json!("alice@example.com")), "email_verified", &json!(true))
}

/// The answers of both replicas to a caller.
async fn statuses(place: &Place, caller: &Caller) -> Vec<u16> {
    let urls = place.deployment.control_urls.iter();
    join_all(urls.map(async |url| caller.at(url).get("/api/v2/me").await.status)).await
}
