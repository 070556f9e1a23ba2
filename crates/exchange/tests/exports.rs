//! Each tool's export as a whole: the records, and everything that they don't hold.
//!
//! The records are in `expected`, without empty values; `UPDATE_EXPECTED=1` writes them.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::path::Path;
use std::{env, fs};

use domain::time::Zone;
use exchange::export::Export;
use exchange::settings::{ReadError, ReadOptions};
use exchange::table::column::Column;
use exchange::table::{self, Mapping};
use exchange::{github, jira, linear, trello};
use serde_json::Value;

fn in_zone(zone: &str) -> ReadOptions {
    ReadOptions { zone: zone.parse::<Zone>().unwrap(), ..ReadOptions::default() }
}

#[test]
fn an_export_of_jira_is_read() {
    check("jira", jira::read(include_bytes!("inputs/jira.csv"), &in_zone("Europe/Berlin")));
}

#[test]
fn an_export_of_linear_is_read() {
    check("linear", linear::read(include_bytes!("inputs/linear.csv"), &ReadOptions::default()));
}

#[test]
fn issues_of_github_are_read() {
    check("github", github::read(include_bytes!("inputs/github.json"), &ReadOptions::default()));
}

#[test]
fn a_board_of_trello_is_read() {
    check("trello", trello::read(include_bytes!("inputs/trello.json"), &ReadOptions::default()));
}

#[test]
fn a_table_is_read_by_a_mapping() {
    let columns = [
        ("Nr", Column::Id),
        ("Titel", Column::Name),
        ("Erstellt", Column::Created),
        ("Fällig", Column::Due),
        ("Tags", Column::Labels),
    ];
    let columns = columns.map(|(name, column)| (name.to_owned(), column)).to_vec();
    let mapping = Mapping { columns, is_guarded: true };
    check("table", table::read(include_bytes!("inputs/table.csv"), &mapping, &in_zone("Europe/Berlin")));
}

/// Compares an export with `expected/{name}.json`, in which empty values are left out.
fn check(name: &str, export: Result<Export, ReadError>) {
    let export = export.unwrap_or_else(|error| panic!("{error}"));
    let value = serde_json::to_value(export).ok().and_then(filled).unwrap_or_default();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name).with_extension("json");
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, format!("{value:#}\n")).unwrap();
    }
    // As values: the order of fields depends on features of `serde_json` that other crates choose.
    let expected: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(value, expected, "{value:#}");
}

/// The value without empty texts, lists, objects and nulls.
fn filled(value: Value) -> Option<Value> {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter_map(|(name, value)| Some((name, filled(value)?)));
            Some(Value::Object(fields.collect()))
                .filter(|value| value.as_object().is_some_and(|map| !map.is_empty()))
        }
        Value::Array(values) => {
            let values: Vec<Value> = values.into_iter().filter_map(filled).collect();
            (!values.is_empty()).then_some(Value::Array(values))
        }
        Value::String(text) if text.is_empty() => None,
        Value::Null => None,
        value => Some(value),
    }
}
