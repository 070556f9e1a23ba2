//! Schemas as lists of fields.

use askama::Template;
use serde_json::Value;

use crate::markdown::Renderer;
use crate::reference::text;

/// Most levels of fields that are shown below each other.
const DEEPEST: usize = 5;

/// A field, a parameter, or an alternative of a value.
#[derive(Debug, Template)]
#[template(path = "field.html")]
pub(crate) struct Field {
    name: String,
    kind: String,
    is_required: bool,
    description: String,
    /// The bounds, in words.
    bounds: Vec<String>,
    /// The allowed values with their meaning.
    values: Vec<(String, String)>,
    fields: Vec<Field>,
    /// The name of the list of fields below it.
    below: &'static str,
}

/// Reads the schemas of a document.
#[derive(Debug)]
pub(crate) struct Schemas<'a> {
    pub(crate) document: &'a Value,
    pub(crate) renderer: &'a Renderer,
    /// True for schemas of answers, whose fields nobody has to give.
    pub(crate) is_answer: bool,
}

impl<'a> Schemas<'a> {
    /// The fields of an object, or of the elements of a list.
    pub(crate) fn fields(&self, schema: &'a Value) -> Result<Vec<Field>, askama::Error> {
        Ok(self.below(schema, &mut Vec::new())?.1)
    }

    /// A parameter of the document.
    pub(crate) fn parameter(&self, parameter: &'a Value) -> Result<Field, askama::Error> {
        let parameter = self.resolve(parameter).0;
        let schema = &parameter["schema"];
        let mut field =
            self.field(text(parameter, "name"), schema, parameter["required"] == true, &mut Vec::new())?;
        if let Some(description) = parameter["description"].as_str() {
            field.description = self.renderer.text(description);
        }
        Ok(field)
    }

    /// The schema, or response or header, that `value` refers to, and its name.
    pub(crate) fn resolve(&self, value: &'a Value) -> (&'a Value, Option<&'a str>) {
        let target = value["$ref"].as_str().and_then(|place| place.strip_prefix('#'));
        match target.and_then(|place| Some((self.document.pointer(place)?, place.rsplit('/').next()))) {
            Some((target, name)) => (target, name),
            None => (value, None),
        }
    }

