//! The tools that are operations of the control plane.

use std::sync::LazyLock;

use domain::work::approval::ToolEffect;
use domain::work::tool::{Annotations, Tool};
use domain::{Error, Result};
use wire::{Authenticate, Invocation, LocalOperation, Route};

use crate::tools::arguments::OperationInput;
use crate::tools::schema::{self, Parameters};
use crate::tools::{ToolCall, ToolSession};

/// Prefix of the paths of operations on a project.
const OF_PROJECT: &str = "/api/v2/projects/{projectId}";
/// The path parameters that the session supplies.
const SUPPLIED: [&str; 4] = [PROJECT, ORGANIZATION, BRANCH, SESSION];
const PROJECT: &str = "projectId";
const ORGANIZATION: &str = "orgId";
const BRANCH: &str = "branch";
const SESSION: &str = "sessionId";

/// The tools among the operations, with their toolboxes, made when they are first asked for.
pub struct Catalog<App> {
    pub(super) tools: LazyLock<Vec<OwnTool<App>>, MakeTools<App>>,
}

type MakeTools<App> = Box<dyn FnOnce() -> Vec<OwnTool<App>> + Send>;

/// A tool that is an operation.
pub(super) struct OwnTool<App> {
    pub(super) tool: Tool,
    pub(super) operation: LocalOperation<App>,
    parameters: Parameters,
}

impl<App: Authenticate> Catalog<App> {
    /// The tools among the operations of a plane.
    pub fn new(operations: Vec<LocalOperation<App>>) -> Self {
        let make = move || {
            let tools = operations.into_iter().filter_map(|operation| {
                let toolbox = operation.route.toolbox()?;
                Some(OwnTool::new(toolbox, operation))
            });
            tools.collect()
        };
        Self { tools: LazyLock::new(Box::new(make)) }
    }

    /// Finds a tool by its name, if the session can use it.
    pub(super) fn find(&self, session: &ToolSession, toolbox: &str, name: &str) -> Option<&OwnTool<App>> {
        let mut named = self.tools.iter().filter(|own| own.tool.toolbox == toolbox && own.tool.name == name);
        named.next().filter(|own| own.is_usable(session))
    }
}

impl<App> OwnTool<App> {
    fn new(toolbox: &str, operation: LocalOperation<App>) -> Self {
        let schemas = operation.schemas();
        let route = &operation.route;
        let tool = Tool {
            toolbox: toolbox.to_owned(),
            name: snake_case(route.operation_id),
            title: route.summary.to_owned(),
            description: format!("{}.", route.summary),
            input_schema: schema::input(&schemas, &SUPPLIED),
            output_schema: Some(schema::output(&schemas)),
            effects: effects(route),
            annotations: annotations(route),
        };
        Self { tool, parameters: schema::parameters(&schemas), operation }
    }

    /// True if the actor's credentials and its role on the project allow the tool. For operations on teams, the team decides
    /// later.
    pub(super) fn is_usable(&self, session: &ToolSession) -> bool {
        let route = &self.operation.route;
        let of_project = route.path.starts_with(OF_PROJECT);
        let allowed = if of_project { session.permissions } else { session.actor.ceiling };
        let has_what_it_names = of_project || self.organization(session).is_some();
        has_what_it_names && route.permission.is_none_or(|permission| allowed.contains(permission))
    }

    /// Translates a tool call into an invocation of the operation.
    pub(super) fn invocation(&self, session: &ToolSession, call: &ToolCall) -> Result<Invocation> {
        let supplied = |name: &str| self.supplied(session, name);
        let OperationInput { path, query, body } =
            self.parameters.distribute(call.params.clone(), supplied)?;
        Ok(Invocation {
            actor: session.actor.clone(),
            path,
            query,
            body,
            now: call.now,
            request_id: call.request_id.clone(),
            idempotency_key: call.idempotency_key.clone(),
        })
    }

    /// The session's value of a path parameter, if it supplies one.
    fn supplied(&self, session: &ToolSession, name: &str) -> Result<Option<String>> {
        let record = &session.record;
        Ok(match name {
            PROJECT if self.operation.route.path.starts_with(OF_PROJECT) => {
                Some(format!("{}--{}", record.project, record.branch))
            }
            PROJECT => Some(record.project.to_string()),
            BRANCH => Some(record.branch.to_string()),
            SESSION => Some(record.id.to_string()),
            ORGANIZATION => Some(self.organization(session).ok_or_else(Error::not_found)?),
            _ => None,
        })
    }

    fn organization(&self, session: &ToolSession) -> Option<String> {
        Some(session.actor.acting_in.as_ref()?.organization?.to_string())
    }
}

/// The effects of an operation. Others have written some of what it reads.
fn effects(route: &Route) -> Vec<ToolEffect> {
    if route.method.as_str() == "GET" {
        return vec![ToolEffect::Read, ToolEffect::ShowUntrusted];
    }
    let destroys = route.destroys.then_some(ToolEffect::Destroy);
    std::iter::once(ToolEffect::Write).chain(destroys).collect()
}

/// The hints on the effects of an operation.
pub(super) fn annotations(route: &Route) -> Annotations {
    let method = route.method.as_str();
    let reads = method == "GET";
    Annotations {
        read_only_hint: reads,
        destructive_hint: !reads && (route.destroys || !route.creates),
        idempotent_hint: method != "POST",
        open_world_hint: false,
    }
}

/// Derives a tool's name from its operation's id: `getTree` becomes `get_tree`.
pub(super) fn snake_case(operation_id: &str) -> String {
    let mut name = String::new();
    for c in operation_id.chars() {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn a_tool_is_named_after_its_operation() {
        assert_eq!(snake_case("getTree"), "get_tree");
        assert_eq!(snake_case("listAvailableCards"), "list_available_cards");
    }
}
