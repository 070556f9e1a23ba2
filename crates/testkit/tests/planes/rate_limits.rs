//! Rate limits of both planes: by key, by user, by address and global; all replicas count together. Attacks on them.

use futures_util::future::ready;
use futures_util::{StreamExt, stream};
use insta::assert_snapshot;
use reqwest::{Body, Method};
use serde_json::json;
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::redis::PrivateRedis;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project};
use testkit::upload::Form;

/// The limits of a deployment; those that a test doesn't name are off.
type Limits<'a> = &'a [(&'static str, &'a str)];

/// A deployment of two control processes with these limits, as `ATELIER_RATE_…`.
async fn limited(limits: Limits<'_>) -> Deployment {
    limited_on(testkit::environment::redis_url(), limits).await
}

async fn limited_on(redis_url: String, limits: Limits<'_>) -> Deployment {
    let environment = limits.iter().map(|(name, limit)| (*name, (*limit).to_owned())).collect();
    Deployment::with(Options { control_replicas: 2, redis_url, environment, ..Options::default() }).await
}

const GLOBAL: &str = "ATELIER_RATE_GLOBAL";
const USER: &str = "ATELIER_RATE_USER";
const KEY: &str = "ATELIER_RATE_KEY";
const ADDRESS: &str = "ATELIER_RATE_ADDRESS";
const DATA_GLOBAL: &str = "ATELIER_RATE_DATA_GLOBAL";
const DATA_USER: &str = "ATELIER_RATE_DATA_USER";
const DATA_BYTES: &str = "ATELIER_RATE_DATA_BYTES";

/// Sends a request to each replica in turn until one is refused; returns the number of accepted ones, and the refusal.
async fn until_refused(deployment: &Deployment, caller: &Caller, path: &str) -> (u32, Answer) {
    for taken in 0..50 {
        let url = &deployment.control_urls[usize::from(taken % 2 == 1)];
        let answer = caller.at(url).get(path).await;
        if answer.status == 429 {
            return (taken, answer);
        }
    }
    (50, caller.get(path).await)
}