    fn field(
        &self,
        name: &str,
        schema: &'a Value,
        is_required: bool,
        above: &mut Vec<&'a str>,
    ) -> Result<Field, askama::Error> {
        let (resolved, _) = self.resolve(schema);
        let resolved = self.beside_null(resolved);
        let description = schema["description"].as_str().or_else(|| resolved["description"].as_str());
        let (below, fields) = self.below(schema, above)?;
        let meanings = &resolved["x-enumDescriptions"];
        let values = resolved["enum"].as_array().into_iter().flatten().filter(|value| !value.is_null());
        let values = values.map(|value| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let meaning = meanings[value.as_str()].as_str().unwrap_or_default().to_owned();
            (value, self.renderer.text(&meaning))
        });
        Ok(Field {
            name: name.to_owned(),
            kind: self.kind(schema),
            is_required: is_required && !self.is_answer,
            description: self.renderer.text(description.unwrap_or_default()),
            bounds: bounds(resolved),
            values: values.collect(),
            fields,
            below,
        })
    }

    /// The fields below a value, and how their list is called.
    fn below(
        &self,
        schema: &'a Value,
        above: &mut Vec<&'a str>,
    ) -> Result<(&'static str, Vec<Field>), askama::Error> {
        let (mut resolved, name) = self.resolve(schema);
        let name = name.unwrap_or_default();
        if above.len() >= DEEPEST || (!name.is_empty() && above.contains(&name)) {
            return Ok(("", Vec::new()));
        }
        above.push(name);
        let alone = self.beside_null(resolved);
        if !std::ptr::eq(alone, resolved) {
            resolved = self.resolve(alone).0;
        }
        let mut fields = Vec::new();
        let below = if let Some(properties) = resolved["properties"].as_object() {
            let required = resolved["required"].as_array();
            for (name, schema) in properties {
                let is_required = required.is_some_and(|names| names.iter().any(|one| one == name.as_str()));
                fields.push(self.field(name, schema, is_required, above)?);
            }
            "Fields"
        } else if resolved["items"].is_object() {
            (_, fields) = self.below(&resolved["items"], above)?;
            "Fields of an element"
        } else if resolved["additionalProperties"].is_object() {
            (_, fields) = self.below(&resolved["additionalProperties"], above)?;
            "Fields of a value"
        } else {
            for alternative in alternatives(resolved) {
                let (target, name) = self.resolve(alternative);
                let title = target["title"].as_str().or(name).unwrap_or_default();
                fields.push(self.field(title, alternative, false, above)?);
            }
            "One of"
        };
        above.pop();
        Ok((below, fields))
    }

    /// The type of a value in words.
    fn kind(&self, schema: &'a Value) -> String {
        let (resolved, _) = self.resolve(schema);
        let alone = self.beside_null(resolved);
        if !std::ptr::eq(alone, resolved) {
            return format!("{} or null", self.kind(alone));
        }
        let name = |name: &str| match name {
            "array" => format!("list of {}", plural(&self.kind(&resolved["items"]))),
            "object" if resolved["additionalProperties"].is_object() => {
                format!("map of {}", plural(&self.kind(&resolved["additionalProperties"])))
            }
            other => other.to_owned(),
        };
        let format = resolved["format"].as_str().or_else(|| resolved["x-format"].as_str());
        let kind = match &resolved["type"] {
            Value::String(one) => name(one),
            Value::Array(several) => {
                several.iter().filter_map(Value::as_str).map(name).collect::<Vec<_>>().join(" or ")
            }
            _ if alternatives(resolved).next().is_some() => "one of several forms".to_owned(),
            _ => "any JSON".to_owned(),
        };
        match format {
            Some(format) if !format.starts_with("int") => format!("{kind} ({format})"),
            _ => kind,
        }
    }

    /// The alternative of a value that may be null, or the schema itself.
    fn beside_null(&self, schema: &'a Value) -> &'a Value {
        let mut others = alternatives(schema).filter(|one| one["type"] != "null");
        match (others.next(), others.next()) {
            (Some(one), None) => one,
            _ => schema,
        }
    }
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    let of = |name: &str| schema[name].as_array().into_iter().flatten();
    of("anyOf").chain(of("oneOf"))
}

fn plural(kind: &str) -> String {
    match kind.split_once(' ') {
        None if kind != "any JSON" => format!("{kind}s"),
        Some((first, rest)) if rest.starts_with('(') => format!("{first}s {rest}"),
        _ => kind.to_owned(),
    }
}

/// The bounds of a value in words, without those of its width.
fn bounds(schema: &Value) -> Vec<String> {
    let mut bounds = Vec::new();
    for (least, most, unit) in [
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " elements"),
        ("minProperties", "maxProperties", " entries"),
        ("minimum", "maximum", ""),
    ] {
        let bound = |name: &str| schema[name].as_i64().filter(|bound| !is_width(*bound));
        match (bound(least), bound(most)) {
            (Some(least), Some(most)) => bounds.push(format!("{least} to {most}{unit}")),
            (Some(least), None) if least != 0 => bounds.push(format!("at least {least}{unit}")),
            (None, Some(most)) => bounds.push(format!("at most {most}{unit}")),
            _ => {}
        }
    }
    if schema["const"].is_string() {
        bounds.push(format!("always {}", schema["const"]));
    }
    match &schema["default"] {
        Value::Null => {}
        default => bounds.push(format!("default {default}")),
    }
    bounds
}

/// True for a bound that every number of its width has.
fn is_width(bound: i64) -> bool {
    [i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), i64::from(u32::MAX)].contains(&bound)
}
