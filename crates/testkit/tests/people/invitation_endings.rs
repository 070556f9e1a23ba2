//! Invitations that end: of endings at once exactly one counts, and none outlives joining or removal.

use futures_util::future::join;
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Organization, listed};

#[tokio::test]
async fn of_acceptance_and_revocation_at_once_exactly_one_counts() {
    let organization = Organization::open().await;
    let bob = organization.person("bob").await;
    for _ in 0..12 {
        let invited = organization.invite(json!({ "role": "admin" })).await;
        let path = organization.at(&format!("/invitations/{}", invited.text("/invitation/id")));
        let accepted = bob.accept(json!({ "secret": invited.text("/secret") }));
        let (accepted, revoked) =
            join(accepted, organization.alice.browser.delete(&path).into_future()).await;
        let statuses = (accepted.status, revoked.status);
        assert!(matches!(statuses, (200, 404) | (400, 200)), "{accepted} {revoked}");
        let is_member = bob.browser.get(&organization.at("")).await.status == 200;
        assert_eq!(is_member, accepted.status == 200);
        if is_member {
            organization.alice.browser.delete(&organization.member_path(&bob)).await.expect(200);
        }
    }
}

#[tokio::test]
async fn of_removal_and_acceptance_at_once_nobody_stays_by_an_older_invitation() {
    let organization = Organization::open().await;
    let bob = organization.member("bob", "member").await;
    for _ in 0..6 {
        let secret = organization.invite(json!({ "role": "admin" })).await.text("/secret");
        let removed = organization.alice.browser.delete(&organization.member_path(&bob)).into_future();
        let (removed, accepted) = join(removed, bob.accept(json!({ "secret": secret }))).await;
        // Before the removal Bob is a member already, after it the invitation no longer serves him.
        assert_eq!(removed.status, 200, "{removed}");
        assert!(matches!(accepted.status, 400 | 409), "{accepted}");
        assert_eq!(bob.browser.get(&organization.at("")).await.status, 404);
        let next = organization.invite(json!({ "role": "member" })).await.text("/secret");
        bob.accept(json!({ "secret": next })).await.expect(200);
    }
}

#[tokio::test]
async fn an_address_has_one_open_invitation_and_that_of_a_member_none() {
    let organization = Organization::own().await;
    let bob = organization.person("bob").await;
    let invite = |role: &str| organization.invite(json!({ "role": role, "email": "Bob@example.com" }));
    let slip = invite("admin").await;
    let meant = invite("guest").await;
    let open = organization.alice.browser.get(&organization.at("/invitations")).await.expect(200);
    assert_eq!(listed(&open, "invitations", "id"), [meant.text("/invitation/id")]);
    let by_slip = json!({ "invitationId": slip.text("/invitation/id") });
    assert_snapshot!(bob.accept(by_slip).await, @"400 INVALID_REQUEST body.invitationId exists");

    // Joining by another way ends it, too.
    let bearer = organization.invite(json!({ "role": "member" })).await.text("/secret");
    bob.accept(json!({ "secret": bearer })).await.expect(200);
    let open = organization.alice.browser.get(&organization.at("/invitations")).await.expect(200);
    assert!(listed(&open, "invitations", "id").is_empty());
    let again = json!({ "role": "admin", "email": "bob@example.com" });
    let refused = organization.alice.browser.post(&organization.at("/invitations")).json(again).await;
    assert_snapshot!(refused, @"409 ALREADY_MEMBER");
}

#[tokio::test]
async fn an_operators_changes_of_members_end_invitations_as_well() {
    let organization = Organization::own().await;
    let bob = organization.person("bob").await;
    let (operator, invite) =
        (organization.deployment.operator(), json!({ "role": "admin", "email": "bob@example.com" }));
    organization.invite(invite.clone()).await;
    operator.run(&["member", "add", "--user", &bob.id, "--org", &organization.org, "--role", "guest"]).await;
    let own = "/api/v2/invitations";
    assert!(listed(&bob.browser.get(own).await.expect(200), "invitations", "id").is_empty());

    let bearer = organization.invite(json!({ "role": "admin" })).await.text("/secret");
    operator.run(&["member", "remove", "--user", &bob.id, "--org", &organization.org]).await;
    assert_snapshot!(bob.accept(json!({ "secret": bearer })).await, @"400 INVALID_REQUEST body.secret exists");

    // The invitations of a disabled account serve nobody.
    let carl = organization.member("carl", "admin").await;
    let by_carl = carl.browser.post(&organization.at("/invitations")).json(invite).await.expect(201);
    operator.run(&["user", "disable", "--user", &carl.id]).await;
    let by_carl = json!({ "secret": by_carl.text("/secret") });
    assert_snapshot!(bob.accept(by_carl).await, @"400 INVALID_REQUEST body.secret exists");
}

#[tokio::test]
async fn an_older_invitation_does_not_bring_a_former_member_back() {
    let organization = Organization::own().await;
    let (bob, eve) = (organization.person("bob").await, organization.person("eve").await);
    let older = organization.invite(json!({ "role": "admin" })).await.text("/secret");
    let first = organization.invite(json!({ "role": "member" })).await.text("/secret");
    bob.accept(json!({ "secret": first })).await.expect(200);
    organization.alice.browser.delete(&organization.member_path(&bob)).await.expect(200);
    for secret in [&first, &older] {
        let refused = bob.accept(json!({ "secret": secret })).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.secret exists");
    }
    // It still serves others, and a new one serves him.
    eve.accept(json!({ "secret": older })).await.expect(200);
    let new = organization.invite(json!({ "role": "guest", "email": "bob@example.com" })).await;
    bob.accept(json!({ "invitationId": new.text("/invitation/id") })).await.expect(200);
}
