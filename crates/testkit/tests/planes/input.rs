//! Invalid input for every operation, generated from the OpenAPI documents: wrong types, values beyond each bound,
//! unknown and repeated fields. Every broken rule of a request is answered at once, with its place, rule and bound.

use std::collections::BTreeSet;
use std::slice::from_ref;

use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Map, Value, json};
use testkit::answer::Answer;
use testkit::caller::Request;
use testkit::open_session::OpenSession;
use testkit::seed::MANAGE_WITH_CARDS;
use uuid::Uuid;

use crate::routes::{Estate, Operation, operations};

/// Operations whose clients have a format of their own for failures, or send more fields than the service reads.
const OF_OTHER_PROTOCOLS: [&str; 4] = ["callMcp", "useMcp", "batchLfs", "batchLfsByName"];
/// Streams of events, which end only with `follow=false`.
const STREAMS: [&str; 3] = ["streamEvents", "streamTeamEvents", "streamProjectEvents"];
/// Words of the implementation, which no message may hold.
const INTERNAL_WORDS: [&str; 9] = [
    "struct",
    "expected i",
    "expected u",
    "expected a",
    "invalid digit",
    "invalid type",
    "variant",
    "serde",
    "enum",
];
/// The name of a field or parameter that no operation has.
const UNKNOWN: &str = "noSuchField";

/// A place in a body: a path, the schema of its value, and a body that leads there.
struct Place {
    steps: Vec<Step>,
    schema: Value,
    body: Value,
}

#[derive(Clone)]
enum Step {
    Field(String),
    Element,
}

/// The document of a plane, whose schemas refer to each other.
struct Document<'a>(&'a Value);

/// An operation with its place in the document.
struct Audited<'a> {
    document: Document<'a>,
    body: Option<Value>,
}

#[tokio::test]
async fn each_field_of_each_body_refuses_other_types_and_values_beyond_its_bounds() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    let mut requests = 0;
    let mut failures = Vec::new();
    for operation in &operations(&opened).await {
        let audited = Audited::of(operation);
        for place in audited.places() {
            for (value, rule, bound) in place.refused(&audited.document) {
                let answer = estate.send(operation, &place.filled(value.clone())).await;
                // A field that can't be cleared is required.
                let rules = if value.is_null() { vec![rule, "required"] } else { vec![rule] };
                failures
                    .extend(unlike(&answer, &[place.path()], &rules, bound).map(|what| {
                        format!("{} {} = {}: {what}", operation.id, place.path(), shown(&value))
                    }));
                requests += 1;
            }
        }
    }
    assert!(requests > 1_000, "only {requests} requests");
    assert!(failures.is_empty(), "{} of {requests}:\n{}", failures.len(), failures.join("\n"));
}

