//! Answer a message of an MCP client, with the rights of the caller.

use std::collections::BTreeSet;

use agent::mcp::{self, CallParams, RpcFailure, RpcMessage, revision};
use agent::tools::{ALL, ClientCall, ClientTool, ClientTools, DEFAULT, ToolChoice};
use api::work::mcp::{MESSAGE_LIMIT_BYTES, TOOLSETS, UseMcp, UseMcpQuery};
use auth::actor::{Actor, Authenticated};
use domain::{Code, Result};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use store::Call;
use wire::{JsonAs, Request};

use crate::app::App;
use crate::routes::work::mcp::choice;
use crate::routes::work::mcp::prompts;
use crate::routes::work::mcp::resources::{self, Reader};
use crate::routes::work::mcp::transport::{self, McpResponse};

/// Answers a message of an MCP client.
pub async fn handle(
    app: App,
    request: Request<Authenticated, UseMcp, JsonAs<Value, RpcMessage, MESSAGE_LIMIT_BYTES>>,
) -> Result<McpResponse> {
    transport::check(&request.head, &request.body.value, &app.origins)?;
    let choice = choice::of_request(&request.query, &request.head, &app.client_tools.toolsets())?;
    let client = Client { app: &app, call: &request.call, choice, query: &request.query };
    let work = async |method: &str, params: Map<String, Value>| client.answer(method, params).await;
    let headers = transport::headers(&request.head);
    Ok(McpResponse(mcp::respond(request.body.value, headers, work).await?))
}

/// The client of a message.
struct Client<'a> {
    app: &'a App,
    call: &'a Call<Authenticated>,
    choice: ToolChoice,
    query: &'a UseMcpQuery,
}

impl Client<'_> {
    async fn answer(&self, method: &str, params: Map<String, Value>) -> Result<Box<RawValue>, RpcFailure> {
        match method {
            "initialize" => mcp::result(&mcp::initialized(&params, capabilities(), &self.instructions())),
            revision::DISCOVER => mcp::result(&revision::discovered(capabilities(), &self.instructions())),
            "ping" => mcp::result(&json!({})),
            "tools/list" => mcp::page("tools", &self.tools(), |tool| tool.name.clone(), &params),
            "tools/call" => self.call_tool(params).await,
            "resources/list" => self.reader().list(self.query.project.as_ref(), &params).await,
            "resources/templates/list" => mcp::result(&resources::templates()),
            "resources/read" => self.reader().read(&params).await,
            "prompts/list" => prompts::list(&self.tool_names()),
            "prompts/get" => prompts::get(&self.tool_names(), &params),
            _ => Err(RpcFailure::no_method(method)),
        }
    }

    async fn call_tool(&self, params: Map<String, Value>) -> Result<Box<RawValue>, RpcFailure> {
        let CallParams { name, arguments, idempotency_key } = CallParams::read(params)?;
        let call = ClientCall {
            actor: self.actor().clone(),
            tool: name,
            arguments,
            idempotency_key,
            now: self.call.now,
            request_id: self.call.request_id.clone(),
        };
        match self.app.client_tools.call(self.app, &self.choice, call).await {
            Ok(answer) => {
                mcp::called(&answer.content, Some(&answer.structured), answer.is_error, answer.replayed)
            }
            Err(error) if error.code == Code::ToolNotFound => Err(RpcFailure::invalid_params(format!(
                "{error} Toolsets are chosen by the header `{}` or the parameter `toolsets`: {}.",
                TOOLSETS.0,
                self.app.client_tools.toolsets().join(", ")
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// The instructions for models: how to begin, and which toolsets there are.
    fn instructions(&self) -> String {
        let tools = self.tools();
        let offered: BTreeSet<&str> = tools.iter().map(|tool| tool.toolset).collect();
        let read_only = if self.choice.read_only { " This connection is read-only." } else { "" };
        format!(
            "Atelier holds projects (versioned objects and files, cards) and teams with boards and sprints. Find ids \
             with list_projects and list_organizations. Where a tool takes a projectId, {{projectId}}--{{branch}} \
             selects another branch than the default one. Objects, files and cards are resources, too. {} tools are \
             offered, of the toolsets {}.{read_only} There are the toolsets {}. The header {} or the parameter \
             toolsets of the URL chooses them; {ALL} has every tool.",
            tools.len(),
            Vec::from_iter(offered).join(", "),
            described(&self.app.client_tools),
            TOOLSETS.0,
        )
    }

    fn tools(&self) -> Vec<&ClientTool> {
        self.app.client_tools.list(&self.choice, self.actor())
    }

    fn tool_names(&self) -> BTreeSet<&str> {
        self.tools().into_iter().map(|tool| tool.name.as_str()).collect()
    }

    fn reader(&self) -> Reader<'_> {
        Reader { app: self.app, actor: self.actor(), now: self.call.now, request_id: &self.call.request_id }
    }

    fn actor(&self) -> &Actor {
        &self.call.actor
    }
}

fn capabilities() -> Value {
    json!({
        "tools": { "listChanged": false },
        "resources": { "listChanged": false, "subscribe": false },
        "prompts": { "listChanged": false },
    })
}

/// The toolsets with the numbers of their tools.
fn described(tools: &ClientTools<App>) -> String {
    let count = |name: &str| {
        let is_in = |tool: &&ClientTool| match name {
            DEFAULT => tool.everyday,
            ALL => true,
            name => tool.toolset == name,
        };
        tools.all().iter().filter(is_in).count()
    };
    let names = tools.toolsets().into_iter().map(|name| format!("{name} ({})", count(name)));
    names.collect::<Vec<_>>().join(", ")
}
