//! Tools of a project's MCP servers, and distrust of these servers.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command};

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::mcp_server::{Manner, McpServer, tools};
use testkit::model_server::{ModelServer, Reply};
use testkit::open_session::{eventually, eventually_async};
use testkit::seed::MANAGE_WITH_TEAMS;

use crate::tools::mcp::official_python;
use crate::tools::support::{ToolSession, invoke, structured, words};

/// A secret for the server, which no answer shows.
const SECRET: &str = "wiki-secret";

impl ToolSession {
    /// Opens a deployment that allows servers on this machine.
    async fn with_servers() -> Self {
        Self::on(Deployment::with(options()).await).await
    }

    fn servers(&self) -> String {
        format!("/api/v2/projects/{}/mcp-servers", self.project)
    }

    fn put(&self, name: &str, url: &str) -> Request {
        let body = json!({ "url": url, "headers": { "Authorization": format!("Bearer {SECRET}") } });
        self.caller.put(&format!("{}/{name}", self.servers())).json(body)
    }

    /// The tools of a toolbox that a caller gets.
    async fn toolbox(&self, caller: &Caller, toolbox: &str) -> Vec<Value> {
        let mut tools = self.tools(caller).await;
        tools.retain(|tool| tool["toolbox"] == toolbox);
        tools
    }
}

