//! Jupyter notebooks: the code of their cells, in the language of their kernel.

use serde::Deserialize;
use serde_json::{Value, json};

use super::language;

/// A notebook as source.
pub(super) struct Notebook {
    /// Language of the kernel; `None` where the notebook names none.
    pub(super) language: Option<String>,
    /// What its cells of code hold, in their order, with an empty line between them.
    pub(super) text: String,
    /// What is said of it besides.
    pub(super) property: Value,
}

impl Notebook {
    /// Reads a notebook; `None` where the text is not written as one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let File { cells, worksheets, metadata } = serde_json::from_str(text).ok()?;
        let cells =
            cells.or_else(|| Some(worksheets?.into_iter().flat_map(|sheet| sheet.cells).collect()))?;
        let code: Vec<String> = cells.iter().filter_map(code).collect();
        let kernel = metadata.kernelspec.and_then(|kernel| kernel.language);
        let language = metadata.language_info.and_then(|language| language.name).or(kernel);
        let language = language.or_else(|| cells.iter().find_map(language_of));
        let known = |name: String| language::named(&name).map_or(name, str::to_owned);
        Some(Self {
            language: language
                .map(|name| known(name.replace('\0', "")))
                .filter(|name| !name.trim().is_empty()),
            text: code.join("\n\n"),
            property: json!({ "cells": cells.len(), "codeCells": code.len() }),
        })
    }
}

/// A file of nbformat 4, or of nbformat 3, whose cells lie in worksheets; as far as it is looked into.
#[derive(Deserialize)]
struct File {
    cells: Option<Vec<Value>>,
    worksheets: Option<Vec<Worksheet>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Value>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    kernelspec: Option<Kernel>,
    language_info: Option<Language>,
}

#[derive(Deserialize)]
struct Kernel {
    language: Option<String>,
}

#[derive(Deserialize)]
struct Language {
    name: Option<String>,
}

/// What a cell of code holds: one text, or its lines; `None` of any other cell.
fn code(cell: &Value) -> Option<String> {
    if cell.get("cell_type")? != "code" {
        return None;
    }
    // In nbformat 3 it is called input.
    let source = match cell.get("source").or_else(|| cell.get("input"))? {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(source.trim_end().replace('\0', ""))
}

/// The language that a cell of nbformat 3 says it is in.
fn language_of(cell: &Value) -> Option<String> {
    Some(cell.get("language")?.as_str()?.to_owned())
}
