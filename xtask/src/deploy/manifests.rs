//! Manifests that are applied together, and queries on them.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;

/// Kinds of resources that create pods.
const WORKLOADS: [&str; 4] = ["Deployment", "StatefulSet", "DaemonSet", "Job"];

/// The resources of an installation.
#[derive(Default)]
pub(super) struct Manifests {
    resources: Vec<Value>,
}

impl Manifests {
    /// Parses the YAML documents that kustomize writes.
    ///
    /// # Errors
    /// Invalid YAML.
    pub(super) fn parse(text: &str) -> Result<Self> {
        Ok(Self { resources: serde_saphyr::from_multiple(text)? })
    }

    /// Adds the resources of another installation.
    pub(super) fn join(&mut self, other: Self) {
        self.resources.extend(other.resources);
    }

    /// The resources of a kind.
    pub(super) fn of(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.resources.iter().filter(move |resource| resource["kind"] == kind)
    }

    /// The resource of a kind and a name.
    pub(super) fn find(&self, kind: &str, name: &Value) -> Option<&Value> {
        self.of(kind).find(|resource| at(resource, "/metadata/name") == name)
    }

    /// The resources that create pods.
    pub(super) fn workloads(&self) -> Vec<Workload<'_>> {
        let kinds = WORKLOADS.into_iter().flat_map(|kind| self.of(kind));
        kinds.map(|resource| Workload { resource, template: at(resource, "/spec/template") }).collect()
    }

    /// The workloads whose pods match a selector.
    pub(super) fn selected(&self, selector: &Value) -> Vec<Workload<'_>> {
        let all = self.workloads().into_iter();
        all.filter(|workload| matches(selector, at(workload.template, "/metadata/labels"))).collect()
    }
}

/// A resource that creates pods.
pub(super) struct Workload<'a> {
    /// The resource.
    pub(super) resource: &'a Value,
    /// The template of its pods.
    pub(super) template: &'a Value,
}

impl<'a> Workload<'a> {
    /// The specification of its pods.
    pub(super) fn pod(&self) -> &'a Value {
        &self.template["spec"]
    }

    /// Its containers, including the init containers.
    pub(super) fn containers(&self) -> impl Iterator<Item = &'a Value> {
        items(&self.pod()["containers"]).chain(items(&self.pod()["initContainers"]))
    }

    /// The ports of its containers: numbers by name.
    pub(super) fn ports(&self) -> BTreeMap<&'a str, u64> {
        let ports = self.containers().flat_map(|container| items(&container["ports"]));
        ports.filter_map(|port| Some((port["name"].as_str()?, port["containerPort"].as_u64()?))).collect()
    }

    /// True if its pods have the port, by name or number.
    pub(super) fn has_port(&self, port: &Value) -> bool {
        let ports = self.ports();
        match port {
            Value::String(name) => ports.contains_key(name.as_str()),
            port => ports.values().any(|number| port.as_u64() == Some(*number)),
        }
    }

    /// The container named after a program.
    pub(super) fn container(&self, name: &str) -> Option<&'a Value> {
        self.containers().find(|container| container["name"] == name)
    }

    /// A complaint about it.
    pub(super) fn complaint(&self, what: impl std::fmt::Display) -> String {
        complaint_about(self.resource, what)
    }
}

/// A complaint about a resource.
pub(super) fn complaint_about(resource: &Value, what: impl std::fmt::Display) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    format!("{}/{}: {what}", text(&resource["kind"]), text(at(resource, "/metadata/name")))
}

/// The value at a JSON pointer, for example `/spec/ports`; null if absent.
pub(super) fn at<'a>(value: &'a Value, place: &str) -> &'a Value {
    static NOTHING: Value = Value::Null;
    value.pointer(place).unwrap_or(&NOTHING)
}

/// The items of a list; none if it is absent.
pub(super) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The entries of a map; none if it is absent.
pub(super) fn entries(map: &Value) -> impl Iterator<Item = (&String, &Value)> {
    map.as_object().into_iter().flatten()
}

/// True if a selector (`matchLabels`, `matchExpressions`) matches labels. An empty one matches everything.
fn matches(selector: &Value, labels: &Value) -> bool {
    let equal = entries(&selector["matchLabels"]).all(|(key, value)| labels.get(key) == Some(value));
    let within = items(&selector["matchExpressions"]).all(|expression| {
        let label = expression["key"].as_str().and_then(|key| labels.get(key));
        let listed = label.is_some_and(|label| items(&expression["values"]).any(|value| value == label));
        match expression["operator"].as_str() {
            Some("In") => listed,
            Some("NotIn") => !listed,
            Some("Exists") => label.is_some(),
            Some("DoesNotExist") => label.is_none(),
            _ => false,
        }
    });
    equal && within
}

/// Bytes of a quantity, for example `512Mi`.
pub(super) fn bytes(quantity: &Value) -> Option<u64> {
    let text = quantity.as_str()?;
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let unit = match text.strip_prefix(digits)? {
        "" => 1,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn selectors_match_as_in_kubernetes() {
        let labels = json!({ "name": "control" });
        for (selector, matched) in [
            (json!({}), true),
            (json!({ "matchLabels": { "name": "control" } }), true),
            (json!({ "matchLabels": { "name": "redis" } }), false),
            (
                json!({ "matchExpressions": [{ "key": "name", "operator": "In", "values": ["control"] }] }),
                true,
            ),
            (
                json!({ "matchExpressions": [{ "key": "name", "operator": "NotIn", "values": ["control"] }] }),
                false,
            ),
            (json!({ "matchExpressions": [{ "key": "other", "operator": "Exists" }] }), false),
        ] {
            assert_eq!(super::matches(&selector, &labels), matched, "{selector}");
        }
    }

    #[test]
    fn quantities_are_parsed() {
        assert_eq!(super::bytes(&json!("512Mi")), Some(512 << 20));
        assert_eq!(super::bytes(&json!("2Gi")), Some(2 << 30));
        assert_eq!(super::bytes(&json!("2G")), None);
    }
}
