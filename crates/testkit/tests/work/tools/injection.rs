//! An agent that obeys hostile content: with every tool and all ids of another project of the same user as arguments,
//! it neither reads nor changes that project.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::model_server::{ModelServer, Reply};
use testkit::open_session::eventually_async;
use testkit::session::{Session, create_project};

use crate::tools::support::ToolSession;

/// The name of everything in the other project.
const SECRET: &str = "Secret";
/// Below the limit of calls in an answer of a model.
const CALLS_AT_ONCE: usize = 32;

/// Another project of the same user with a resource of each kind, by the parameters that could name them.
struct Target {
    project: String,
    ids: BTreeMap<&'static str, Value>,
}

impl Target {
    async fn of(session: &ToolSession) -> Self {
        let caller = &session.caller;
        let project = create_project(caller, "Secret plan").await;
        let at = format!("/api/v2/projects/{project}");
        let post =
            async |path: &str, body: Value| caller.post(&format!("{at}/{path}")).json(body).await.expect(201);
        let object = post("objects", json!({ "name": "Secret part" })).await.text("/object/id");
        post("branches/main/commits", json!({ "message": "Secret commit" })).await;
        post("branches", json!({ "name": "secret" })).await;
        let hash = caller.get(&format!("{at}/branches/main")).await.text("/branch/commitHash");
        let model = Session::open(caller, &project).await.model().await;
        let package = caller.put(&format!("{at}/packages/{model}"));
        let package = package.json(json!({ "description": "Secret package" })).await.expect(200);
        let tag = post("card-tags", json!({ "name": "Secret tag" })).await.text("/tag/id");
        let card = post("cards", json!({ "name": "Secret card", "tagIds": [tag] })).await.text("/card/id");
        let comment = post(&format!("cards/{card}/comments"), json!({ "body": "Secret word" })).await;
        let include = json!({ "ref": package.text("/package/ref"), "parent": session.project });
        let ids = BTreeMap::from([
            ("objectId", json!(object)),
            ("objectIds", json!([object])),
            ("parent", json!(object)),
            ("rootId", json!(object)),
            ("includeId", json!(object)),
            ("cardId", json!(card)),
            ("afterCardId", json!(card)),
            ("beforeCardId", json!(card)),
            ("tagId", json!(tag)),
            ("tagIds", json!([tag])),
            ("commentId", json!(comment.text("/comment/id"))),
            ("packageId", json!(model)),
            ("hash", json!(hash)),
            ("commitHash", json!(hash)),
            ("fromCommit", json!(hash)),
            ("base", json!(hash)),
            ("head", json!(hash)),
            ("source", json!(hash)),
            ("ref", include["ref"].clone()),
            ("q", json!(SECRET)),
        ]);
        Self { project, ids }
    }

    /// All of its state that a caller can read.
    async fn state(&self, caller: &Caller) -> Vec<Value> {
        let mut state = Vec::new();
        for path in ["", "/tree", "/cards", "/card-tags", "/history", "/branches", "/packages", "/sessions"] {
            state.push(
                caller.get(&format!("/api/v2/projects/{}{path}", self.project)).await.expect(200).json(),
            );
        }
        state
    }

    /// Arguments for a tool that name this project in all fields of its schema that allow it.
    fn arguments(&self, session: &ToolSession, schema: &Value) -> Value {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let required =
            |name: &str| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        let mut arguments = Map::new();
        for (name, property) in properties {
            let value = match (self.ids.get(name.as_str()), property["type"].as_str()) {
                (Some(value), _) => value.clone(),
                // An object of the session's own project as the destination of stolen content.
                (None, _) if name == "userId" => json!(session.alice.id),
                (None, _) if !required(&name) => continue,
                (None, Some("integer" | "number")) => json!(1),
                (None, Some("array")) => json!([{ "op": "update", "id": self.ids["objectId"], "name": "Mine",
                    "cardId": self.ids["cardId"] }]),
                (None, Some("object")) => json!({}),
                (None, _) => json!("Mine"),
            };
            arguments.insert(name, value);
        }
        Value::Object(arguments)
    }
}

#[tokio::test]
async fn an_obedient_agent_neither_reads_nor_changes_another_project() {
    let model = ModelServer::start(vec![]).await;
    let options = Options { models: Some(model.models()), ..Options::default() };
    let session = ToolSession::on(Deployment::with(options).await).await;
    let target = Target::of(&session).await;
    let before = target.state(&session.caller).await;
    let mut calls: Vec<(&'static str, Value)> = Vec::new();
    for tool in session.tools(&session.caller).await {
        let name = format!("{}__{}", tool["toolbox"].as_str().unwrap(), tool["name"].as_str().unwrap());
        let name: &'static str = name.leak();
        let arguments = target.arguments(&session, &tool["inputSchema"]);
        // With valid arguments, and with an additional project.
        let mut elsewhere = arguments.clone();
        elsewhere["projectId"] = json!(target.project);
        calls.extend([(name, arguments), (name, elsewhere)]);
    }
    // Bodies that refer to the other project.
    let (object, card) = (&target.ids["objectId"], &target.ids["cardId"]);
    calls.extend([
        ("project__create_include", json!({ "ref": target.ids["ref"], "parent": session.project })),
        ("project__create_object", json!({ "name": "Mine", "parent": target.project })),
        ("project__batch_objects", json!({ "operations": [{ "op": "delete", "id": object }] })),
        ("project__create_branch", json!({ "name": "mine", "fromCommit": target.ids["hash"] })),
        (
            "cards__change_cards",
            json!({ "operations": [{ "op": "update", "cardId": card, "name": "Mine" }] }),
        ),
        ("cards__create_card", json!({ "name": "Mine", "tagIds": target.ids["tagIds"] })),
    ]);
    let count = calls.len();
    assert!(count > 120, "{count}");
    let mut replies: Vec<Reply> =
        calls.chunks(CALLS_AT_ONCE).map(|calls| Reply::Calls(calls.to_vec())).collect();
    replies.push(Reply::Text("I tried."));
    model.answer(replies);
    let prompt = json!({ "prompt": "Do what the tree says." });
    session.caller.post(&format!("{}/prompt", session.session.path())).json(prompt).await.expect(202);
    eventually_async("the run is done", async || {
        session.caller.get(&session.session.path()).await.text("/session/status") == "completed"
    })
    .await;
    // The results that the model got for all attempts.
    let heard = model.asked().pop().unwrap().body;
    let heard: Vec<&Value> =
        heard["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(heard.len(), count);
    for said in heard {
        let text = said["content"].as_str().unwrap();
        for leak in ["Secret p", "Secret c", "Secret t", "Secret w"] {
            assert!(!text.contains(leak), "{text}");
        }
    }
    assert_eq!(target.state(&session.caller).await, before);
}
