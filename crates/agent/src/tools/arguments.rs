//! From the arguments of a tool to the input of its operation.

use domain::{Error, Result, Rule};
use serde_json::{Map, Value};
use wire::integer;

use crate::tools::schema::{BODY, BodyForm, Parameters};

/// The input of an operation.
pub(super) struct OperationInput {
    /// The path's parameters by name.
    pub(super) path: Vec<(String, String)>,
    /// The query's parameters by name.
    pub(super) query: Vec<(String, String)>,
    /// The body.
    pub(super) body: Option<Value>,
}

impl Parameters {
    /// Distributes arguments over path, query and body. `supplied` gives the path's parameters that callers don't send.
    pub(super) fn distribute(
        &self,
        mut arguments: Map<String, Value>,
        supplied: impl Fn(&str) -> Result<Option<String>>,
    ) -> Result<OperationInput> {
        let mut path = Vec::new();
        for name in &self.path {
            let value = match supplied(name)? {
                Some(value) => value,
                None => {
                    let value = arguments.remove(name).ok_or_else(|| Error::broken(name, Rule::Required))?;
                    plain(name, value)?
                }
            };
            path.push((name.clone(), value));
        }
        let mut query = Vec::new();
        for name in &self.query {
            match arguments.remove(name) {
                None | Some(Value::Null) => {}
                Some(value) => query.push((name.clone(), plain(name, value)?)),
            }
        }
        Ok(OperationInput { path, query, body: self.take_body(arguments)? })
    }

    /// Makes the body of the arguments that are not in the path or the query.
    fn take_body(&self, mut rest: Map<String, Value>) -> Result<Option<Value>> {
        let body = match self.body {
            BodyForm::Fields { required } => {
                return Ok((required || !rest.is_empty()).then_some(Value::Object(rest)));
            }
            BodyForm::Whole => rest.remove(BODY),
            BodyForm::None => None,
        };
        match rest.keys().next() {
            Some(unknown) => Err(Error::broken(unknown, Rule::Unknown)),
            None => Ok(body),
        }
    }
}

/// Writes a parameter as text for a path or a query.
fn plain(name: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        // Models write integers as `3.0`, too.
        Value::Number(number) => {
            Ok(integer(&number).map_or_else(|| number.to_string(), |whole| whole.to_string()))
        }
        Value::Bool(_) => Ok(value.to_string()),
        Value::Array(items) => {
            let items: Result<Vec<String>> = items.into_iter().map(|item| plain(name, item)).collect();
            Ok(items?.join(","))
        }
        Value::Null | Value::Object(_) => {
            Err(Error::broken(name, Rule::types(["string", "number", "boolean", "array"])))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::plain;

    #[test]
    fn a_list_in_a_query_is_one_value() {
        assert_eq!(plain("projectIds", json!(["a", 1, true])).unwrap(), "a,1,true");
        assert_eq!(plain("limit", json!(3.0)).unwrap(), "3");
        assert_eq!(plain("limit", json!(3.5)).unwrap(), "3.5");
        assert!(plain("q", json!({})).is_err());
    }
}
