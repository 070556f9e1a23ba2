//! Properties under names that all providers of models take. OData's `$filter` is another.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::tools::completed::visit;

/// Longest name of a property (Anthropic: `^[a-zA-Z0-9_.-]{1,64}$`).
const MAX_BYTES: usize = 64;

/// The properties that models see under another name: the server's by the shown one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Renamed(BTreeMap<String, String>);

impl Renamed {
    /// Renames the properties of a schema that need it, on all its levels.
    pub(super) fn of(schema: &mut Value) -> Self {
        let mut names: BTreeSet<String> = BTreeSet::new();
        visit(schema, &mut |fields| {
            names.extend(
                properties(fields)
                    .map(|fields| fields.keys().cloned().collect::<Vec<_>>())
                    .unwrap_or_default(),
            )
        });
        let mut shown: BTreeMap<String, String> = BTreeMap::new();
        for name in names.clone().into_iter().filter(|name| !is_taken(name)) {
            let other = other_name(&name, &names);
            names.insert(other.clone());
            shown.insert(name, other);
        }
        if !shown.is_empty() {
            visit(schema, &mut |fields| rename(fields, &shown));
        }
        Self(shown.into_iter().map(|(name, shown)| (shown, name)).collect())
    }

    /// The arguments of a call under the server's names. Those names may be used, too.
    pub(super) fn restore(&self, params: Map<String, Value>) -> Map<String, Value> {
        if self.0.is_empty() {
            return params;
        }
        let own = |name: String| self.0.get(&name).cloned().unwrap_or(name);
        params.into_iter().map(|(name, value)| (own(name), self.restore_value(value))).collect()
    }

    /// The names as `… as …`; `None` without any.
    pub(super) fn words(&self) -> Option<String> {
        let each: Vec<String> = self.0.iter().map(|(shown, name)| format!("`{name}` as `{shown}`")).collect();
        (!each.is_empty()).then(|| each.join(", "))
    }

    fn restore_value(&self, value: Value) -> Value {
        match value {
            Value::Object(fields) => Value::Object(self.restore(fields)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.restore_value(item)).collect())
            }
            value => value,
        }
    }
}

fn properties(fields: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    fields.get_mut("properties")?.as_object_mut()
}

/// Renames the properties of one schema, and what refers to them by name.
fn rename(fields: &mut Map<String, Value>, shown: &BTreeMap<String, String>) {
    let new = |name: String| shown.get(&name).cloned().unwrap_or(name);
    if let Some(properties) = properties(fields) {
        *properties =
            std::mem::take(properties).into_iter().map(|(name, schema)| (new(name), schema)).collect();
    }
    if let Some(required) = fields.get_mut("required").and_then(Value::as_array_mut) {
        for name in required {
            if let Some(other) = name.as_str().and_then(|name| shown.get(name)) {
                *name = other.clone().into();
            }
        }
    }
    // It says nothing that the server doesn't check.
    fields.remove("dependentRequired");
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

fn is_taken(name: &str) -> bool {
    (1..=MAX_BYTES).contains(&name.len()) && name.chars().all(is_allowed)
}

/// A name that providers take and that no other property has.
fn other_name(name: &str, names: &BTreeSet<String>) -> String {
    let plain: String =
        name.chars().take(MAX_BYTES - 4).map(|c| if is_allowed(c) { c } else { '_' }).collect();
    let plain = if plain.is_empty() { "_".to_owned() } else { plain };
    let numbered = (2..1_000).map(|number| format!("{plain}_{number}"));
    let mut free = std::iter::once(plain.clone()).chain(numbered).filter(|name| !names.contains(name));
    free.next().unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Renamed;

    #[test]
    fn properties_are_renamed_on_all_levels_and_restored_in_arguments() {
        let long = "x".repeat(65);
        let mut schema = json!({
            "type": "object", "required": ["$filter", "a"],
            "properties": {
                "$filter": { "type": "string" }, "_filter": { "type": "string" }, "größe": { "type": "number" },
                "a": { "type": "array", "items": { "type": "object", "properties": { "StartTime<": {}, "": {} } } },
                long.as_str(): {}, "properties": { "type": "object", "properties": { "@id": {} } },
            },
        });
        let renamed = Renamed::of(&mut schema);
        let of =
            |schema: &Value| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let mut names = of(&schema);
        names.sort();
        assert_eq!(names, ["_filter", "_filter_2", "a", "gr__e", "properties", &"x".repeat(60)]);
        assert_eq!(schema["required"], json!(["_filter_2", "a"]));
        let mut inner = of(&schema["properties"]["a"]["items"]);
        inner.sort();
        assert_eq!(inner, ["StartTime_", "_"]);
        assert_eq!(of(&schema["properties"]["properties"]), ["_id"]);
        let params = json!({ "_filter_2": "x", "_filter": "y", "größe": 1, "a": [{ "StartTime_": 1 }] });
        let restored = json!({ "$filter": "x", "_filter": "y", "größe": 1, "a": [{ "StartTime<": 1 }] });
        assert_eq!(Value::Object(renamed.restore(params.as_object().unwrap().clone())), restored);
        assert!(renamed.words().unwrap().contains("`$filter` as `_filter_2`"));
        assert_eq!(
            Renamed::of(&mut json!({ "type": "object", "properties": { "a.b-c_d": {} } })),
            Renamed::default()
        );
    }
}
