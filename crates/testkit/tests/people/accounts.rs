//! Accounts as their persons change them.

use insta::assert_snapshot;
use serde_json::json;
use testkit::events::EventStream;

use crate::support::{Organization, listed};

const ME: &str = "/api/v2/me";

#[tokio::test]
async fn a_person_chooses_the_name_that_others_see() {
    let organization = Organization::own().await;
    let bob = organization.member("bob", "member").await;
    let project = bob.project("Gear", Some(&organization.org)).await;
    let cards = format!("/api/v2/projects/{project}/cards");
    let card = bob.browser.post(&cards).json(json!({ "name": "Cut the teeth" })).await.expect(201);
    let path = format!("{cards}/{}", card.text("/card/id"));

    let rename = |name: &str| bob.browser.patch(ME).json(json!({ "name": name }));
    let renamed = rename("  Grace\u{a0} Hopper ").await.expect(200);
    // The name in URLs stays, and so does the choice of an address.
    assert_eq!(
        (renamed.text("/user/name"), renamed.text("/user/slug")),
        ("Grace Hopper".into(), "bob".into())
    );
    assert_eq!(renamed.json()["user"]["showEmailInCommits"], false);
    let members = organization.alice.browser.get(&organization.at("/members")).await.expect(200);
    assert_eq!(listed(&members, "members", "name"), ["alice", "Grace Hopper"]);
    // What the person did before has the new name, too: cards know their author by its id.
    let read = organization.alice.browser.get(&path).await.expect(200);
    assert_eq!(read.text("/card/author_display_name"), "Grace Hopper");
    let log = "select count(*) from audit_log where action = 'updateMe' and result = 'OK' \
               and target_id = actor_user_id";
    assert_eq!(organization.deployment.database.count(log).await, 1);
}

#[tokio::test]
async fn a_name_can_not_be_cleared_and_a_stale_reader_or_a_key_changes_none() {
    let organization = Organization::open().await;
    let bob = organization.person("bob").await;
    let change = |body: serde_json::Value| bob.browser.patch(ME).json(body);
    let tag = bob.browser.get(ME).await.expect(200).header("etag").to_owned();
    assert_snapshot!(change(json!({ "name": null })).await, @"400 INVALID_REQUEST body.name required");
    assert_snapshot!(change(json!({ "name": " \u{200b}\t" })).await, @"400 INVALID_REQUEST body.name format");
    assert_snapshot!(change(json!({})).await, @"400 INVALID_REQUEST body minProperties");
    let key = bob.key(&["projects:manage"]).await;
    key.patch(ME).json(json!({ "name": "Key" })).await.expect(403);
    let both = json!({ "name": "Bob", "showEmailInCommits": true });
    let changed = change(both).header("if-match", &tag).await.expect(200);
    assert_eq!(changed.text("/user/commitEmail"), changed.text("/user/email"));
    assert_eq!(change(json!({ "name": "Late" })).header("if-match", &tag).await.status, 412);
    assert_eq!(bob.browser.get(ME).await.expect(200).text("/user/name"), "Bob");
}

#[tokio::test]
async fn teams_learn_of_a_new_name_and_of_nothing_else() {
    let organization = Organization::open().await;
    let teams = organization.at("/teams");
    let team = organization.alice.browser.post(&teams).json(json!({ "name": "Wheels" })).await.expect(201);
    let events = format!("{teams}/{}/events", team.text("/team/id"));
    let mut stream = EventStream::open(organization.alice.browser.get(&events)).await;
    let change = async |body: serde_json::Value| {
        organization.alice.browser.patch(ME).json(body).await.expect(200);
    };
    // Neither another address nor the same name is news to a team: the first event is that of the new name.
    change(json!({ "showEmailInCommits": true })).await;
    change(json!({ "name": "alice" })).await;
    change(json!({ "name": "Ada" })).await;
    let told = stream.next().await.unwrap();
    assert_eq!(told.kind, "members.changed");
    assert_eq!(told.json["actor"]["userId"], organization.alice.id.as_str());
    change(json!({ "name": "Ada L." })).await;
    let next = stream.next().await.unwrap();
    assert_eq!(next.kind, "members.changed");
}
