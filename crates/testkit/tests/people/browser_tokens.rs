//! Browser tokens of an OIDC issuer: users, refused tokens, failures of the issuer, and the first hour of a person who
//! has nothing else.

mod first_hour;
mod issuer;
mod sign_out;

use std::time::{Duration, Instant};

use domain::time::Clock;
use futures_util::future::join_all;
use insta::assert_snapshot;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::seed::User;
use testkit::session::{Session, create_project};

use crate::browser_tokens::issuer::{Issuer, Key, Mood};

const AUDIENCE: &str = "https://atelier.example.com";
const ALICE: &str = "auth0|alice";
/// Longer than the service's pause between two requests to the issuer.
const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);

#[tokio::test]
async fn a_token_authenticates_the_user_that_its_subject_is_linked_to() {
    let place = Place::open(Mood::Well).await;
    let me = place.me(&place.key.token(&claims(&place.issuer))).await;
    assert_eq!(me.expect(200).text("/user/id"), place.alice.id);
    // Fresh keys are not fetched again, and an unlinked subject is refused.
    let strange = with(&claims(&place.issuer), "sub", &json!("auth0|eve"));
    assert_snapshot!(place.me(&place.key.token(&strange)).await, @"401 UNAUTHENTICATED");
    let unclean = with(&claims(&place.issuer), "sub", &json!("auth0|\0"));
    assert_snapshot!(place.me(&place.key.token(&unclean)).await, @"401 UNAUTHENTICATED");
    assert_eq!(place.issuer.fetches(), 1);

    // As a browser session it manages keys and has all rights of its user.
    let browser = place.caller(&place.key.token(&claims(&place.issuer)));
    let key =
        browser.post("/api/v2/api-keys").json(json!({ "name": "ci", "scopes": ["projects:read"] })).await;
    browser.with(&key.expect(201).text("/key")).get("/api/v2/me").await.expect(200);
    create_project(&browser, "Gear").await;
    // Tokens of the development issuer remain valid.
    place.alice.browser().await.get("/api/v2/me").await.expect(200);
}

#[tokio::test]
async fn expired_foreign_and_wrongly_signed_tokens_are_refused() {
    let place = Place::open(Mood::Well).await;
    place.me(&place.key.token(&claims(&place.issuer))).await.expect(200);
    let now = Clock::system().now().unix_seconds();
    let claims_refused = [
        ("iss", json!(place.issuer.url.trim_end_matches('/'))),
        ("aud", json!("https://elsewhere.example.com")),
        ("exp", json!(now - 6)),
        ("nbf", json!(now + 60)),
        ("sub", json!("")),
    ];
    for (field, value) in claims_refused {
        let token = place.key.token(&with(&claims(&place.issuer), field, &value));
        let code = if field == "exp" { "401 CREDENTIAL_EXPIRED" } else { "401 UNAUTHENTICATED" };
        assert_eq!(place.me(&token).await.to_string(), code);
    }
    for field in ["iss", "aud", "exp", "sub"] {
        let mut claims = claims(&place.issuer);
        claims.as_object_mut().unwrap().remove(field);
        assert_eq!(place.me(&place.key.token(&claims)).await.to_string(), "401 UNAUTHENTICATED");
    }

    let good = place.key.token(&claims(&place.issuer));
    let [header, payload, signature]: [&str; 3] = good.split('.').collect::<Vec<_>>().try_into().unwrap();
    // {"alg":"none","typ":"JWT"}
    let unsigned = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{payload}.");
    let public = place.key.jwk();
    let public = public.get("x").and_then(Value::as_str).unwrap();
    let mut symmetric = Header::new(Algorithm::HS256);
    symmetric.kid = Some(place.key.id.clone());
    let symmetric = jsonwebtoken::encode(
        &symmetric,
        &claims(&place.issuer),
        &EncodingKey::from_secret(public.as_bytes()),
    )
    .unwrap();
    // Another key under the published id.
    let forged = Key { id: place.key.id.clone(), ..Key::new("x") }.token(&claims(&place.issuer));
    let cut = format!("{header}.{payload}");
    let unsigned_by_key = format!("{header}.{payload}.");
    let of_another = format!("{header}.{payload}.{}", forged.rsplit('.').next().unwrap());
    assert_ne!(of_another, format!("{header}.{payload}.{signature}"));
    for token in [unsigned, symmetric, forged, cut, unsigned_by_key, of_another] {
        assert_eq!(place.me(&token).await.to_string(), "401 UNAUTHENTICATED");
    }
    // A JWT for another purpose has another type.
    let mut typed = Header::new(Algorithm::EdDSA);
    (typed.kid, typed.typ) = (Some(place.key.id.clone()), Some("atelier-grant+jwt".to_owned()));
    let typed = jsonwebtoken::encode(&typed, &claims(&place.issuer), &place.key.private).unwrap();
    assert_snapshot!(place.me(&typed).await, @"401 UNAUTHENTICATED");
}

