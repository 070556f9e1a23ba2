//! An endpoint: its line in the table, made of the declaration of its operation and of the types of its handler.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::Method;
use api::operation::{self, Declaration, Header, ToolMembership};
use domain::Result;
use domain::people::audit::NamedIds;
use domain::people::permission::Permission;
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
    pub request_headers: &'static [Header],
    /// The headers of its answers beside those of its kind.
    pub answer_headers: &'static [Header],
    /// The operation's place among the tools.
    pub tool: ToolMembership,
    /// True if MCP clients that choose no toolsets get the tool.
    pub everyday: bool,
}

impl<App> Endpoint<App> {
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

    /// This endpoint for clients that speak `protocol`. All endpoints of one path speak the same.
    #[must_use]
    pub fn speaks(mut self, protocol: &'static Protocol) -> Self {
        self.route.protocol = protocol;
        self
    }
}

impl Route {
    /// The route of an operation, before its handler adds what its types say.
    pub(crate) fn of(operation: &Declaration) -> Self {
        Self {
            summary: operation.summary,
            creates: operation.takes_key(),
            audited: operation.is_audited,
            conditional: operation.is_conditional,
            destroys: operation.can_delete,
            shows_secret: operation.shows_secret,
            has_closed_statuses: operation.has_closed_statuses,
            request_headers: operation.request_headers,
            answer_headers: operation.answer_headers,
            tool: operation.tool,
            everyday: operation.is_everyday,
            ..Self::at(method_of(operation.method), operation.path, operation.id)
        }
    }

    /// A route to `path` with nothing but its id.
    pub(crate) fn at(method: Method, path: &str, operation_id: &'static str) -> Self {
        Self {
            destroys: false,
            audited: !method.is_safe(),
            method,
            path: path.to_owned(),
            operation_id,
            summary: "",
            permission: None,
            browser_only: false,
            automation_only: false,
            public: false,
            is_page: false,
            creates: false,
            has_etag: false,
            conditional: false,
            protocol: Protocol::OWN,
            shows_secret: false,
            has_closed_statuses: false,
            request_headers: &[],
            answer_headers: &[],
            tool: ToolMembership::Unstated,
            everyday: false,
        }
    }

    /// The audit of a request with these parameters of the path; `None` if the operation only reads.
    pub(crate) fn trail(&self, path: &PathParameters, request_id: &str) -> Option<Arc<AuditTrail>> {
        let named = || NamedIds::of(path.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        self.audited.then(|| Arc::new(AuditTrail::new(self.operation_id, request_id.to_owned(), named())))
    }

    /// The toolbox of the operation, if it is a tool of sessions.
    pub fn toolbox(&self) -> Option<&'static str> {
        match self.tool {
            ToolMembership::Toolbox(toolbox) => Some(toolbox),
            ToolMembership::ClientsOnly(..) | ToolMembership::NotATool(_) | ToolMembership::Unstated => None,
        }
    }

    /// The toolbox of the operation, if it is a tool of MCP clients without a session.
    pub fn toolset(&self) -> Option<&'static str> {
        match self.tool {
            ToolMembership::Toolbox(toolbox) | ToolMembership::ClientsOnly(toolbox, _) => Some(toolbox),
            ToolMembership::NotATool(_) | ToolMembership::Unstated => None,
        }
    }
}

fn method_of(method: operation::Method) -> Method {
    match method {
        operation::Method::Get => Method::GET,
        operation::Method::Post => Method::POST,
        operation::Method::Put => Method::PUT,
        operation::Method::Patch => Method::PATCH,
        operation::Method::Delete => Method::DELETE,
        operation::Method::Options => Method::OPTIONS,
    }
}
