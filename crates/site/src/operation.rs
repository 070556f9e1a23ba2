//! The page of one operation.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::errors::{of_operation, reason};
use crate::highlight::highlight;
use crate::markdown::Renderer;
use crate::reference::{OperationReference, PlaneReference, at, example_of, text};
use crate::schema::{Field, Schemas};
use crate::snippets::snippets;

/// The details of an operation that its page shows, beside its texts.
#[derive(Debug)]
pub(crate) struct Details {
    /// HTML.
    pub(crate) description: String,
    /// The credentials that it takes, in words.
    pub(crate) credentials: String,
    pub(crate) scope: String,
    /// Parameters by their place.
    pub(crate) parameters: Vec<(&'static str, Vec<Field>)>,
    pub(crate) body: Option<Body>,
    pub(crate) answers: Vec<Answer>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) samples: Vec<CodeSample>,
    /// The answer's example, coloured.
    pub(crate) example: Option<Example>,
}

/// The body of a request.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) media_types: String,
    pub(crate) is_required: bool,
    pub(crate) fields: Vec<Field>,
}

/// A success.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: String,
    pub(crate) reason: &'static str,
    pub(crate) description: String,
    pub(crate) media_types: String,
    pub(crate) fields: Vec<Field>,
    /// Names and descriptions of headers.
    pub(crate) headers: Vec<(String, String)>,
}

/// The codes of a status.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: u16,
    pub(crate) reason: &'static str,
    pub(crate) codes: Vec<(String, String)>,
}

/// A request to copy.
#[derive(Debug)]
pub(crate) struct CodeSample {
    pub(crate) language: &'static str,
    pub(crate) title: &'static str,
    /// Coloured HTML.
    pub(crate) code: String,
}

/// An answer to read.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) status: String,
    /// Coloured HTML.
    pub(crate) code: String,
}

/// The details of an operation. `meanings` are those of the error codes.
pub(crate) fn details<'a>(
    plane: &PlaneReference<'a>,
    operation: &OperationReference<'a>,
    meanings: &BTreeMap<&str, &str>,
    renderer: &Renderer,
) -> Result<Details, askama::Error> {
    let value = operation.value;
    let schemas = Schemas { document: plane.document, renderer, is_answer: false };
    let mut parameters = Vec::new();
    for (place, title) in [("path", "Path"), ("query", "Query"), ("header", "Headers")] {
        let of_place = value["parameters"].as_array().into_iter().flatten();
        let of_place = of_place.filter(|one| schemas.resolve(one).0["in"] == place);
        let fields = of_place.map(|one| schemas.parameter(one)).collect::<Result<Vec<_>, _>>()?;
        if !fields.is_empty() {
            parameters.push((title, fields));
        }
    }
    let body = match &value["requestBody"] {
        Value::Null => None,
        body => {
            let (media_types, schema) = content(body);
            let fields = schema.map(|schema| schemas.fields(schema)).transpose()?.unwrap_or_default();
            Some(Body { media_types, is_required: body["required"] == true, fields })
        }
    };
    let samples = snippets(plane, operation).map(|one| CodeSample {
        language: one.language,
        title: one.title,
        code: highlight(one.language, &one.code),
    });
    let (answers, example) = answers(value, &Schemas { is_answer: true, ..schemas })?;
    Ok(Details {
        description: renderer.text(text(value, "description")),
        credentials: credentials(value),
        scope: text(value, "x-scope").to_owned(),
        parameters,
        body,
        answers,
        failures: failures(plane.document, value, meanings, renderer),
        samples: samples.into(),
        example,
    })
}

fn answers<'a>(
    operation: &'a Value,
    schemas: &Schemas<'a>,
) -> Result<(Vec<Answer>, Option<Example>), askama::Error> {
    let (mut answers, mut example) = (Vec::new(), None);
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let Some(number) = status.parse::<u16>().ok().filter(|status| *status < 400) else { continue };
        let (response, _) = schemas.resolve(response);
        let (media_types, schema) = content(response);
        let fields = schema.map(|schema| schemas.fields(schema)).transpose()?.unwrap_or_default();
        let headers = response["headers"].as_object().into_iter().flatten().map(|(name, header)| {
            let description = text(schemas.resolve(header).0, "description");
            (name.clone(), schemas.renderer.text(description))
        });
        answers.push(Answer {
            status: status.clone(),
            reason: reason(number),
            description: schemas.renderer.text(text(response, "description")),
            media_types,
            fields,
            headers: headers.collect(),
        });
        let json = example_of(schemas.document, at(response, "/content/application~1json"));
        if !json.is_null() && example.is_none() {
            let code = highlight("json", &format!("{json:#}"));
            example = Some(Example { status: format!("{status} {}", reason(number)), code });
        }
    }
    Ok((answers, example))
}

fn failures(
    document: &Value,
    operation: &Value,
    meanings: &BTreeMap<&str, &str>,
    renderer: &Renderer,
) -> Vec<Failure> {
    let mut by_status: BTreeMap<u16, Vec<(String, String)>> = BTreeMap::new();
    for (status, code) in of_operation(document, operation) {
        let meaning = meanings.get(code).copied().unwrap_or_default();
        by_status.entry(status).or_default().push((code.to_owned(), renderer.text(meaning)));
    }
    let statuses = by_status.into_iter();
    statuses.map(|(status, codes)| Failure { status, reason: reason(status), codes }).collect()
}

/// The media types of a body or an answer, and the schema of the first.
fn content(value: &Value) -> (String, Option<&Value>) {
    let content = value["content"].as_object();
    let types: Vec<&str> =
        content.into_iter().flat_map(|content| content.keys().map(String::as_str)).collect();
    let schema = content.and_then(|content| content.values().next()).map(|media| &media["schema"]);
    (types.join(", "), schema)
}

fn credentials(operation: &Value) -> String {
    let schemes = operation["security"].as_array().into_iter().flatten();
    let names =
        schemes.filter_map(|scheme| scheme.as_object()?.keys().next()).map(|name| match name.as_str() {
            "apiKey" => "API key",
            "browserToken" => "browser token",
            "grant" => "grant",
            "basic" => "any of these by HTTP Basic",
            other => other,
        });
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
