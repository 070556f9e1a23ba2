//! Permissions of tools, and the limits of their access.

use serde_json::json;
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::seed::MANAGE_WITH_TEAMS;
use testkit::session::{Session, create_project};

use crate::tools::support::{ToolSession, invoke, structured, words};

/// The answer to an unknown tool.
async fn unknown(caller: &Caller, session: &Session) -> Answer {
    let answer = invoke(caller, session, "project", "no_such_tool", json!({})).await;
    assert_eq!(answer.to_string(), "404 TOOL_NOT_FOUND");
    answer
}

#[tokio::test]
async fn a_tool_outside_of_the_callers_scopes_is_unknown() {
    let shop = ToolSession::open().await;
    let reader = shop.alice.key(&["projects:read"]).await;
    let unknown = unknown(&reader, &shop.session).await;
    for (toolbox, tool, params) in [
        ("project", "create_object", json!({ "name": "x" })),
        ("project", "create_object", json!({ "nonsense": true })),
        ("cards", "list_cards", json!({})),
        ("teams", "list_teams", json!({})),
        ("cards", "get_tree", json!({})),
        ("", "", json!({})),
    ] {
        let refused = invoke(&reader, &shop.session, toolbox, tool, params).await;
        assert_eq!(refused.body, unknown.body, "{tool}");
        assert_eq!(refused.status, 404);
    }
    invoke(&reader, &shop.session, "project", "get_tree", json!({})).await.expect(200);
    let listed = shop.listed(&reader).await;
    assert!(listed.contains(&"project/get_tree".to_owned()), "{listed:?}");
    let of_project =
        |tool: &String| ["project/", "code/", "files/"].iter().any(|toolbox| tool.starts_with(toolbox));
    assert!(listed.iter().all(|tool| of_project(tool) && !tool.contains("create")), "{listed:?}");
}

#[tokio::test]
async fn a_tool_outside_of_the_callers_role_is_unknown() {
    let shop = ToolSession::open().await;
    let operator = shop.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &shop.project, "viewer").await;
    let key = bob.key(MANAGE_WITH_TEAMS).await;
    let unknown = unknown(&key, &shop.session).await;
    let refused = invoke(&key, &shop.session, "project", "create_object", json!({ "name": "x" })).await;
    assert_eq!(refused.body, unknown.body);
    assert!(!shop.listed(&key).await.contains(&"project/create_object".to_owned()));
    // Only the team's operations check a role on the team.
    operator.add_member(&bob, "--org", &shop.org, "member").await;
    let refused =
        invoke(&key, &shop.session, "cards", "delete_card", json!({ "cardId": shop.project })).await;
    assert_eq!(refused.body, unknown.body);
}

#[tokio::test]
async fn a_tool_never_exceeds_the_key_that_opened_the_session() {
    let shop = ToolSession::open().await;
    let opened_with = shop.alice.issue(&["projects:write"], &[]).await;
    let session = Session::open(&opened_with.caller, &shop.project).await;
    let unknown = unknown(&shop.caller, &session).await;
    let refused = invoke(&shop.caller, &session, "cards", "create_card", json!({ "name": "x" })).await;
    assert_eq!(refused.body, unknown.body);
    invoke(&shop.caller, &session, "project", "create_object", json!({ "name": "x" })).await.expect(200);
    shop.deployment.operator().revoke(&opened_with).await;
    let refused = invoke(&shop.caller, &session, "project", "create_object", json!({ "name": "y" })).await;
    assert_eq!(refused.body, unknown.body);
}

#[tokio::test]
async fn no_tool_changes_the_visibility_of_a_project() {
    let shop = ToolSession::open().await;
    let unknown = unknown(&shop.caller, &shop.session).await;
    for (tool, params) in [
        ("update_project", json!({ "visibility": "public" })),
        ("publish_package", json!({ "packageId": shop.session.model().await })),
    ] {
        assert_eq!(shop.invoke("project", tool, params).await.body, unknown.body, "{tool}");
    }
}

#[tokio::test]
async fn history_names_the_session_and_the_callers_key() {
    let shop = ToolSession::open().await;
    let created = shop.invoke("cards", "create_card", json!({ "name": "Grind" })).await.expect(200);
    let card = structured(&created)["card"]["id"].as_str().unwrap().to_owned();
    let history = format!("/api/v2/projects/{}/cards/{card}/history", shop.project);
    let history = shop.caller.get(&history).await.expect(200).json();
    let actor = &history["history"][0]["actor"];
    assert_eq!(actor["sessionId"], shop.session.id);
    assert_eq!(actor["userId"], shop.alice.id);
    assert!(actor["keyId"].is_string());
}

#[tokio::test]
async fn a_tool_has_no_access_to_other_projects_and_organizations() {
    let shop = ToolSession::open().await;
    let other_org = shop.deployment.operator().organization("others", &shop.alice).await;
    let other = create_project(&shop.caller, "Other").await;
    let card = shop.caller.post(&format!("/api/v2/projects/{other}/cards")).json(json!({ "name": "Secret" }));
    let card = card.await.expect(201).text("/card/id");
    let hidden = "The resource does not exist or is not visible to you.";
    let refused = shop.invoke("cards", "update_card", json!({ "cardId": card, "name": "Mine" })).await;
    assert_eq!(words(&refused), hidden);
    let team = shop.caller.post(&format!("/api/v2/orgs/{other_org}/teams")).json(json!({ "name": "Spies" }));
    let team = team.await.expect(201).text("/team/id");
    let refused = shop.invoke("teams", "get_team", json!({ "teamId": team })).await;
    assert_eq!(words(&refused), hidden);
    let refused = shop.invoke("teams", "list_teams", json!({ "orgId": other_org })).await;
    assert_eq!(words(&refused), "params.orgId: is not known here");
    let own = shop.caller.post(&format!("/api/v2/orgs/{}/teams", shop.org)).json(json!({ "name": "Wheels" }));
    own.await.expect(201);
    let teams = shop.invoke("teams", "list_teams", json!({})).await.expect(200);
    assert_eq!(structured(&teams)["teams"][0]["name"], "Wheels");
}

#[tokio::test]
async fn a_users_project_has_no_tools_for_teams() {
    let shop = ToolSession::open().await;
    let own = create_project(&shop.caller, "Own").await;
    let session = Session::open(&shop.caller, &own).await;
    let unknown = unknown(&shop.caller, &session).await;
    let refused = invoke(&shop.caller, &session, "teams", "list_teams", json!({})).await;
    assert_eq!(refused.body, unknown.body);
}
