//! Answers of foreign tools in every form of the protocol, and tools that providers of models refuse.

use serde_json::{Value, json};
use testkit::mcp_server::Manner;
use testkit::model_server::Reply;
use testkit::open_session::eventually_async;

use crate::tools::support::ServerSession;

/// A picture of one pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNg+P//PwAF/gL+p2xFbgAAAABJRU5ErkJggg==";

impl ServerSession {
    /// Opens a session for a model and runs a prompt to its end; returns the last request to the model.
    async fn run(&self, model: &str, replies: Vec<Reply>) -> Value {
        self.model.answer(replies);
        let path = format!("/api/v2/projects/{}/sessions", self.session.project);
        let all = json!(["read", "write", "destroy", "sendOut"]);
        let body = json!({ "model": model, "autoApprove": all, "toolboxes": ["wiki"] });
        let session = self.session.caller.post(&path).json(body).await.expect(201).text("/sessionId");
        let session = format!("{path}/{session}");
        let prompt = self.session.caller.post(&format!("{session}/prompt")).json(json!({ "prompt": "Go." }));
        prompt.await.expect(202);
        eventually_async("the run completes", async || {
            let approvals =
                self.session.caller.get(&format!("{session}/approvals?status=pending")).await.expect(200);
            for approval in approvals.json()["approvals"].as_array().unwrap() {
                let path = format!("{session}/approvals/{}", approval["approvalId"].as_str().unwrap());
                self.session.caller.post(&path).json(json!({ "decision": "approve" })).await.expect(200);
            }
            self.session.caller.get(&session).await.expect(200).text("/session/status") == "completed"
        })
        .await;
        self.model.asked().pop().unwrap().body
    }

    /// The parts of `GET …/tools` beside the tools.
    async fn listed(&self) -> Value {
        self.session
            .caller
            .get(&format!("{}/tools?limit=100", self.session.session.path()))
            .await
            .expect(200)
            .json()
    }
}

#[tokio::test]
async fn no_answer_of_a_tool_is_empty_for_a_model_or_a_program() {
    let text = json!({ "type": "text", "text": "3 rows found" });
    let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
    let link =
        json!({ "type": "resource_link", "uri": "file:///shaft.pdf", "name": "shaft.pdf", "title": "Shaft" });
    let results = json!({
        "hits": { "content": [], "structuredContent": { "result": [] } },
        "nothing": { "content": [] },
        "differs": { "content": [text], "structuredContent": { "rows": [1, 2, 3] } },
        "link": { "content": [link] },
        "image": { "content": [image] },
        "new": { "content": [{ "type": "hologram", "uri": "holo:1" }] },
    });
    let on_server = ServerSession::open(Manner::Answers(results)).await;
    let expected = [
        ("hits", r#"{"result":[]}"#, r#"{"result":[]}"#),
        ("nothing", "[The tool answered without any content.]", "[The tool answered without any content.]"),
        ("differs", "3 rows found", "3 rows found\n{\"rows\":[1,2,3]}"),
        (
            "link",
            "[link: Shaft (shaft.pdf): file:///shaft.pdf]",
            "[link: Shaft (shaft.pdf): file:///shaft.pdf]",
        ),
        ("image", "[image: image/png, 70 bytes]", "[image: image/png, 70 bytes]"),
        ("new", r#"{"type":"hologram","uri":"holo:1"}"#, r#"{"type":"hologram","uri":"holo:1"}"#),
    ];
    for (tool, said, _) in expected {
        let answer = on_server.session.invoke("wiki", tool, json!({})).await.expect(200).json();
        assert_eq!(answer["content"]["text"], said, "{tool}");
        assert!(!answer["content"]["parts"].as_array().unwrap().is_empty(), "{tool}");
    }
    let names = ["wiki__hits", "wiki__nothing", "wiki__differs", "wiki__link", "wiki__image", "wiki__new"];
    let calls = || Reply::Calls(names.iter().map(|name| (*name, json!({}))).collect());
    let asked = on_server.run("chat", vec![calls(), Reply::Text("Done.")]).await;
    let results = asked["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let read: Vec<&str> = results.map(|result| result["content"].as_str().unwrap()).collect();
    assert_eq!(read, expected.map(|(_, _, read)| read));

    // Anthropic's protocol takes pictures in results.
    let asked = on_server.run("claude", vec![calls(), Reply::Text("Done.")]).await;
    let results = asked["messages"][2]["content"].as_array().unwrap();
    let picture = &results[4]["content"][1];
    assert_eq!(picture["source"], json!({ "type": "base64", "media_type": "image/png", "data": PNG }));
    assert_eq!(results[4]["content"][0]["text"], "[image: image/png, 70 bytes]");
    assert_eq!(results[3]["content"], expected[3].2);
}

#[tokio::test]
async fn tools_that_providers_refuse_are_changed_and_the_changes_are_listed() {
    let of = |name: &str, schema: Value| json!({ "name": name, "description": "d", "inputSchema": schema });
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    let mut long = of("long", object(json!({})));
    long["description"] = json!("x".repeat(2781));
    let mut app = of("app_only", object(json!({})));
    app["_meta"] = json!({ "ui": { "resourceUri": "ui://viewer/index.html", "visibility": ["app"] } });
    let odata = object(json!({ "$filter": { "type": "string" }, "größe": { "type": "number" } }));
    let tools = json!([
        of("no_args", json!({ "type": "object", "additionalProperties": false })),
        of("odata", odata),
        of("ids", object(json!({ "ids": { "type": "array" } }))),
        long,
        app,
    ]);
    let on_server = ServerSession::open(Manner::Lists(tools)).await;
    let call = Reply::Calls(vec![("wiki__odata", json!({ "_filter": "a", "gr__e": 1 }))]);
    let asked = on_server.run("chat", vec![call, Reply::Text("Done.")]).await;
    let given: Vec<&Value> =
        asked["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]).collect();
    let names: Vec<&str> = given.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["wiki__no_args", "wiki__odata", "wiki__ids", "wiki__long"]);
    for tool in &given {
        assert!(tool["description"].as_str().unwrap().chars().count() <= 1024);
        assert!(tool["parameters"]["properties"].is_object(), "{tool}");
    }
    assert_eq!(given[2]["parameters"]["properties"]["ids"]["items"], json!({}));
    // The server reads its own names.
    let called =
        on_server.server.asked().into_iter().rfind(|asked| asked.body["method"] == "tools/call").unwrap();
    assert_eq!(called.body["params"]["arguments"], json!({ "$filter": "a", "größe": 1 }));

    let listed = on_server.listed().await;
    let changes = listed["changes"].as_array().unwrap().iter();
    let changes: Vec<String> = changes
        .map(|change| {
            format!("{} {} {}", change["name"], change["reason"], change["detail"]).replace('"', "")
        })
        .collect();
    assert_eq!(
        changes,
        [
            "no_args schema_incomplete null",
            "odata properties_not_taken `$filter` as `_filter`, `größe` as `gr__e`",
            "ids schema_incomplete null",
            "long description_too_long 2781 characters",
        ]
    );
    let app = listed["leftOut"].as_array().unwrap().iter().find(|left| left["name"] == "app_only").unwrap();
    assert_eq!(app["reason"], "for_ui");
    assert_eq!(on_server.session.invoke("wiki", "app_only", json!({})).await.status, 404);
}
