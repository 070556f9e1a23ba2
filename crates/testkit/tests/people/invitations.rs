//! Invitations: by secret, by address, accepted once.

use futures_util::future::join;
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Organization, listed};

#[tokio::test]
async fn the_bearer_of_a_secret_joins_once_with_the_offered_role() {
    let org = Organization::own().await;
    let invited = org.invite(json!({ "role": "member" })).await;
    let secret = invited.text("/secret");
    assert_snapshot!(invited.to_string().replace(&secret, "<secret>"), @r#"
    201 {
      "invitation": {
        "createdAt": "<time>",
        "expiresAt": "<time>",
        "id": "<id 1>",
        "invitedBy": "<id 2>",
        "invitedByName": "alice",
        "orgId": "<id 3>",
        "orgName": "Works",
        "role": "member"
      },
      "secret": "<secret>"
    }
    "#);
    let stored = format!("select count(*) from invitations i where i::text like '%{secret}%'");
    assert_eq!(org.deployment.database.count(&stored).await, 0);
    let (bob, carl) = (org.person("bob").await, org.person("carl").await);
    let by_secret = || json!({ "secret": secret });
    assert_snapshot!(
        bob.accept(by_secret()).await,
        @r#"200 {"organization":{"createdAt":"<time>","id":"<id 1>","name":"Works","role":"member","slug":"works"}}"#
    );
    // A repeat answers the same; nobody else joins by it.
    bob.accept(by_secret()).await.expect(200);
    assert_snapshot!(carl.accept(by_secret()).await, @"400 INVALID_REQUEST body.secret exists");
    assert_snapshot!(carl.browser.get(&org.at("")).await, @"404 NOT_FOUND");
    assert!(listed(&org.alice.browser.get(&org.at("/invitations")).await, "invitations", "id").is_empty());
    let log = "select count(*) from audit_log where action = 'acceptInvitation' and result = 'OK' \
               and organization_id is not null";
    assert_eq!(org.deployment.database.count(log).await, 1);
}

#[tokio::test]
async fn the_bearer_of_a_secret_learns_who_invites_to_what_before_joining() {
    let organization = Organization::open().await;
    let (bob, carl) = (organization.person("bob").await, organization.person("carl").await);
    let look_up = |person: &crate::support::Person, secret: &str| {
        person.browser.post("/api/v2/invitations/lookup").json(json!({ "secret": secret })).into_future()
    };
    let secret = organization.invite(json!({ "role": "guest" })).await.text("/secret");
    let seen = look_up(&bob, &secret).await.expect(200);
    let named = ["orgName", "invitedByName", "role"].map(|field| seen.text(&format!("/invitation/{field}")));
    let alice = organization.alice.browser.get("/api/v2/me").await.text("/user/name");
    assert_eq!(named, ["Works", alice.as_str(), "guest"]);
    // Looking uses nothing up, and the name is the inviter's present one.
    organization.alice.browser.patch("/api/v2/me").json(json!({ "name": "Ada" })).await.expect(200);
    assert_eq!(look_up(&carl, &secret).await.expect(200).text("/invitation/invitedByName"), "Ada");
    bob.accept(json!({ "secret": secret })).await.expect(200);
    // From then on it is the one who joined, and nobody else, who still sees it.
    look_up(&bob, &secret).await.expect(200);
    assert_snapshot!(look_up(&carl, &secret).await, @"400 INVALID_REQUEST body.secret exists");
    // One for an address is told to its account alone, which doesn't learn the state of its mail.
    let email = bob.browser.get("/api/v2/me").await.expect(200).text("/user/email");
    organization.alice.browser.delete(&organization.member_path(&bob)).await.expect(200);
    let addressed = organization.invite(json!({ "role": "member", "email": email })).await.text("/secret");
    assert_snapshot!(look_up(&carl, &addressed).await, @"400 INVALID_REQUEST body.secret exists");
    assert!(look_up(&bob, &addressed).await.expect(200).json()["invitation"]["mail"].is_null());
    assert_snapshot!(look_up(&bob, "svc_iv_x").await, @"400 INVALID_REQUEST body.secret exists");
    let key = bob.key(&["projects:manage"]).await;
    let by_key = key.post("/api/v2/invitations/lookup").json(json!({ "secret": addressed })).await;
    assert_snapshot!(by_key, @"403 CREDENTIAL_NOT_PERMITTED");
}

#[tokio::test]
async fn of_two_who_accept_an_invitation_at_once_one_joins() {
    let organization = Organization::open().await;
    let (bob, carl) = (organization.person("bob").await, organization.person("carl").await);
    for _ in 0..5 {
        let secret = organization.invite(json!({ "role": "guest" })).await.text("/secret");
        let body = || json!({ "secret": secret });
        let (one, two) = join(bob.accept(body()), carl.accept(body())).await;
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 400], "{one} {two}");
        let joined = if one.status == 200 { &bob } else { &carl };
        organization.alice.browser.delete(&organization.member_path(joined)).await.expect(200);
    }
}

