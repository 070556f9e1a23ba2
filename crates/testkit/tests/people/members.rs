//! Members of organizations: lists, roles, removal, the last owner.

use futures_util::future::join;
use insta::assert_snapshot;
use serde_json::json;
use testkit::open_session::eventually_async;
use testkit::seed::MANAGE_WITH_TEAMS;
use testkit::session::Session;

use crate::support::{Organization, listed};

#[tokio::test]
async fn an_api_key_lists_the_members_to_whom_cards_are_assigned() {
    let organization = Organization::own().await;
    let (bob, guest) =
        (organization.member("bob", "member").await, organization.member("gil", "guest").await);
    let key = bob.key(&["teams:read", "cards:write", "projects:write"]).await;
    let members = organization.at("/members");
    assert_snapshot!(key.get(&members).await, @r#"
    200 {
      "members": [
        {"joinedAt":"<time>","kind":"person","name":"alice","role":"owner","userId":"<id 1>"},
        {"joinedAt":"<time>","kind":"person","name":"bob","role":"member","userId":"<id 2>"},
        {"joinedAt":"<time>","kind":"person","name":"gil","role":"guest","userId":"<id 3>"}
      ],
      "meta": {"hasMore":false,"limit":50,"nextCursor":null}
    }
    "#);
    assert_eq!(listed(&key.get(&format!("{members}?q=AL")).await, "members", "name"), ["alice"]);
    // Names are found without accents and in any typesetting, and a search has pages.
    let client = organization.deployment.database.connect().await;
    let rename = async |from: &str, to: &str| {
        let update = format!("update users set display_name = '{to}' where display_name = '{from}'");
        client.batch_execute(&update).await.unwrap();
    };
    rename("gil", "Zoë M. Strauß").await;
    for q in ["zoe%C2%A0M.", "STRAUSS", "%20m.%0A", "zoe%CC%88", "z%C2%ADoe"] {
        let found = key.get(&format!("{members}?q={q}&limit=1")).await;
        assert_eq!(listed(&found, "members", "name"), ["Zoë M. Strauß"], "{q}");
    }
    let first = key.get(&format!("{members}?q=b&limit=1")).await.expect(200);
    assert_eq!(listed(&first, "members", "name"), ["bob"]);
    assert_eq!(first.json()["meta"]["hasMore"], false);
    rename("Zoë M. Strauß", "gil").await;
    let page = key.get(&format!("{members}?limit=2")).await;
    let cursor = page.text("/meta/nextCursor");
    let rest = key.get(&format!("{members}?limit=2&cursor={cursor}")).await;
    assert_eq!(listed(&rest, "members", "name"), ["gil"]);
    // Addresses are for admins and owners.
    let seen = organization.alice.browser.get(&members).await;
    assert_eq!(
        listed(&seen, "members", "email"),
        ["alice@example.com", "bob@example.com", "gil@example.com"]
    );
    // A guest knows nobody by the organization, and a stranger not even that it exists.
    assert_eq!(listed(&guest.browser.get(&members).await, "members", "name"), ["gil"]);
    assert_snapshot!(guest.browser.get(&organization.member_path(&bob)).await, @"404 NOT_FOUND");
    let stranger = organization.person("eve").await;
    assert_snapshot!(stranger.browser.get(&members).await, @"404 NOT_FOUND");
    assert_snapshot!(
        bob.key(&["projects:read"]).await.get(&members).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"teams:read"}"#
    );

    // A member of the list is an assignee.
    let body = json!({ "name": "Gear", "orgId": organization.org, "visibility": "internal" });
    let project =
        organization.alice.browser.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let assignees = key.get(&format!("/api/v2/projects/{project}/members")).await.expect(200);
    assert_eq!(listed(&assignees, "members", "name"), ["alice", "bob"]);
    let card = json!({ "name": "Cut", "assigneeId": listed(&assignees, "members", "userId")[0] });
    key.post(&format!("/api/v2/projects/{project}/cards")).json(card).await.expect(201);
    let guest = json!({ "name": "Cut", "assigneeId": guest.id });
    assert_eq!(key.post(&format!("/api/v2/projects/{project}/cards")).json(guest).await.status, 400);
}

#[tokio::test]
async fn a_stranger_of_a_public_project_learns_nobody_of_it() {
    let organization = Organization::own().await;
    let body = json!({ "name": "Gear", "orgId": organization.org, "visibility": "public" });
    let project =
        organization.alice.browser.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let stranger = organization.person("eve").await;
    assert_eq!(stranger.reads(&project).await, 200);
    let members = format!("/api/v2/projects/{project}/members");
    assert!(listed(&stranger.browser.get(&members).await.expect(200), "members", "name").is_empty());
    assert_eq!(listed(&organization.alice.browser.get(&members).await, "members", "name"), ["alice"]);
}

#[tokio::test]
async fn admins_change_roles_below_owners_and_only_owners_make_owners() {
    let organization = Organization::own().await;
    let (admin, bob) =
        (organization.member("ben", "admin").await, organization.member("bob", "member").await);
    let change = |by: &crate::support::Person, of: &crate::support::Person, role: &str| {
        by.browser.patch(&organization.member_path(of)).json(json!({ "role": role }))
    };
    assert_snapshot!(change(&bob, &bob, "admin").await, @"403 FORBIDDEN");
    assert_snapshot!(change(&admin, &bob, "owner").await, @"403 FORBIDDEN");
    assert_snapshot!(change(&admin, &organization.alice, "member").await, @"403 FORBIDDEN");
    assert_eq!(change(&admin, &bob, "guest").await.expect(200).text("/member/role"), "guest");
    assert_snapshot!(change(&admin, &bob, "king").await, @"400 INVALID_REQUEST body.role enum");
    let tag = admin.browser.get(&organization.member_path(&bob)).await.header("etag").to_owned();
    change(&admin, &bob, "member").header("if-match", &tag).await.expect(200);
    assert_eq!(change(&admin, &bob, "admin").header("if-match", &tag).await.status, 412);
    assert_snapshot!(bob.browser.delete(&organization.member_path(&admin)).await, @"403 FORBIDDEN");
    assert_snapshot!(admin.browser.delete(&organization.member_path(&organization.alice)).await, @"403 FORBIDDEN");
    organization.set_role(&bob, "owner").await.expect(200);
    let log = "select count(*) from audit_log where action = 'updateMember' and result = 'OK' \
               and organization_id is not null";
    assert_eq!(organization.deployment.database.count(log).await, 3);
}

