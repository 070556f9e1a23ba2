//! The tools that come from the control plane's own operations.

use domain::{Error, Result};
use serde_json::{Map, Value};
use wire::{Invocation, Operation, Route};

use crate::tools::schema::{self, BODY, Body, Places};
use crate::tools::{Annotations, Tool, ToolCall, ToolSession};

/// What every path of an operation on a project begins with.
const OF_PROJECT: &str = "/api/v2/projects/{projectId}";
/// The parameters of paths that the session fills in.
const FILLED: [&str; 4] = [PROJECT, ORGANIZATION, BRANCH, SESSION];
const PROJECT: &str = "projectId";
const ORGANIZATION: &str = "orgId";
const BRANCH: &str = "branch";
const SESSION: &str = "sessionId";

/// The operations that are tools, each in its toolbox.
pub struct Catalog<App> {
    pub(super) tools: Vec<OwnTool<App>>,
}

/// A tool that is an operation.
pub(super) struct OwnTool<App> {
    pub(super) tool: Tool,
    pub(super) operation: Operation<App>,
    places: Places,
}

impl<App> Catalog<App> {
    /// The tools among the operations of a plane: those that `toolbox` puts into one.
    pub fn new(operations: Vec<Operation<App>>, toolbox: impl Fn(&Route) -> Option<&'static str>) -> Self {
        let tools = operations.into_iter().filter_map(|operation| {
            let toolbox = toolbox(&operation.route)?;
            Some(OwnTool::new(toolbox, operation))
        });
        Self { tools: tools.collect() }
    }

    /// The tool of this name, if it can be used in the session.
    pub(super) fn find(&self, session: &ToolSession, toolbox: &str, name: &str) -> Option<&OwnTool<App>> {
        let mut named = self.tools.iter().filter(|own| own.tool.toolbox == toolbox && own.tool.name == name);
        named.next().filter(|own| own.is_usable(session))
    }
}

impl<App> OwnTool<App> {
    fn new(toolbox: &str, operation: Operation<App>) -> Self {
        let shape = operation.shape();
        let route = &operation.route;
        let tool = Tool {
            toolbox: toolbox.to_owned(),
            name: snake_case(route.operation_id),
            title: route.summary.to_owned(),
            description: format!("{}.", route.summary),
            input_schema: schema::input(&shape, &FILLED),
            output_schema: Some(schema::output(&shape)),
            annotations: annotations(route),
        };
        Self { tool, places: schema::places(&shape), operation }
    }

    /// Whether the actor's credentials, and its role on the project, allow it. What is on a team is decided by the team.
    pub(super) fn is_usable(&self, session: &ToolSession) -> bool {
        let route = &self.operation.route;
        let of_project = route.path.starts_with(OF_PROJECT);
        let allowed = if of_project { session.permissions } else { session.actor.ceiling };
        let has_what_it_names = of_project || self.organization(session).is_some();
        has_what_it_names && route.permission.is_none_or(|permission| allowed.contains(permission))
    }

    /// The operation's call that the tool's use stands for.
    pub(super) fn invocation(&self, session: &ToolSession, call: &ToolCall) -> Result<Invocation> {
        let mut params = call.params.clone();
        let mut path = Vec::new();
        for name in &self.places.path {
            let value = match self.filled(session, name)? {
                Some(value) => value,
                None => {
                    let value =
                        params.remove(name).ok_or_else(|| Error::invalid(name, "required", "is required"))?;
                    plain(name, value)?
                }
            };
            path.push((name.clone(), value));
        }
        let mut query = Vec::new();
        for name in &self.places.query {
            match params.remove(name) {
                None | Some(Value::Null) => {}
                Some(value) => query.push((name.clone(), plain(name, value)?)),
            }
        }
        Ok(Invocation {
            actor: session.actor.clone(),
            path,
            query,
            body: self.body(params)?,
            now: call.now,
            request_id: call.request_id.clone(),
            idempotency_key: call.idempotency_key.clone(),
        })
    }

    /// The body that is made of the parameters which stand nowhere else.
    fn body(&self, mut rest: Map<String, Value>) -> Result<Option<Value>> {
        let body = match self.places.body {
            Body::Fields { required } => {
                return Ok((required || !rest.is_empty()).then_some(Value::Object(rest)));
            }
            Body::Whole => rest.remove(BODY),
            Body::None => None,
        };
        match rest.keys().next() {
            Some(unknown) => Err(Error::invalid(unknown, "unknown", "is not known here")),
            None => Ok(body),
        }
    }

    /// What the session fills in for a parameter of the path.
    fn filled(&self, session: &ToolSession, name: &str) -> Result<Option<String>> {
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

/// A parameter as the text that stands in a path or a query.
fn plain(name: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        Value::Array(items) => {
            let items: Result<Vec<String>> = items.into_iter().map(|item| plain(name, item)).collect();
            Ok(items?.join(","))
        }
        Value::Null | Value::Object(_) => {
            Err(Error::invalid(name, "type", "must be a text, a number, a truth value or a list of these"))
        }
    }
}

fn annotations(route: &Route) -> Annotations {
    let method = route.method.as_str();
    let reads = method == "GET";
    Annotations {
        read_only_hint: reads,
        destructive_hint: !reads && !route.creates,
        idempotent_hint: method != "POST",
        open_world_hint: false,
    }
}

/// A tool's name from that of its operation: `getTree` is `get_tree`.
fn snake_case(operation_id: &str) -> String {
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
    use serde_json::json;

    use super::{plain, snake_case};

    #[test]
    fn a_tool_is_called_as_its_operation() {
        assert_eq!(snake_case("getTree"), "get_tree");
        assert_eq!(snake_case("listAvailableCards"), "list_available_cards");
    }

    #[test]
    fn a_list_in_a_query_is_one_text() {
        assert_eq!(plain("projectIds", json!(["a", 1, true])).unwrap(), "a,1,true");
        assert!(plain("q", json!({})).is_err());
    }
}
