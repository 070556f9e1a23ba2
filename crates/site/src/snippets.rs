//! Requests of an operation to copy: curl, TypeScript (`fetch`) and Python (`requests`).
//!
//! Placeholders of the path are variables of the same name in all three, and so is the credential.

use serde_json::Value;

use crate::reference::{OperationReference, PlaneReference, at, example_of, resolve, text};

/// A request in one language.
#[derive(Debug)]
pub(crate) struct Snippet {
    /// For ids of elements, and the language of the code.
    pub(crate) language: &'static str,
    pub(crate) title: &'static str,
    pub(crate) code: String,
}

/// The parts of a request, which every language writes its own way.
struct Request<'a> {
    method: &'a str,
    address: &'a str,
    path: &'a str,
    /// The query that the operation requires, with the `?`.
    query: String,
    /// The name of the variable with the credential, if the operation needs one.
    credential: Option<&'static str>,
    is_creation: bool,
    headers: Vec<(&'a str, &'a str)>,
    body: Body<'a>,
}

enum Body<'a> {
    None,
    Json(&'a Value),
    File,
    Bytes(&'a str),
}

/// The request in each language.
pub(crate) fn snippets(plane: &PlaneReference<'_>, operation: &OperationReference<'_>) -> [Snippet; 3] {
    let request = Request::of(plane, operation);
    [
        Snippet { language: "sh", title: "curl", code: request.curl() },
        Snippet { language: "typescript", title: "TypeScript", code: request.typescript() },
        Snippet { language: "python", title: "Python", code: request.python() },
    ]
}

impl<'a> Request<'a> {
    fn of(plane: &'a PlaneReference<'a>, operation: &'a OperationReference<'a>) -> Self {
        let value = operation.value;
        let parameters = || {
            let (all, document) = (value["parameters"].as_array(), plane.document);
            all.into_iter().flatten().map(move |one| resolve(document, one))
        };
        let reads = |name: &str| parameters().any(|one| text(one, "name") == name);
        let required = parameters().filter(|one| one["in"] == "query" && one["required"] == true);
        let query: Vec<String> =
            required.map(|one| format!("{}={}", text(one, "name"), sample(&one["schema"]))).collect();
        let content = at(value, "/requestBody/content").as_object();
        let body = match content.and_then(|content| content.iter().next()) {
            None => Body::None,
            Some((_, json)) if !example_of(plane.document, json).is_null() => {
                Body::Json(example_of(plane.document, json))
            }
            Some((media_type, _)) if media_type == "multipart/form-data" => Body::File,
            Some((media_type, _)) if media_type.ends_with("json") => Body::None,
            Some((media_type, _)) => Body::Bytes(media_type),
        };
        // A resumable upload is the only protocol whose headers are always needed.
        let always = [("Tus-Resumable", "1.0.0"), ("Upload-Length", "1048576"), ("Upload-Offset", "0")];
        let security = value["security"].as_array().and_then(|all| all.first()?.as_object()?.keys().next());
        Self {
            method: &operation.method,
            address: plane.address,
            path: operation.path,
            query: if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) },
            credential: security.map(|name| match name.as_str() {
                "grant" => "ATELIER_GRANT",
                "browserToken" => "ATELIER_TOKEN",
                _ => "ATELIER_KEY",
            }),
            is_creation: reads("Idempotency-Key"),
            headers: always.into_iter().filter(|(name, _)| reads(name)).collect(),
            body,
        }
    }

    /// The address with each placeholder as the language writes a variable in a text.
    fn url(&self, variable: impl Fn(&str) -> String) -> String {
        let mut url = self.address.to_owned();
        for segment in self.path.split('/').skip(1) {
            url.push('/');
            let mut rest = segment;
            while let Some((before, name, after)) = rest
                .split_once('{')
                .and_then(|(before, rest)| rest.split_once('}').map(|(name, after)| (before, name, after)))
            {
                url.push_str(before);
                url.push_str(&variable(name));
                rest = after;
            }
            url.push_str(rest);
        }
        url + &self.query
    }

    fn curl(&self) -> String {
        let method = if self.method == "GET" { String::new() } else { format!(" -X {}", self.method) };
        let mut lines = vec![format!("curl{method} \"{}\"", self.url(|name| format!("${{{name}}}")))];
        if let Some(name) = self.credential {
            lines.push(format!("-H \"Authorization: Bearer ${name}\""));
        }
        if self.is_creation {
            lines.push("-H \"Idempotency-Key: $(uuidgen)\"".to_owned());
        }
        lines.extend(self.headers.iter().map(|(name, value)| format!("-H \"{name}: {value}\"")));
        match self.body {
            Body::None => {}
            Body::Json(value) => {
                lines.push("-H \"Content-Type: application/json\"".to_owned());
                lines.push(format!("-d '{}'", format!("{value:#}").replace('\'', r"'\''")));
            }
            Body::File => lines.push("-F file=@gear.step".to_owned()),
            Body::Bytes(media_type) => {
                lines.push(format!("-H \"Content-Type: {media_type}\""));
                lines.push("--data-binary @gear.step".to_owned());
            }
        }
        lines.join(" \\\n  ")
    }

    fn typescript(&self) -> String {
        let mut code = String::new();
        if matches!(self.body, Body::File | Body::Bytes(_)) {
            code.push_str("import { openAsBlob } from \"node:fs\";\n\n");
        }
        if matches!(self.body, Body::File) {
            code.push_str("const form = new FormData();\n");
            code.push_str("form.append(\"file\", await openAsBlob(\"gear.step\"), \"gear.step\");\n");
        }
        let url = self.url(|name| format!("${{{name}}}"));
        let quote = if url.contains("${") { '`' } else { '"' };
        let mut options = Vec::new();
        if self.method != "GET" {
            options.push(format!("  method: \"{}\",\n", self.method));
        }
        let mut headers = Vec::new();
        if let Some(name) = self.credential {
            headers.push(format!("Authorization: `Bearer ${{process.env.{name}}}`"));
        }
        if self.is_creation {
            headers.push("\"Idempotency-Key\": crypto.randomUUID()".to_owned());
        }
        headers.extend(self.headers.iter().map(|(name, value)| format!("\"{name}\": \"{value}\"")));
        let media_type = match self.body {
            Body::Json(_) => Some("application/json"),
            Body::Bytes(media_type) => Some(media_type),
            Body::None | Body::File => None,
        };
        headers.extend(media_type.map(|media_type| format!("\"Content-Type\": \"{media_type}\"")));
        if !headers.is_empty() {
            let lines: Vec<String> = headers.iter().map(|header| format!("    {header},\n")).collect();
            options.push(format!("  headers: {{\n{}  }},\n", lines.concat()));
        }
        match self.body {
            Body::None => {}
            Body::Json(value) => {
                let json = format!("{value:#}").replace('\n', "\n  ");
                options.push(format!("  body: JSON.stringify({json}),\n"));
            }
            Body::File => options.push("  body: form,\n".to_owned()),
            Body::Bytes(_) => options.push("  body: await openAsBlob(\"gear.step\"),\n".to_owned()),
        }
        let options =
            if options.is_empty() { String::new() } else { format!(", {{\n{}}}", options.concat()) };
        code.push_str(&format!("const response = await fetch({quote}{url}{quote}{options});\n"));
        code.push_str("if (!response.ok) throw new Error(await response.text());\n");
        code.push_str(if self.answers_json() {
            "console.log(await response.json());"
        } else {
            "console.log(response.status);"
        });
        code
    }

    fn python(&self) -> String {
        let mut modules = vec!["import requests"];
        if self.is_creation {
            modules.insert(0, "import uuid");
        }
        if self.credential.is_some() {
            modules.insert(0, "import os");
        }
        let url = self.url(|name| format!("{{{name}}}"));
        let prefix = if url.contains('{') { "f" } else { "" };
        let mut arguments = vec![format!("{prefix}\"{url}\"")];
        let mut headers = Vec::new();
        if let Some(name) = self.credential {
            headers.push(format!("\"Authorization\": f\"Bearer {{os.environ['{name}']}}\""));
        }
        if self.is_creation {
            headers.push("\"Idempotency-Key\": str(uuid.uuid4())".to_owned());
        }
        headers.extend(self.headers.iter().map(|(name, value)| format!("\"{name}\": \"{value}\"")));
        if let Body::Bytes(media_type) = self.body {
            headers.push(format!("\"Content-Type\": \"{media_type}\""));
        }
        if !headers.is_empty() {
            let lines: Vec<String> = headers.iter().map(|header| format!("        {header},\n")).collect();
            arguments.push(format!("headers={{\n{}    }}", lines.concat()));
        }
        match self.body {
            Body::None => {}
            Body::Json(value) => arguments.push(format!("json={}", python(value, 1))),
            Body::File => arguments.push("files={\"file\": open(\"gear.step\", \"rb\")}".to_owned()),
            Body::Bytes(_) => arguments.push("data=open(\"gear.step\", \"rb\")".to_owned()),
        }
        let lines: Vec<String> = arguments.iter().map(|argument| format!("    {argument},\n")).collect();
        let call = format!("requests.{}(\n{})", self.method.to_lowercase(), lines.concat());
        let shown = if self.answers_json() { "response.json()" } else { "response.status_code" };
        format!("{}\n\nresponse = {call}\nresponse.raise_for_status()\nprint({shown})", modules.join("\n"))
    }

    fn answers_json(&self) -> bool {
        !matches!(self.body, Body::Bytes(_)) && self.method != "OPTIONS"
    }
}

