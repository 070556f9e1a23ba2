//! Direct invocation of tools: effects, answers and refusals.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::events::EventStream;
use testkit::session::create_project;

use crate::tools::support::{ToolSession, structured, words};

#[tokio::test]
async fn a_tool_answers_its_operations_result_as_text_and_as_data() {
    let session = ToolSession::open().await;
    let answer = session.invoke("project", "get_tree", json!({})).await.expect(200);
    let tree = session.caller.get(&format!("/api/v2/projects/{}/tree", session.project)).await.expect(200);
    assert_eq!(structured(&answer), tree.json());
    let answer = answer.json();
    assert_eq!(answer["sessionId"], session.session.id);
    assert_eq!((&answer["toolbox"], &answer["tool"]), (&json!("project"), &json!("get_tree")));
    assert_eq!(answer["isError"], false);
    let text = answer["content"]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap(), tree.json());
    assert_eq!(answer["content"]["parts"], json!([{ "type": "text", "text": text }]));
}

#[tokio::test]
async fn a_tool_works_on_the_current_state_of_the_sessions_branch() {
    let session = ToolSession::open().await;
    let created = session.invoke("project", "create_object", json!({ "name": "Tooth" })).await.expect(200);
    let id = structured(&created)["object"]["id"].clone();
    let changed =
        session.invoke("project", "update_object", json!({ "objectId": id, "name": "Teeth" })).await;
    assert_eq!(structured(&changed.expect(200))["object"]["name"], "Teeth");
    let found = session.invoke("project", "get_tree", json!({ "q": "tee", "depth": 3 })).await.expect(200);
    assert_eq!(structured(&found)["tree"][0]["name"], "Teeth");
    let committed =
        session.invoke("project", "create_commit", json!({ "message": "Cut the teeth" })).await.expect(200);
    assert_eq!(structured(&committed)["commit"]["message"], "Cut the teeth");
    let changes =
        session.caller.get(&format!("/api/v2/projects/{}/branches/main/changes", session.project)).await;
    assert_eq!(changes.expect(200).json()["added"], json!([]));
}

#[tokio::test]
async fn a_commit_of_a_tool_closes_the_cards_that_its_message_names() {
    let session = ToolSession::open().await;
    let card = session.invoke("cards", "create_card", json!({ "name": "Cut" })).await.expect(200);
    let key = structured(&card)["card"]["key"].as_str().unwrap().to_owned();
    session.invoke("project", "create_object", json!({ "name": "Tooth" })).await.expect(200);
    let message = json!({ "message": format!("Closes {key}") });
    session.invoke("project", "create_commit", message).await.expect(200);
    let commits = session.invoke("cards", "list_card_commits", json!({ "cardId": key })).await.expect(200);
    assert_eq!(structured(&commits)["commits"][0]["message"], format!("Closes {key}"));
    let read = session.invoke("cards", "get_card", json!({ "cardId": key })).await.expect(200);
    assert_eq!(structured(&read)["card"]["is_open"], false);
}

#[tokio::test]
async fn a_refusing_tool_gives_the_reason() {
    let session = ToolSession::open().await;
    let missing = session.invoke("project", "get_object", json!({ "objectId": session.session.id })).await;
    assert_eq!(words(&missing), "The resource does not exist or is not visible to you.");
    let without = session.invoke("project", "get_object", json!({})).await;
    assert_eq!(words(&without), "params.objectId: is required");
    let unknown = session.invoke("project", "create_object", json!({ "nmae": "x" })).await;
    assert_eq!(
        words(&unknown),
        "params.nmae: is not known here (did you mean `name`?); params.name: is required"
    );
    let unknown = session.invoke("project", "get_tree", json!({ "nmae": "x" })).await;
    assert_eq!(words(&unknown), "params.nmae: is not known here");
    let foreign = session.invoke("project", "get_tree", json!({ "projectId": session.project })).await;
    assert_eq!(words(&foreign), "params.projectId: is not known here");
    let nothing = session.invoke("project", "create_commit", json!({ "message": "Nothing" })).await;
    assert_eq!(words(&nothing), "The branch has no uncommitted changes.");
    assert_eq!(nothing.json()["error"]["details"]["structuredContent"]["code"], "NOTHING_TO_COMMIT");
}

#[tokio::test]
async fn a_body_without_a_tool_is_a_bad_request() {
    let session = ToolSession::open().await;
    let path = format!("{}/tools/invoke", session.session.path());
    assert_snapshot!(
        session.caller.post(&path).json(json!({ "toolbox": "project" })).await,
        @"400 INVALID_REQUEST body.tool required"
    );
    let body = json!({ "toolbox": "project", "tool": "get_tree", "params": [] });
    assert_snapshot!(session.caller.post(&path).json(body).await, @"400 INVALID_REQUEST body.params type");
}