#[tokio::test]
async fn each_bound_is_itself_allowed() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    let mut failures = Vec::new();
    for operation in operations(&opened).await.iter().filter(|operation| !operation.id.starts_with("delete"))
    {
        let audited = Audited::of(operation);
        for place in audited.places() {
            for value in place.at_bounds() {
                let answer = estate.send(operation, &place.filled(value.clone())).await;
                let path = place.path();
                let refused = issues(&answer).into_iter().find(|issue| {
                    issue["path"] == *path
                        && ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"]
                            .contains(&issue["rule"].as_str().unwrap())
                });
                failures.extend(
                    refused.map(|issue| format!("{} {path} = {}: {issue}", operation.id, shown(&value))),
                );
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test]
async fn each_object_of_each_body_refuses_missing_unknown_and_repeated_fields() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    let mut failures = Vec::new();
    for operation in &operations(&opened).await {
        let audited = Audited::of(operation);
        for place in audited.places() {
            let path = place.path();
            for name in place.schema["required"].as_array().into_iter().flatten() {
                let answer = estate.send(operation, &place.filled(json!({}))).await;
                let at = format!("{path}.{}", name.as_str().unwrap());
                failures.extend(
                    unlike(&answer, from_ref(&at), &["required"], None)
                        .map(|what| format!("{} {at}: {what}", operation.id)),
                );
            }
            if place.schema["additionalProperties"] == false {
                let answer = estate.send(operation, &place.filled(json!({ UNKNOWN: 1 }))).await;
                let at = format!("{path}.{UNKNOWN}");
                failures.extend(
                    unlike(&answer, from_ref(&at), &["unknown"], None)
                        .map(|what| format!("{} {at}: {what}", operation.id)),
                );
            }
            if let Some(name) = place.schema["properties"].as_object().and_then(|fields| fields.keys().next())
            {
                let once = place.filled(json!({ name: "MARK" })).to_string();
                let pair = format!("\"{name}\":\"MARK\"");
                let twice = once.replace(&pair, &format!("{pair},{pair}"));
                let answer = estate.send_text(operation, &twice).await;
                let at = format!("{path}.{name}");
                failures.extend(
                    unlike(&answer, from_ref(&at), &["duplicate"], None)
                        .map(|what| format!("{} {at} twice: {what}", operation.id)),
                );
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

#[tokio::test]
async fn each_parameter_refuses_what_its_schema_does_not_allow() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    let mut failures = Vec::new();
    let operations = operations(&opened).await;
    // An answer to OPTIONS is the same for all resources.
    for operation in operations.iter().filter(|operation| operation.method != Method::OPTIONS) {
        let document = Document(&operation.document);
        let good = estate.good_credential(operation);
        let path = operation.fill(&estate.ids);
        for parameter in operation.definition["parameters"].as_array().unwrap() {
            let (name, place) = (parameter["name"].as_str().unwrap(), parameter["in"].as_str().unwrap());
            let at = format!("{place}.{name}");
            for text in document.refused_texts(&parameter["schema"]) {
                let answer = match place {
                    "query" => {
                        let joint = if path.contains('?') { '&' } else { '?' };
                        // An accepted stream of events would not end.
                        let ends = if STREAMS.contains(&operation.id.as_str()) && name != "follow" {
                            "&follow=false"
                        } else {
                            ""
                        };
                        let request = format!("{path}{joint}{name}={}{ends}", encoded(&text));
                        estate.at(operation, good).request(operation.method.clone(), &request).await
                    }
                    // A public operation describes the service and reads no resource.
                    "path" if !operation.public => {
                        let mut ids = estate.ids.clone();
                        let known = ids.keys().find(|known| **known == name).copied().unwrap();
                        ids.insert(known, encoded(&text));
                        if operation.fill(&ids) == path {
                            continue;
                        }
                        estate
                            .at(operation, good)
                            .request(operation.method.clone(), &operation.fill(&ids))
                            .await
                    }
                    _ => continue,
                };
                let rules = [
                    "type",
                    "format",
                    "pattern",
                    "enum",
                    "minimum",
                    "maximum",
                    "minLength",
                    "maxLength",
                    "minItems",
                ];
                failures.extend(
                    unlike(&answer, from_ref(&at), &rules, None)
                        .map(|what| format!("{} {at} = {text:?}: {what}", operation.id)),
                );
            }
        }
        let unknown = format!("{path}?{UNKNOWN}=1&{UNKNOWN}=1");
        let answer = estate.at(operation, good).request(operation.method.clone(), &unknown).await;
        if !operation.public {
            for rule in ["unknown", "duplicate"] {
                let at = format!("query.{UNKNOWN}");
                failures.extend(
                    unlike(&answer, &[at], &[rule], None)
                        .map(|what| format!("{} query: {what}", operation.id)),
                );
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

#[tokio::test]
async fn all_broken_rules_of_a_request_are_answered_at_once() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    let mut failures = Vec::new();
    for operation in operations(&opened).await.iter().filter(|operation| !operation.public) {
        let audited = Audited::of(operation);
        let mut body = Map::from_iter([(UNKNOWN.to_owned(), json!(1))]);
        let mut expected = vec![format!("query.{UNKNOWN}")];
        let mut ids = estate.ids.clone();
        let document = Document(&operation.document);
        for parameter in operation.definition["parameters"].as_array().unwrap() {
            let name = parameter["name"].as_str().unwrap();
            // A test deletes its spare branch and organization, and revokes a key of its service account.
            let is_fixed = [
                ("deleteBranch", "branch"),
                ("deleteOrganization", "orgId"),
                ("revokeServiceAccountKey", "keyId"),
            ]
            .contains(&(operation.id.as_str(), name));
            if parameter["in"] == "path"
                && !is_fixed
                && !document.refused_texts(&parameter["schema"]).is_empty()
            {
                let of_attachment = name == "uploadId" && operation.id.ends_with("AttachmentUpload");
                let name_here = if of_attachment { "attachmentUploadId" } else { name };
                let known = ids.keys().find(|known| **known == name_here).copied().unwrap();
                ids.insert(known, "-".to_owned());
                expected.push(format!("path.{name}"));
            }
        }
        for place in audited.places().iter().filter(|place| place.steps.len() == 1) {
            if let (Some((value, ..)), [Step::Field(name)]) =
                (place.refused(&audited.document).first(), place.steps.as_slice())
            {
                body.insert(name.clone(), value.clone());
                expected.push(place.path());
            }
        }
        let path = format!("{}?{UNKNOWN}=1", operation.fill(&ids));
        let mut request =
            estate.at(operation, estate.good_credential(operation)).request(operation.method.clone(), &path);
        if operation.creates {
            request = request.header("idempotency-key", "\u{e9}");
            expected.push("header.Idempotency-Key".to_owned());
        }
        let takes_json = audited.body.is_some();
        if takes_json {
            expected.push(format!("body.{UNKNOWN}"));
            request = request.json(Value::Object(body));
        }
        let answer = request.await;
        let found: BTreeSet<String> =
            issues(&answer).iter().map(|issue| issue["path"].as_str().unwrap().to_owned()).collect();
        let missing: Vec<&String> = expected.iter().filter(|path| !found.contains(*path)).collect();
        if !missing.is_empty() || answer.status != 400 {
            failures.push(format!("{}: {missing:?} are not in {answer}", operation.id));
        }
        failures.extend(
            issues(&answer).iter().filter_map(internal).map(|what| format!("{}: {what}", operation.id)),
        );
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

#[tokio::test]
async fn each_json_body_refuses_other_media_types_codings_and_charsets() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    for operation in &operations(&opened).await {
        let audited = Audited::of(operation);
        let Some(_) = audited.body else { continue };
        for (content_type, coding) in [
            ("text/plain", "identity"),
            ("application/json; charset=utf-16", "identity"),
            ("application/json; charset=\"ISO-8859-1\"", "identity"),
            ("application/json", "gzip"),
            ("application/json", "br"),
        ] {
            let request = estate.begin(operation).body(content_type, "{}").header("content-encoding", coding);
            let answer = request.await;
            assert_eq!(answer.status, 415, "{} {content_type} {coding}: {answer}", operation.id);
        }
        for content_type in ["application/json; charset=utf-8", "application/json;charset=\"UTF-8\""] {
            let answer = estate.begin(operation).body(content_type, "{").await;
            assert_eq!(answer.status, 400, "{} {content_type}: {answer}", operation.id);
        }
    }
}

/// References to nothing, in each place of a body. What takes them answers 400 with the place; a position that has
/// moved is a 409, and an expected state that never was is a 409 or 412.
#[tokio::test]
async fn absent_references_in_bodies_are_refused_with_their_place() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    let mut failures = Vec::new();
    for operation in operations(&opened).await.iter().filter(|operation| !operation.id.starts_with("delete"))
    {
        let audited = Audited::of(operation);
        let places = audited.places();
        for place in places.iter().filter(|place| place.schema["format"] == "uuid") {
            let path = place.path();
            let Some(Step::Field(name)) = place.steps.last() else { continue };
            let Some(valid) = Estate::valid_body(operation) else { continue };
            if place.steps.len() != 1 {
                continue;
            }
            let mut body = valid;
            body[name] = json!(Uuid::now_v7());
            let answer = estate.send(operation, &body).await;
            let has_place = issues(&answer).iter().any(|issue| issue["path"] == *path);
            let is_expectation = name.starts_with("expected") && matches!(answer.status, 409 | 412);
            let is_position = answer.status == 409 && answer.code() == "POSITION_CONFLICT";
            if !(answer.status == 400 && has_place || is_expectation || is_position) {
                failures.push(format!("{} {path}: {answer}", operation.id));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

impl<'a> Audited<'a> {
    fn of(operation: &'a Operation) -> Self {
        let schema = operation.definition.pointer("/requestBody/content/application~1json/schema");
        let body = schema.filter(|_| !OF_OTHER_PROTOCOLS.contains(&operation.id.as_str())).cloned();
        Self { document: Document(&operation.document), body }
    }

    /// All places of the body.
    fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        if let Some(schema) = &self.body {
            self.document.collect(schema, &[], &json!({}), &mut places);
        }
        places
    }
}

impl Document<'_> {
    /// The schema behind references, without the alternative `null`.
    fn resolve(&self, schema: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.resolve(self.0.pointer(reference.trim_start_matches('#')).unwrap());
        }
        if let Some([one, null]) = schema["anyOf"].as_array().map(Vec::as_slice)
            && null["type"] == "null"
        {
            let mut schema = self.resolve(one);
            schema["nullable"] = json!(true);
            return schema;
        }
        let mut schema = schema.clone();
        if let Some(types) = schema["type"].as_array().cloned() {
            let types: Vec<Value> = types.into_iter().filter(|name| name != "null").collect();
            if let [one] = types.as_slice() {
                schema["type"] = one.clone();
                schema["nullable"] = json!(true);
            }
        }
        // Failures name formats of the service as they name standard ones.
        if let Some(format) = schema.get("x-format").cloned() {
            schema["format"] = format;
        }
        schema
    }

    fn collect(&self, schema: &Value, steps: &[Step], body: &Value, places: &mut Vec<Place>) {
        let schema = self.resolve(schema);
        if steps.len() > 4 {
            return;
        }
        let of = |object: &Value, body: &Value, places: &mut Vec<Place>| {
            for (name, field) in object["properties"].as_object().into_iter().flatten() {
                let tag = self.resolve(field);
                if tag.get("const").is_some() {
                    continue;
                }
                let steps: Vec<Step> = steps.iter().cloned().chain([Step::Field(name.clone())]).collect();
                self.collect(field, &steps, body, places);
            }
        };
        if let Some(alternatives) = schema["oneOf"].as_array() {
            for one in alternatives {
                let one = self.resolve(one);
                let fields = one["properties"].as_object().into_iter().flatten();
                let tags =
                    fields.filter_map(|(name, field)| Some((name.clone(), field.get("const")?.clone())));
                let body = filled(body.clone(), steps, Value::Object(tags.collect()));
                of(&one, &body, places);
            }
        }
        of(&schema, body, places);
        if schema["items"].is_object() {
            let steps: Vec<Step> = steps.iter().cloned().chain([Step::Element]).collect();
            self.collect(&schema["items"], &steps, body, places);
        }
        places.push(Place { steps: steps.to_vec(), schema, body: body.clone() });
    }

    /// Texts that a parameter with this schema refuses.
    fn refused_texts(&self, schema: &Value) -> Vec<String> {
        let schema = self.resolve(schema);
        let mut texts = Vec::new();
        match schema["type"].as_str() {
            Some("integer" | "number") => {
                texts.extend(["x", "1.5x"].map(str::to_owned));
                texts.extend(schema["minimum"].as_i64().map(|least| (least - 1).to_string()));
                texts.extend(schema["maximum"].as_i64().map(|most| (most + 1).to_string()));
            }
            Some("boolean") => texts.push("maybe".to_owned()),
            _ => {}
        }
        if schema.get("enum").is_some() {
            texts.push("no-such-value".to_owned());
        }
        texts.extend(schema["format"].as_str().into_iter().flat_map(refused_by_format).map(str::to_owned));
        texts.extend(schema["maxLength"].as_u64().map(|most| "x".repeat(usize::try_from(most).unwrap() + 1)));
        texts.retain(|text| !text.contains(['/', '\\']));
        texts
    }
}

/// Texts that are not of a format.
fn refused_by_format(format: &str) -> Vec<&'static str> {
    match format {
        "uuid" | "project" | "package" => vec!["-", "0198c5f0-0000-7000-8000"],
        "date-time" => {
            vec!["yesterday", "0000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z"]
        }
        "date-or-time" => vec!["yesterday", "0000-01-01", "2026-02-30", "2026-11-02T25:00"],
        "name" | "visible-text" | "object-type" => vec![" \t ", ""],
        "text" => vec!["a\0b"],
        "branch" | "revision" => vec!["a..b", "-"],
        "sequence" => vec!["-1", "x", "99999999999999999999"],
        "email" => vec!["not an address", "a@b@c", "@works.example"],
        "uri" => vec!["not a url", "ftp://mcp.example/", "https://user@mcp.example/"],
        _ => Vec::new(),
    }
}

impl Place {
    /// The path as failures name it.
    fn path(&self) -> String {
        self.steps.iter().fold("body".to_owned(), |path, step| match step {
            Step::Field(name) => format!("{path}.{name}"),
            Step::Element => format!("{path}[0]"),
        })
    }

    /// The body with a value at this place.
    fn filled(&self, value: Value) -> Value {
        filled(self.body.clone(), &self.steps, value)
    }

    /// Values that the place refuses, with the rule that they break and its bound.
    fn refused(&self, document: &Document<'_>) -> Vec<(Value, &'static str, Option<Value>)> {
        let schema = &self.schema;
        let mut refused = Vec::new();
        let kind = schema["type"].as_str();
        let samples = [
            ("string", json!("\u{e9}\u{e9}")),
            ("number", json!(1.5)),
            ("boolean", json!(true)),
            ("array", json!([])),
            ("object", json!({})),
        ];
        if let Some(kind) = kind {
            let fits = |sample: &str| sample == kind || kind == "number" && sample == "integer";
            for (sample, value) in samples {
                // An amount may be written as a text.
                let is_amount = kind == "number" && sample == "string";
                if !fits(sample) && !is_amount {
                    refused.push((value, "type", None));
                }
            }
            if schema["nullable"] != true {
                refused.push((Value::Null, "type", None));
            }
        }
        if schema.get("enum").is_some() {
            refused.retain(|(_, rule, _)| *rule != "type");
            refused.push((json!("no-such-value"), "enum", Some(schema["enum"].clone())));
        }
        let texts = |length: u64| json!("x".repeat(usize::try_from(length).unwrap()));
        if let Some(most) = schema["maxLength"].as_u64() {
            refused.push((texts(most + 1), "maxLength", Some(json!(most))));
        }
        if let Some(least @ 1..) = schema["minLength"].as_u64() {
            refused.push((texts(least - 1), "minLength", Some(json!(least))));
        }
        if let Some(most) = schema["maximum"].as_i64() {
            refused.push((json!(most + 1), "maximum", Some(json!(most))));
        }
        if let Some(least) = schema["minimum"].as_i64() {
            refused.push((json!(least - 1), "minimum", Some(json!(least))));
        }
        if let Some(least @ 1..) = schema["minItems"].as_u64() {
            refused.push((json!([]), "minItems", Some(json!(least))));
        }
        if let Some(most @ ..=1_000) = schema["maxItems"].as_u64() {
            let items = document.sample(&schema["items"]);
            let items = vec![items; usize::try_from(most).unwrap() + 1];
            refused.push((json!(items), "maxItems", Some(json!(most))));
        }
        if let Some(pattern) = schema["pattern"].as_str() {
            // A format says more than its pattern.
            match schema["format"].as_str() {
                Some(format) => refused.push((json!("\u{1}"), "format", Some(json!(format)))),
                None => refused.push((json!("\u{1}"), "pattern", Some(json!(pattern)))),
            }
        }
        if schema.get("pattern").is_none() {
            let format = schema["format"].as_str().unwrap_or_default();
            let values = refused_by_format(format).into_iter().filter(|_| kind == Some("string"));
            refused.extend(values.map(|text| (json!(text), "format", Some(json!(format)))));
        }
        refused
    }

    /// Values on the bounds of the place.
    fn at_bounds(&self) -> Vec<Value> {
        let schema = &self.schema;
        let texts = |length: u64| json!("x".repeat(usize::try_from(length).unwrap()));
        let mut values: Vec<Value> = [&schema["minLength"], &schema["maxLength"]]
            .into_iter()
            .filter_map(Value::as_u64)
            .map(texts)
            .collect();
        values.extend(
            [&schema["minimum"], &schema["maximum"]].into_iter().filter(|bound| bound.is_number()).cloned(),
        );
        values
    }
}

impl Document<'_> {
    /// A value that a schema may allow.
    fn sample(&self, schema: &Value) -> Value {
        let schema = self.resolve(schema);
        match schema["type"].as_str() {
            _ if schema["enum"].is_array() => schema["enum"][0].clone(),
            Some("string") if schema["format"] == "uuid" => json!(Uuid::now_v7()),
            Some("string") => json!("x"),
            Some("object") => json!({}),
            _ => json!(1),
        }
    }
}

/// Puts a value into a body, with objects and lists on the way.
fn filled(body: Value, steps: &[Step], value: Value) -> Value {
    let Some((first, rest)) = steps.split_first() else {
        return match (body, value) {
            (Value::Object(mut fields), Value::Object(more)) => {
                fields.extend(more);
                Value::Object(fields)
            }
            (_, value) => value,
        };
    };
    match first {
        Step::Field(name) => {
            let mut fields = body.as_object().cloned().unwrap_or_default();
            let inner = fields.remove(name).unwrap_or_default();
            fields.insert(name.clone(), filled(inner, rest, value));
            Value::Object(fields)
        }
        Step::Element => {
            let inner = body.get(0).cloned().unwrap_or_default();
            json!([filled(inner, rest, value)])
        }
    }
}

/// The difference of an answer from a 400 that has an issue at one of `paths` with one of `rules` and its bound.
fn unlike(answer: &Answer, paths: &[String], rules: &[&str], bound: Option<Value>) -> Option<String> {
    let found = issues(answer);
    if let Some(what) = found.iter().find_map(internal) {
        return Some(what);
    }
    let fits = |issue: &Value| {
        paths.iter().any(|path| issue["path"] == **path) && rules.iter().any(|rule| issue["rule"] == **rule)
    };
    match found.iter().find(|issue| fits(issue)) {
        Some(issue) if answer.status == 400 => {
            let differs = bound.is_some_and(|bound| issue["bound"] != bound);
            differs.then(|| format!("another bound: {issue}"))
        }
        _ => Some(format!("no {rules:?}: {answer}")),
    }
}

/// The words of the implementation in an issue's message.
fn internal(issue: &Value) -> Option<String> {
    let message = issue["message"].as_str().unwrap();
    INTERNAL_WORDS.iter().any(|word| message.contains(word)).then(|| format!("internal words: {message}"))
}

fn issues(answer: &Answer) -> Vec<Value> {
    if answer.status < 400 || answer.body.is_empty() {
        return Vec::new();
    }
    answer.json().pointer("/error/details/issues").and_then(Value::as_array).cloned().unwrap_or_default()
}

fn shown(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

impl Estate {
    /// The operation's request without a body.
    fn begin(&self, operation: &Operation) -> Request {
        let path = operation.fill(&self.ids);
        self.at(operation, self.good_credential(operation)).request(operation.method.clone(), &path)
    }

    async fn send(&self, operation: &Operation, body: &Value) -> Answer {
        self.begin(operation).json(body.clone()).await
    }

    async fn send_text(&self, operation: &Operation, body: &str) -> Answer {
        self.begin(operation).body("application/json", body.to_owned()).await
    }
}

#[tokio::test]
async fn one_broken_rule_stands_for_a_list_that_is_too_long_and_a_long_name_is_cut() {
    let opened = OpenSession::open().await;
    let bulk = format!("/api/v2/projects/{}/cards/bulk", opened.project);
    let planner = opened.alice.key(MANAGE_WITH_CARDS).await;
    let many = planner.post(&bulk).json(json!({ "operations": vec![json!({}); 100_000] })).await;
    assert_snapshot!(many, @"400 INVALID_REQUEST body.operations maxItems");
    let objects = format!("/api/v2/projects/{}/objects/batch", opened.project);
    let many = opened.caller.post(&objects).json(json!({ "operations": vec![json!({}); 100_000] })).await;
    assert_snapshot!(many, @"400 INVALID_REQUEST body.operations maxItems");
    let name = "n".repeat(900_000);
    let unknown = opened.caller.post("/api/v2/projects").json(json!({ &name: 1, "name": "Gear" })).await;
    assert_eq!((unknown.status, unknown.body.len() < 5_000), (400, true));
    let fields = (0..50_000).map(|number| (format!("field{number}"), json!(number))).collect();
    let unknown = opened.caller.post("/api/v2/projects").json(Value::Object(fields)).await;
    assert_eq!(unknown.json()["error"]["details"]["issues"].as_array().unwrap().len(), 100);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": &name });
    assert!(opened.caller.post("/mcp").json(call).await.body.len() < 5_000);
}
