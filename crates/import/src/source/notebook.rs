//! Jupyter notebooks: the code of the cells, in the language of the kernel.

use serde_json::{Value, json};

use super::language;

/// A notebook as source.
pub(super) struct Notebook {
    /// Language of the kernel, if the notebook names one.
    pub(super) language: Option<String>,
    /// Content of the code cells in order, separated by empty lines.
    pub(super) text: String,
    /// Number of all cells and of code cells.
    pub(super) property: Value,
}

impl Notebook {
    /// Reads a notebook of nbformat 4, or of nbformat 3 with its worksheets; `None` for other text. Ignores errors outside
    /// of the cells.
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

/// The content of a code cell, stored as one text or as lines; `None` for other cells.
fn code(cell: &Value) -> Option<String> {
    if cell.get("cell_type")? != "code" {
        return None;
    }
    // `input` in nbformat 3.
    let source = match cell.get("source").or_else(|| cell.get("input"))? {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(source.trim_end().replace('\0', ""))
}

/// The language of a cell in nbformat 3.
fn language_of(cell: &Value) -> Option<String> {
    Some(cell.get("language")?.as_str()?.to_owned())
}
