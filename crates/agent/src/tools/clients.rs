//! The tools of MCP clients without a session: operations with all of their parameters, in toolsets of which a client
//! chooses. They act with the rights of the caller, as the operations do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use auth::actor::Actor;
use domain::error::{Location, Refusal};
use domain::people::permission::Permission;
use domain::time::Timestamp;
use domain::work::tool::Annotations;
use domain::{Code, Error, Result};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use store::Outcome;
use wire::{Authenticate, Invocation, LocalOperation};

use crate::tools::arguments::OperationInput;
use crate::tools::catalog::{annotations, snake_case};
use crate::tools::compact::compact;
use crate::tools::executor::run;
use crate::tools::schema::{self, Parameters};
use crate::tools::{Content, structured, text};

/// The toolset of the everyday tools. Clients that choose no toolset get it.
pub const DEFAULT: &str = "default";
/// The toolset of all tools.
pub const ALL: &str = "all";

/// The tools of MCP clients, and the operations behind them, made when they are first asked for. Cheap to clone.
pub struct ClientTools<App>(Arc<LazyLock<State<App>, MakeState<App>>>);

type MakeState<App> = Box<dyn FnOnce() -> State<App> + Send>;

struct State<App> {
    tools: Vec<ClientTool>,
    /// All operations of the plane, by id.
    operations: BTreeMap<&'static str, LocalOperation<App>>,
}

/// A tool, as `tools/list` shows it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientTool {
    /// Unique among all tools.
    pub name: String,
    title: &'static str,
    description: String,
    input_schema: Map<String, Value>,
    annotations: Annotations,
    /// The toolset.
    #[serde(skip)]
    pub toolset: &'static str,
    /// True if it is in the toolset [`DEFAULT`], too.
    #[serde(skip)]
    pub everyday: bool,
    #[serde(skip)]
    operation: &'static str,
    #[serde(skip)]
    permission: Option<Permission>,
    #[serde(skip)]
    parameters: Parameters,
}

/// The tools that a client has chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolChoice {
    /// Names of toolsets, [`DEFAULT`] and [`ALL`] among them. Without any, the client has [`DEFAULT`].
    pub toolsets: BTreeSet<String>,
    /// True if it has chosen no tools but those that only read.
    pub read_only: bool,
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct ClientCall {
    /// The caller.
    pub actor: Actor,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// As the header `Idempotency-Key`: a repeat answers the first result.
    pub idempotency_key: Option<String>,
    /// The time of the call.
    pub now: Timestamp,
    /// The id of the request.
    pub request_id: String,
}

/// The answer of a tool, or its refusal.
#[derive(Clone, Debug)]
pub struct ClientAnswer {
    /// True if the tool refused.
    pub is_error: bool,
    /// True if this is the answer to an earlier call with the same idempotency key.
    pub replayed: bool,
    /// The answer for models and people.
    pub content: Content,
    /// The answer for programs.
    pub structured: Box<RawValue>,
}

impl<App: Authenticate> State<App> {
    fn of(operations: Vec<LocalOperation<App>>) -> Self {
        let tools = operations.iter().filter_map(ClientTool::of).collect();
        let operations =
            operations.into_iter().map(|operation| (operation.route.operation_id, operation)).collect();
        Self { tools, operations }
    }
}

