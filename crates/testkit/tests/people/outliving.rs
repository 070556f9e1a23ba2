//! Nothing that is held open or was issued outlives the right to it.

use insta::assert_snapshot;
use serde_json::json;
use testkit::events::EventStream;
use testkit::open_session::eventually_async;
use testkit::session::Session;

use crate::support::{Organization, Person, listed};

/// A day: what ends sooner did not wait for its next check.
const CHECK_SECS: (&str, &str) = ("event_check_secs", "86400");

/// More than the buffers between both ends of a download hold.
const SIZE_BYTES: usize = 64 * 1024 * 1024;

struct Streams {
    organization: Organization,
    project: String,
    team: String,
}

impl Streams {
    async fn open() -> Self {
        let organization = Organization::open_with(vec![(CHECK_SECS.0, CHECK_SECS.1.to_owned())]).await;
        let body = json!({ "name": "Gear", "orgId": organization.org, "visibility": "internal" });
        let project =
            organization.alice.browser.post("/api/v2/projects").json(body).await.expect(201).text("/id");
        let body = json!({ "name": "Wheels", "visibility": "internal" });
        let team = organization
            .alice
            .browser
            .post(&organization.at("/teams"))
            .json(body)
            .await
            .expect(201)
            .text("/team/id");
        Self { organization, project, team }
    }

    /// The streams of a project, a session on it, and a team.
    async fn of(&self, person: &Person) -> Vec<EventStream> {
        let session = Session::open(&self.organization.alice.browser, &self.project).await;
        let paths = [
            format!("/api/v2/projects/{}/events", self.project),
            format!("{}/events", session.path()),
            self.organization.at(&format!("/teams/{}/events", self.team)),
        ];
        let mut streams = Vec::new();
        for path in paths {
            streams.push(EventStream::open(person.browser.get(&path)).await);
        }
        streams
    }
}

/// Waits for the ends of streams.
async fn ended(streams: Vec<EventStream>) {
    for mut stream in streams {
        stream.rest().await;
    }
}

#[tokio::test]
async fn a_stream_ends_with_its_readers_access_and_not_at_its_next_check() {
    let streams = Streams::open().await;
    let (place, alice) = (&streams.organization, &streams.organization.alice.browser);
    let [bob, carl, dora, emil] = [
        place.member("bob", "member").await,
        place.member("carl", "member").await,
        place.member("dora", "member").await,
        place.member("emil", "member").await,
    ];
    let mut of_alice = streams.of(&place.alice).await;

    let of_bob = streams.of(&bob).await;
    alice.delete(&place.member_path(&bob)).await.expect(200);
    ended(of_bob).await;

    // A guest sees neither internal projects nor internal teams.
    let of_carl = streams.of(&carl).await;
    place.set_role(&carl, "guest").await.expect(200);
    ended(of_carl).await;

    let of_dora = streams.of(&dora).await;
    dora.browser.post("/api/v2/me/sign-out").json(json!({})).await.expect(200);
    ended(of_dora).await;

    let of_emil = streams.of(&emil).await;
    let project = format!("/api/v2/projects/{}", streams.project);
    alice.patch(&project).json(json!({ "visibility": "private" })).await.expect(200);
    let team = place.at(&format!("/teams/{}", streams.team));
    alice.patch(&team).json(json!({ "visibility": "private" })).await.expect(200);
    ended(of_emil).await;

    // Others read on.
    alice.patch(&project).json(json!({ "description": "new" })).await.expect(200);
    of_alice[0].next_of("project.updated").await;
}

#[tokio::test]
async fn a_grant_ends_when_its_key_expires() {
    let organization = Organization::own().await;
    let project = organization.alice.project("Gear", None).await;
    let key = organization.alice.key(&["projects:write"]).await;
    let session = Session::open(&key, &project).await;
    session.upload(&project, "a.txt", "a").await.expect(200);
    let past =
        "update api_keys set expires_at = now() - interval '1 second', created_at = now() - interval '1 day'";
    organization.deployment.database.connect().await.execute(past, &[]).await.unwrap();
    assert_snapshot!(session.upload(&project, "b.txt", "b").await, @"401 UNAUTHENTICATED");
}