#[tokio::test]
async fn the_last_owner_stays() {
    let organization = Organization::open().await;
    let bob = organization.member("bob", "member").await;
    assert_snapshot!(organization.set_role(&organization.alice, "member").await, @"409 LAST_OWNER");
    let leaving = organization.alice.browser.delete(&organization.member_path(&organization.alice)).await;
    assert_snapshot!(leaving, @"409 LAST_OWNER");
    organization.set_role(&bob, "owner").await.expect(200);
    // A disabled owner does not count.
    organization.deployment.operator().run(&["user", "disable", "--user", &bob.id]).await;
    assert_snapshot!(organization.set_role(&organization.alice, "member").await, @"409 LAST_OWNER");
    organization.deployment.operator().run(&["user", "enable", "--user", &bob.id]).await;
    organization.alice.browser.delete(&organization.member_path(&organization.alice)).await.expect(200);
    assert_snapshot!(organization.alice.browser.get(&organization.at("")).await, @"404 NOT_FOUND");
    assert_snapshot!(bob.browser.delete(&organization.member_path(&bob)).await, @"409 LAST_OWNER");
}

#[tokio::test]
async fn of_two_owners_who_go_at_once_one_stays() {
    let organization = Organization::open().await;
    let bob = organization.member("bob", "owner").await;
    for _ in 0..5 {
        let leave = |person: &crate::support::Person| {
            person.browser.delete(&organization.member_path(person)).into_future()
        };
        let (one, two) = join(leave(&organization.alice), leave(&bob)).await;
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{one} {two}");
        let (gone, left) =
            if one.status == 200 { (&organization.alice, &bob) } else { (&bob, &organization.alice) };
        let invitation =
            left.browser.post(&organization.at("/invitations")).json(json!({ "role": "owner" })).await;
        gone.accept(json!({ "secret": invitation.expect(201).text("/secret") })).await.expect(200);
    }
    // Two owners who take the role from each other.
    let demote = |by: &crate::support::Person, of: &crate::support::Person| {
        by.browser.patch(&organization.member_path(of)).json(json!({ "role": "guest" })).into_future()
    };
    let (one, two) = join(demote(&organization.alice, &bob), demote(&bob, &organization.alice)).await;
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403], "{one} {two}");
}

#[tokio::test]
async fn a_removed_member_loses_teams_projects_and_open_sessions_at_once() {
    let organization = Organization::own().await;
    let bob = organization.member("bob", "member").await;
    let project = organization.alice.project("Gear", Some(&organization.org)).await;
    let teams = organization.at("/teams");
    let team = organization.alice.browser.post(&teams).json(json!({ "name": "Wheels" })).await.expect(201);
    let team = format!("{teams}/{}", team.text("/team/id"));
    let role = |role: &str| json!({ "role": role });
    let member = format!("/api/v2/projects/{project}/members/{}", bob.id);
    organization.alice.browser.put(&member).json(role("editor")).await.expect(200);
    let team_member = format!("{team}/members/{}", bob.id);
    organization.alice.browser.put(&team_member).json(role("member")).await.expect(200);
    let card = json!({ "name": "Cut", "assigneeId": bob.id });
    let cards = format!("/api/v2/projects/{project}/cards");
    let card = organization.alice.browser.post(&cards).json(card).await.expect(201).text("/card/id");

    let key = bob.key(MANAGE_WITH_TEAMS).await;
    let session = Session::open(&key, &project).await;
    session.upload(&project, "a.txt", "a").await.expect(200);
    let stream = key.get(&format!("{}/events", session.path())).begin().await.unwrap();
    let streamed = tokio::spawn(stream.bytes());
    organization.alice.browser.delete(&organization.member_path(&bob)).await.expect(200);

    // The stream ends with the session, and the grant is refused.
    let streamed = streamed.await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&streamed).contains("session.closed"));
    assert_snapshot!(session.upload(&project, "b.txt", "b").await, @"401 UNAUTHENTICATED");
    assert_eq!(bob.reads(&project).await, 404);
    assert_snapshot!(key.get(&team).await, @"404 NOT_FOUND");
    assert_snapshot!(bob.browser.get(&organization.at("")).await, @"404 NOT_FOUND");
    // The assignment stays, as history does; the key is the user's own.
    let read = organization.alice.browser.get(&format!("{cards}/{card}")).await.expect(200);
    assert!(String::from_utf8_lossy(&read.body).contains(&bob.id));
    key.get("/api/v2/me").await.expect(200);
    // Who comes back starts from nothing.
    let secret = organization.invite(json!({ "role": "guest" })).await.text("/secret");
    bob.accept(json!({ "secret": secret })).await.expect(200);
    assert_eq!(bob.reads(&project).await, 404);
    assert_snapshot!(key.get(&team).await, @"404 NOT_FOUND");
    eventually_async("the entry is written", async || {
        let log = "select count(*) from audit_log where action = 'removeMember' and result = 'OK'";
        organization.deployment.database.count(log).await == 1
    })
    .await;
}