impl<App: Authenticate> ClientTools<App> {
    /// The tools among the operations of a plane.
    pub fn new(operations: Vec<LocalOperation<App>>) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(|| State::of(operations)))))
    }

    /// All tools, in the order of the operations.
    pub fn all(&self) -> &[ClientTool] {
        &self.0.tools
    }

    /// The names that a choice can have: [`DEFAULT`], [`ALL`], and the toolsets in the order of their first tools.
    pub fn toolsets(&self) -> Vec<&'static str> {
        let mut names = vec![DEFAULT, ALL];
        for tool in &self.0.tools {
            if !names.contains(&tool.toolset) {
                names.push(tool.toolset);
            }
        }
        names
    }

    /// The chosen tools that the actor's credential allows. A role on a project or team is checked by each call.
    pub fn list(&self, choice: &ToolChoice, actor: &Actor) -> Vec<&ClientTool> {
        let is_allowed =
            |tool: &&ClientTool| tool.permission.is_none_or(|permission| actor.ceiling.contains(permission));
        self.0.tools.iter().filter(|tool| choice.has(tool)).filter(is_allowed).collect()
    }

    /// Calls a tool. A refusal is an answer too.
    ///
    /// # Errors
    /// `TOOL_NOT_FOUND` for a tool that is unknown or not chosen; `UNAVAILABLE`, `INTERNAL_ERROR`.
    pub async fn call(&self, app: &App, choice: &ToolChoice, call: ClientCall) -> Result<ClientAnswer> {
        let ClientCall { actor, tool, arguments, idempotency_key, now, request_id } = call;
        let tool = self.find(choice, &tool)?;
        let OperationInput { path, query, body } = match tool.parameters.distribute(arguments, |_| Ok(None)) {
            Ok(input) => input,
            Err(error) => return ClientAnswer::refused(error),
        };
        let invocation = Invocation { actor, path, query, body, now, request_id, idempotency_key };
        match self.invoke(app, tool.operation, invocation).await {
            Ok(answer) => ClientAnswer::answered(answer),
            Err(error) if matches!(error.code, Code::InternalError | Code::Unavailable) => Err(error),
            Err(error) => ClientAnswer::refused(error),
        }
    }

    /// Runs an operation of the plane, which may be no tool.
    ///
    /// # Errors
    /// Those of the operation; `TOOL_TIMEOUT`.
    pub async fn invoke(
        &self,
        app: &App,
        operation: &'static str,
        invocation: Invocation,
    ) -> Result<Outcome<Box<RawValue>>> {
        let operation = self.0.operations.get(operation);
        let operation = operation.ok_or_else(|| Error::internal("an operation is not in the table"))?;
        run(operation, app, invocation).await
    }

    /// Finds a chosen tool. Which tools exist is public, so a refusal says what would offer the tool.
    fn find(&self, choice: &ToolChoice, name: &str) -> Result<&ClientTool> {
        let refused = |why: String| Err(Error::new(Code::ToolNotFound, why));
        match self.0.tools.iter().find(|tool| tool.name == name) {
            Some(tool) if choice.has(tool) => Ok(tool),
            Some(tool) if choice.read_only && !tool.annotations.read_only_hint => {
                refused(format!("The tool `{name}` changes data, and this connection is read-only."))
            }
            Some(tool) => {
                let toolset = tool.toolset;
                refused(format!("The tool `{name}` is of the toolset `{toolset}`, which is not chosen."))
            }
            None => refused(format!("There is no tool `{name}`.")),
        }
    }
}

impl<App> Clone for ClientTools<App> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl ClientTool {
    fn of<App>(operation: &LocalOperation<App>) -> Option<Self> {
        let route = &operation.route;
        let toolset = route.toolset()?;
        let schemas = operation.schemas();
        Some(Self {
            name: snake_case(route.operation_id),
            title: route.summary,
            description: operation.description.split_whitespace().collect::<Vec<_>>().join(" "),
            input_schema: compact(schema::input(&schemas, &[])),
            annotations: annotations(route),
            toolset,
            everyday: route.everyday,
            operation: route.operation_id,
            permission: route.permission,
            parameters: schema::parameters(&schemas),
        })
    }
}

impl ToolChoice {
    fn has(&self, tool: &ClientTool) -> bool {
        let names = |name: &str| self.toolsets.contains(name);
        let is_default = tool.everyday && (self.toolsets.is_empty() || names(DEFAULT));
        let is_chosen = is_default || names(ALL) || names(tool.toolset);
        is_chosen && (!self.read_only || tool.annotations.read_only_hint)
    }
}

impl ClientAnswer {
    fn answered(answer: Outcome<Box<RawValue>>) -> Result<Self> {
        let Outcome { value, replayed } = answer;
        let structured = structured(value)?;
        let content = Content::of_text(text(structured.get(), "structuredContent"));
        Ok(Self { is_error: false, replayed, content, structured })
    }

    /// The code, the message, and the details by which a model can do better.
    fn refused(error: Error) -> Result<Self> {
        let error = error.at(Location::Params);
        let refusal = Refusal::from(&error);
        let structured = to_raw_value(&refusal).map_err(Error::internal)?;
        let code = to_raw_value(&refusal.code).map_err(Error::internal)?;
        let mut said = format!("{}: {error}", code.get().trim_matches('"'));
        if let Some(details) = &error.details {
            said.push_str(&format!("\n{details}"));
        }
        let content = Content::of_text(text(&said, "structuredContent"));
        Ok(Self { is_error: true, replayed: false, content, structured })
    }
}
