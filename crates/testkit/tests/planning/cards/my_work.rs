//! The caller's work over all projects.

use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::seed::MANAGE_WITH_CARDS;
use testkit::session::{Session, ask_for_approval, create_project};

use crate::cards::support::Project;

/// The keys of the cards with their reasons.
fn lines(work: &Value) -> Vec<String> {
    let line = |item: &Value| {
        let reasons = item["reasons"].as_array().unwrap().iter().map(|reason| reason.as_str().unwrap());
        let key = item["card"]["key"].as_str().unwrap();
        std::iter::once(key).chain(reasons).collect::<Vec<_>>().join(" ")
    };
    work["cards"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn my_work_are_open_cards_of_all_projects_the_due_and_urgent_ones_first() {
    let project = Project::open().await;
    let me = &project.alice.id;
    let assigned = |body: Value| {
        let mut body = body;
        body["assigneeId"] = json!(me);
        body
    };
    for body in [
        json!({ "name": "plain" }),
        json!({ "name": "urgent", "priority": "urgent" }),
        json!({ "name": "overdue", "deadline": "2020-01-01" }),
        json!({ "name": "far", "deadline": "2999-01-01", "priority": "high" }),
        json!({ "name": "closed" }),
    ] {
        project.post("cards", assigned(body)).await.expect(201);
    }
    project.patch("cards/GEAR-5", json!({ "isOpen": false })).await.expect(200);
    project.card("somebody else's").await;
    project.put("cards/GEAR-6/relations/GEAR-1").json(json!({ "kind": "blocks" })).await.expect(200);
    let other = create_project(&project.caller, "Rack").await;
    let body = assigned(json!({ "name": "x", "priority": "medium" }));
    project.caller.post(&format!("/api/v2/projects/{other}/cards")).json(body).await.expect(201);
    let work = project.caller.get("/api/v2/me/work").await.expect(200).json();
    assert_eq!(lines(&work), ["GEAR-3 due", "GEAR-2", "GEAR-4", "RACK-1", "GEAR-1 blocked"]);
    assert_eq!((&work["approvals"], &work["hasMore"]), (&json!([]), &json!(false)));
}

#[tokio::test]
async fn questions_wait_for_whom_the_agent_acts_and_need_their_scope() {
    let project = Project::open().await;
    let session = Session::open(&project.caller, &project.id).await;
    let question = ask_for_approval(&project.deployment.database, &session.id, &project.alice.id).await;
    let work = project.caller.get("/api/v2/me/work").await.expect(200).json();
    assert_eq!(work["approvals"][0]["id"], json!(question));
    assert_eq!(work["approvals"][0]["projectId"], json!(project.id));
    let without = project.alice.key(&["cards:read"]).await;
    assert_eq!(without.get("/api/v2/me/work").await.expect(200).json()["approvals"], json!([]));
    let bob = project.deployment.operator().user("bob").await.key(MANAGE_WITH_CARDS).await;
    let theirs = bob.get("/api/v2/me/work").await.expect(200).json();
    assert_eq!((&theirs["cards"], &theirs["approvals"]), (&json!([]), &json!([])));
}
