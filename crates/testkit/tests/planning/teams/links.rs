//! Projects linked to a team.

use insta::assert_snapshot;
use serde_json::json;

use crate::teams::support::{Team, names};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

#[tokio::test]
async fn a_project_of_the_organization_is_linked_once_and_listed_by_name() {
    let team = Team::open().await;
    let project = team.unlinked_project("Axle").await;
    let linked = team.put(&format!("projects/{project}")).await;
    assert_snapshot!(linked, @r#"
    200 {
      "project": {"id":"<id 1>","linkedAt":"<time>","name":"Axle","projectSlug":"axle","visibility":"private"}
    }
    "#);
    let again = team.put(&format!("projects/{project}--main")).await.expect(200);
    assert_eq!(again.body, linked.body);
    assert_eq!(names(&team.get("projects").await.expect(200), "projects"), "Axle Gear");
}

#[tokio::test]
async fn a_foreign_project_looks_absent() {
    let team = Team::open().await;
    let own =
        team.caller.post("/api/v2/projects").json(json!({ "name": "own" })).await.expect(201).text("/id");
    let other = team.deployment.operator().organization("other", &team.alice).await;
    let body = json!({ "name": "x", "orgId": other, "visibility": "public" });
    let foreign = team.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let (bob, caller) = team.member("bob", "member").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "manager").await;
    let hidden = team.unlinked_project("hidden").await;
    let absent = team.put(&format!("projects/{ABSENT_ID}")).await.expect(404);
    for project in [own, foreign.clone()] {
        assert_eq!(team.put(&format!("projects/{project}")).await.expect(404).body, absent.body);
    }
    for project in [foreign, hidden] {
        assert_eq!(caller.put(&team.at(&format!("projects/{project}"))).await.expect(404).body, absent.body);
    }
}

#[tokio::test]
async fn linking_needs_the_permission_to_write_the_projects_cards() {
    let team = Team::open().await;
    let operator = team.deployment.operator();
    let project = team.unlinked_project("Axle").await;
    let path = team.at(&format!("projects/{project}"));
    let (bob, caller) = team.member("bob", "guest").await;
    operator.add_member(&bob, "--team", &team.id, "member").await;
    operator.add_member(&bob, "--project", &project, "viewer").await;
    assert_snapshot!(caller.put(&path).await, @"403 FORBIDDEN");
    operator.add_member(&bob, "--project", &project, "editor").await;
    let reader = bob.key(&["teams:manage", "cards:read", "projects:manage"]).await;
    assert_snapshot!(reader.put(&path).await, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
    caller.put(&path).await.expect(200);
}

#[tokio::test]
async fn a_list_has_only_projects_that_the_caller_may_read() {
    let team = Team::open().await;
    let operator = team.deployment.operator();
    let shown = team.linked_project("Shown").await;
    let (bob, caller) = team.member("bob", "guest").await;
    operator.add_member(&bob, "--team", &team.id, "member").await;
    operator.add_member(&bob, "--project", &shown, "viewer").await;
    let list = team.at("projects");
    assert_eq!(names(&caller.get(&list).await.expect(200), "projects"), "Shown");
    let blind = bob.key(&["teams:read"]).await;
    assert_eq!(names(&blind.get(&list).await.expect(200), "projects"), "");
    let admin = team.confined("orgIds", &team.org).await;
    assert_eq!(names(&admin.get(&list).await.expect(200), "projects"), "Gear Shown");
}
