//! An endpoint: its line in the table, with everything that the types of its handler add.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::Method;
use domain::Result;
use domain::audit::NamedIds;
use domain::permission::Permission;
use futures_util::future::LocalBoxFuture;
use serde_json::value::RawValue;
use store::{AuditTrail, Outcome};

use crate::contract::protocol::Protocol;
use crate::contract::schemas::Schemas;
use crate::table::description::OperationDescription;
use crate::table::unchecked_request::{PathParameters, UncheckedRequest};

/// An endpoint of a plane.
pub struct Endpoint<App> {
    pub(crate) route: Route,
    pub(crate) serve: EndpointFn<App, HttpResponse>,
    /// The same work for a caller within the process; `None` if the answer is not JSON.
    pub(crate) invoke: Option<EndpointFn<App, Outcome<Box<RawValue>>>>,
    pub(crate) describe: Describe,
}

/// Describes what the types of a handler say.
pub(crate) type Describe = fn(&mut Schemas) -> OperationDescription;

/// Checks a request, runs its handler, and converts the answer to `A`.
pub(crate) type EndpointFn<App, A> =
    Arc<dyn Fn(App, UncheckedRequest) -> LocalBoxFuture<'static, Result<A>> + Send + Sync>;

/// The description of an endpoint, for routing, documentation, tools and tests.
#[derive(Clone, Debug)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with `{placeholders}`.
    pub path: String,
    /// The operation's id, unique in the table.
    pub operation_id: &'static str,
    /// The purpose in a few words, for documents and tools.
    pub summary: &'static str,
    /// The permission that the operation needs, if any.
    pub permission: Option<Permission>,
    /// True if only browser tokens are accepted.
    pub browser_only: bool,
    /// True if only the grant of a running execution is accepted.
    pub automation_only: bool,
    /// True if no credential is needed.
    pub public: bool,
    /// True for a page, which is outside of the API.
    pub is_page: bool,
    /// True if the operation creates something and so accepts an `Idempotency-Key`.
    pub creates: bool,
    /// True if the audit log has its requests: it changes something, or tries to.
    pub audited: bool,
    /// True if the answer has an `ETag`.
    pub has_etag: bool,
    /// True if the operation honours `If-Match`.
    pub conditional: bool,
    /// True if the operation can delete data. Every `DELETE` can.
    pub destroys: bool,
    /// The protocol of its clients.
    pub protocol: &'static Protocol,
    /// True if the answer shows a secret, and so is never compressed.
    pub shows_secret: bool,
    /// True if the specification has a closed list of its statuses. Its document has neither 503 nor a default then.
    pub has_closed_statuses: bool,
    /// The headers that the operation reads beside those of its kind.
    pub request_headers: Vec<Header>,
    /// The headers of its answers beside those of its kind.
    pub answer_headers: Vec<Header>,
    /// The operation's place among the tools.
    pub tool: ToolMembership,
    /// True if MCP clients that choose no toolsets get the tool.
    pub everyday: bool,
}

/// A header's name, and its meaning for users.
pub type Header = (&'static str, &'static str);

