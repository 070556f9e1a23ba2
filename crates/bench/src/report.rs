//! The figures of a run: shown and written as they come, so that a failure leaves those before it.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::log;
use crate::table::{Row, ScoredRow, Table};

/// The tables on standard output, and the lines of a file.
pub(crate) struct Report {
    lines: Option<File>,
    passes: bool,
}

/// A line of the file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    group: &'a str,
    #[serde(flatten)]
    row: Option<&'a ScoredRow>,
    /// Why the group ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

impl Report {
    /// A report that also writes each row to a new file at this path, as a line of JSON.
    pub(crate) fn create(path: Option<&Path>) -> Result<Self> {
        let create = |path: &Path| File::create(path).with_context(|| format!("create {}", path.display()));
        Ok(Self { lines: path.map(create).transpose()?, passes: true })
    }

    /// Shows and writes rows of a group.
    pub(crate) fn add(&mut self, group: &str, rows: Vec<Row>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let table = Table::new(rows);
        println!("{table}");
        self.passes &= table.passes();
        table.rows().iter().try_for_each(|row| self.write(&Line { group, row: Some(row), failure: None }))
    }

    /// Notes that a group ended early. Its rows so far stay.
    pub(crate) fn fail(&mut self, group: &str, error: &anyhow::Error) -> Result<()> {
        log(format_args!("FAILED: {group}: {error:#}"));
        self.passes = false;
        self.write(&Line { group, row: None, failure: Some(format!("{error:#}")) })
    }

    /// True if no group has failed, and no requirement was missed.
    pub(crate) fn passes(&self) -> bool {
        self.passes
    }

    fn write(&mut self, line: &Line<'_>) -> Result<()> {
        let Some(file) = &mut self.lines else { return Ok(()) };
        let line = serde_json::to_string(line)?;
        writeln!(file, "{line}").context("write the file of lines")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Report;
    use crate::table::{Bound, Row};

    #[test]
    fn rows_are_in_the_file_at_once_and_a_failure_follows_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.jsonl");
        let lines = || -> Vec<Value> {
            let text = std::fs::read_to_string(&path).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let mut report = Report::create(Some(&path)).unwrap();
        let row = Row {
            name: "a row".to_owned(),
            unit: "ms",
            service: 2.0,
            yardstick: Some(1.0),
            required: Some(Bound::Times(2.0)),
            aim: None,
            note: "a note",
        };
        report.add("board", vec![row]).unwrap();
        assert!(report.passes());
        assert_eq!((lines().len(), &lines()[0]["ratio"]), (1, &json!(2.0)));
        report.fail("board", &anyhow::anyhow!("no team").context("fill a board")).unwrap();
        assert!(!report.passes());
        let line = |name: &str| lines().iter().map(|line| line[name].clone()).collect::<Vec<_>>();
        assert_eq!(line("group"), [json!("board"), json!("board")]);
        assert_eq!(line("name"), [json!("a row"), json!(null)]);
        assert_eq!(line("failure"), [json!(null), json!("fill a board: no team")]);
    }
}
