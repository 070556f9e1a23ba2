//! Lists and invokes tools.

use std::sync::Arc;
use std::time::Duration;

use domain::{Code, Error, Result};
use link::Link;
use serde_json::value::RawValue;
use store::Outcome;
use tokio::time::timeout;
use wire::{Authenticate, Invocation, LocalOperation};

use crate::tools::{Catalog, ForeignTools, ToolCall, ToolList, ToolResult, ToolSession, no_such_tool};

/// Longest time of a tool.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Lists and invokes tools. Cheap to clone.
pub struct Executor<App> {
    own: Arc<Catalog<App>>,
    foreign: ForeignTools,
    link: Link,
}

impl<App: Authenticate> Executor<App> {
    /// Creates an executor of the plane's own tools and of those of MCP servers.
    pub fn new(own: Catalog<App>, foreign: ForeignTools, link: Link) -> Self {
        Self { own: Arc::new(own), foreign, link }
    }

    /// The tools of MCP servers.
    pub fn foreign(&self) -> &ForeignTools {
        &self.foreign
    }

    /// The tools that can be used in a session, sorted by toolbox. A server that can't be reached has none.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn list(&self, session: &ToolSession) -> Result<ToolList> {
        let own = self.own.tools.iter().filter(|own| own.is_usable(session)).map(|own| own.tool.clone());
        let mut listing = ToolList { tools: own.collect(), ..ToolList::default() };
        self.foreign.list(session, &mut listing).await?;
        listing.tools.sort_by(|a, b| a.toolbox.cmp(&b.toolbox));
        listing.tell_beyond_models(session.record.settings.toolboxes.as_deref());
        Ok(listing)
    }

    /// Invokes a tool. A refusal is a result too.
    ///
    /// # Errors
    /// `TOOL_NOT_FOUND` for an unknown tool, or one that the actor may not use; `TOOL_TIMEOUT`; `UNAVAILABLE`, `INTERNAL_ERROR`.
    pub async fn invoke(&self, app: &App, session: &ToolSession, call: &ToolCall) -> Result<ToolResult> {
        let Some(own) = self.own.find(session, &call.toolbox, &call.tool) else {
            return self.foreign.invoke(session, call).await;
        };
        let id = session.record.id;
        let invocation = match own.invocation(session, call) {
            Ok(invocation) => invocation,
            Err(error) => return ToolResult::refused(id, call, error),
        };
        let answer = run(&own.operation, app, invocation).await;
        if !own.tool.annotations.read_only_hint {
            // The tool may have appended events to the session.
            self.link.announce_events(id);
        }
        match answer {
            Ok(answer) => ToolResult::answered(id, call, answer),
            Err(error) => match error.code {
                // Only the operation checks these: a role on a team, or a second permission.
                Code::Forbidden | Code::InsufficientScope | Code::CredentialNotPermitted => {
                    Err(no_such_tool())
                }
                Code::InternalError | Code::Unavailable | Code::ToolTimeout => Err(error),
                _ => ToolResult::refused(id, call, error),
            },
        }
    }
}

impl<App> Clone for Executor<App> {
    fn clone(&self) -> Self {
        Self { own: Arc::clone(&self.own), foreign: self.foreign.clone(), link: self.link.clone() }
    }
}

/// Runs the operation of a tool, for as long as a tool may take.
pub(super) async fn run<App: Authenticate>(
    operation: &LocalOperation<App>,
    app: &App,
    invocation: Invocation,
) -> Result<Outcome<Box<RawValue>>> {
    let too_slow = || {
        Error::new(
            Code::ToolTimeout,
            format!("The tool did not answer within {} seconds.", TIMEOUT.as_secs()),
        )
    };
    timeout(TIMEOUT, operation.invoke(app.clone(), invocation)).await.unwrap_or_else(|_| Err(too_slow()))
}
