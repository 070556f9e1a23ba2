//! Projects and teams shared with people, and projects given to another owner.

use futures_util::future::join;
use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::Answer;
use testkit::session::Session;

use crate::support::{Organization, Person, listed};

async fn transfer(by: &Person, project: &str, to: &str) -> Answer {
    let path = format!("/api/v2/projects/{project}/transfer");
    by.browser.post(&path).json(json!({ "ownerId": to })).await
}

#[tokio::test]
async fn a_manager_shares_a_project_with_people_of_a_common_organization() {
    let organization = Organization::own().await;
    let (bob, stranger) = (organization.member("bob", "guest").await, organization.person("eve").await);
    let project = organization.alice.project("Own", None).await;
    let members = format!("/api/v2/projects/{project}/members");
    let share = |by: &Person, with: &Person, role: &str| {
        by.browser.put(&format!("{members}/{}", with.id)).json(json!({ "role": role })).into_future()
    };
    assert_snapshot!(share(&organization.alice, &stranger, "viewer").await, @"404 NOT_FOUND");
    assert_eq!(bob.reads(&project).await, 404);
    let shared = share(&organization.alice, &bob, "viewer").await.expect(200).json();
    assert_eq!(
        shared["member"],
        json!({
            "handle": "bob", "isDirect": true, "kind": "person", "name": "bob", "role": "viewer", "userId": bob.id,
        })
    );
    assert_eq!(bob.reads(&project).await, 200);
    assert_snapshot!(share(&bob, &bob, "manager").await, @"403 FORBIDDEN");
    share(&organization.alice, &bob, "manager").await.expect(200);
    // A guest of the organization knows nobody by it.
    let carl = organization.member("carl", "member").await;
    assert_snapshot!(share(&bob, &carl, "viewer").await, @"404 NOT_FOUND");
    assert_snapshot!(carl.browser.delete(&format!("{members}/{}", bob.id)).await, @"404 NOT_FOUND");
    let session = Session::open(&bob.key(&["projects:write"]).await, &project).await;
    organization.alice.browser.delete(&format!("{members}/{}", bob.id)).await.expect(200);
    organization.alice.browser.delete(&format!("{members}/{}", bob.id)).await.expect(404);
    assert_eq!(bob.reads(&project).await, 404);
    assert_snapshot!(session.upload(&project, "a.txt", "a").await, @"401 UNAUTHENTICATED");
    // A member may leave.
    share(&organization.alice, &bob, "viewer").await.expect(200);
    bob.browser.delete(&format!("{members}/{}", bob.id)).await.expect(200);
    assert_eq!(bob.reads(&project).await, 404);
}