#[tokio::test]
async fn only_a_verified_address_makes_an_account_or_finds_one() {
    let place = Place::admitting("anybody", Mood::Well).await;
    let token = |subject: &str, email: Value, verified: Value| {
        let claims = with(&claims(&place.issuer), "sub", &json!(subject));
        place.key.token(&with(&with(&claims, "email", &email), "email_verified", &verified))
    };
    // Bob's account was made by an operator; nobody has signed in to it.
    let bob = place.deployment.operator().user("bob").await;
    let address = || json!("bob@example.com");
    for (email, verified) in [
        (address(), json!(false)),
        (address(), Value::Null),
        (Value::Null, json!(true)),
        (json!("bob"), json!(true)),
    ] {
        let answer = place.me(&token("auth0|eve", email, verified)).await;
        assert_eq!(answer.to_string(), "401 UNAUTHENTICATED");
    }
    let found = place.me(&token("auth0|bob", address(), json!(true))).await.expect(200);
    assert_eq!(found.text("/user/id"), bob.id);
    // The identity signs in from now on, with any address; another one with his address doesn't.
    place.me(&token("auth0|bob", Value::Null, Value::Null)).await.expect(200);
    let eve = place.me(&token("auth0|eve", address(), json!(true))).await;
    assert_snapshot!(eve, @"401 UNAUTHENTICATED");
    // Alice's account has an identity of the issuer.
    let eve = place.me(&token("auth0|eve", json!("alice@example.com"), json!(true))).await;
    assert_snapshot!(eve, @"401 UNAUTHENTICATED");

    let named = with(&claims(&place.issuer), "name", &json!(" Ada  Lovelace "));
    let named = with(&with(&named, "email", &json!("ada@example.com")), "email_verified", &json!("true"));
    let ada = place.key.token(&with(&named, "sub", &json!("auth0|ada")));
    assert_eq!(place.me(&ada).await.expect(200).text("/user/name"), "Ada Lovelace");
}

#[tokio::test]
async fn the_data_plane_refuses_browser_tokens() {
    let place = Place::open(Mood::Well).await;
    let browser = place.caller(&place.key.token(&claims(&place.issuer)));
    let project = create_project(&browser, "Gear").await;
    let session = Session::open(&browser, &project).await;
    session.upload(&project, "a.txt", "a").await.expect(200);
    let session = Session { grant: session.grant.with(browser.credential()), ..session };
    assert_snapshot!(session.upload(&project, "a.txt", "a").await, @"403 CREDENTIAL_NOT_PERMITTED");
}

#[tokio::test]
async fn a_new_key_of_the_issuer_is_accepted_without_a_restart() {
    let place = Place::open(Mood::Well).await;
    let old = place.key.token(&claims(&place.issuer));
    place.me(&old).await.expect(200);
    let key = Key::new("next");
    place.issuer.publish(&[&place.key, &key]);
    let new = key.token(&claims(&place.issuer));
    eventually("the new key is accepted", async || place.me(&new).await.status == 200).await;
    place.me(&old).await.expect(200);
    assert!(place.issuer.fetches() <= 3, "{} fetches", place.issuer.fetches());
}

#[tokio::test]
async fn unknown_key_ids_do_not_flood_the_issuer_with_requests() {
    let place = Place::open(Mood::Well).await;
    let good = place.key.token(&claims(&place.issuer));
    place.me(&good).await.expect(200);
    let begun = Instant::now();
    let strangers: Vec<Key> = (0..20).map(|number| Key::new(&format!("made-up-{number}"))).collect();
    for _ in 0..5 {
        let answers =
            join_all(strangers.iter().map(async |key| place.me(&key.token(&claims(&place.issuer))).await));
        assert!(answers.await.iter().all(|answer| answer.status == 401));
        place.me(&good).await.expect(200);
    }
    let allowed = 2 + begun.elapsed().as_secs() / 10;
    assert!(u64::from(place.issuer.fetches()) <= allowed, "{} fetches", place.issuer.fetches());
}