#[tokio::test]
async fn a_download_and_a_grant_for_downloads_end_with_access() {
    let organization = Organization::own().await;
    let body = json!({ "name": "Gear", "orgId": organization.org, "visibility": "internal" });
    let project =
        organization.alice.browser.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let session = Session::open(&organization.alice.browser, &project).await;
    let content = vec![b'x'; SIZE_BYTES];
    let stored = session.upload(&project, "large.bin", content).await.expect(200);
    let object = stored.json()["object"].as_object().unwrap().keys().next().unwrap().clone();
    let bob = organization.member("bob", "member").await;
    let granted =
        bob.browser.post(&format!("/api/v2/projects/{project}/download-grants")).json(json!({})).await;
    let granted = granted.expect(200);
    let url = granted.text("/downloadUrl").replace("{fileName}", &format!("{object}.bin"));
    let reader = bob.browser.at("").with(&granted.text("/dataPlane/token"));
    let mut started = reader.get(&url).begin().await.unwrap();
    assert!(started.chunk().await.unwrap().is_some());
    let (database, millis) =
        (&organization.deployment.database, "select (extract(epoch from clock_timestamp()) * 1000)::bigint");
    let begun = database.count(millis).await;

    organization.alice.browser.delete(&organization.member_path(&bob)).await.expect(200);
    assert_snapshot!(reader.get(&url).await, @"404 NOT_FOUND");
    // A check is due a second after the last one, before any further byte.
    eventually_async("a check is due", async || database.count(millis).await > begun + 1000).await;
    let mut received = 0;
    while let Ok(Some(bytes)) = started.chunk().await {
        received += bytes.len();
    }
    assert!(received < SIZE_BYTES * 3 / 4, "{received}");

    // A disabled account has no grants.
    let carl = organization.member("carl", "member").await;
    let own = carl.project("Own", None).await;
    let granted = carl.browser.post(&format!("/api/v2/projects/{own}/download-grants")).json(json!({})).await;
    let granted = granted.expect(200);
    let reader = carl.browser.at("").with(&granted.text("/dataPlane/token"));
    organization.deployment.operator().run(&["user", "disable", "--user", &carl.id]).await;
    let url = granted.text("/downloadUrl").replace("{fileName}", &format!("{object}.bin"));
    assert_snapshot!(reader.get(&url).await, @"401 UNAUTHENTICATED");
}

#[tokio::test]
async fn keys_of_service_accounts_name_their_makers_and_are_revoked_with_them_on_request() {
    let organization = Organization::own().await;
    let make = async |admin: &Person, name: &str| {
        let body = json!({ "name": name, "role": "member" });
        let made = admin.browser.post(&organization.at("/service-accounts")).json(body).await.expect(201);
        made.text("/member/userId")
    };
    let issue = async |admin: &Person, account: &str| {
        let path = organization.at(&format!("/service-accounts/{account}/keys"));
        let body = json!({ "name": "robot", "scopes": ["projects:read"] });
        let key = admin.browser.post(&path).json(body).await.expect(201);
        (key.text("/apiKey/id"), organization.alice.browser.with(&key.text("/key")))
    };
    let (ben, bea) = (organization.member("ben", "admin").await, organization.member("bea", "admin").await);
    let robot = make(&ben, "Robot").await;
    let (kept_id, kept) = issue(&ben, &robot).await;
    let (_, of_alice) = issue(&organization.alice, &robot).await;
    let members = organization.alice.browser.get(&organization.at("/members")).await.expect(200);
    let makers = members.json()["members"].as_array().unwrap().clone();
    assert_eq!(makers.iter().find(|member| member["userId"] == robot).unwrap()["createdBy"], ben.id);
    let keys = organization
        .alice
        .browser
        .get(&organization.at(&format!("/service-accounts/{robot}/keys")))
        .await
        .expect(200);
    assert_eq!(listed(&keys, "apiKeys", "createdBy"), [organization.alice.id.clone(), ben.id.clone()]);

    // The removal lists what the member may have kept.
    let removed = organization.alice.browser.delete(&organization.member_path(&ben)).await.expect(200);
    assert_eq!(listed(&removed, "serviceKeys", "keyId"), [kept_id]);
    assert_eq!(removed.json()["keysRevoked"], false);
    kept.get("/api/v2/me").await.expect(200);

    let (_, lost) = issue(&bea, &robot).await;
    let path = format!("{}?revokeKeys=true", organization.member_path(&bea));
    let removed = organization.alice.browser.delete(&path).await.expect(200);
    assert_eq!(
        (listed(&removed, "serviceKeys", "userId"), removed.json()["keysRevoked"].clone()),
        (vec![robot], json!(true))
    );
    eventually_async("the key is revoked", async || lost.get("/api/v2/me").await.status == 401).await;
    of_alice.get("/api/v2/me").await.expect(200);
}
