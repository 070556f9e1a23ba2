//! Saved views: own ones, and those of a team.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::deployment::Deployment;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_TEAMS};
use testkit::session::create_project;

use crate::teams::support::Team;

async fn save(caller: &Caller, view: Value) -> Answer {
    caller.post("/api/v2/views").json(view).await
}

fn at(view: &str) -> String {
    format!("/api/v2/views/{view}")
}

/// The names of the views that a caller sees.
async fn listed(caller: &Caller, query: &str) -> String {
    let answer = caller.get(&format!("/api/v2/views?{query}")).await.expect(200).json();
    let views = answer["views"].as_array().unwrap().iter();
    views.map(|view| view["name"].as_str().unwrap()).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn a_view_is_saved_read_changed_and_deleted() {
    let alice = Deployment::shared().operator().user("alice").await;
    let caller = alice.key(MANAGE_WITH_TEAMS).await;
    let project = create_project(&caller, "Gear").await;
    let filter = json!({
        "assignee": ["me", "none"], "priority": ["!low"], "type": ["=!odd"], "open": true, "q": "seal",
        "fields": "{\"Weight\":{\"from\":2}}",
    });
    let view = json!({
        "name": "  Mine\tand free ", "projectId": project, "layout": "table", "filter": filter, "groupBy": "priority",
        "columns": ["key", "due", format!("field-{ABSENT_ID}")], "order": { "by": "due", "isDescending": true },
    });
    let saved = save(&caller, view).await.expect(201);
    let (id, saved) = (saved.text("/view/id"), saved.json());
    let mut expected = json!({
        "id": id, "name": "Mine and free", "ownerId": alice.id, "ownerName": saved["view"]["ownerName"],
        "projectId": project, "teamId": null, "layout": "table", "filter": filter, "groupBy": "priority",
        "columns": ["key", "due", format!("field-{ABSENT_ID}")], "order": { "by": "due", "isDescending": true },
        "mayChange": true, "createdAt": saved["view"]["createdAt"], "updatedAt": saved["view"]["createdAt"],
    });
    assert_eq!(saved["view"], expected);
    let read = caller.get(&at(&id)).await.expect(200);
    assert_eq!(read.json(), saved);
    let etag = read.header("etag").to_owned();
    assert_eq!(caller.get(&at(&id)).header("if-none-match", &etag).await.status, 304);
    let change = json!({ "name": "Mine", "filter": { "due": ["late"] }, "groupBy": null });
    let changed =
        caller.patch(&at(&id)).header("if-match", &etag).json(change.clone()).await.expect(200).json();
    for (field, value) in
        [("name", json!("Mine")), ("filter", json!({ "due": ["late"] })), ("groupBy", Value::Null)]
    {
        expected[field] = value;
    }
    expected["updatedAt"] = changed["view"]["updatedAt"].clone();
    assert_eq!(changed["view"], expected);
    let stale = caller.patch(&at(&id)).header("if-match", &etag).json(json!({ "name": "Other" })).await;
    assert_eq!(stale.status, 412);
    // Nothing changes, so the time doesn't.
    assert_eq!(caller.patch(&at(&id)).json(change).await.expect(200).json(), changed);
    assert_eq!(listed(&caller, &format!("projectId={project}")).await, "Mine");
    caller.delete(&at(&id)).await.expect(200);
    assert_eq!(caller.get(&at(&id)).await.to_string(), "404 NOT_FOUND");
    assert_eq!(listed(&caller, "").await, "");
}

#[tokio::test]
async fn a_view_that_nothing_can_show_is_refused() {
    let caller = Deployment::shared().operator().user("alice").await.key(MANAGE_WITH_TEAMS).await;
    let view = |more: Value| {
        let mut view = json!({ "name": "Mine", "layout": "table" });
        view.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        view
    };
    for (more, refusal) in [
        (json!({ "name": " " }), "400 INVALID_REQUEST body.name"),
        (json!({ "layout": "list" }), "400 INVALID_REQUEST body.layout"),
        (json!({ "layout": "board" }), "400 INVALID_REQUEST body.filter.team"),
        (json!({ "projectId": ABSENT_ID }), "400 INVALID_REQUEST body.projectId"),
        (json!({ "teamId": ABSENT_ID }), "400 INVALID_REQUEST body.teamId"),
        (json!({ "groupBy": "due" }), "400 INVALID_REQUEST body.groupBy"),
        (json!({ "columns": ["due", "due"] }), "400 INVALID_REQUEST body.columns[1]"),
        (json!({ "columns": ["size"] }), "400 INVALID_REQUEST body.columns[0]"),
        (json!({ "order": { "by": "size" } }), "400 INVALID_REQUEST body.order.by"),
        (json!({ "filter": { "priority": ["asap"] } }), "400 INVALID_REQUEST body.filter.priority[0]"),
        (json!({ "filter": { "assignee": ["you"] } }), "400 INVALID_REQUEST body.filter.assignee[0]"),
        (json!({ "filter": { "assignee": [] } }), "400 INVALID_REQUEST body.filter.assignee"),
        (json!({ "filter": { "owner": ["me"] } }), "400 INVALID_REQUEST body.filter.owner"),
        (json!({ "filter": { "parent": ["GEAR-1"] } }), "400 INVALID_REQUEST body.filter.parent"),
        (json!({ "filter": { "fields": "[]" } }), "400 INVALID_REQUEST body.filter.fields"),
    ] {
        let refused = save(&caller, view(more.clone())).await.to_string();
        assert!(refused.starts_with(refusal), "{more}: {refused}");
    }
    assert_eq!(listed(&caller, "").await, "");
}

#[tokio::test]
async fn a_person_has_at_most_a_hundred_views_in_pages() {
    let caller = Deployment::shared().operator().user("alice").await.key(MANAGE_WITH_TEAMS).await;
    for number in 0..100 {
        let view = json!({ "name": format!("{number}"), "layout": "table" });
        save(&caller, view).await.expect(201);
    }
    let refused = save(&caller, json!({ "name": "One more", "layout": "table" })).await;
    assert_eq!(
        (refused.code().as_str(), &refused.json()["error"]["details"]["limit"]),
        ("LIMIT_REACHED", &json!(100))
    );
    let first = caller.get("/api/v2/views?limit=60").await.expect(200).json();
    let cursor = first["meta"]["nextCursor"].as_str().unwrap();
    let next = caller.get(&format!("/api/v2/views?limit=60&cursor={cursor}")).await.expect(200).json();
    let sizes = [&first, &next].map(|page| page["views"].as_array().unwrap().len());
    assert_eq!((sizes, &next["views"][39]["name"]), ([60, 40], &json!("99")));
    let id = first["views"][0]["id"].as_str().unwrap();
    caller.delete(&at(id)).await.expect(200);
    save(&caller, json!({ "name": "One more", "layout": "table" })).await.expect(201);
}

#[tokio::test]
async fn a_team_reads_a_shared_view_and_its_managers_change_it() {
    let team = Team::open().await;
    let operator = team.deployment.operator();
    let (bob, by_bob) = team.member("bob", "member").await;
    let (carol, by_carol) = team.member("carol", "member").await;
    let (_, by_dave) = team.member("dave", "member").await;
    operator.add_member(&bob, "--team", &team.id, "member").await;
    operator.add_member(&carol, "--team", &team.id, "member").await;
    let internal = json!({ "visibility": "internal" });
    team.caller.patch(&format!("/api/v2/projects/{}", team.project)).json(internal).await.expect(200);
    let view = json!({
        "name": "Board of bob", "layout": "board", "projectId": team.project, "teamId": team.id,
        "filter": { "team": [team.id], "assignee": ["me"] },
    });
    let id = save(&by_bob, view).await.expect(201).text("/view/id");
    save(&by_bob, json!({ "name": "Own", "layout": "table" })).await.expect(201);
    // Members read it, and others find no trace.
    let read = by_carol.get(&at(&id)).await.expect(200).json();
    assert_eq!((&read["view"]["ownerId"], &read["view"]["mayChange"]), (&json!(bob.id), &json!(false)));
    assert_eq!(listed(&by_carol, "").await, "Board of bob");
    assert_eq!(listed(&by_dave, "").await, "");
    let rename = json!({ "name": "Ours" });
    assert_eq!(by_carol.patch(&at(&id)).json(rename.clone()).await.to_string(), "403 FORBIDDEN");
    for answer in [
        by_dave.get(&at(&id)).await,
        by_dave.patch(&at(&id)).json(rename.clone()).await,
        by_dave.delete(&at(&id)).await,
    ] {
        assert_eq!(answer.to_string(), "404 NOT_FOUND");
    }
    // Its manager changes it and takes it from the team, but neither deletes it nor gives it to another team.
    team.caller.patch(&at(&id)).json(rename).await.expect(200);
    assert_eq!(team.caller.delete(&at(&id)).await.to_string(), "403 FORBIDDEN");
    let other = team.another_team(json!({ "name": "Other" })).await;
    let moved = team.caller.patch(&at(&id)).json(json!({ "teamId": other })).await;
    assert_eq!(moved.to_string(), "403 FORBIDDEN");
    team.caller.patch(&at(&id)).json(json!({ "teamId": null })).await.expect(200);
    assert_eq!(team.caller.get(&at(&id)).await.status, 404);
    assert_eq!(listed(&by_carol, "").await, "");
    // A team of which its owner is no member.
    let foreign = by_bob.patch(&at(&id)).json(json!({ "teamId": other })).await;
    assert!(foreign.to_string().starts_with("400 INVALID_REQUEST body.teamId"), "{foreign}");
    by_bob.patch(&at(&id)).json(json!({ "teamId": team.id })).await.expect(200);
    assert_eq!(listed(&by_carol, &format!("projectId={}", team.project)).await, "Ours");
    assert_eq!(listed(&by_carol, &format!("projectId={ABSENT_ID}")).await, "");
    // Who leaves the team, or can't read the project any more, sees it no more.
    operator.remove_member(&carol, "--team", &team.id).await;
    assert_eq!(by_carol.get(&at(&id)).await.status, 404);
    operator.add_member(&carol, "--team", &team.id, "member").await;
    let private = json!({ "visibility": "private" });
    team.caller.patch(&format!("/api/v2/projects/{}", team.project)).json(private).await.expect(200);
    assert_eq!(by_carol.get(&at(&id)).await.status, 404);
    assert_eq!(listed(&by_carol, "").await, "");
    assert_eq!(listed(&by_bob, "").await, "Ours, Own");
}

#[tokio::test]
async fn the_end_of_a_team_ends_the_sharing_and_that_of_a_project_its_views() {
    let team = Team::open().await;
    let (bob, by_bob) = team.member("bob", "member").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    let shared = json!({ "name": "Shared", "layout": "table", "teamId": team.id });
    let shared = save(&team.caller, shared).await.expect(201).text("/view/id");
    let of_project = json!({ "name": "Of the project", "layout": "table", "projectId": team.project });
    let of_project = save(&team.caller, of_project).await.expect(201).text("/view/id");
    assert_eq!(listed(&by_bob, "").await, "Shared");
    team.delete("").await.expect(200);
    assert_eq!(by_bob.get(&at(&shared)).await.status, 404);
    assert_eq!(team.caller.get(&at(&shared)).await.expect(200).json()["view"]["teamId"], Value::Null);
    team.caller.delete(&format!("/api/v2/projects/{}", team.project)).await.expect(200);
    assert_eq!(team.caller.get(&at(&of_project)).await.status, 404);
    assert_eq!(listed(&team.caller, "").await, "Shared");
}

#[tokio::test]
async fn a_confined_key_sees_views_of_its_projects_alone() {
    let team = Team::open().await;
    let other = team.unlinked_project("Box").await;
    for (name, project) in [("Gear", &team.project), ("Box", &other)] {
        save(&team.caller, json!({ "name": name, "layout": "table", "projectId": project }))
            .await
            .expect(201);
    }
    let confined = team.confined("projectIds", &other).await;
    assert_eq!(listed(&confined, "").await, "Box");
    let refused = save(&confined, json!({ "name": "x", "layout": "table", "projectId": team.project })).await;
    assert!(refused.to_string().starts_with("400 INVALID_REQUEST body.projectId"), "{refused}");
}