#[tokio::test]
async fn tokens_are_unavailable_until_the_issuers_keys_are_known() {
    let place = Place::open(Mood::Away).await;
    let token = place.key.token(&claims(&place.issuer));
    assert_snapshot!(place.me(&token).await, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    let begun = Instant::now();
    let answers = join_all((0..50).map(|_| place.me(&token))).await;
    assert!(answers.iter().all(|answer| answer.status == 503));
    assert!(place.issuer.fetches() <= 3 + u32::try_from(begun.elapsed().as_secs()).unwrap());
    // API keys work without the issuer.
    place.alice.key(&["projects:read"]).await.get("/api/v2/me").await.expect(200);
    assert_snapshot!(place.caller("nonsense").get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    for mood in [Mood::Garbled, Mood::Failing] {
        place.issuer.become_(mood);
        assert_eq!(place.me(&token).await.to_string(), r#"503 UNAVAILABLE {"outcome":"none"}"#);
    }
    assert!(place.sign_in_page().await.contains(r#"&#34;kind&#34;:&#34;issuerAway&#34;"#));
    place.issuer.become_(Mood::Well);
    eventually("the issuer is heard again", async || place.me(&token).await.status == 200).await;
    // People sign in where the issuer's document says.
    let page = place.sign_in_page().await;
    assert!(page.contains(&format!("{}authorize", place.issuer.url)), "{page}");
}

#[tokio::test]
async fn a_document_of_another_issuer_is_not_believed() {
    let issuer = Issuer::start(Mood::Well);
    issuer.call_itself("https://login.example.com/");
    let key = Key::new("first");
    issuer.publish(&[&key]);
    let deployment = empty_deployment("off", &issuer).await;
    let place = Place::with_alice(deployment, issuer, key).await;
    let token = place.key.token(&claims(&place.issuer));
    assert_eq!(place.me(&token).await.to_string(), r#"503 UNAVAILABLE {"outcome":"none"}"#);
    place.issuer.call_itself(&place.issuer.url);
    eventually("the issuer is believed", async || place.me(&token).await.status == 200).await;
}

#[tokio::test]
async fn a_silent_issuer_delays_waiting_requests_only_once() {
    let place = Place::open(Mood::Silent).await;
    let token = place.key.token(&claims(&place.issuer));
    let begun = Instant::now();
    let answers = join_all((0..8).map(|_| place.me(&token))).await;
    assert!(answers.iter().all(|answer| answer.status == 503));
    assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_silent_issuer_does_not_delay_tokens_with_known_keys() {
    let place = Place::open(Mood::Well).await;
    let good = place.key.token(&claims(&place.issuer));
    place.me(&good).await.expect(200);
    let fetches = place.issuer.fetches();
    place.issuer.become_(Mood::Silent);
    let made_up = Key::new("made-up").token(&claims(&place.issuer));
    // Eventually one of these waits for the issuer.
    let asking = async || {
        let waits = tokio::time::timeout(POLL, place.me(&made_up)).await.is_err();
        waits && place.issuer.fetches() > fetches
    };
    eventually("the issuer is asked again", asking).await;
    let begun = Instant::now();
    for _ in 0..10 {
        place.me(&good).await.expect(200);
    }
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

/// A deployment with an issuer that knows Alice.
struct Place {
    deployment: Deployment,
    alice: User,
    issuer: Issuer,
    key: Key,
}

impl Place {
    async fn open(mood: Mood) -> Self {
        Self::admitting("off", mood).await
    }

    /// A deployment that gives an account to these people.
    async fn admitting(sign_up: &str, mood: Mood) -> Self {
        let (issuer, key) = (Issuer::start(mood), Key::new("first"));
        issuer.publish(&[&key]);
        let deployment = empty_deployment(sign_up, &issuer).await;
        Self::with_alice(deployment, issuer, key).await
    }

    async fn with_alice(deployment: Deployment, issuer: Issuer, key: Key) -> Self {
        let alice = deployment.operator().user("alice").await;
        let link = ["identity", "link", "--user", &alice.id, "--issuer", &issuer.url, "--subject", ALICE];
        deployment.operator().run(&link).await;
        Self { deployment, alice, issuer, key }
    }

    fn caller(&self, credential: &str) -> Caller {
        self.deployment.anonymous().with(credential)
    }

    async fn sign_in_page(&self) -> String {
        let url = format!("{}/sign-in", self.deployment.control_urls.first().unwrap());
        let page = self.deployment.http.get(url).header("accept", "text/html").send().await.unwrap();
        page.text().await.unwrap()
    }

    async fn me(&self, token: &str) -> testkit::answer::Answer {
        self.caller(token).get("/api/v2/me").await
    }
}

/// A deployment without users, which gives an account to these people.
async fn empty_deployment(sign_up: &str, issuer: &Issuer) -> Deployment {
    Deployment::with(options(sign_up, issuer)).await
}

/// The settings of a deployment with an issuer, which gives an account to these people.
fn options(sign_up: &str, issuer: &Issuer) -> Options {
    let environment = vec![
        ("ATELIER_SIGN_UP", sign_up.to_owned()),
        ("ATELIER_OIDC_CLIENT_ID", "atelier-console".to_owned()),
        ("ATELIER_OIDC_ISSUER", issuer.url.clone()),
        ("ATELIER_OIDC_AUDIENCE", AUDIENCE.to_owned()),
        // The machine's proxy settings don't apply.
        ("NO_PROXY", "127.0.0.1".to_owned()),
    ];
    Options { environment, ..Options::default() }
}

fn claims(issuer: &Issuer) -> Value {
    let now = Clock::system().now().unix_seconds();
    json!({ "iss": issuer.url, "aud": AUDIENCE, "sub": ALICE, "iat": now, "nbf": now, "exp": now + 600 })
}

fn with(claims: &Value, field: &str, value: &Value) -> Value {
    let mut claims = claims.clone();
    claims.as_object_mut().unwrap().insert(field.to_owned(), value.clone());
    claims
}

async fn eventually(what: &str, holds: impl AsyncFn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(POLL).await;
    }
}
