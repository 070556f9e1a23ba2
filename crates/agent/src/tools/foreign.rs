//! The tools of a project's MCP servers. Servers are not trusted: one that hangs, lies or sends too much loses its own
//! toolbox, and nothing else.

mod answer;
mod client;
mod fault;
mod listing;
mod renamed;
mod schema;

use std::sync::Arc;
use std::time::Duration;

use domain::people::permission::Permission;
use domain::work::tool::{LeftOutReason, LeftOutTool};
use domain::{Code, Error, Result};
use futures_util::future::join_all;
use moka::future::Cache;
use reqwest::Client;
use store::Store;
use store::work::mcp_servers::McpServer;
use uuid::Uuid;

use crate::outbound::{Outbound, Refused};
use crate::tools::foreign::client::{CallFailure, ForeignCall, ListedTools, call_tool};
use crate::tools::foreign::fault::Fault;
use crate::tools::foreign::listing::{ForeignListing, listed};
use crate::tools::{Content, ToolCall, ToolList, ToolResult, ToolSession, no_such_tool};

/// How long a server's list of tools, or its failure, is cached.
const LISTING_LIFETIME: Duration = Duration::from_secs(30);
/// Most servers in the cache.
const LISTINGS: u64 = 256;
/// The permission for all of these tools. A server's hints prove nothing, and calls carry credentials that the project's
/// managers have entrusted to it, so reading the project is not enough.
const PERMISSION: Permission = Permission::ProjectWrite;

/// The tools of MCP servers. Cheap to clone.
#[derive(Clone)]
pub struct ForeignTools(Arc<ForeignState>);

struct ForeignState {
    store: Store,
    outbound: Outbound,
    client: Client,
    listings: Cache<Uuid, Listing>,
}

/// A server's tools, or why they are not known.
type Listing = Result<Arc<ForeignListing>, Fault>;

impl ForeignTools {
    /// The tools of the servers in `store`, reached by `outbound`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the HTTP client can't be created.
    pub fn open(store: Store, outbound: Outbound) -> Result<Self> {
        let client = outbound.client().map_err(Error::internal)?;
        let listings = Cache::builder().max_capacity(LISTINGS).time_to_live(LISTING_LIFETIME).build();
        Ok(Self(Arc::new(ForeignState { store, outbound, client, listings })))
    }

    /// Checks the URL of a server, without resolving its name.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check(&self, url: &url::Url) -> Result<(), Refused> {
        self.0.outbound.check(url)
    }

    /// Adds the tools that can be used in a session to a listing. All servers are asked at the same time.
    pub(super) async fn list(&self, session: &ToolSession, listing: &mut ToolList) -> Result<()> {
        if !is_usable(session) {
            return Ok(());
        }
        let servers = self.0.store.mcp_servers(session.equipped).await?;
        let listings = join_all(servers.iter().map(|server| self.listing(server))).await;
        for (server, listed) in servers.iter().zip(listings) {
            match listed {
                Ok(listed) => {
                    listing.tools.extend(listed.tools.iter().map(|foreign| foreign.tool.clone()));
                    listing.left_out.extend(listed.left_out.iter().cloned());
                    listing.changes.extend(listed.changes.iter().cloned());
                }
                Err(why) => listing.left_out.push(LeftOutTool {
                    toolbox: server.record.name.to_string(),
                    name: String::new(),
                    reason: LeftOutReason::ServerUnusable,
                    detail: Some(why.into_owned()),
                }),
            }
        }
        Ok(())
    }

    /// Invokes a tool. A server that can't be used is a refusal.
    pub(super) async fn invoke(&self, session: &ToolSession, call: &ToolCall) -> Result<ToolResult> {
        if !is_usable(session) {
            return Err(no_such_tool());
        }
        let servers = self.0.store.mcp_servers(session.equipped).await?;
        let mut named = servers.iter().filter(|server| server.record.name.as_str() == call.toolbox);
        let server = named.next().ok_or_else(no_such_tool)?;
        let id = session.record.id;
        let listing = match self.listing(server).await {
            Ok(listing) => listing,
            Err(why) => return ToolResult::refused(id, call, unusable(server, &why)),
        };
        let foreign =
            listing.tools.iter().find(|foreign| foreign.tool.name == call.tool).ok_or_else(no_such_tool)?;
        let params = foreign.renamed.restore(call.params.clone());
        let asked = ForeignCall { name: &foreign.name, params, is_initialized: listing.is_initialized };
        match call_tool(&self.0.client, server, asked).await {
            Ok(answer) => Ok(ToolResult {
                session_id: id,
                toolbox: call.toolbox.clone(),
                tool: call.tool.clone(),
                is_error: answer.is_error,
                replayed: false,
                content: Content::of_blocks(answer.text, answer.parts),
                structured_content: answer.structured,
                for_models: answer.for_models,
            }),
            Err(CallFailure::Refused(message)) => {
                ToolResult::refused(id, call, Error::new(Code::ToolError, message))
            }
            Err(CallFailure::Unusable(why)) => ToolResult::refused(id, call, unusable(server, &why)),
        }
    }

    /// A server's tools, from the cache or the server.
    async fn listing(&self, server: &McpServer) -> Listing {
        let ForeignState { client, outbound, listings, .. } = &*self.0;
        let ask = async {
            // The deployment's settings may have changed since the server was added.
            outbound
                .check(server.record.url.get())
                .map_err(|_| Fault::Borrowed("its address is not allowed here"))?;
            let ListedTools { tools, is_initialized } = client::list_tools(client, server).await?;
            let listing = listed(server.record.name.as_str(), &tools);
            Ok(Arc::new(ForeignListing { is_initialized, ..listing }))
        };
        listings.get_with(server.revision, ask).await
    }
}

/// True if the actor may use tools of MCP servers.
fn is_usable(session: &ToolSession) -> bool {
    session.permissions.contains(PERMISSION)
}

fn unusable(server: &McpServer, why: &str) -> Error {
    let message = format!("The MCP server `{}` can't be used: {why}.", server.record.name);
    Error::new(Code::ToolError, message)
}