#[tokio::test]
async fn a_repeat_with_an_idempotency_key_creates_once() {
    let session = ToolSession::open().await;
    let send = async || {
        session.invoke("cards", "create_card", json!({ "name": "Grind" })).idempotency_key("once").await
    };
    let (first, second) = (send().await.expect(200), send().await.expect(200));
    assert_eq!(structured(&first)["card"]["id"], structured(&second)["card"]["id"]);
    assert!(!first.is_replay() && second.is_replay());
    let cards = session.caller.get(&format!("/api/v2/projects/{}/cards", session.project)).await.expect(200);
    assert_eq!(cards.json()["cards"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_invalid_idempotency_key_is_refused_before_the_tool_runs() {
    let session = ToolSession::own().await;
    let create = || session.invoke("cards", "create_card", json!({ "name": "Grind" }));
    for key in ["", " ", "schl\u{fc}ssel", "x".repeat(256).as_str()] {
        assert_eq!(create().idempotency_key(key).await.to_string(), "400 INVALID_IDEMPOTENCY_KEY", "{key:?}");
    }
    let two = create().idempotency_key("one").idempotency_key("two").await;
    assert_snapshot!(two, @"400 INVALID_IDEMPOTENCY_KEY");
    assert_eq!(session.deployment.database.count("select count(*) from cards").await, 0);
}

#[tokio::test]
async fn a_closed_or_unknown_session_has_no_tools() {
    let session = ToolSession::open().await;
    let other = create_project(&session.caller, "Other").await;
    for path in [
        format!("/api/v2/projects/{}/sessions/{}", session.project, session.project),
        format!("/api/v2/projects/{other}/sessions/{}", session.session.id),
    ] {
        assert_eq!(session.caller.get(&format!("{path}/tools")).await.to_string(), "404 NOT_FOUND");
        let body = json!({ "toolbox": "project", "tool": "get_tree" });
        let invoked = session.caller.post(&format!("{path}/tools/invoke")).json(body).await;
        assert_eq!(invoked.to_string(), "404 NOT_FOUND");
    }
    session.session.close().await.expect(200);
    assert_snapshot!(session.invoke("project", "get_tree", json!({})).await, @"404 NOT_FOUND");
    assert_snapshot!(session.caller.get(&format!("{}/tools", session.session.path())).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn tools_of_files_report_the_state_of_an_upload() {
    let session = ToolSession::open().await;
    let model = session.session.model().await;
    session.session.upload(&model, "gear.step", "no STEP at all").await.expect(200);
    let upload = changes(&session).await[0]["uploadId"].clone();
    let told =
        structured(&session.invoke("files", "get_upload", json!({ "uploadId": upload })).await.expect(200));
    assert_eq!((&told["upload"]["id"], &told["upload"]["status"]), (&upload, &json!("done")));
    let listed = session.invoke("files", "list_uploads", json!({})).await.expect(200);
    assert_eq!(structured(&listed)["uploads"], json!([]), "in pieces");
}

/// The session's `objects.changed` events so far, without the branch.
async fn changes(session: &ToolSession) -> Vec<Value> {
    let stream = session.caller.get(&format!("{}/events?follow=false", session.session.path()));
    let events = EventStream::open(stream).await.rest().await;
    let mut changes: Vec<Value> = Vec::new();
    for event in events.into_iter().filter(|event| event.kind == "objects.changed") {
        let mut data = event.json["data"].clone();
        assert_eq!(data.as_object_mut().unwrap().remove("branch"), Some(json!("main")));
        changes.push(data);
    }
    changes
}

#[tokio::test]
async fn a_tools_changes_are_sent_to_followers_of_the_session() {
    let session = ToolSession::open().await;
    let stream = session.caller.get(&format!("{}/events", session.session.path()));
    let mut stream = EventStream::open(stream).await;
    let rim = session.invoke("project", "create_object", json!({ "name": "Rim" })).await.expect(200);
    let rim = structured(&rim)["object"]["id"].clone();
    assert_eq!(stream.next_of("objects.changed").await.json["data"]["added"], json!([rim]));
    let operations = json!([
        { "op": "create", "name": "Tooth", "parent": rim },
        { "op": "update", "id": rim, "name": "Wheel" },
    ]);
    let batch =
        session.invoke("project", "batch_objects", json!({ "operations": operations })).await.expect(200);
    let tooth = structured(&batch)["results"][0]["id"].clone();
    session.invoke("project", "delete_object", json!({ "objectId": rim })).await.expect(200);
    session.invoke("project", "create_object", json!({ "name": "Hub" })).await.expect(200);
    session.invoke("project", "discard_changes", json!({})).await.expect(200);
    // Failures, reads and changes outside of the session are no events of it.
    session.invoke("project", "create_object", json!({ "name": "x", "parent": rim })).await.expect(422);
    session.invoke("project", "get_tree", json!({})).await.expect(200);
    let objects = format!("/api/v2/projects/{}/objects", session.project);
    session.caller.post(&objects).json(json!({ "name": "Axle" })).await.expect(201);
    let told = changes(&session).await;
    assert_eq!(told[0], json!({ "addedCount": 1, "added": [rim] }));
    assert_eq!(told[1], json!({ "addedCount": 1, "added": [tooth], "changedCount": 1, "changed": [rim] }));
    assert_eq!(told[2], json!({ "deletedCount": 2, "deleted": [rim] }));
    assert_eq!(told[3]["addedCount"], 1);
    assert_eq!(told[4], json!({ "discardedCount": 1 }));
    assert_eq!(told.len(), 5, "{told:?}");
}

#[tokio::test]
async fn a_merge_by_a_tool_is_reported_with_the_branchs_new_head() {
    let session = ToolSession::open().await;
    let at = format!("/api/v2/projects/{}", session.project);
    session.caller.post(&format!("{at}/branches")).json(json!({ "name": "spare" })).await.expect(201);
    let objects = format!("{at}--spare/objects");
    session.caller.post(&objects).json(json!({ "name": "Axle" })).await.expect(201);
    let commits = format!("{at}/branches/spare/commits");
    session.caller.post(&commits).json(json!({ "message": "Add an axle" })).await.expect(201);
    let tried = json!({ "source": "spare", "dryRun": true });
    session.invoke("project", "merge_branch", tried).await.expect(200);
    let merged = session.invoke("project", "merge_branch", json!({ "source": "spare" })).await.expect(200);
    assert_eq!(
        changes(&session).await,
        [json!({ "commitHash": structured(&merged)["merge"]["commitHash"] })]
    );
}
