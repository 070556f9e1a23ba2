//! The days of a flow report as a table: a row for each.

use domain::planning::flow::{FlowColumn, FlowDay, FlowReport};

use crate::table::{Cell, Table};

/// The columns of every report, with their widths in characters.
const COLUMNS: [(&str, u8); 5] = [("day", 12), ("open", 8), ("closed", 8), ("created", 8), ("done", 8)];
/// The width of a board's column, in characters.
const BOARD_COLUMN_CHARS: u8 = 16;

/// The table of a report. The columns of the board follow, by their names; deleted ones by their ids.
pub fn of(report: &FlowReport) -> Table {
    let own = COLUMNS.iter().map(|(name, width)| ((*name).to_owned(), *width));
    let of_board = report.columns.iter().map(|column| (name(column), BOARD_COLUMN_CHARS));
    Table {
        name: "Flow",
        columns: own.chain(of_board).collect(),
        rows: report.days.iter().map(cells).collect(),
    }
}

fn name(column: &FlowColumn) -> String {
    if column.is_deleted { column.id.to_string() } else { column.name.clone() }
}

fn cells(day: &FlowDay) -> Vec<Cell> {
    let numbers = [day.open, day.closed, day.created, day.done];
    let numbers = numbers.iter().chain(&day.columns).map(|number| Cell::Number(exact(*number)));
    std::iter::once(Cell::Text(day.day.to_string())).chain(numbers).collect()
}

#[expect(clippy::as_conversions, reason = "a number of cards, for a cell")]
fn exact(cards: i64) -> f64 {
    cards as f64
}

#[cfg(test)]
mod tests {
    use domain::planning::flow::FlowReport;
    use serde_json::json;

    use super::of;

    #[test]
    fn a_table_has_the_columns_of_the_board() {
        let id = "0198c5f0-0000-7000-8000-000000000000";
        let none = json!({ "cards": 0, "p50": null, "p85": null, "p95": null, "mean": null });
        let report: FlowReport = serde_json::from_value(json!({
            "from": "2026-11-28", "to": "2026-11-28", "timeZone": "UTC", "asOf": "2026-11-28T12:00:00.000Z",
            "columns": [
                { "id": id, "name": "=Doing", "color": "#00FF00", "isDeleted": false },
                { "id": id, "name": "", "color": null, "isDeleted": true },
            ],
            "days": [{
                "day": "2026-11-28", "open": 4, "closed": 2, "created": 1, "done": 0, "columns": [3, 0],
            }],
            "leadTime": none, "cycleTime": none, "throughput": [],
        }))
        .unwrap();
        let csv = String::from_utf8(of(&report).to_csv().unwrap()).unwrap();
        let expected = format!("day,open,closed,created,done,'=Doing,{id}\r\n2026-11-28,4,2,1,0,3,0\r\n");
        assert_eq!(csv, expected);
    }
}