#[tokio::test]
async fn an_addressed_invitation_is_for_its_account_alone_which_finds_it_without_the_secret() {
    let organization = Organization::own().await;
    let (bob, eve) = (organization.person("bob").await, organization.person("eve").await);
    let invited = organization.invite(json!({ "role": "member", "email": "BOB@example.com" })).await;
    let (id, secret) = (invited.text("/invitation/id"), invited.text("/secret"));
    assert_snapshot!(eve.accept(json!({ "secret": secret })).await, @"400 INVALID_REQUEST body.secret exists");
    assert_snapshot!(eve.accept(json!({ "invitationId": id })).await, @"400 INVALID_REQUEST body.invitationId exists");
    let own = "/api/v2/invitations";
    assert!(listed(&eve.browser.get(own).await.expect(200), "invitations", "id").is_empty());
    let found = bob.browser.get(own).await.expect(200);
    assert_eq!(listed(&found, "invitations", "orgName"), ["Works"]);
    assert_eq!(listed(&found, "invitations", "invitedByName"), ["alice"]);
    bob.accept(json!({ "invitationId": id })).await.expect(200);
    assert!(listed(&bob.browser.get(own).await.expect(200), "invitations", "id").is_empty());
    // One without an address can't be named by its id.
    let open = organization.invite(json!({ "role": "member" })).await.text("/invitation/id");
    assert_snapshot!(
        eve.accept(json!({ "invitationId": open })).await,
        @"400 INVALID_REQUEST body.invitationId exists"
    );
    assert_snapshot!(eve.accept(json!({})).await, @"400 INVALID_REQUEST body.secret required");
    assert_snapshot!(
        eve.accept(json!({ "secret": secret, "invitationId": open })).await,
        @"400 INVALID_REQUEST body.invitationId conflict"
    );
}

#[tokio::test]
async fn revoked_expired_and_unknown_invitations_are_answered_alike() {
    let organization = Organization::own().await;
    let bob = organization.person("bob").await;
    let revoked = organization.invite(json!({ "role": "member" })).await;
    let path = organization.at(&format!("/invitations/{}", revoked.text("/invitation/id")));
    organization.alice.browser.delete(&path).await.expect(200);
    organization.alice.browser.delete(&path).await.expect(404);
    let expired = organization.invite(json!({ "role": "member" })).await;
    let past = "update invitations set created_at = now() - interval '2 days', expires_at = now() - interval '1 day'";
    organization.deployment.database.connect().await.batch_execute(past).await.unwrap();
    let unknown = expired.text("/secret").replace("svc_iv_", "svc_iv_0").chars().take(50).collect::<String>();
    for secret in [revoked.text("/secret"), expired.text("/secret"), unknown, "x".to_owned()] {
        let body = || json!({ "secret": secret });
        let seen = bob.browser.post("/api/v2/invitations/lookup").json(body()).await;
        for refused in [bob.accept(body()).await, seen] {
            assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.secret exists");
        }
    }
    let later = organization.alice.browser.post(&organization.at("/invitations"));
    let later = later.json(json!({ "role": "member", "expiresAt": "2099-01-01T00:00:00Z" })).await;
    assert_snapshot!(later, @"400 INVALID_REQUEST body.expiresAt notAfter");
}

#[tokio::test]
async fn nobody_invites_beyond_the_own_role_and_nobody_joins_twice() {
    let organization = Organization::open().await;
    let (admin, member) =
        (organization.member("ben", "admin").await, organization.member("cleo", "member").await);
    let invite = |person: &crate::support::Person, role: &str| {
        person.browser.post(&organization.at("/invitations")).json(json!({ "role": role })).into_future()
    };
    assert_snapshot!(invite(&member, "guest").await, @"403 FORBIDDEN");
    assert_snapshot!(invite(&admin, "owner").await, @"403 FORBIDDEN");
    let secret = invite(&admin, "admin").await.expect(201).text("/secret");
    assert_snapshot!(member.accept(json!({ "secret": secret })).await, @"409 ALREADY_MEMBER");
    // A member who is removed can't come back by the own invitation.
    organization.alice.browser.delete(&organization.member_path(&admin)).await.expect(200);
    assert_snapshot!(admin.accept(json!({ "secret": secret })).await, @"400 INVALID_REQUEST body.secret exists");
    let replayed = || {
        let request = organization
            .alice
            .browser
            .post(&organization.at("/invitations"))
            .json(json!({ "role": "guest" }));
        request.idempotency_key("once").into_future()
    };
    let (first, second) = (replayed().await.expect(201), replayed().await.expect(201));
    assert_eq!(first.text("/invitation/id"), second.text("/invitation/id"));
    assert_snapshot!(
        admin.accept(json!({ "secret": first.text("/secret") })).await,
        @"400 INVALID_REQUEST body.secret exists"
    );
    admin.accept(json!({ "secret": second.text("/secret") })).await.expect(200);
}