fn options() -> Options {
    Options { environment: vec![("ATELIER_MCP_SERVER_HOSTS", "127.0.0.1".to_owned())], ..Options::default() }
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// The message of a tool whose server is unusable.
fn unusable(answer: &Answer, name: &str) -> String {
    let said = words(answer);
    let why = said.strip_prefix(&format!("The MCP server `{name}` can't be used: "));
    why.unwrap_or_else(|| panic!("{said}")).to_owned()
}

#[tokio::test]
async fn a_servers_tools_join_the_session_for_all_callers_with_tools() {
    let (opened, server) = (ToolSession::with_servers().await, McpServer::start(Manner::Good).await);
    let put = opened.put("wiki", &server.url).await;
    assert_snapshot!(put, @r#"
    200 {
      "mcpServer": {
        "createdAt": "<time>",
        "headerNames": ["authorization"],
        "name": "wiki",
        "updatedAt": "<time>",
        "url": "<url 1>/mcp"
      }
    }
    "#);
    let listed = opened.toolbox(&opened.caller, "wiki").await;
    assert_eq!(names(&listed), ["fail", "refuse", "search"]);
    assert_eq!(
        (&listed[2]["title"], &listed[2]["inputSchema"]),
        (&json!("Search"), &tools()[0]["inputSchema"])
    );
    assert_eq!(
        listed[2]["annotations"],
        json!({ "readOnlyHint": true, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false })
    );
    let description = listed[2]["description"].as_str().unwrap();
    assert!(description.contains("`wiki`, which is not part of this service"), "{description}");

    let answer = opened.invoke("wiki", "search", json!({ "query": "gears" })).await.expect(200).json();
    assert_eq!(answer["content"]["text"], "All about gears\nThat is all.");
    assert_eq!(answer["content"]["parts"][1], json!({ "type": "text", "text": "That is all." }));
    // The server got the manager's secret header.
    assert_eq!(answer["structuredContent"], json!({ "page": "All about gears", "isKnown": true }));

    let mcp = async |method: &str, params: Value| {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let path = format!("{}/mcp", opened.session.path());
        opened.caller.post(&path).json(message).await.expect(200).json()["result"].clone()
    };
    // The server's tools follow those of the service, which may fill a page.
    let mut page = mcp("tools/list", json!({})).await;
    let has_search =
        |page: &Value| page["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "wiki__search");
    while !has_search(&page) && page["nextCursor"].is_string() {
        page = mcp("tools/list", json!({ "cursor": page["nextCursor"] })).await;
    }
    assert!(has_search(&page));
    let called =
        mcp("tools/call", json!({ "name": "wiki__search", "arguments": { "query": "gears" } })).await;
    assert_eq!(
        (&called["isError"], &called["structuredContent"]),
        (&json!(false), &answer["structuredContent"])
    );
    // Its list was fetched once.
    assert_eq!(server.count("tools/list"), 1);

    for path in [opened.servers(), format!("{}/wiki", opened.servers())] {
        let read = opened.caller.get(&path).await.expect(200);
        assert!(!String::from_utf8_lossy(&read.body).contains(SECRET));
    }
    assert!(!opened.deployment.control[0].output().contains(SECRET));
    opened.caller.delete(&format!("{}/wiki", opened.servers())).await.expect(200);
    assert_eq!(opened.toolbox(&opened.caller, "wiki").await, Vec::<Value>::new());
    assert_snapshot!(opened.invoke("wiki", "search", json!({})).await, @"404 TOOL_NOT_FOUND");
}

#[tokio::test]
async fn a_servers_refusal_is_passed_on_in_its_own_words() {
    let (opened, server) = (ToolSession::with_servers().await, McpServer::start(Manner::Good).await);
    opened.put("wiki", &server.url).await.expect(200);
    let failed = opened.invoke("wiki", "fail", json!({ "reason": "The wiki is closed." })).await;
    assert_eq!(words(&failed), "The wiki is closed.");
    assert_eq!(words(&opened.invoke("wiki", "refuse", json!({})).await), "this is no argument");
    assert_snapshot!(opened.invoke("wiki", "none", json!({})).await, @"404 TOOL_NOT_FOUND");
    server.behave(Manner::Huge(2 * 1024 * 1024));
    let huge = opened.invoke("wiki", "search", json!({})).await;
    assert_eq!(unusable(&huge, "wiki"), "it answered more than 1 MiB.");
}

#[tokio::test]
async fn a_faulty_server_loses_only_its_own_toolbox() {
    let (opened, good) = (ToolSession::with_servers().await, McpServer::start(Manner::Good).await);
    opened.put("good", &good.url).await.expect(200);
    let elsewhere = McpServer::start(Manner::Good).await;
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let to = elsewhere.url.clone();
    let redirects = format!("it redirects to {to} (307), which is not followed.");
    let unreached = "it can't be reached, or does not speak the protocol.";
    let mut bad = vec![("closed", format!("http://{closed}/mcp"), unreached)];
    for (name, manner, why) in [
        ("hangs", Manner::Hangs, "it did not answer in time."),
        ("endless", Manner::Endless, ""),
        ("redirects", Manner::Redirects(to), redirects.as_str()),
        ("refuses", Manner::Status("401 Unauthorized"), "it wants other credentials than its headers (401)."),
        ("absent", Manner::Status("404 Not Found"), "there is no MCP server at its address (404)."),
        ("broken", Manner::Status("503 Service Unavailable"), "it answered with status 503."),
        ("newer", Manner::Speaks("2030-01-01"), "it speaks other revisions of the protocol: 2030-01-01."),
        ("garbage", Manner::Garbage, unreached),
        ("confuses", Manner::Confuses, ""),
    ] {
        let server = McpServer::start(manner).await;
        bad.push((name, server.url.clone(), why));
    }
    for (name, url, _) in &bad {
        opened.put(name, url).await.expect(200);
    }
    let listed = opened.listed(&opened.caller).await;
    for tool in ["good/search", "project/get_tree"] {
        assert!(listed.contains(&tool.to_owned()), "{listed:?}");
    }
    for (name, _, why) in &bad {
        assert!(!listed.iter().any(|tool| tool.starts_with(&format!("{name}/"))), "{listed:?}");
        let said = unusable(&opened.invoke(name, "search", json!({})).await, name);
        assert!(said == *why || why.is_empty(), "{name}: {said}");
        let tools = opened.caller.get(&format!("{}/tools", opened.session.path())).await.expect(200).json();
        let left_out = tools["leftOut"].as_array().unwrap();
        let told = left_out.iter().find(|left| left["toolbox"] == *name).unwrap();
        assert_eq!((&told["reason"], &told["name"]), (&json!("server_unusable"), &json!("")));
    }
    // Redirects are not followed, so their targets get no secret.
    assert_eq!(elsewhere.asked().len(), 0);
    opened.invoke("good", "search", json!({})).await.expect(200);
}

#[tokio::test]
async fn a_server_of_the_newest_revision_is_used_without_initialize() {
    let (opened, server) = (ToolSession::with_servers().await, McpServer::start(Manner::Modern).await);
    opened.put("wiki", &server.url).await.expect(200);
    assert_eq!(names(&opened.toolbox(&opened.caller, "wiki").await), ["fail", "refuse", "search"]);
    let answer = opened.invoke("wiki", "search", json!({ "query": "gears" })).await.expect(200).json();
    assert_eq!(answer["content"]["text"], "All about gears\nThat is all.");
    assert_eq!((server.count("initialize"), server.count("tools/call")), (0, 1));
}

#[tokio::test]
async fn a_servers_list_is_limited_and_can_not_shadow_a_tool_of_the_service() {
    let session = ToolSession::with_servers().await;
    let of = |name: &str, schema: Value| json!({ "name": name, "description": "d", "inputSchema": schema });
    let object = json!({ "type": "object" });
    let mut listed = vec![
        of("pages/søk", object.clone()),
        of("pages søk", object.clone()),
        of("project__get_tree", object.clone()),
        of("../..", object.clone()),
        of("text", json!({ "type": "string" })),
        of("large", json!({ "type": "object", "description": "x".repeat(20_000) })),
        of(&"long".repeat(100), object.clone()),
        // Without a schema, which the protocol's library takes for no list at all.
        json!({ "name": "bare" }),
    ];
    let server = McpServer::start(Manner::Lists(json!(listed))).await;
    session.put("wiki", &server.url).await.expect(200);
    let own = session.listed(&session.caller).await.len();
    let believed = session.toolbox(&session.caller, "wiki").await;
    let long: String = "long".repeat(100).chars().take(64 - "wiki__".len()).collect();
    assert_eq!(names(&believed), [long.as_str(), "pages_s_k", "project__get_tree"]);
    let tools = session.caller.get(&format!("{}/tools", session.session.path())).await.expect(200).json();
    let left_out = tools["leftOut"].as_array().unwrap();
    let reasons: Vec<String> =
        left_out.iter().map(|left| format!("{} {}", left["name"], left["reason"]).replace('"', "")).collect();
    assert_eq!(
        reasons,
        [
            "pages søk name_taken",
            "../.. no_name",
            "text no_schema",
            "large schema_too_large",
            "bare no_schema"
        ]
    );
    assert_eq!((&left_out[0]["detail"], &left_out[0]["toolbox"]), (&json!("pages/søk"), &json!("wiki")));
    // The tool of that name is still the service's own.
    let tree = session.invoke("project", "get_tree", json!({})).await.expect(200);
    assert!(structured(&tree)["tree"].is_array());
    assert_eq!(server.count("tools/call"), 0);

    listed = (0..1_000).map(|n| of(&format!("tool-{n}"), object.clone())).collect();
    let many = McpServer::start(Manner::Lists(json!(listed))).await;
    session.put("many", &many.url).await.expect(200);
    assert_eq!(session.toolbox(&session.caller, "many").await.len(), 128);
    assert_eq!(session.listed(&session.caller).await.len(), own + 128);
    let tools = session.caller.get(&format!("{}/tools", session.session.path())).await.expect(200).json();
    let left_out = tools["leftOut"].as_array().unwrap();
    let beyond: Vec<&Value> = left_out.iter().filter(|left| left["reason"] == "beyond_models").collect();
    // A toolbox is given as a whole, or not at all.
    let whole = json!({ "toolbox": "many", "name": "", "reason": "beyond_models", "detail": "128 tools" });
    assert_eq!(beyond, [&whole]);
}

#[tokio::test]
async fn a_server_must_be_on_the_public_internet_unless_the_deployment_allows_others() {
    let (opened, server) = (ToolSession::own().await, McpServer::start(Manner::Good).await);
    for private in [
        "https://127.0.0.1/mcp",
        "https://2130706433/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "http://mcp.example/",
        &server.url,
    ] {
        assert_eq!(
            opened.put("wiki", private).await.to_string(),
            "400 INVALID_REQUEST body.url reserved",
            "{private}"
        );
    }
    // A name is resolved on use.
    opened.put("wiki", &server.url.replace("http://127.0.0.1", "https://localhost")).await.expect(200);
    let why = "it can't be reached, or does not speak the protocol.";
    assert_eq!(unusable(&opened.invoke("wiki", "search", json!({})).await, "wiki"), why);
    // The deployment no longer allows the address.
    let client = opened.deployment.database.connect().await;
    let moved = "update mcp_servers set revision = gen_random_uuid(), url = $1";
    client.execute(moved, &[&server.url]).await.unwrap();
    assert_eq!(
        unusable(&opened.invoke("wiki", "search", json!({})).await, "wiki"),
        "its address is not allowed here."
    );
    assert_eq!(server.asked().len(), 0);
}

#[tokio::test]
async fn readers_of_the_project_have_no_tools_of_its_servers() {
    let (opened, server) = (ToolSession::with_servers().await, McpServer::start(Manner::Good).await);
    opened.put("wiki", &server.url).await.expect(200);
    let viewer = opened.deployment.operator().user("viewer").await;
    opened.deployment.operator().add_member(&viewer, "--project", &opened.project, "viewer").await;
    for reader in
        [opened.alice.key(&["projects:read", "cards:manage"]).await, viewer.key(MANAGE_WITH_TEAMS).await]
    {
        assert_eq!(opened.toolbox(&reader, "wiki").await, Vec::<Value>::new());
        let unknown = invoke(&reader, &opened.session, "wiki", "none", json!({})).await;
        let refused = invoke(&reader, &opened.session, "wiki", "search", json!({})).await;
        assert_eq!((refused.status, &refused.body), (404, &unknown.body));
    }
    // No server was contacted for a caller without the permission.
    assert_eq!(server.asked().len(), 0);
}

#[tokio::test]
async fn only_managers_change_the_servers_of_a_project() {
    let session = ToolSession::own().await;
    let url = "https://mcp.example/mcp";
    let at = |name: &str| format!("{}/{name}", session.servers());
    let editor = session.deployment.operator().user("editor").await;
    session.deployment.operator().add_member(&editor, "--project", &session.project, "editor").await;
    let editor = editor.key(MANAGE_WITH_TEAMS).await;
    assert_snapshot!(editor.get(&session.servers()).await, @"403 FORBIDDEN");
    assert_snapshot!(editor.put(&at("wiki")).json(json!({ "url": url })).await, @"403 FORBIDDEN");

    for own in ["project", "cards", "teams", "files", "code"] {
        assert_eq!(session.put(own, url).await.to_string(), "400 INVALID_REQUEST path.serverName reserved");
    }
    assert_snapshot!(session.put("Wiki", url).await, @"400 INVALID_REQUEST path.serverName pattern");
    let put = |body: Value| session.caller.put(&at("wiki")).json(body);
    assert_snapshot!(
        put(json!({ "url": "https://user:pass@mcp.example" })).await,
        @"400 INVALID_REQUEST body.url format"
    );
    assert_snapshot!(
        put(json!({ "url": url, "headers": { "Host": "x" } })).await,
        @"400 INVALID_REQUEST body.headers syntax"
    );
    let odd = put(json!({ "url": url, "headers": { "X-Key": [SECRET] } })).await;
    assert!(!String::from_utf8_lossy(&odd.expect(400).body).contains(SECRET));
    assert_snapshot!(session.caller.get(&at("wiki")).await, @"404 NOT_FOUND");
    assert_snapshot!(session.caller.delete(&at("wiki")).await, @"404 NOT_FOUND");

    session.put("wiki", url).await.expect(200);
    let read = session.caller.get(&at("wiki")).await.expect(200);
    let again = session.caller.get(&at("wiki")).header("if-none-match", read.header("etag"));
    assert_eq!(again.await.status, 304);
    // Changing the address drops the secret headers.
    let moved = put(json!({ "url": "https://other.example/" })).await.expect(200).json();
    assert_eq!(moved["mcpServer"]["headerNames"], json!([]));
    let kept = "select count(*) from mcp_servers where name = 'wiki' and sealed_headers is not null";
    assert_eq!(session.deployment.database.count(kept).await, 0);

    for n in 1..16 {
        session.put(&format!("wiki-{n:02}"), url).await.expect(200);
    }
    assert_snapshot!(session.put("one-more", url).await, @"409 MCP_SERVER_LIMIT_REACHED");
    session.put("wiki-01", url).await.expect(200);
    let first = session.caller.get(&format!("{}?limit=10", session.servers())).await.expect(200);
    let next = format!("{}?limit=10&cursor={}", session.servers(), first.text("/meta/nextCursor"));
    let second = session.caller.get(&next).await.expect(200).json();
    let listed = [first.json(), second].map(|page| page["mcpServers"].as_array().unwrap().clone()).concat();
    assert_eq!(
        (listed.len(), &listed[0]["name"], &listed[15]["name"]),
        (16, &json!("wiki"), &json!("wiki-15"))
    );
}

#[tokio::test]
async fn an_agent_uses_a_servers_tool() {
    let calls =
        vec![("wiki__search", json!({ "query": "gears" })), ("wiki__fail", json!({ "reason": "Closed." }))];
    let model = ModelServer::start(vec![Reply::Calls(calls), Reply::Text("Read.")]).await;
    let options = Options { models: Some(model.models()), ..options() };
    let (opened, server) =
        (ToolSession::on(Deployment::with(options).await).await, McpServer::start(Manner::Good).await);
    opened.put("wiki", &server.url).await.expect(200);
    let prompt =
        opened.caller.post(&format!("{}/prompt", opened.session.path())).json(json!({ "prompt": "Read." }));
    prompt.await.expect(202);
    let becomes = async |status: &str| {
        eventually_async(status, async || {
            opened.caller.get(&opened.session.path()).await.text("/session/status") == status
        })
        .await;
    };
    // The second call would send out after the answer of the first.
    becomes("paused").await;
    let approvals = format!("{}/approvals", opened.session.path());
    let question = opened.caller.get(&approvals).await.expect(200).text("/approvals/0/approvalId");
    let approve = json!({ "decision": "approve" });
    opened.caller.post(&format!("{approvals}/{question}")).json(approve).await.expect(200);
    becomes("completed").await;
    let asked = model.asked();
    let offered = asked[0].body["tools"].as_array().unwrap();
    assert!(offered.iter().any(|tool| tool["function"]["name"] == "wiki__search"));
    let heard = asked[1].body["messages"].to_string();
    assert!(heard.contains("All about gears") && heard.contains("Closed."), "{heard}");
    assert!(!heard.contains(SECRET));
}

/// A program that ends with the test.
struct ServerProcess(Child);

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

#[tokio::test]
async fn a_server_with_the_official_python_library_works() {
    let Some((folder, python)) = official_python() else { return };
    let script = folder.join("server.py");
    std::fs::write(&script, include_str!("mcp/server.py")).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let running = Command::new(Path::new(&python)).arg(&script).arg(port.to_string()).spawn().unwrap();
    let _running = ServerProcess(running);
    eventually("the server listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()).await;
    let session = ToolSession::with_servers().await;
    session.put("wiki", &format!("http://127.0.0.1:{port}/mcp")).await.expect(200);
    let listed = session.toolbox(&session.caller, "wiki").await;
    assert_eq!(names(&listed), ["fail", "search"]);
    assert_eq!(listed[1]["annotations"]["readOnlyHint"], true);
    let answer = session.invoke("wiki", "search", json!({ "query": "gears" })).await.expect(200);
    assert_eq!(structured(&answer)["page"], "All about gears");
    let failed = words(&session.invoke("wiki", "fail", json!({ "reason": "The wiki is closed." })).await);
    assert!(failed.contains("The wiki is closed."), "{failed}");
}

#[tokio::test]
async fn headers_are_encrypted_in_the_database_and_bound_to_their_address() {
    let (opened, server) = (ToolSession::with_servers().await, McpServer::start(Manner::Good).await);
    opened.put("wiki", &server.url).await.expect(200);
    let open = format!(
        "select count(*) from mcp_servers m where m::text like '%{SECRET}%' \
         or position('{SECRET}'::bytea in sealed_headers) > 0"
    );
    assert_eq!(opened.deployment.database.count(&open).await, 0);
    let elsewhere = McpServer::start(Manner::Good).await;
    let moved = format!("update mcp_servers set url = '{}', revision = gen_random_uuid()", elsewhere.url);
    opened.deployment.database.connect().await.batch_execute(&moved).await.unwrap();
    let refused = opened.invoke("wiki", "search", json!({ "query": "gears" })).await;
    assert_eq!(
        unusable(&refused, "wiki"),
        "its headers were sealed with another key: save the server again."
    );
    assert_eq!(elsewhere.count("initialize"), 0);
    opened.put("wiki", &elsewhere.url).await.expect(200);
    opened.invoke("wiki", "search", json!({ "query": "gears" })).await.expect(200);
}

#[tokio::test]
async fn without_an_encryption_key_a_deployment_accepts_servers_without_headers() {
    let session =
        ToolSession::on(Deployment::with(Options { seals_secrets: false, ..options() }).await).await;
    let url = "https://mcp.example/mcp";
    assert_snapshot!(session.put("wiki", url).await, @"400 INVALID_REQUEST body.headers unsupported");
    session.caller.put(&format!("{}/wiki", session.servers())).json(json!({ "url": url })).await.expect(200);
}
