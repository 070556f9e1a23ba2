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
    let session = ToolSession::open().await;
    let reader = session.alice.key(&["projects:read"]).await;
    let unknown = unknown(&reader, &session.session).await;
    for (toolbox, tool, params) in [
        ("project", "create_object", json!({ "name": "x" })),
        ("project", "create_object", json!({ "nonsense": true })),
        ("cards", "list_cards", json!({})),
        ("teams", "list_teams", json!({})),
        ("cards", "get_tree", json!({})),
        ("", "", json!({})),
    ] {
        let refused = invoke(&reader, &session.session, toolbox, tool, params).await;
        assert_eq!(refused.body, unknown.body, "{tool}");
        assert_eq!(refused.status, 404);
    }
    invoke(&reader, &session.session, "project", "get_tree", json!({})).await.expect(200);
    let listed = session.listed(&reader).await;
    assert!(listed.contains(&"project/get_tree".to_owned()), "{listed:?}");
    let of_project =
        |tool: &String| ["project/", "code/", "files/"].iter().any(|toolbox| tool.starts_with(toolbox));
    assert!(listed.iter().all(|tool| of_project(tool) && !tool.contains("create")), "{listed:?}");
}

#[tokio::test]
async fn a_tool_outside_of_the_callers_role_is_unknown() {
    let session = ToolSession::open().await;
    let operator = session.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &session.project, "viewer").await;
    let key = bob.key(MANAGE_WITH_TEAMS).await;
    let unknown = unknown(&key, &session.session).await;
    let refused = invoke(&key, &session.session, "project", "create_object", json!({ "name": "x" })).await;
    assert_eq!(refused.body, unknown.body);
    assert!(!session.listed(&key).await.contains(&"project/create_object".to_owned()));
    // Only the team's operations check a role on the team.
    operator.add_member(&bob, "--org", &session.org, "member").await;
    let refused =
        invoke(&key, &session.session, "cards", "delete_card", json!({ "cardId": session.project })).await;
    assert_eq!(refused.body, unknown.body);
}

#[tokio::test]
async fn a_tool_never_exceeds_the_key_that_opened_the_session() {
    let tool_session = ToolSession::open().await;
    let opened_with = tool_session.alice.issue(&["projects:write"], &[]).await;
    let session = Session::open(&opened_with.caller, &tool_session.project).await;
    let unknown = unknown(&tool_session.caller, &session).await;
    let refused =
        invoke(&tool_session.caller, &session, "cards", "create_card", json!({ "name": "x" })).await;
    assert_eq!(refused.body, unknown.body);
    invoke(&tool_session.caller, &session, "project", "create_object", json!({ "name": "x" }))
        .await
        .expect(200);
    tool_session.deployment.operator().revoke(&opened_with).await;
    let refused =
        invoke(&tool_session.caller, &session, "project", "create_object", json!({ "name": "y" })).await;
    assert_eq!(refused.body, unknown.body);
}

#[tokio::test]
async fn no_tool_changes_the_visibility_of_a_project() {
    let session = ToolSession::open().await;
    let unknown = unknown(&session.caller, &session.session).await;
    for (tool, params) in [
        ("update_project", json!({ "visibility": "public" })),
        ("publish_package", json!({ "packageId": session.session.model().await })),
    ] {
        assert_eq!(session.invoke("project", tool, params).await.body, unknown.body, "{tool}");
    }
}

#[tokio::test]
async fn history_names_the_session_and_the_callers_key() {
    let session = ToolSession::open().await;
    let created = session.invoke("cards", "create_card", json!({ "name": "Grind" })).await.expect(200);
    let card = structured(&created)["card"]["id"].as_str().unwrap().to_owned();
    let history = format!("/api/v2/projects/{}/cards/{card}/history", session.project);
    let history = session.caller.get(&history).await.expect(200).json();
    let actor = &history["history"][0]["actor"];
    assert_eq!(actor["sessionId"], session.session.id);
    assert_eq!(actor["userId"], session.alice.id);
    assert!(actor["keyId"].is_string());
}

#[tokio::test]
async fn a_tool_has_no_access_to_other_projects_and_organizations() {
    let session = ToolSession::open().await;
    let other_org = session.deployment.operator().organization("others", &session.alice).await;
    let other = create_project(&session.caller, "Other").await;
    let card =
        session.caller.post(&format!("/api/v2/projects/{other}/cards")).json(json!({ "name": "Secret" }));
    let card = card.await.expect(201).text("/card/id");
    let hidden = "The resource does not exist or is not visible to you.";
    let refused = session.invoke("cards", "update_card", json!({ "cardId": card, "name": "Mine" })).await;
    assert_eq!(words(&refused), hidden);
    let team =
        session.caller.post(&format!("/api/v2/orgs/{other_org}/teams")).json(json!({ "name": "Spies" }));
    let team = team.await.expect(201).text("/team/id");
    let refused = session.invoke("teams", "get_team", json!({ "teamId": team })).await;
    assert_eq!(words(&refused), hidden);
    let refused = session.invoke("teams", "list_teams", json!({ "orgId": other_org })).await;
    assert_eq!(words(&refused), "params.orgId: is not known here");
    let own =
        session.caller.post(&format!("/api/v2/orgs/{}/teams", session.org)).json(json!({ "name": "Wheels" }));
    own.await.expect(201);
    let teams = session.invoke("teams", "list_teams", json!({})).await.expect(200);
    assert_eq!(structured(&teams)["teams"][0]["name"], "Wheels");
}

#[tokio::test]
async fn a_users_project_has_no_tools_for_teams() {
    let tool_session = ToolSession::open().await;
    let own = create_project(&tool_session.caller, "Own").await;
    let session = Session::open(&tool_session.caller, &own).await;
    let unknown = unknown(&tool_session.caller, &session).await;
    let refused = invoke(&tool_session.caller, &session, "teams", "list_teams", json!({})).await;
    assert_eq!(refused.body, unknown.body);
}
