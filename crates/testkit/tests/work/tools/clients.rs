//! MCP for clients without a session, at `/mcp`: tools, toolsets, resources, prompts, and where to sign in.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::open_session::eventually_async;
use testkit::seed::ABSENT_ID;
use testkit::session::uploaded;

use crate::tools::support::ToolSession;

/// Most tools and bytes of the list that a client gets without a choice.
const DEFAULT_TOOLS: usize = 40;
const DEFAULT_BYTES: usize = 60_000;
/// The largest file that a resource holds, and one byte more.
const TOO_LARGE: usize = 1024 * 1024 + 1;

/// A message to `/mcp`, with a query that begins with a question mark, or is empty.
fn message(caller: &Caller, query: &str, method: &str, params: Value) -> Request {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    caller.post(&format!("/mcp{query}")).json(message)
}

/// The result of a request without choices.
async fn result(caller: &Caller, method: &str, params: Value) -> Value {
    let answer = message(caller, "", method, params).await.expect(200).json();
    assert!(answer["error"].is_null(), "{answer}");
    answer["result"].clone()
}

/// The code and the message of a refused request.
async fn refused(caller: &Caller, method: &str, params: Value) -> (i64, String) {
    error(&message(caller, "", method, params).await.expect(200))
}

fn error(answer: &Answer) -> (i64, String) {
    let error = &answer.json()["error"];
    (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
}

async fn call(caller: &Caller, tool: &str, arguments: Value) -> Value {
    result(caller, "tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// The structured answer of a tool that didn't refuse.
async fn called(caller: &Caller, tool: &str, arguments: Value) -> Value {
    let result = call(caller, tool, arguments).await;
    assert_eq!(result["isError"], false, "{tool}: {result}");
    result["structuredContent"].clone()
}

/// The listed tools, of all pages.
async fn tools(caller: &Caller, query: &str) -> Vec<Value> {
    let (mut tools, mut params) = (Vec::new(), json!({}));
    loop {
        let mut page = message(caller, query, "tools/list", params).await.expect(200).json()["result"].take();
        tools.append(page["tools"].as_array_mut().unwrap());
        if page["nextCursor"].is_null() {
            return tools;
        }
        params = json!({ "cursor": page["nextCursor"] });
    }
}

fn names(tools: &[Value]) -> BTreeSet<String> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_client_without_choices_gets_few_tools_with_small_schemas() {
    let session = ToolSession::open().await;
    let answer = message(&session.caller, "", "tools/list", json!({})).await.expect(200);
    let listed = answer.json()["result"]["tools"].as_array().unwrap().clone();
    let bytes = answer.body.len();
    println!("{} tools, {bytes} bytes", listed.len());
    assert!(listed.len() <= DEFAULT_TOOLS && bytes <= DEFAULT_BYTES, "{} tools, {bytes} bytes", listed.len());
    let names = names(&listed);
    assert_eq!(names.len(), listed.len());
    for usual in
        ["get_me", "list_projects", "create_project", "get_tree", "create_object", "create_card", "get_board"]
    {
        assert!(names.contains(usual), "{usual}");
    }
}

#[tokio::test]
async fn every_tool_has_a_small_self_contained_schema_and_a_description() {
    let session = ToolSession::open().await;
    let all = tools(&session.caller, "?toolsets=all").await;
    assert!(all.len() > 70, "{}", all.len());
    assert_eq!(names(&all).len(), all.len());
    for tool in &all {
        let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
        assert!(name.len() <= 64, "{name}");
        assert_eq!(schema["type"], "object", "{name}");
        jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(tool["outputSchema"].is_null(), "{name}");
        assert!(tool["description"].as_str().unwrap().len() > 20, "{name}");
        let bytes = tool.to_string().len();
        assert!(bytes < 8_500, "{name}: {bytes}");
    }
    let create = all.iter().find(|tool| tool["name"] == "create_card").unwrap();
    assert!(create["inputSchema"]["required"].as_array().unwrap().contains(&json!("projectId")), "{create}");
    let valid = json!({ "projectId": session.project, "name": "Grind", "timeEstimate": null, "tagIds": [] });
    let schema = &create["inputSchema"];
    assert!(
        !jsonschema::draft202012::is_valid(schema, &json!({ "projectId": 1, "name": "Grind" })),
        "{schema}"
    );
    let known = schema["properties"].as_object().unwrap();
    let valid: Value = valid
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| known.contains_key(*name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    jsonschema::draft202012::validate(schema, &valid).unwrap();
}

#[tokio::test]
async fn toolsets_and_reading_are_chosen_by_header_or_query() {
    let session = ToolSession::open().await;
    let everyday = names(&tools(&session.caller, "").await);
    assert_eq!(names(&tools(&session.caller, "?toolsets=default").await), everyday);
    let teams = names(&tools(&session.caller, "?toolsets=teams").await);
    assert!(teams.contains("update_status") && !teams.contains("create_card"), "{teams:?}");
    let both = names(&tools(&session.caller, "?toolsets=default,teams").await);
    assert_eq!(both, everyday.union(&teams).cloned().collect());

    let list = || message(&session.caller, "", "tools/list", json!({}));
    let by_header = list().header("x-mcp-toolsets", "teams").await.expect(200);
    assert_eq!(names(by_header.json()["result"]["tools"].as_array().unwrap()), teams);
    let reading = list().header("x-mcp-readonly", "true").await.expect(200).json()["result"]["tools"].take();
    assert_eq!(reading, json!(tools(&session.caller, "?readonly=true").await));
    let reading = reading.as_array().unwrap();
    assert!(reading.len() > 10 && reading.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));

    assert_snapshot!(
        list().header("x-mcp-toolsets", "cards,boards").await,
        @"400 INVALID_REQUEST header.X-MCP-Toolsets enum"
    );
    assert_snapshot!(list().header("x-mcp-readonly", "yes").await, @"400 INVALID_REQUEST header.X-MCP-Readonly enum");
    assert_snapshot!(
        message(&session.caller, "?toolsets=boards", "tools/list", json!({})).await,
        @"400 INVALID_REQUEST query.toolsets enum"
    );

    // A model reads which toolsets there are, and how they are chosen.
    let hello = message(&session.caller, "?readonly=true", "initialize", json!({})).await.expect(200).json();
    let said = hello["result"]["instructions"].as_str().unwrap();
    for part in ["default (", "all (", "teams (", "code (", "X-MCP-Toolsets", "read-only"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[tokio::test]
async fn tools_have_the_rights_of_the_key() {
    let session = ToolSession::open().await;
    let project =
        called(&session.caller, "create_project", json!({ "name": "Crane", "orgId": session.org })).await;
    let card = json!({ "projectId": project["id"], "name": "Lift" });
    let card = called(&session.caller, "create_card", card).await["card"]["id"].clone();
    let path =
        format!("/api/v2/projects/{}/cards/{}", project["id"].as_str().unwrap(), card.as_str().unwrap());
    assert_eq!(session.caller.get(&path).await.expect(200).text("/card/name"), "Lift");

    let reader = session.alice.key(&["projects:read"]).await;
    let offered = names(&tools(&reader, "").await);
    assert!(
        offered.contains("get_tree") && !offered.contains("create_object") && !offered.contains("list_cards")
    );
    let object = json!({ "projectId": project["id"], "name": "Hook" });
    let result = call(&reader, "create_object", object.clone()).await;
    assert_eq!(
        (&result["isError"], &result["structuredContent"]["code"]),
        (&json!(true), &json!("INSUFFICIENT_SCOPE"))
    );
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("INSUFFICIENT_SCOPE: ") && text.contains("projects:write"), "{text}");

    // A hidden project and an absent one are the same.
    let eve = session.deployment.operator().user("eve").await.key(&["projects:manage"]).await;
    let hidden = call(&eve, "get_project", json!({ "projectId": project["id"] })).await;
    assert_eq!(hidden["structuredContent"]["code"], "NOT_FOUND");
    assert_eq!(hidden, call(&eve, "get_project", json!({ "projectId": ABSENT_ID })).await);
    let browser = session.alice.browser().await;
    called(&browser, "create_object", object).await;
}

#[tokio::test]
async fn errors_of_tools_say_what_would_help() {
    let session = ToolSession::open().await;
    let missing = call(&session.caller, "get_object", json!({ "projectId": session.project })).await;
    assert_eq!(missing["content"][0]["text"], "INVALID_REQUEST: params.objectId: is required");
    let stray = json!({ "projectId": session.project, "nam": "x" });
    let stray = call(&session.caller, "create_object", stray).await;
    let rules: Vec<&Value> = stray["structuredContent"]["details"]["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| &issue["path"])
        .collect();
    assert!(rules.contains(&&json!("params.nam")), "{stray}");

    let (code, said) = refused(&session.caller, "tools/call", json!({ "name": "none" })).await;
    assert_eq!(code, -32602);
    assert!(said.starts_with("There is no tool `none`.") && said.contains("default, all, account"), "{said}");
    let (code, said) = refused(&session.caller, "tools/call", json!({ "name": "update_status" })).await;
    assert_eq!(code, -32602);
    assert!(said.contains("of the toolset `teams`"), "{said}");
    let write =
        message(&session.caller, "?readonly=true", "tools/call", json!({ "name": "create_card" })).await;
    assert!(error(&write).1.contains("read-only"), "{write}");
    assert_eq!(refused(&session.caller, "tools/list", json!({ "cursor": "x" })).await.0, -32602);
    assert_eq!(refused(&session.caller, "logging/setLevel", json!({})).await.0, -32601);
    for method in [session.caller.get("/mcp").await, session.caller.delete("/mcp").await] {
        assert_eq!((method.status, method.header("allow")), (405, "POST"));
    }
    let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(session.caller.post("/mcp").json(begun).await.status, 202);
}

#[tokio::test]
async fn a_repeated_call_has_one_effect_and_the_audit_log_names_the_operation() {
    let session = ToolSession::own().await;
    let create = json!({
        "name": "create_object",
        "arguments": { "projectId": session.project, "name": "Tooth" },
        "_meta": { "idempotencyKey": "once" },
    });
    let first = result(&session.caller, "tools/call", create.clone()).await;
    let again = result(&session.caller, "tools/call", create).await;
    assert_eq!(again["structuredContent"], first["structuredContent"]);
    assert_eq!((&first["_meta"], &again["_meta"]["idempotencyReplayed"]), (&Value::Null, &json!(true)));
    let path = format!("/api/v2/projects/{}/audit", session.project);
    let logged = async || {
        let log = session.caller.get(&path).await.expect(200).json();
        let entries = log["entries"].as_array().unwrap();
        entries.iter().map(|entry| entry["operation"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    eventually_async("the call is in the log", async || logged().await.contains(&"createObject".to_owned()))
        .await;
    assert_eq!(logged().await, ["createObject", "createSession", "createProject"]);
}

#[tokio::test]
async fn objects_files_and_cards_are_resources() {
    let session = ToolSession::open().await;
    let root = format!("atelier://projects/{}", session.project);
    let listed = result(&session.caller, "resources/list", json!({})).await;
    assert_eq!(
        (&listed["resources"][0]["uri"], &listed["resources"][0]["name"]),
        (&json!(root), &json!("Gear"))
    );
    let title = listed["resources"][0]["title"].as_str().unwrap();
    assert!(title.starts_with("Gear (") && title.ends_with("/gear)"), "{title}");
    let templates = result(&session.caller, "resources/templates/list", json!({})).await;
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 4);

    let model = session.session.model().await;
    let upload = async |name: &str, bytes: Vec<u8>| {
        uploaded(&session.session.upload(&model, name, bytes).await.expect(200))["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let text = upload("notes.txt", b"Grind \xc3\xa9".to_vec()).await;
    let bytes = upload("teeth.bin", vec![0, 159, 146, 150]).await;
    let large = upload("large.bin", vec![7; TOO_LARGE]).await;
    let read = async |part: &str| {
        let mut read =
            result(&session.caller, "resources/read", json!({ "uri": format!("{root}{part}") })).await;
        read["contents"][0].take()
    };
    let tree: Value = serde_json::from_str(read("").await["text"].as_str().unwrap()).unwrap();
    assert!(tree["tree"].as_array().unwrap().iter().any(|node| node["id"] == json!(text)), "{tree}");
    let object = read(&format!("/objects/{text}")).await;
    assert!(object["text"].as_str().unwrap().contains("notes"), "{object}");
    assert_eq!(read(&format!("--main/objects/{text}")).await["text"], object["text"]);
    let file = read(&format!("/objects/{text}/file")).await;
    assert_eq!((&file["text"], &file["blob"]), (&json!("Grind é"), &Value::Null), "{file}");
    assert_eq!(read(&format!("/objects/{bytes}/file")).await["blob"], "AJ+Slg==");
    let note: Value =
        serde_json::from_str(read(&format!("/objects/{large}/file")).await["text"].as_str().unwrap())
            .unwrap();
    assert_eq!(note["sizeBytes"], TOO_LARGE);
    assert!(note["downloadUrl"].as_str().unwrap().contains(&large), "{note}");
    assert!(!note.to_string().contains("svc_gr_"), "{note}");
    let card =
        called(&session.caller, "create_card", json!({ "projectId": session.project, "name": "Lift" })).await;
    let card = read(&format!("/cards/{}", card["card"]["id"].as_str().unwrap())).await;
    assert!(card["text"].as_str().unwrap().contains("Lift"), "{card}");

    let of_project = format!("?project={}", session.project);
    let listed = message(&session.caller, &of_project, "resources/list", json!({})).await.expect(200).json();
    let uris: Vec<&Value> =
        listed["result"]["resources"].as_array().unwrap().iter().map(|one| &one["uri"]).collect();
    assert!(uris.contains(&&json!(format!("{root}/objects/{text}/file"))), "{listed}");

    let eve = session.deployment.operator().user("eve").await.key(&["projects:read"]).await;
    let hidden = refused(&eve, "resources/read", json!({ "uri": root })).await;
    let absent = format!("atelier://projects/{ABSENT_ID}");
    assert_eq!(hidden, refused(&eve, "resources/read", json!({ "uri": absent })).await);
    assert_eq!(hidden.0, -32002);
    let no_file = format!("{root}/objects/{model}/file");
    assert_eq!(refused(&session.caller, "resources/read", json!({ "uri": no_file })).await.0, -32002);
    assert_eq!(
        refused(&session.caller, "resources/read", json!({ "uri": "file:///etc/passwd" })).await.0,
        -32002
    );
    let cards = session.alice.key(&["cards:read"]).await;
    let (code, said) = refused(&cards, "resources/list", json!({})).await;
    assert!(code == -32000 && said.contains("projects:read"), "{said}");
}

#[tokio::test]
async fn prompts_are_offered_with_the_tools_that_they_use() {
    let session = ToolSession::open().await;
    let prompts = async |query: &str| {
        let listed = message(&session.caller, query, "prompts/list", json!({})).await.expect(200).json();
        names(listed["result"]["prompts"].as_array().unwrap())
    };
    let all = prompts("").await;
    assert_eq!(all.len(), 6, "{all:?}");
    assert_eq!(
        prompts("?toolsets=cards").await,
        BTreeSet::from(["plan_work".to_owned(), "triage_cards".to_owned()])
    );
    assert_eq!(
        prompts("?readonly=true").await,
        BTreeSet::from(["explain_project".to_owned(), "report_sprint".to_owned()])
    );
    let plan = json!({ "name": "plan_work", "arguments": { "projectId": session.project, "goal": "A quieter gear" } });
    let plan = result(&session.caller, "prompts/get", plan).await;
    let text = plan["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("A quieter gear") && text.contains(&session.project) && !text.contains('{'),
        "{text}"
    );
    for wrong in [
        json!({ "name": "none" }),
        json!({ "name": "plan_work", "arguments": { "projectId": session.project } }),
        json!({ "name": "plan_work", "arguments": { "projectId": session.project, "goal": "x", "more": "x" } }),
    ] {
        assert_eq!(refused(&session.caller, "prompts/get", wrong).await.0, -32602);
    }
}

#[tokio::test]
async fn a_client_without_a_credential_learns_where_to_sign_in() {
    let issuer = [
        ("ATELIER_OIDC_ISSUER", "https://login.example/".to_owned()),
        ("ATELIER_OIDC_AUDIENCE", "https://atelier.example/mcp".to_owned()),
        ("ATELIER_PUBLIC_URL", "https://atelier.example/".to_owned()),
    ];
    let deployment = Deployment::with(Options { environment: issuer.into(), ..Options::default() }).await;
    let ping = message(&deployment.anonymous(), "", "ping", json!({})).await.expect(401);
    let named = r#"resource_metadata="https://atelier.example/.well-known/oauth-protected-resource/mcp""#;
    assert_eq!(ping.header("www-authenticate"), format!("Bearer {named}"));
    let wrong =
        message(&deployment.anonymous().with("svc_ak_live_x"), "", "ping", json!({})).await.expect(401);
    assert_eq!(wrong.header("www-authenticate"), format!(r#"Bearer error="invalid_token", {named}"#));
    assert_eq!(deployment.anonymous().get("/api/v2/me").await.header("www-authenticate"), "Bearer");
    let metadata = async |path: &str| {
        deployment
            .anonymous()
            .get(&format!("/.well-known/oauth-protected-resource{path}"))
            .await
            .expect(200)
            .json()
    };
    let of_mcp = json!({
        "resource": "https://atelier.example/mcp",
        "authorization_servers": ["https://login.example/"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Atelier",
    });
    assert_eq!(metadata("/mcp").await, of_mcp);
    assert_eq!(metadata("").await["resource"], "https://atelier.example");

    let without = Deployment::start().await;
    let metadata =
        without.anonymous().get("/.well-known/oauth-protected-resource/mcp").await.expect(200).json();
    assert_eq!(metadata["resource"], "http://control.test/mcp");
    assert!(metadata.get("authorization_servers").is_none(), "{metadata}");
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_uses_mcp() {
    let origin = "https://app.example";
    let allowed = ("ATELIER_ALLOWED_ORIGINS", origin.to_owned());
    let deployment = Deployment::with(Options { environment: vec![allowed], ..Options::default() }).await;
    let session = ToolSession::on(deployment).await;
    let wanted = "authorization,content-type,mcp-protocol-version,mcp-session-id,x-mcp-toolsets";
    let asked =
        session.deployment.anonymous().request(reqwest::Method::OPTIONS, "/mcp").header("origin", origin);
    let asked = asked.header("access-control-request-method", "POST");
    let preflight = asked.header("access-control-request-headers", wanted).await.expect(204);
    assert_eq!(preflight.header("access-control-allow-headers"), wanted);
    let ping =
        || message(&session.caller, "", "ping", json!({})).header("mcp-protocol-version", "2025-11-25");
    let answer = ping().header("origin", origin).await.expect(200);
    assert_eq!(answer.header("access-control-allow-origin"), origin);
    assert!(answer.header("access-control-expose-headers").contains("WWW-Authenticate"));
    assert_snapshot!(ping().header("origin", "https://evil.example").await, @"403 FORBIDDEN");
}