#[tokio::test]
async fn members_of_the_organization_join_a_team_and_leave_it() {
    let organization = Organization::own().await;
    let (bob, carl) = (organization.member("bob", "guest").await, organization.person("carl").await);
    let teams = organization.at("/teams");
    let team = organization.alice.browser.post(&teams).json(json!({ "name": "Wheels" })).await.expect(201);
    let team = format!("{teams}/{}", team.text("/team/id"));
    let put = |by: &Person, of: &Person, role: &str| {
        by.browser.put(&format!("{team}/members/{}", of.id)).json(json!({ "role": role })).into_future()
    };
    assert_snapshot!(put(&organization.alice, &carl, "member").await, @"404 NOT_FOUND");
    assert_snapshot!(put(&bob, &bob, "manager").await, @"404 NOT_FOUND");
    assert_snapshot!(
        put(&organization.alice, &bob, "member").await,
        @r#"200 {"member":{"kind":"person","name":"bob","role":"member","userId":"<id 1>"}}"#
    );
    assert_snapshot!(put(&bob, &bob, "manager").await, @"403 FORBIDDEN");
    let listing = bob.key(&["teams:read"]).await.get(&format!("{team}/members")).await.expect(200);
    assert_eq!(listed(&listing, "members", "role"), ["manager", "member"]);
    let member = format!("{team}/members/{}", organization.alice.id);
    assert_snapshot!(bob.browser.delete(&member).await, @"403 FORBIDDEN");
    bob.browser.delete(&format!("{team}/members/{}", bob.id)).await.expect(200);
    assert_snapshot!(bob.browser.get(&team).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_project_moves_between_its_user_and_an_organization() {
    let organization = Organization::own().await;
    let bob = organization.member("bob", "member").await;
    let (first, second) =
        (bob.project("Gear", None).await, bob.project("Gear", Some(&organization.org)).await);
    // A project of the organization is its admins' to give away, also if a member made it; a member's own is the
    // member's.
    assert_snapshot!(transfer(&bob, &second, &bob.id).await, @"403 FORBIDDEN");
    assert_snapshot!(transfer(&organization.alice, &first, &organization.org).await, @"404 NOT_FOUND");
    let session = Session::open(&bob.key(&["projects:write"]).await, &first).await;
    let moved = transfer(&bob, &first, &organization.org).await.expect(200);
    assert_eq!(moved.text("/project/ownerSlug"), "works");
    assert_eq!(
        (moved.text("/project/projectSlug"), moved.text("/project/id")),
        ("gear-2".into(), first.clone())
    );
    assert_eq!(moved.text("/project/ownerId"), organization.org);
    assert_snapshot!(session.upload(&first, "a.txt", "a").await, @"401 UNAUTHENTICATED");
    // The user who owned it manages it still, and can't take it back.
    let path = format!("/api/v2/projects/{first}");
    bob.browser.patch(&path).json(json!({ "description": "d" })).await.expect(200);
    assert_snapshot!(transfer(&bob, &first, &bob.id).await, @"403 FORBIDDEN");
    let again = transfer(&organization.alice, &first, &organization.org).await.expect(200);
    assert_eq!(again.text("/project/projectSlug"), "gear-2");
    let taken = transfer(&organization.alice, &first, &organization.alice.id).await.expect(200);
    assert_eq!(
        (taken.text("/project/ownerSlug"), taken.text("/project/projectSlug")),
        ("alice".into(), "gear-2".into())
    );
    assert_snapshot!(transfer(&organization.alice, &first, &bob.id).await, @"400 INVALID_REQUEST body.ownerId exists");
    let strange = organization.person("eve").await.organization("Strange").await;
    assert_snapshot!(transfer(&organization.alice, &first, &strange).await, @"400 INVALID_REQUEST body.ownerId exists");
    let log = "select count(*) from audit_log where action = 'transferProject' and result = 'OK'";
    // The repeat changes nothing. Its entry follows a moment after its answer.
    let entries = organization.deployment.database.count(log).await;
    assert!((2..=3).contains(&entries), "{entries}");
}

#[tokio::test]
async fn an_admin_who_gives_a_project_to_an_organization_as_its_member_still_manages_it() {
    let organization = Organization::open().await;
    let bob = organization.member("bob", "member").await;
    let project = bob.project("Gear", Some(&bob.organization("Other").await)).await;
    transfer(&bob, &project, &organization.org).await.expect(200);
    bob.browser.delete(&format!("/api/v2/projects/{project}")).await.expect(200);
}

#[tokio::test]
async fn a_project_takes_its_keys_along_as_far_as_they_are_free() {
    let organization = Organization::open().await;
    let alice = &organization.alice;
    let (own, other) =
        (alice.project("Gear", None).await, alice.project("Gear", Some(&organization.org)).await);
    for project in [&own, &other] {
        let card = alice.browser.post(&format!("/api/v2/projects/{project}/cards"));
        assert_eq!(card.json(json!({ "name": project })).await.expect(201).text("/card/key"), "GEAR-1");
    }
    let card = async |key: &str| alice.browser.get(&format!("/api/v2/projects/{own}/cards/{key}")).await;
    let moved = transfer(alice, &own, &organization.org).await.expect(200);
    assert_eq!(moved.text("/project/key"), "GEARA");
    assert_eq!(card("GEARA-1").await.expect(200).text("/card/name"), own);
    // This is the other project's card.
    card("GEAR-1").await.expect(404);
    let back = transfer(alice, &own, &alice.id).await.expect(200);
    assert_eq!(back.text("/project/key"), "GEARA");
    for key in ["GEAR-1", "GEARA-1"] {
        assert_eq!(card(key).await.expect(200).text("/card/key"), "GEARA-1");
    }
}

#[tokio::test]
async fn a_linked_project_and_a_full_owner_refuse_a_transfer() {
    let organization = Organization::own().await;
    let project = organization.alice.project("Gear", Some(&organization.org)).await;
    let teams = organization.at("/teams");
    let team = organization.alice.browser.post(&teams).json(json!({ "name": "Wheels" })).await.expect(201);
    let link = format!("{teams}/{}/projects/{project}", team.text("/team/id"));
    organization.alice.browser.put(&link).await.expect(200);
    let refused = transfer(&organization.alice, &project, &organization.alice.id).await;
    assert_snapshot!(refused, @r#"409 PROJECT_LINKED {"teams":1}"#);
    organization.alice.browser.delete(&link).await.expect(200);
    let full = format!("update owners set project_limit = 0 where id = '{}'", organization.alice.id);
    organization.deployment.database.connect().await.batch_execute(&full).await.unwrap();
    let refused = transfer(&organization.alice, &project, &organization.alice.id).await;
    assert_snapshot!(
        refused,
        @r#"403 PROJECT_LIMIT_REACHED {"current":0,"limit":0,"ownerId":"<id 1>","scope":"user"}"#
    );
    assert_eq!(organization.alice.reads(&project).await, 200);
}

#[tokio::test]
async fn a_transfer_and_a_deletion_at_once_leave_one_outcome() {
    let organization = Organization::open().await;
    for number in 0..5 {
        let project = organization.alice.project(&format!("Gear {number}"), None).await;
        let path = format!("/api/v2/projects/{project}");
        let (moved, deleted) = join(
            transfer(&organization.alice, &project, &organization.org),
            organization.alice.browser.delete(&path).into_future(),
        )
        .await;
        assert_eq!(deleted.status, 200, "{deleted}");
        assert!([200, 404].contains(&moved.status), "{moved}");
        assert_eq!(organization.alice.reads(&project).await, 404);
    }
    // Two transfers: the second judges the project as the first left it.
    let bob = organization.member("bob", "member").await;
    let project = bob.project("Gear", None).await;
    let other = bob.organization("Other").await;
    let (one, two) =
        join(transfer(&bob, &project, &organization.org), transfer(&bob, &project, &other)).await;
    let owner =
        bob.browser.get(&format!("/api/v2/projects/{project}")).await.expect(200).text("/project/ownerId");
    match (one.status, two.status) {
        // A member of the first organization can't give it away.
        (200, 403) => assert_eq!(owner, organization.org),
        // The owner of the other organization can.
        (200, 200) => assert_eq!(owner, organization.org),
        statuses => assert_eq!(statuses, (200, 200), "{one} {two}"),
    }
}
