//! The table: figures of the service and of yardsticks, requirements, and verdicts.

use std::fmt;

use serde::Serialize;

/// A figure of the service, and the figure and bound to compare it with.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    /// Figure of the service.
    pub(crate) service: f64,
    /// Figure of the yardstick, if there is one.
    pub(crate) yardstick: Option<f64>,
    pub(crate) required: Option<Bound>,
    /// Aim, which is shown and not judged.
    pub(crate) aim: Option<Bound>,
    /// Description of the yardstick, or the reason for its absence.
    pub(crate) note: &'static str,
}

/// Requirement or aim of a row.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Bound {
    /// Least ratio to the yardstick.
    Ratio(f64),
    /// Greatest ratio to the yardstick.
    Times(f64),
    /// Exclusive upper limit, in the row's unit.
    Below(f64),
    /// Lower limit, in the row's unit.
    AtLeast(f64),
}

/// Rows that are shown together.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<ScoredRow>,
}

/// A row with its verdicts.
#[derive(Debug, Serialize)]
pub(crate) struct ScoredRow {
    #[serde(flatten)]
    row: Row,
    ratio: Option<f64>,
    /// Absent without a requirement, and for a ratio without a yardstick.
    pass: Option<bool>,
    /// The same for the aim.
    met: Option<bool>,
}

impl Table {
    pub(crate) fn new(rows: Vec<Row>) -> Self {
        Self { rows: rows.into_iter().map(ScoredRow::of).collect() }
    }

    /// Its rows.
    pub(crate) fn rows(&self) -> &[ScoredRow] {
        &self.rows
    }

    /// True if no requirement was missed.
    pub(crate) fn passes(&self) -> bool {
        self.rows.iter().all(|row| row.pass != Some(false))
    }
}

impl ScoredRow {
    fn of(row: Row) -> Self {
        let ratio = row.yardstick.map(|yardstick| row.service / yardstick);
        let holds = |bound| match bound {
            Bound::Ratio(least) => ratio.map(|ratio| ratio >= least),
            Bound::Times(greatest) => ratio.map(|ratio| ratio <= greatest),
            Bound::Below(limit) => Some(row.service < limit),
            Bound::AtLeast(limit) => Some(row.service >= limit),
        };
        let (pass, met) = (row.required.and_then(holds), row.aim.and_then(holds));
        Self { row, ratio, pass, met }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["", "service", "yardstick", "ratio", "required", "aim", "", "yardstick is"];
        let mut lines = vec![columns.map(str::to_owned)];
        lines.extend(self.rows.iter().map(ScoredRow::cells));
        let width =
            |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.len()).max();
        let widths: Vec<usize> = (0..columns.len()).filter_map(width).collect();
        for line in &lines {
            let mut text = String::new();
            for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
                // Figures are aligned to the right.
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

impl ScoredRow {
    fn cells(&self) -> [String; 8] {
        let Row { name, unit, service, yardstick, required, aim, note } = &self.row;
        let figure = |value: f64| match value.abs() {
            ..1.0 => format!("{value:.2} {unit}"),
            ..100.0 => format!("{value:.1} {unit}"),
            _ => format!("{value:.0} {unit}"),
        };
        let bound = |bound: &Bound| match bound {
            Bound::Ratio(least) => format!(">= {least:.2}"),
            Bound::Times(greatest) => format!("<= {greatest:.2}"),
            Bound::Below(limit) => format!("< {}", figure(*limit)),
            Bound::AtLeast(limit) => format!(">= {}", figure(*limit)),
        };
        let verdict = match (required, self.pass, self.met) {
            (Some(_), Some(true), _) => "pass",
            (Some(_), Some(false), _) => "FAIL",
            (Some(_), None, _) => "skipped",
            (None, _, Some(true)) => "met",
            (None, _, Some(false)) => "not met",
            (None, _, None) => "",
        };
        [
            name.clone(),
            figure(*service),
            yardstick.map(figure).unwrap_or_default(),
            self.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
            required.as_ref().map(bound).unwrap_or_default(),
            aim.as_ref().map(bound).unwrap_or_default(),
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
    fn a_table_passes_if_no_requirement_is_missed() {
        let good = [
            row(90.0, Some(100.0), Bound::Ratio(0.9)),
            row(15.9, None, Bound::Below(16.0)),
            row(1.0, None, Bound::Ratio(0.5)),
            row(2.0, Some(1.0), Bound::Times(2.0)),
        ];
        assert!(Table::new(good.to_vec()).passes());
        for bad in [
            row(89.0, Some(100.0), Bound::Ratio(0.9)),
            row(16.0, None, Bound::Below(16.0)),
            row(2.1, Some(1.0), Bound::Times(2.0)),
        ] {
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

    #[test]
    fn a_missed_aim_is_shown_and_fails_nothing() {
        let aimed = |service: f64, aim| Row {
            required: None,
            aim: Some(aim),
            ..row(service, Some(100.0), Bound::Ratio(1.0))
        };
        let table = Table::new(vec![
            aimed(80.0, Bound::Ratio(0.95)),
            aimed(0.5, Bound::Below(30.0)),
            aimed(2500.0, Bound::AtLeast(2000.0)),
        ]);
        assert!(table.passes());
        let shown = table.to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], "a row  80.0 /s     100 /s   0.80               >= 0.95  not met  a note");
        assert_eq!(lines[2], "a row  0.50 /s     100 /s   0.01             < 30.0 /s  met      a note");
        assert_eq!(lines[3], "a row  2500 /s     100 /s  25.00            >= 2000 /s  met      a note");
    }
}
