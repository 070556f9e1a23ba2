//! Jupyter notebooks: the code of their cells, in the language of their kernel.

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
    /// Reads a notebook of nbformat 4, or of nbformat 3, whose cells lie in worksheets; `None` where the text is not written
    /// as one. What is not as it should be beside the cells is passed over.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let file: Value = serde_json::from_str(text).ok()?;
        let cells: Vec<&Value> = match (file.get("cells"), file.get("worksheets")) {
            (Some(Value::Array(cells)), _) => cells.iter().collect(),
            (_, Some(Value::Array(sheets))) => {
                sheets.iter().filter_map(|sheet| sheet.get("cells")?.as_array()).flatten().collect()
            }
            _ => return None,
        };
        let code: Vec<String> = cells.iter().copied().filter_map(code).collect();
        let named = |pointer: &str| Some(file.pointer(pointer)?.as_str()?.to_owned());
        let language = named("/metadata/language_info/name")
            .or_else(|| named("/metadata/kernelspec/language"))
            .or_else(|| cells.iter().copied().find_map(language_of));
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
