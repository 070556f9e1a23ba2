//! Jupyter notebooks: the code of the cells, in the language of the kernel.

use std::borrow::Cow;

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
        let file: Value =
            serde_json::from_str(text).or_else(|_| serde_json::from_str(&standard(text))).ok()?;
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

/// The text as JSON: Python writes `NaN` and `Infinity`, and halves of surrogate pairs.
fn standard(text: &str) -> String {
    let mut standard = String::with_capacity(text.len());
    let (mut rest, mut is_quoted) = (text, false);
    while let Some(c) = rest.chars().next() {
        let (taken, written): (usize, Cow<'_, str>) = match (is_quoted, c) {
            (true, '\\') => escape(rest),
            (false, '-' | 'I' | 'N') => {
                number(rest).map_or((c.len_utf8(), c.to_string().into()), |taken| (taken, "null".into()))
            }
            _ => (c.len_utf8(), c.to_string().into()),
        };
        is_quoted ^= c == '"';
        standard.push_str(&written);
        rest = rest.get(taken..).unwrap_or_default();
    }
    standard
}

/// Length of a number that JSON lacks at the beginning of a text.
fn number(text: &str) -> Option<usize> {
    ["NaN", "Infinity", "-Infinity"].into_iter().find(|number| text.starts_with(number)).map(str::len)
}

/// Length of the escape at the beginning of a text, and the escape without half of a surrogate pair.
fn escape(text: &str) -> (usize, Cow<'_, str>) {
    let unit = |from: usize| {
        let digits = text.get(from..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let length = match (unit(0), unit(6)) {
        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
        (Some(0xd800..=0xdfff), _) => return (6, "\\ufffd".into()),
        (Some(_), _) => 6,
        // The escaped character, which may be longer than a byte in broken text.
        (None, _) => 1 + text.chars().nth(1).map_or(0, char::len_utf8),
    };
    (length, text.get(..length).unwrap_or(text).into())
}

#[cfg(test)]
mod tests {
    use super::{Notebook, standard};

    #[test]
    fn outputs_that_are_no_json_do_not_hide_the_cells() {
        let cells = r#"{"cells": [
            {"cell_type": "code", "source": "x = 'NaN'", "outputs": [
                {"data": {"application/json": [NaN, Infinity, -Infinity, -1.5]}, "text": "\ud83d cut \ude00 \ud83d\ude00"}
            ]},
            {"cell_type": "code", "source": ["print(\"\ud800\")"], "outputs": []}
        ]}"#;
        let notebook = Notebook::parse(cells).unwrap();
        assert_eq!(notebook.text, "x = 'NaN'\n\nprint(\"\u{fffd}\")");
    }

    #[test]
    fn only_what_json_lacks_is_replaced() {
        for (text, expected) in [
            (r#"{"NaN": NaN, "a": "Infinity \" NaN"}"#, r#"{"NaN": null, "a": "Infinity \" NaN"}"#),
            (r#"[-Infinity,-1,"\ud83d\ude00\u00e4\\ud800"]"#, r#"[null,-1,"\ud83d\ude00\u00e4\\ud800"]"#),
            (r#"["\uDC00\ud800x", "\"#, r#"["\ufffd\ufffdx", "\"#),
            ("[Nothing, é]", "[Nothing, é]"),
        ] {
            assert_eq!(standard(text), expected);
        }
    }
}
