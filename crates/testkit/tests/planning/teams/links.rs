//! Projects linked to a team.

use insta::assert_snapshot;
use serde_json::json;

use crate::teams::support::{Team, names};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

#[tokio::test]
async fn a_project_of_the_organization_is_linked_once_and_listed_by_name() {
    let works = Team::open().await;
    let project = works.unlinked_project("Axle").await;
    let linked = works.put(&format!("projects/{project}")).await;
    assert_snapshot!(linked, @r#"
    200 {
      "project": {"id":"<id 1>","linkedAt":"<time>","name":"Axle","projectSlug":"axle","visibility":"private"}
    }
    "#);
    let again = works.put(&format!("projects/{project}--main")).await.expect(200);
    assert_eq!(again.body, linked.body);
    assert_eq!(names(&works.get("projects").await.expect(200), "projects"), "Axle Gear");
}

#[tokio::test]
async fn a_foreign_project_looks_absent() {
    let works = Team::open().await;
    let own =
        works.caller.post("/api/v2/projects").json(json!({ "name": "own" })).await.expect(201).text("/id");
    let other = works.deployment.operator().organization("other", &works.alice).await;
    let body = json!({ "name": "x", "orgId": other, "visibility": "public" });
    let foreign = works.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let (bob, caller) = works.member("bob", "member").await;
    works.deployment.operator().add_member(&bob, "--team", &works.team, "manager").await;
    let hidden = works.unlinked_project("hidden").await;
    let absent = works.put(&format!("projects/{ABSENT_ID}")).await.expect(404);
    for project in [own, foreign.clone()] {
        assert_eq!(works.put(&format!("projects/{project}")).await.expect(404).body, absent.body);
    }
    for project in [foreign, hidden] {
        assert_eq!(caller.put(&works.at(&format!("projects/{project}"))).await.expect(404).body, absent.body);
    }
}

#[tokio::test]
async fn linking_needs_the_permission_to_write_the_projects_cards() {
    let works = Team::open().await;
    let operator = works.deployment.operator();
    let project = works.unlinked_project("Axle").await;
    let path = works.at(&format!("projects/{project}"));
    let (bob, caller) = works.member("bob", "guest").await;
    operator.add_member(&bob, "--team", &works.team, "member").await;
    operator.add_member(&bob, "--project", &project, "viewer").await;
    assert_snapshot!(caller.put(&path).await, @"403 FORBIDDEN");
    operator.add_member(&bob, "--project", &project, "editor").await;
    let reader = bob.key(&["teams:manage", "cards:read", "projects:manage"]).await;
    assert_snapshot!(reader.put(&path).await, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
    caller.put(&path).await.expect(200);
}

#[tokio::test]
async fn a_list_has_only_projects_that_the_caller_may_read() {
    let works = Team::open().await;
    let operator = works.deployment.operator();
    let shown = works.linked_project("Shown").await;
    let (bob, caller) = works.member("bob", "guest").await;
    operator.add_member(&bob, "--team", &works.team, "member").await;
    operator.add_member(&bob, "--project", &shown, "viewer").await;
    let list = works.at("projects");
    assert_eq!(names(&caller.get(&list).await.expect(200), "projects"), "Shown");
    let blind = bob.key(&["teams:read"]).await;
    assert_eq!(names(&blind.get(&list).await.expect(200), "projects"), "");
    let admin = works.confined("orgIds", &works.org).await;
    assert_eq!(names(&admin.get(&list).await.expect(200), "projects"), "Gear Shown");
}
