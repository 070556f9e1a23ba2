//! Creators of an organization's projects, who manage them with any role that creates.

use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Caller;
use testkit::seed::MANAGE_WITH_TEAMS;
use testkit::session::Session;

use crate::support::{Organization, listed};

/// Creates a private project of the organization, works on it, and deletes it.
async fn create_use_and_delete(organization: &Organization, creator: &Caller, id: &str) {
    let body = json!({ "name": "Gear", "orgId": organization.org });
    let project = creator.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let path = format!("/api/v2/projects/{project}");
    assert_eq!(creator.get(&path).await.expect(200).text("/project/visibility"), "private");
    let list = creator.get("/api/v2/projects").await.expect(200);
    assert_eq!(listed(&list, "projects", "id"), std::slice::from_ref(&project));
    let members = creator.get(&format!("{path}/members")).await.expect(200);
    let creators_own = json!({ "userId": id, "role": "manager", "isDirect": true });
    let json = members.json();
    let own = json["members"].as_array().unwrap().iter().find(|member| member["userId"] == id).unwrap();
    for (field, value) in creators_own.as_object().unwrap() {
        assert_eq!(&own[field], value, "{own}");
    }
    // A file would outlive the project until the next sweep.
    Session::open(creator, &project).await;
    creator.delete(&path).await.expect(200);
    creator.get(&path).await.expect(404);
}

#[tokio::test]
async fn a_member_manages_the_private_projects_that_it_creates_in_its_organization() {
    let organization = Organization::open().await;
    let bob = organization.member("bob", "member").await;
    create_use_and_delete(&organization, &bob.key(MANAGE_WITH_TEAMS).await, &bob.id).await;
    let body = json!({ "name": "robot", "role": "member" });
    let robot =
        organization.alice.browser.post(&organization.at("/service-accounts")).json(body).await.expect(201);
    let robot = robot.text("/member/userId");
    let keys = organization.at(&format!("/service-accounts/{robot}/keys"));
    let body = json!({ "name": "ci", "scopes": MANAGE_WITH_TEAMS });
    let key = organization.alice.browser.post(&keys).json(body).await.expect(201).text("/key");
    create_use_and_delete(&organization, &bob.browser.with(&key), &robot).await;
}

#[tokio::test]
async fn what_a_member_creates_ends_with_its_membership_and_is_hidden_from_other_members() {
    let organization = Organization::open().await;
    let (bob, carl) =
        (organization.member("bob", "member").await, organization.member("carl", "member").await);
    let project = bob.project("Gear", Some(&organization.org)).await;
    assert_eq!(
        [bob.reads(&project).await, carl.reads(&project).await, organization.alice.reads(&project).await],
        [200, 404, 200]
    );
    organization.alice.browser.delete(&organization.member_path(&bob)).await.expect(200);
    assert_eq!([bob.reads(&project).await, organization.alice.reads(&project).await], [404, 200]);
    // An admin manages by the role alone, so no membership of a project outlives it.
    let dora = organization.member("dora", "admin").await;
    let project = dora.project("Shaft", Some(&organization.org)).await;
    let path = format!("/api/v2/projects/{project}/members/{}", dora.id);
    assert_snapshot!(organization.alice.browser.delete(&path).await, @"404 NOT_FOUND");
    assert_eq!(dora.reads(&project).await, 200);
}
