//! The table: rows of figures, and whether they are good enough.

use std::fmt;

use serde::Serialize;

/// One figure, and what it is held against.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    /// What the service reaches.
    pub(crate) service: f64,
    /// What the yardstick reaches, where there is one.
    pub(crate) yardstick: Option<f64>,
    pub(crate) required: Option<Bound>,
    /// The ratio to aim at.
    pub(crate) aim: Option<f64>,
    /// What the yardstick is, or why there is none.
    pub(crate) note: &'static str,
}

/// What a row must keep to.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Bound {
    /// At least this part of what the yardstick reaches.
    Ratio(f64),
    /// Less than this, in the row's unit.
    Below(f64),
}

/// All rows of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    rows: Vec<Judged>,
}

#[derive(Debug, Serialize)]
struct Judged {
    #[serde(flatten)]
    row: Row,
    ratio: Option<f64>,
    /// Absent where nothing is required, or what is required can't be said without a yardstick.
    pass: Option<bool>,
}

impl Table {
    pub(crate) fn new(rows: Vec<Row>) -> Self {
        Self { rows: rows.into_iter().map(Judged::of).collect() }
    }

    /// Whether nothing that is required was missed.
    pub(crate) fn passes(&self) -> bool {
        self.rows.iter().all(|row| row.pass != Some(false))
    }
}

impl Judged {
    fn of(row: Row) -> Self {
        let ratio = row.yardstick.map(|yardstick| row.service / yardstick);
        let pass = match row.required {
            Some(Bound::Ratio(least)) => ratio.map(|ratio| ratio >= least),
            Some(Bound::Below(limit)) => Some(row.service < limit),
            None => None,
        };
        Self { row, ratio, pass }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["", "service", "yardstick", "ratio", "required", "aim", "", "yardstick is"];
        let mut lines = vec![columns.map(str::to_owned)];
        lines.extend(self.rows.iter().map(Judged::cells));
        let width =
            |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.len()).max();
        let widths: Vec<usize> = (0..columns.len()).filter_map(width).collect();
        for line in &lines {
            let mut text = String::new();
            for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
                // Figures are read from their end.
                let padded = if (1..=5).contains(&column) {
                    format!("{cell:>width$}  ")
                } else {
                    format!("{cell:<width$}  ")
                };
                text.push_str(&padded);
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

impl Judged {
    fn cells(&self) -> [String; 8] {
        let Row { name, unit, service, yardstick, required, aim, note } = &self.row;
        let figure = |value: f64| match value.abs() {
            ..100.0 => format!("{value:.1} {unit}"),
            _ => format!("{value:.0} {unit}"),
        };
        let optional = |value: &Option<f64>| value.map(|value| format!("{value:.2}")).unwrap_or_default();
        let required = match required {
            Some(Bound::Ratio(least)) => format!(">= {least:.2}"),
            Some(Bound::Below(limit)) => format!("< {}", figure(*limit)),
            None => String::new(),
        };
        let verdict = match self.pass {
            Some(true) => "pass",
            Some(false) => "FAIL",
            None if required.is_empty() => "",
            None => "skipped",
        };
        [
            name.clone(),
            figure(*service),
            yardstick.map(figure).unwrap_or_default(),
            optional(&self.ratio),
            required,
            optional(aim),
            verdict.to_owned(),
            (*note).to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Row, Table};

    fn row(service: f64, yardstick: Option<f64>, required: Bound) -> Row {
        let name = "a row".to_owned();
        Row { name, unit: "/s", service, yardstick, required: Some(required), aim: None, note: "a note" }
    }

    #[test]
    fn a_table_passes_while_no_requirement_is_missed() {
        let good = [
            row(90.0, Some(100.0), Bound::Ratio(0.9)),
            row(15.9, None, Bound::Below(16.0)),
            row(1.0, None, Bound::Ratio(0.5)),
        ];
        assert!(Table::new(good.to_vec()).passes());
        for bad in [row(89.0, Some(100.0), Bound::Ratio(0.9)), row(16.0, None, Bound::Below(16.0))] {
            assert!(!Table::new([&good[..], &[bad]].concat()).passes());
        }
    }

    #[test]
    fn a_missed_requirement_and_a_missing_yardstick_are_shown() {
        let rows = vec![row(80.0, Some(100.0), Bound::Ratio(0.9)), row(80.0, None, Bound::Ratio(0.9))];
        let shown = Table::new(rows).to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], "a row  80.0 /s     100 /s   0.80   >= 0.90       FAIL     a note");
        assert_eq!(lines[2], "a row  80.0 /s                     >= 0.90       skipped  a note");
    }
}