/// A value that a query parameter takes.
fn sample(schema: &Value) -> String {
    let value = match (at(schema, "/enum/0"), at(schema, "/example")) {
        (Value::String(first), _) => first,
        (_, Value::String(example)) => example,
        _ => return if schema["type"] == "integer" { "1".to_owned() } else { "…".to_owned() },
    };
    value.clone()
}

/// A JSON value as Python writes it.
fn python(value: &Value, level: usize) -> String {
    let indent = "    ".repeat(level + 1);
    let close = "    ".repeat(level);
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Array(items) => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{indent}{},\n", python(item, level + 1))).collect();
            format!("[\n{}{close}]", items.concat())
        }
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| {
                    format!("{indent}{}: {},\n", Value::from(name.as_str()), python(value, level + 1))
                })
                .collect();
            format!("{{\n{}{close}}}", fields.concat())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::snippets;
    use crate::reference::PlaneReference;

    fn document() -> Value {
        json!({
            "servers": [{ "url": "https://api.example" }],
            "tags": [{ "name": "Cards" }],
            "paths": { "/api/v2/projects/{projectId}/cards": { "post": {
                "operationId": "createCard", "tags": ["Cards"], "security": [{ "apiKey": [] }],
                "parameters": [{ "name": "Idempotency-Key", "in": "header" }],
                "requestBody": { "content": { "application/json": { "example": { "name": "Bob's", "isOpen": true } } } },
            } } },
        })
    }

    #[test]
    fn a_request_is_written_in_three_languages() {
        let document = document();
        let plane = PlaneReference::new("Control plane", "control", &document);
        let [curl, typescript, python] =
            snippets(&plane, plane.operations().next().unwrap()).map(|one| one.code);
        assert_eq!(
            curl,
            "curl -X POST \"https://api.example/api/v2/projects/${projectId}/cards\" \\\n  \
             -H \"Authorization: Bearer $ATELIER_KEY\" \\\n  -H \"Idempotency-Key: $(uuidgen)\" \\\n  \
             -H \"Content-Type: application/json\" \\\n  -d '{\n  \"isOpen\": true,\n  \"name\": \"Bob'\\''s\"\n}'"
        );
        assert!(
            typescript.contains("fetch(`https://api.example/api/v2/projects/${projectId}/cards`, {"),
            "{typescript}"
        );
        assert!(typescript.contains("body: JSON.stringify({\n    \"isOpen\": true,"), "{typescript}");
        assert!(
            python.starts_with("import os\nimport uuid\nimport requests\n\nresponse = requests.post(\n"),
            "{python}"
        );
        assert!(python.contains("        \"isOpen\": True,\n"), "{python}");
    }
}
