//! Parts that an OpenAPI document says once: shared parameters, one example for each type, and descriptions.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The place of schemas.
const SCHEMAS: &str = "#/components/schemas/";

/// Moves parameters that several operations have to components, which it returns by name. Of parameters with the same
/// name the most frequent is shared.
pub(crate) fn share_parameters(paths: &mut Map<String, Value>) -> Map<String, Value> {
    let mut counts: BTreeMap<String, Vec<(Value, usize)>> = BTreeMap::new();
    for parameter in parameters(paths) {
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        let variants = counts.entry(name.to_owned()).or_default();
        match variants.iter_mut().find(|(known, _)| known == parameter) {
            Some((_, count)) => *count += 1,
            None => variants.push((parameter.clone(), 1)),
        }
    }
    let most_frequent = counts.into_iter().filter_map(|(name, variants)| {
        let (parameter, count) = variants.into_iter().max_by_key(|(_, count)| *count)?;
        (count > 1).then_some((name, parameter))
    });
    let shared: Map<String, Value> = most_frequent.collect();
    for parameter in parameters(paths) {
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        if shared.get(name) == Some(parameter) {
            *parameter = json!({ "$ref": format!("#/components/parameters/{name}") });
        }
    }
    shared
}

/// Moves each example of a body or an answer to the schema of its type. Of several the longest shows most.
pub(crate) fn share_examples(paths: &mut Map<String, Value>, schemas: &mut Map<String, Value>) {
    for content in operations(paths).flat_map(contents) {
        let media = content.get_mut("content").and_then(Value::as_object_mut);
        for media in media.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
            let schema = media.get("schema").and_then(|schema| schema.get("$ref")?.as_str());
            let schema = schema.and_then(|place| place.strip_prefix(SCHEMAS));
            let Some(schema) = schema.and_then(|name| schemas.get_mut(name)?.as_object_mut()) else {
                continue;
            };
            let Some(example) = media.remove("example") else { continue };
            let length = |example: &Value| example.to_string().len();
            let known = schema.get("examples").and_then(|all| all.get(0)).map_or(0, length);
            if length(&example) > known {
                schema.insert("examples".to_owned(), json!([example]));
            }
        }
    }
}

/// Removes the descriptions of types that are whole bodies or answers: what their operations say of them is more.
pub(crate) fn drop_descriptions_of_bodies(schemas: &mut Map<String, Value>) {
    let is_body = |name: &str| name.ends_with("Request") || name.ends_with("Response");
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| is_body(name)) {
        schema.as_object_mut().and_then(|schema| schema.remove("description"));
    }
}

/// The body of an operation, and its answers.
fn contents(operation: &mut Value) -> Vec<&mut Value> {
    let mut contents = Vec::new();
    for (name, part) in operation.as_object_mut().into_iter().flatten() {
        match name.as_str() {
            "requestBody" => contents.push(part),
            "responses" => contents.extend(part.as_object_mut().into_iter().flat_map(Map::values_mut)),
            _ => {}
        }
    }
    contents
}

fn parameters(paths: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    operations(paths)
        .filter_map(|operation| operation.get_mut("parameters")?.as_array_mut())
        .flat_map(|parameters| parameters.iter_mut())
}

fn operations(paths: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{drop_descriptions_of_bodies, share_examples, share_parameters};

    fn paths(operations: [Value; 3]) -> Map<String, Value> {
        let [one, two, three] = operations;
        Map::from_iter([
            ("/a".to_owned(), json!({ "get": one, "put": two })),
            ("/b".to_owned(), json!({ "get": three })),
        ])
    }

    #[test]
    fn the_most_frequent_parameter_of_a_name_is_shared() {
        let parameter = |name: &str, text: &str| json!({ "name": name, "description": text });
        let operation = |parameters: &[Value]| json!({ "parameters": parameters });
        let (common, other, single) = (parameter("id", "a"), parameter("id", "b"), parameter("q", "c"));
        let mut paths = paths([
            operation(&[other.clone(), single.clone()]),
            operation(std::slice::from_ref(&common)),
            operation(std::slice::from_ref(&common)),
        ]);
        let shared = share_parameters(&mut paths);
        assert_eq!(Value::Object(shared), json!({ "id": common }));
        assert_eq!(paths["/a"]["get"]["parameters"], json!([other, single]));
        assert_eq!(paths["/b"]["get"]["parameters"], json!([{ "$ref": "#/components/parameters/id" }]));
    }

    #[test]
    fn types_of_bodies_are_described_by_their_operations_alone() {
        let schema = |name: &str| (name.to_owned(), json!({ "description": name, "type": "object" }));
        let mut schemas = Map::from_iter(["CardResponse", "CreateCardRequest", "Card"].map(schema));
        drop_descriptions_of_bodies(&mut schemas);
        let described: Vec<&str> =
            schemas.values().filter_map(|schema| schema["description"].as_str()).collect();
        assert_eq!(described, ["Card"]);
    }

    #[test]
    fn the_longest_example_of_a_type_stands_at_its_schema() {
        let media = |example: &str| {
            json!({ "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/Card" }, "example": { "name": example },
            } } })
        };
        let unnamed = json!({ "content": { "application/json": { "schema": {}, "example": 1 } } });
        let mut paths = paths([
            json!({ "requestBody": media("Saw"), "responses": { "200": unnamed } }),
            json!({ "responses": { "201": media("Cut the teeth") } }),
            json!({ "responses": { "200": media("Grind") } }),
        ]);
        let mut schemas = Map::from_iter([("Card".to_owned(), json!({ "type": "object" }))]);
        share_examples(&mut paths, &mut schemas);
        assert_eq!(schemas["Card"]["examples"], json!([{ "name": "Cut the teeth" }]));
        let text = Value::Object(paths.clone()).to_string();
        assert_eq!(text.matches("example").count(), 1, "{text}");
        assert_eq!(paths["/a"]["get"]["responses"]["200"], unnamed);
    }
}
