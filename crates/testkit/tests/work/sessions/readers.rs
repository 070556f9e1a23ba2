//! Readers of a conversation and the results that they see.

use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::events::EventStream;
use testkit::model_server::{ModelServer, Reply};
use testkit::seed::{MANAGE, MANAGE_WITH_TEAMS};
use testkit::session::Session;

use crate::sessions::support::reaches;

/// The tools whose results a reader sees in full: in messages, then in events.
async fn shown(caller: &Caller, session: &Session) -> Vec<String> {
    let read = caller.get(&format!("{}/messages?limit=100", session.path())).await.expect(200).json();
    let messages = read["messages"].as_array().unwrap().clone();
    let stream = caller.get(&format!("{}/events?follow=false", session.path()));
    let events = EventStream::open(stream).await.rest().await;
    let told: Vec<Value> = events
        .into_iter()
        .filter(|event| event.kind == "message.created")
        .map(|event| event.json["data"].clone())
        .collect();
    assert_eq!(told, messages);
    let parts = messages.iter().flat_map(|message| message["parts"].as_array().unwrap());
    let whole = parts.filter(|part| match part["type"].as_str().unwrap() {
        "tool_call" => part["params"] != json!({}),
        "tool_result" => !part["text"].as_str().unwrap().starts_with("[withheld"),
        _ => false,
    });
    whole
        .map(|part| format!("{} {}", part["type"].as_str().unwrap(), part["name"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn tool_results_are_shown_to_callers_who_could_use_the_tools_and_team_results_only_to_the_prompter() {
    let server = ModelServer::start(vec![]).await;
    let deployment = Deployment::with(Options { models: Some(server.models()), ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let caller = alice.key(MANAGE_WITH_TEAMS).await;
    let org = deployment.operator().organization("works", &alice).await;
    let body = json!({ "name": "Gear", "orgId": org, "visibility": "public" });
    let project = caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let session = Session::open(&caller, &project).await;
    server.answer(vec![
        Reply::Calls(vec![
            ("project__get_tree", json!({ "depth": 1 })),
            ("cards__list_cards", json!({ "limit": 1 })),
            ("teams__list_teams", json!({ "limit": 1 })),
        ]),
        Reply::Text("Read."),
    ]);
    let prompt = json!({ "prompt": "Read all." });
    caller.post(&format!("{}/prompt", session.path())).json(prompt).await.expect(202);
    reaches(&caller, &session, "completed").await;
    let call = |tool: &str| format!("tool_call {tool}");
    let result = |tool: &str| format!("tool_result {tool}");
    let (tree, cards, teams) = ("project__get_tree", "cards__list_cards", "teams__list_teams");
    let all = [call(tree), call(cards), call(teams), result(tree), result(cards), result(teams)];
    assert_eq!(shown(&caller, &session).await, all);
    assert_eq!(shown(&alice.key(MANAGE).await, &session).await, [call(tree), result(tree)]);
    let bob = deployment.operator().user("bob").await;
    let bobs = shown(&bob.key(MANAGE_WITH_TEAMS).await, &session).await;
    assert_eq!(bobs, [call(tree), call(cards), result(tree), result(cards)]);
    deployment.operator().add_member(&bob, "--project", &project, "editor").await;
    assert_eq!(shown(&bob.key(MANAGE_WITH_TEAMS).await, &session).await, bobs);
}