/// The place of an operation among the tools of sessions, and among those of MCP clients without a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolMembership {
    /// The line does not say, which a table with tools refuses.
    Unstated,
    /// It is a tool in this toolbox.
    Toolbox(&'static str),
    /// It is a tool in this toolbox, of MCP clients alone.
    ClientsOnly {
        /// The toolbox.
        toolbox: &'static str,
        /// The reason why sessions don't have it.
        reason: &'static str,
    },
    /// It is not a tool, for this reason.
    NotATool(&'static str),
}

impl<App> Endpoint<App> {
    /// This endpoint as a tool in `toolbox`.
    #[must_use]
    pub fn tool(self, toolbox: &'static str) -> Self {
        self.with(|route| route.tool = ToolMembership::Toolbox(toolbox))
    }

    /// This endpoint as a tool in `toolbox`, of MCP clients without a session. Sessions don't have it, for `reason`.
    #[must_use]
    pub fn tool_of_clients(self, toolbox: &'static str, reason: &'static str) -> Self {
        self.with(|route| route.tool = ToolMembership::ClientsOnly { toolbox, reason })
    }

    /// This tool, which MCP clients get that choose no toolsets.
    #[must_use]
    pub fn everyday(self) -> Self {
        self.with(|route| route.everyday = true)
    }

    /// This endpoint, which is not a tool for `reason`.
    #[must_use]
    pub fn not_a_tool(self, reason: &'static str) -> Self {
        self.with(|route| route.tool = ToolMembership::NotATool(reason))
    }

    /// The reason why the operation can't be a tool in these toolboxes, or that it doesn't say whether it is one.
    pub(crate) fn tool_defect(&self, toolboxes: &[&str]) -> Option<String> {
        let id = self.route.operation_id;
        if self.route.tool == ToolMembership::Unstated {
            return Some(format!("{id} doesn't state whether it is a tool"));
        }
        let toolbox = self.route.toolbox()?;
        // A server of a project could have any other name, and a tool's full name is split at its first `__`.
        if !toolboxes.contains(&toolbox) || toolbox.contains('_') {
            return Some(format!("{id} is in the toolbox {toolbox}, which there is not"));
        }
        self.invoke.is_none().then(|| format!("{id} is a tool that can't be called within the process"))
    }

    /// This endpoint, which changes nothing in spite of its method.
    #[must_use]
    pub fn only_reads(self) -> Self {
        self.with(|route| route.audited = false)
    }

    /// This endpoint, which honours `If-Match`.
    #[must_use]
    pub fn conditional(self) -> Self {
        self.with(|route| route.conditional = true)
    }

    /// This endpoint, whose answer shows a secret.
    #[must_use]
    pub fn shows_secret(self) -> Self {
        self.with(|route| route.shows_secret = true)
    }

    /// This endpoint, of whose statuses the specification has a closed list.
    #[must_use]
    pub fn closed_statuses(self) -> Self {
        self.with(|route| route.has_closed_statuses = true)
    }

    /// This endpoint, which also reads these headers.
    #[must_use]
    pub fn reads(self, headers: &[Header]) -> Self {
        self.with(|route| route.request_headers.extend(headers))
    }

    /// This endpoint, whose answers also have these headers.
    #[must_use]
    pub fn answers(self, headers: &[Header]) -> Self {
        self.with(|route| route.answer_headers.extend(headers))
    }

    /// This endpoint, which can delete data.
    #[must_use]
    pub fn destroys(self) -> Self {
        self.with(|route| route.destroys = true)
    }

    /// This endpoint for clients that speak `protocol`. All endpoints of one path speak the same.
    #[must_use]
    pub fn speaks(self, protocol: &'static Protocol) -> Self {
        self.with(|route| route.protocol = protocol)
    }

    /// This endpoint with its path relative to `base`.
    pub(crate) fn below(self, base: &str) -> Self {
        self.with(|route| route.path.insert_str(0, base))
    }

    fn with(mut self, change: impl FnOnce(&mut Route)) -> Self {
        change(&mut self.route);
        self
    }
}

impl Route {
    /// The audit of a request with these parameters of the path; `None` if the operation only reads.
    pub(crate) fn trail(&self, path: &PathParameters, request_id: &str) -> Option<Arc<AuditTrail>> {
        let named = || NamedIds::of(path.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        self.audited.then(|| Arc::new(AuditTrail::new(self.operation_id, request_id.to_owned(), named())))
    }

    /// The toolbox of the operation, if it is a tool of sessions.
    pub fn toolbox(&self) -> Option<&'static str> {
        match self.tool {
            ToolMembership::Toolbox(toolbox) => Some(toolbox),
            ToolMembership::ClientsOnly { .. } | ToolMembership::NotATool(_) | ToolMembership::Unstated => {
                None
            }
        }
    }

    /// The toolbox of the operation, if it is a tool of MCP clients without a session.
    pub fn toolset(&self) -> Option<&'static str> {
        match self.tool {
            ToolMembership::Toolbox(toolbox) | ToolMembership::ClientsOnly { toolbox, .. } => Some(toolbox),
            ToolMembership::NotATool(_) | ToolMembership::Unstated => None,
        }
    }
}
