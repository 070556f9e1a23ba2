//! An MCP server over Streamable HTTP, correct or faulty as the test requires.

#![expect(clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::stub::{Heard, StubRequest, listen};

/// The behaviour of the server.
#[derive(Clone, Debug)]
pub enum Manner {
    /// Correct.
    Good,
    /// Correct, with these tools.
    Lists(Value),
    /// Accepts requests and never answers.
    Hangs,
    /// Redirects to this URL.
    Redirects(String),
    /// Sends endless responses.
    Endless,
    /// Sends responses that are not JSON.
    Garbage,
    /// Answers with the ids of other requests.
    Confuses,
    /// Returns tool results of this many bytes.
    Huge(usize),
    /// Correct, with these results of its tools by name.
    Answers(Value),
    /// Speaks revision 2026-07-28 alone, which has no `initialize`.
    Modern,
    /// Refuses every revision but this one.
    Speaks(&'static str),
    /// Answers with this status.
    Status(&'static str),
}

/// A running server, stopped with the test's runtime.
#[derive(Clone)]
pub struct McpServer {
    /// Its URL.
    pub url: String,
    manner: Arc<Mutex<Manner>>,
    heard: Heard,
}

impl McpServer {
    /// Starts a server.
    pub async fn start(manner: Manner) -> Self {
        let mut server =
            Self { url: String::new(), manner: Arc::new(Mutex::new(manner)), heard: Heard::default() };
        let serving = server.clone();
        let address = listen(move |stream| {
            let serving = serving.clone();
            async move {
                let _gone = serving.serve(stream).await;
            }
        });
        server.url = format!("{}/mcp", address.await);
        server
    }

    /// Changes the behaviour from now on.
    pub fn behave(&self, manner: Manner) {
        *self.manner.lock() = manner;
    }

    /// The requests received so far.
    pub fn asked(&self) -> Vec<StubRequest> {
        self.heard.all()
    }

    /// Number of requests with this method.
    pub fn count(&self, method: &str) -> usize {
        self.asked().iter().filter(|asked| asked.body["method"] == method).count()
    }

    async fn serve(&self, mut stream: BufReader<TcpStream>) -> std::io::Result<()> {
        let Some(asked) = self.heard.request(&mut stream).await? else { return Ok(()) };
        let StubRequest { head, body, .. } = asked;
        if !head.starts_with("post ") {
            return answer(&mut stream, "405 Method Not Allowed", "", "").await;
        }
        let manner = self.manner.lock().clone();
        match &manner {
            Manner::Hangs => return std::future::pending().await,
            Manner::Redirects(to) => {
                return answer(&mut stream, "307 Temporary Redirect", &format!("location: {to}\r\n"), "")
                    .await;
            }
            Manner::Endless => {
                stream
                    .write_all(
                        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
                          {\"a\":\"",
                    )
                    .await?;
                loop {
                    stream.write_all(&[b'x'; 65_536]).await?;
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
            Manner::Status(status) => return answer(&mut stream, status, "", "").await,
            Manner::Garbage => return answer(&mut stream, "200 OK", JSON, "<html>no").await,
            _ => {}
        }
        if body["id"].is_null() {
            return answer(&mut stream, "202 Accepted", "", "").await;
        }
        let id = if matches!(manner, Manner::Confuses) { json!(4711) } else { body["id"].clone() };
        let supported = match &manner {
            Manner::Modern if !is_modern(&body, &head) => Some("2026-07-28"),
            Manner::Speaks(version) => Some(*version),
            _ => None,
        };
        if let Some(version) = supported {
            let error = json!({
                "code": -32022, "message": "unsupported version", "data": { "supported": [version], "requested": "" },
            });
            let said = json!({ "jsonrpc": "2.0", "id": id, "error": error });
            return answer(&mut stream, "400 Bad Request", JSON, &said.to_string()).await;
        }
        let said = match result(&manner, &body, &head) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(message) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32602, "message": message } })
            }
        };
        answer(&mut stream, "200 OK", JSON, &said.to_string()).await
    }
}

const JSON: &str = "content-type: application/json\r\n";

async fn answer(
    stream: &mut BufReader<TcpStream>,
    status: &str,
    headers: &str,
    body: &str,
) -> std::io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

fn result(manner: &Manner, asked: &Value, head: &str) -> Result<Value, &'static str> {
    let modern = |field: &str, value: Value| {
        let capabilities = json!({ "tools": {} });
        json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "capabilities": capabilities, field: value,
        })
    };
    match (asked["method"].as_str().unwrap_or_default(), manner) {
        ("server/discover", Manner::Modern) => Ok(modern("supportedVersions", json!(["2026-07-28"]))),
        ("tools/list", Manner::Modern) => Ok(modern("tools", tools())),
        ("initialize", Manner::Modern) => Err("no such method"),
        ("tools/list", Manner::Answers(results)) => {
            let names = results.as_object().into_iter().flat_map(|results| results.keys());
            let tool = |name: &String| json!({ "name": name, "inputSchema": { "type": "object" } });
            Ok(json!({ "tools": names.map(tool).collect::<Vec<_>>() }))
        }
        ("tools/call", Manner::Answers(results)) => {
            Ok(results[asked["params"]["name"].as_str().unwrap_or_default()].clone())
        }
        ("initialize", _) => Ok(json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "stub", "version": "1" },
        })),
        ("tools/list", Manner::Lists(tools)) => Ok(json!({ "tools": tools })),
        ("tools/list", _) => Ok(json!({ "tools": tools() })),
        ("tools/call", Manner::Huge(bytes)) => {
            Ok(json!({ "content": [{ "type": "text", "text": "x".repeat(*bytes) }] }))
        }
        ("tools/call", _) => called(&asked["params"], head),
        _ => Err("no such method"),
    }
}

/// True for a request of revision 2026-07-28, by header and metadata.
fn is_modern(asked: &Value, head: &str) -> bool {
    let meta = &asked["params"]["_meta"];
    let method = asked["method"].as_str().unwrap_or_default();
    head.contains("mcp-protocol-version: 2026-07-28")
        && head.contains(&format!("mcp-method: {method}"))
        && meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
        && meta["io.modelcontextprotocol/clientCapabilities"].is_object()
}

/// The tools of a correct server.
pub fn tools() -> Value {
    let of_text = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } } });
    json!([
        { "name": "search", "title": "Search", "description": "Finds pages.", "inputSchema": of_text("query"),
          "annotations": { "readOnlyHint": true, "destructiveHint": false, "openWorldHint": false } },
        { "name": "fail", "description": "Fails.", "inputSchema": of_text("reason") },
        { "name": "refuse", "description": "Refuses.", "inputSchema": of_text("reason") },
    ])
}

fn called(params: &Value, head: &str) -> Result<Value, &'static str> {
    let arguments = &params["arguments"];
    match params["name"].as_str().unwrap_or_default() {
        "search" => {
            let page = format!("All about {}", arguments["query"].as_str().unwrap_or("nothing"));
            let is_known = head.contains("authorization: bearer wiki-secret");
            Ok(json!({
                "content": [{ "type": "text", "text": page }, { "type": "text", "text": "That is all." }],
                "structuredContent": { "page": page, "isKnown": is_known },
            }))
        }
        "fail" => Ok(json!({
            "content": [{ "type": "text", "text": arguments["reason"] }],
            "isError": true,
        })),
        "refuse" => Err("this is no argument"),
        _ => Err("no such tool"),
    }
}