#[tokio::test]
async fn a_key_has_one_burst_for_all_replicas_and_learns_when_to_retry() {
    let deployment = limited(&[(KEY, "1/5")]).await;
    let alice = deployment.operator().user("alice").await;
    let (key, other) = (alice.key(MANAGE).await, alice.key(MANAGE).await);
    let first = key.get("/api/v2/me").await.expect(200);
    assert_eq!(first.header("ratelimit"), r#""key";r=4;t=60"#);
    assert_eq!(first.header("ratelimit-policy"), r#""key";q=1;w=60"#);
    let (taken, refused) = until_refused(&deployment, &key, "/api/v2/me").await;
    assert_eq!(taken, 4);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"key"}"#);
    let wait: u32 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // Other keys and requests without one are unaffected.
    other.get("/api/v2/me").await.expect(200);
    deployment.anonymous().get("/api/v2/openapi.json").await.expect(200);
}

#[tokio::test]
async fn all_credentials_of_a_user_share_one_allowance() {
    let deployment = limited(&[(USER, "1/9"), (KEY, "1/4")]).await;
    let (alice, bob) = (deployment.operator().user("alice").await, deployment.operator().user("bob").await);
    let mut accepted = 0;
    for credential in
        [alice.key(MANAGE).await, alice.browser().await, alice.key(MANAGE).await, alice.key(MANAGE).await]
    {
        let (taken, refused) = until_refused(&deployment, &credential, "/api/v2/me").await;
        accepted += taken;
        assert_eq!(refused.status, 429);
    }
    assert_eq!(accepted, 9);
    let new = alice.key(MANAGE).await;
    assert_snapshot!(new.get("/api/v2/me").await, @r#"429 RATE_LIMITED {"scope":"user"}"#);
    let other = bob.key(MANAGE).await.get("/api/v2/me").await.expect(200);
    // The limit that is nearer is reported.
    assert_eq!(other.header("ratelimit"), r#""key";r=3;t=60"#);
    assert_eq!(other.header("ratelimit-policy"), r#""key";q=1;w=60, "user";q=1;w=60"#);
}

#[tokio::test]
async fn a_renewed_or_second_grant_makes_no_new_allowance() {
    let deployment = limited(&[(DATA_USER, "1/6")]).await;
    let alice = deployment.operator().user("alice").await;
    let key = alice.key(MANAGE).await;
    let project = create_project(&key, "Pump").await;
    let mut accepted = 0;
    for _ in 0..3 {
        let session = Session::open(&key, &project).await;
        for _ in 0..4 {
            let renewed = key.post(&format!("{}/grant", session.path())).await.expect(200);
            let grant = session.grant.with(&renewed.text("/dataPlane/token"));
            for _ in 0..2 {
                let answer =
                    grant.get(&session.download_path("0198c5f0-0000-7000-8000-000000000000.txt")).await;
                accepted += u32::from(answer.status == 404);
                if answer.status != 404 {
                    assert_eq!(answer.to_string(), r#"429 RATE_LIMITED {"scope":"user"}"#);
                }
            }
        }
    }
    assert_eq!(accepted, 6);
    // Another user of the same project has an allowance too.
    let bob = deployment.operator().user("bob").await;
    deployment.operator().add_member(&bob, "--project", &project, "editor").await;
    let session = Session::open(&bob.key(MANAGE).await, &project).await;
    assert_eq!(session.grant.get(&session.download_path("x.txt")).await.status, 404);
}

#[tokio::test]
async fn a_calendar_counts_against_its_address() {
    let deployment = limited(&[(ADDRESS, "1/3")]).await;
    let browser = deployment.operator().user("alice").await.browser().await;
    let made = browser.post("/api/v2/me/calendar-feeds").json(json!({ "name": "Work" })).await.expect(201);
    let url = made.text("/url");
    let (_, secret) = url.split_once("/api/v2/calendars/").unwrap();
    let path = format!("/api/v2/calendars/{secret}");
    let (taken, refused) = until_refused(&deployment, &deployment.anonymous(), &path).await;
    assert_eq!(taken, 3);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"address"}"#);
    // Its person is another caller.
    browser.get("/api/v2/me").await.expect(200);
}

#[tokio::test]
async fn an_address_without_a_credential_has_its_own_limit() {
    let deployment = limited(&[(ADDRESS, "1/3")]).await;
    let anonymous = deployment.anonymous();
    let (taken, refused) = until_refused(&deployment, &anonymous, "/api/v2/me").await;
    assert_eq!(taken, 3);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"address"}"#);
    // The data plane shares the limit, and an invalid credential counts as none.
    assert_eq!(deployment.anonymous_at_data().get("/api/v1/openapi.json").await.status, 429);
    assert_eq!(anonymous.with("nonsense").get("/api/v2/me").await.status, 429);
    let alice = deployment.operator().user("alice").await;
    alice.key(MANAGE).await.get("/api/v2/me").await.expect(200);
}

#[tokio::test]
async fn preflights_do_not_count_as_strangers() {
    let deployment = limited(&[(GLOBAL, "1/20"), (ADDRESS, "1/3")]).await;
    for _ in 0..10 {
        let data = deployment.anonymous_at_data();
        data.request(Method::OPTIONS, "/api/v1/file/resumable/x/y").await.expect(204);
        deployment.anonymous().request(Method::OPTIONS, "/api/v2/projects").await.expect(405);
    }
    assert_eq!(until_refused(&deployment, &deployment.anonymous(), "/api/v2/me").await.0, 3);
}

#[tokio::test]
async fn invalid_credentials_use_up_only_the_limit_of_their_address() {
    let deployment = limited(&[(GLOBAL, "1/1000"), (KEY, "1/100"), (ADDRESS, "1/3")]).await;
    let alice = deployment.operator().user("alice").await;
    let good = alice.key(MANAGE).await;
    for url in &deployment.control_urls {
        good.at(url).get("/api/v2/me").await.expect(200);
    }
    let made_up = async |n: usize| {
        let key = auth::api_key::ApiKey::generate(auth::api_key::Mode::Live);
        let caller = deployment.anonymous().at(&deployment.control_urls[n % 2]).with(key.reveal());
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
    assert_eq!(deployment.anonymous().with("svc_ak_live_x").get("/api/v2/me").await.status, 429);
    for url in &deployment.control_urls {
        good.at(url).get("/api/v2/me").await.expect(200);
    }
}

#[tokio::test]
async fn a_revoked_key_uses_up_nothing_of_its_user() {
    let deployment = limited(&[(USER, "1/6"), (ADDRESS, "1/100")]).await;
    let alice = deployment.operator().user("alice").await;
    let (stolen, other) = (alice.issue(MANAGE, &[]).await, alice.key(MANAGE).await);
    for url in &deployment.control_urls {
        stolen.caller.at(url).get("/api/v2/me").await.expect(200);
    }
    deployment.operator().revoke(&stolen).await;
    for url in deployment.control_urls.iter().cycle().take(8) {
        stolen.caller.at(url).get("/api/v2/me").await.expect(401);
    }
    // One each to learn that the key is revoked.
    assert_eq!(until_refused(&deployment, &other, "/api/v2/me").await.0, 2);
}

#[tokio::test]
async fn all_callers_together_have_a_limit_and_strangers_half_of_it() {
    let deployment = limited(&[(GLOBAL, "1/8"), (KEY, "1/100"), (ADDRESS, "1/100")]).await;
    let alice = deployment.operator().user("alice").await;
    let key = alice.key(MANAGE).await;
    key.get("/api/v2/me").await.expect(200);
    let (taken, refused) = until_refused(&deployment, &deployment.anonymous(), "/api/v2/openapi.json").await;
    assert_eq!(taken, 3);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"global"}"#);
    let (taken, refused) = until_refused(&deployment, &key, "/api/v2/me").await;
    assert_eq!(taken, 4);
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"global"}"#);
}

#[tokio::test]
async fn a_caller_that_takes_all_it_can_leaves_a_share_of_the_global_limit_to_others() {
    let deployment = limited(&[(GLOBAL, "1/30"), (USER, "1/24")]).await;
    let (greedy, modest) =
        (deployment.operator().user("greedy").await, deployment.operator().user("modest").await);
    let mut accepted = 0;
    for _ in 0..3 {
        accepted += until_refused(&deployment, &greedy.key(MANAGE).await, "/api/v2/me").await.0;
    }
    assert!((15..=20).contains(&accepted), "{accepted}");
    let key = modest.key(MANAGE).await;
    for _ in 0..5 {
        key.get("/api/v2/me").await.expect(200);
    }
}

#[tokio::test]
async fn bytes_of_uploads_have_a_limit_of_their_own() {
    let deployment = limited(&[(DATA_BYTES, "60/10000")]).await;
    let alice = deployment.operator().user("alice").await;
    let key = alice.key(MANAGE).await;
    let project = create_project(&key, "Pump").await;
    let session = Session::open(&key, &project).await;
    let model = session.model().await;
    let file = vec![b'x'; 6_000];
    // The second begins with room left.
    session.upload(&model, "a.txt", file.clone()).await.expect(200);
    session.upload(&model, "b.txt", file.clone()).await.expect(200);
    assert_snapshot!(session.upload(&model, "c.txt", file).await, @r#"429 RATE_LIMITED {"scope":"bytes"}"#);
    // What sends nothing isn't held up.
    assert_eq!(session.grant.get(&session.download_path("x.txt")).await.status, 404);

    // A body of unknown length counts once it has arrived.
    let bob = deployment.operator().user("bob").await;
    let key = bob.key(MANAGE).await;
    let session = Session::open(&key, &create_project(&key, "Valve").await).await;
    let model = session.model().await;
    let form = Form::new("a.txt");
    let chunked = || {
        let body = Body::wrap_stream(stream::iter([Ok::<_, std::io::Error>(form.body(&[b'x'; 12_000]))]));
        session.grant.post(&session.upload_path(&model)).body(&form.content_type(), body)
    };
    chunked().await.expect(200);
    chunked().await.expect(200);
    assert_snapshot!(session.upload(&model, "b.txt", "x").await, @r#"429 RATE_LIMITED {"scope":"bytes"}"#);
}

#[tokio::test]
async fn a_folder_of_two_thousand_small_files_passes_the_default_limits() {
    // The defaults, which the environment of tests turns off.
    let deployment = limited(&[
        (DATA_GLOBAL, "120000/24000"),
        (DATA_USER, "30000/12000"),
        (DATA_BYTES, "20000000000/100000000000"),
    ])
    .await;
    let key = deployment.operator().user("alice").await.key(MANAGE).await;
    let session = Session::open(&key, &create_project(&key, "Folder").await).await;
    // A request for a file counts as an upload does, and takes less time.
    let path = session.download_path("x.txt");
    let asked = stream::iter(0..2_000).map(|_| session.grant.get(&path).into_future());
    let statuses = asked.buffer_unordered(32).map(|answer| answer.status);
    let refused = statuses.filter(|status| ready(*status != 404)).count().await;
    assert_eq!(refused, 0);
    let last = session.upload(&session.model().await, "last.txt", "x").await.expect(200);
    let left: u64 = last.header("ratelimit").split(['=', ';']).nth(2).unwrap().parse().unwrap();
    assert!(left >= 9_999, "{left}");
}

#[tokio::test]
async fn without_redis_each_process_counts_alone() {
    let redis = PrivateRedis::start();
    let deployment = limited_on(redis.url(), &[(KEY, "1/3")]).await;
    let alice = deployment.operator().user("alice").await;
    let key = alice.key(MANAGE).await;
    drop(redis);
    let (taken, refused) = until_refused(&deployment, &key, "/api/v2/me").await;
    assert_eq!(refused.status, 429);
    // Three by each replica.
    assert_eq!(taken, 6);
}

#[tokio::test]
async fn a_resumable_upload_over_the_limit_is_refused_in_its_own_protocol() {
    let deployment = limited(&[(ADDRESS, "1/1")]).await;
    let ask = || deployment.anonymous_at_data().delete("/api/v1/file/resumable/x/y");
    assert_ne!(ask().await.status, 429);
    let refused = ask().await;
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"scope":"address"}"#);
    assert_eq!(refused.header("tus-resumable"), "1.0.0");
}
