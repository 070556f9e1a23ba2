//! Rate limits of both planes: by key, by address and global; all replicas count together.

#![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]

use insta::assert_snapshot;
use testkit::answer::Answer;
use testkit::api::{Api, Options};
use testkit::caller::Caller;
use testkit::redis::PrivateRedis;
use testkit::seed::MANAGE;

/// A deployment of two control processes with these limits, all of which are on by default.
async fn limited(global: &str, key: &str, address: &str) -> Api {
    limited_on(testkit::environment::redis_url(), global, key, address).await
}

async fn limited_on(redis_url: String, global: &str, key: &str, address: &str) -> Api {
    let environment = vec![
        ("ATELIER_RATE_GLOBAL", global.to_owned()),
        ("ATELIER_RATE_KEY", key.to_owned()),
        ("ATELIER_RATE_ADDRESS", address.to_owned()),
    ];
    Api::with(Options { control_replicas: 2, redis_url, environment, ..Options::default() }).await
}

/// Sends a request to each replica in turn until one is refused; returns the number of accepted ones, and the refusal.
async fn until_refused(api: &Api, caller: &Caller, path: &str) -> (u32, Answer) {
    for taken in 0..50 {
        let url = &api.control_urls[usize::from(taken % 2 == 1)];
        let answer = caller.at(url).get(path).await;
        if answer.status == 429 {
            return (taken, answer);
        }
    }
    (50, caller.get(path).await)
}

#[tokio::test]
async fn a_key_has_one_burst_for_all_replicas_and_learns_when_to_retry() {
    let api = limited("off", "1/5", "off").await;
    let alice = api.operator().user("alice").await;
    let (key, other) = (alice.key(MANAGE).await, alice.key(MANAGE).await);
    let first = key.get("/api/v2/me").await.expect(200);
    assert_eq!(first.header("ratelimit"), r#""key";r=4;t=60"#);
    assert_eq!(first.header("ratelimit-policy"), r#""key";q=1;w=60"#);
    let (taken, refused) = until_refused(&api, &key, "/api/v2/me").await;
    assert_eq!(taken, 4);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"key"}"#);
    let wait: u32 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // Other keys and requests without one are unaffected; the data plane shares the burst.
    other.get("/api/v2/me").await.expect(200);
    api.anonymous().get("/api/v2/openapi.json").await.expect(200);
}

#[tokio::test]
async fn an_address_without_a_credential_has_its_own_limit() {
    let api = limited("off", "off", "1/3").await;
    let anonymous = api.anonymous();
    let (taken, refused) = until_refused(&api, &anonymous, "/api/v2/me").await;
    assert_eq!(taken, 3);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"address"}"#);
    // The data plane shares the limit, and an invalid credential counts as none.
    assert_eq!(api.anonymous_at_data().get("/api/v1/openapi.json").await.status, 429);
    assert_eq!(anonymous.with("nonsense").get("/api/v2/me").await.status, 429);
    let alice = api.operator().user("alice").await;
    alice.key(MANAGE).await.get("/api/v2/me").await.expect(200);
}

#[tokio::test]
async fn invalid_credentials_use_up_only_the_limit_of_their_address() {
    let api = limited("1/1000", "1/100", "1/3").await;
    let alice = api.operator().user("alice").await;
    let good = alice.key(MANAGE).await;
    for url in &api.control_urls {
        good.at(url).get("/api/v2/me").await.expect(200);
    }
    let made_up = async |n: usize| {
        let key = auth::api_key::ApiKey::generate(auth::api_key::Mode::Live);
        let caller = api.anonymous().at(&api.control_urls[n % 2]).with(key.reveal());
        caller.get(if n.is_multiple_of(3) { "/api/v2/none" } else { "/api/v2/me" }).await
    };
    let mut taken = 0;
    let refused = loop {
        let answer = made_up(taken).await;
        if answer.status == 429 {
            break answer;
        }
        taken += 1;
        assert!(taken < 50);
    };
    // Three for the address, and one more for each process, which learns from it that the limit is used up.
    assert_eq!(taken, 5);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"address"}"#);
    // A malformed key counts as none before any lookup.
    assert_eq!(api.anonymous().with("svc_ak_live_x").get("/api/v2/me").await.status, 429);
    for url in &api.control_urls {
        good.at(url).get("/api/v2/me").await.expect(200);
    }
}

#[tokio::test]
async fn all_callers_together_have_a_limit() {
    let api = limited("1/4", "1/100", "1/100").await;
    let alice = api.operator().user("alice").await;
    let key = alice.key(MANAGE).await;
    key.get("/api/v2/me").await.expect(200);
    let (taken, refused) = until_refused(&api, &api.anonymous(), "/api/v2/openapi.json").await;
    assert_eq!(taken, 3);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"global"}"#);
    assert_snapshot!(key.get("/api/v2/me").await, @r#"429 RATE_LIMITED {"scope":"global"}"#);
}

#[tokio::test]
async fn without_redis_each_process_counts_alone() {
    let redis = PrivateRedis::start();
    let api = limited_on(redis.url(), "off", "1/3", "off").await;
    let alice = api.operator().user("alice").await;
    let key = alice.key(MANAGE).await;
    drop(redis);
    let (taken, refused) = until_refused(&api, &key, "/api/v2/me").await;
    assert_eq!(refused.status, 429);
    // Three by each replica.
    assert_eq!(taken, 6);
}

#[tokio::test]
async fn a_resumable_upload_over_the_limit_is_refused_in_its_own_protocol() {
    let api = limited("off", "off", "1/1").await;
    let data = api.anonymous_at_data();
    let ask = || data.request(reqwest::Method::OPTIONS, "/api/v1/file/resumable/x/y");
    ask().await.expect(204);
    let refused = ask().await;
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"address"}"#);
    assert_eq!(refused.header("tus-resumable"), "1.0.0");
}
