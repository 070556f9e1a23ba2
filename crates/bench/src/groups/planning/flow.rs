//! Flow reports of a project with a long history, which is written past the API. The yardstick is pgbench on the same
//! server with a count of the history's rows by day.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::{DAY_SECS, MILLIS, day, now, time};
use crate::client::{Answer, Client, Request};
use crate::groups::Tell;
use crate::load::{Load, medians};
use crate::log;
use crate::noise::{id, noise};
use crate::pgbench::{Database, Plans};
use crate::script::verbatim;
use crate::stack::{Stack, text};
use crate::statements::Statement;
use crate::table::{Bound, Row};

/// The rows of history of project `$1` from `$2` on, by day and kind.
const BARE: &str = include_str!("history_by_day.sql");
const HISTORY_ROWS: u32 = 1_000_000;
/// Rows of a card that is done: created, placed, moved twice, closed.
const ROWS_OF_CARD: u32 = 5;
/// Days of the history, and of a report that names no days.
const DAYS: i64 = 730;
const REPORT_DAYS: i64 = 90;
const HOUR_SECS: i64 = 60 * 60;
const ROUNDS: usize = 3;
const ONE_CLIENT: Load = Load { clients: 1, time: Duration::from_secs(3) };
/// Aim of a report, in milliseconds.
const REPORT_MILLIS: f64 = 200.0;
/// Ids of these cards, and of their rows of history.
const CARDS_KIND: u16 = 2;
const ROWS_KIND: u16 = 3;

/// The states of the board's columns.
const STATES: [&str; 3] = ["not_started", "started", "closed"];

const CARDS: &str = "cards (id, project_id, number, name, description, resolution, effort, is_open, closed_at, \
                     created_by, created_at, updated_at, history_head_id, history_head_sequence)";
const INDEX_CARDS: &str = "index_cards (card_id, project_id, is_open, search_document)";
const PLACES: &str = "team_cards (team_id, card_id, status_id, rank, placed_at)";
const HISTORY: &str =
    "card_history (card_id, sequence, id, project_id, kind, actor_user_id, changes, occurred_at)";

/// A project on the board of a team.
struct Board {
    project: String,
    team: String,
    /// Not begun, begun, done.
    columns: [String; 3],
    author: String,
}

/// A card's way over the board: the times of its steps, as far as they are past.
struct Way {
    number: u64,
    times: Vec<i64>,
}

/// The rows of reports: of the last 90 days, of a board, and of the whole history.
pub(super) fn measure(stack: &Stack, database: &Database, tell: Tell<'_>) -> Result<()> {
    let now = now(database)?;
    let board = Board::open(stack)?;
    let rows = board.fill(database, stack.scaled(HISTORY_ROWS), now)?;
    let path = format!("/api/v2/projects/{}/reports/flow", board.project);
    let first = now - (DAYS - 1) * DAY_SECS;
    for (name, query, days) in [
        (format!("flow of 90 days, of {rows} rows of history in two years"), String::new(), REPORT_DAYS),
        ("  of a board".to_owned(), format!("?team={}", board.team), REPORT_DAYS),
        ("  of two years".to_owned(), format!("?from={}", day(first)?), DAYS),
    ] {
        log(format_args!("{}", name.trim()));
        let path = format!("{path}{query}");
        let report = read(&mut Client::connect(&stack.ready.control_url)?, stack, &path)?.json()?;
        let done = report.pointer("/leadTime/cards").and_then(Value::as_u64).unwrap_or_default();
        ensure!(done > 0, "no card is done in the report");
        let since = time(now - days * DAY_SECS)?;
        let bare =
            Statement { sql: BARE.to_owned(), parameters: vec![Some(board.project.clone()), Some(since)] };
        let (script, variables) = verbatim(&[bare]);
        let file = stack.scratch.join("history.sql");
        std::fs::write(&file, script)?;
        let connect = |_| Client::connect(&stack.ready.control_url);
        let [service, bare] = medians(
            ROUNDS,
            [
                &mut |_| ONE_CLIENT.rate(connect, |client, _| read(client, stack, &path).map(drop)),
                &mut |_| database.rate_with(&file, &variables, Plans::Automatic, ONE_CLIENT),
            ],
        )?;
        tell(vec![Row {
            name,
            unit: "ms",
            service: MILLIS / service,
            yardstick: Some(MILLIS / bare),
            required: None,
            aim: Some(Bound::Below(REPORT_MILLIS)),
            note: "pgbench: a count of the rows by day",
        }])?;
    }
    Ok(())
}

fn read(client: &mut Client, stack: &Stack, path: &str) -> Result<Answer> {
    let request = Request { method: "GET", path, bearer: &stack.ready.api_key, headers: &[] };
    client.send(&request, b"")?.expect(200)
}

impl Board {
    fn open(stack: &Stack) -> Result<Self> {
        let org = &stack.ready.org_id;
        let created = |path: &str, body: Value| stack.call("POST", path, &body.to_string(), 201);
        let project = text(&created("/api/v2/projects", json!({ "name": "Flow", "orgId": org }))?, "/id")?;
        let teams = format!("/api/v2/orgs/{org}/teams");
        let team = text(&created(&teams, json!({ "name": "Flow" }))?, "/team/id")?;
        stack.call("PUT", &format!("{teams}/{team}/projects/{project}"), "", 200)?;
        let column = |state: &str| {
            let body = json!({ "name": state, "transitionState": state });
            text(&created(&format!("{teams}/{team}/statuses"), body)?, "/status/id")
        };
        let [waiting, begun, done] = STATES;
        let columns = [column(waiting)?, column(begun)?, column(done)?];
        Ok(Self { project, team, columns, author: stack.ready.user_id.clone() })
    }

    /// Writes cards with about this many rows of history, the last one now. Returns the number of rows.
    fn fill(&self, database: &Database, rows: u32, now: i64) -> Result<u64> {
        let cards = u64::from(rows / ROWS_OF_CARD);
        log(format_args!("copying {cards} cards with their history"));
        let ways = || (0..cards).map(move |number| Way::of(number, cards, now));
        let copy = |table: &str, line: &dyn Fn(&Way) -> Result<String>| {
            database.copy(table, |out| ways().try_for_each(|way| Ok(out.write_all(line(&way?)?.as_bytes())?)))
        };
        copy(CARDS, &|way| self.card(way))?;
        database.without_gin("index_cards", || {
            copy(INDEX_CARDS, &|way| {
                Ok(format!("{}\t{}\t{}\twork\n", way.card(), self.project, way.is_open()))
            })
        })?;
        copy(PLACES, &|way| self.place(way))?;
        let draw = format!(
            "select setval('card_history_sequence', nextval('card_history_sequence') + {rows}) - {rows}"
        );
        let mut sequence: i64 = database.ask(&draw)?.parse()?;
        let first = sequence;
        database.copy(HISTORY, |out| {
            for way in ways() {
                for line in self.history(&way?)? {
                    out.write_all(line.replace("SEQUENCE", &sequence.to_string()).as_bytes())?;
                    sequence += 1;
                }
            }
            Ok(())
        })?;
        let counter = format!("insert into card_counters values ('{}', {cards})", self.project);
        let tables = "vacuum analyze cards, index_cards, team_cards, card_history";
        database.run(&[counter, tables.to_owned(), "checkpoint".to_owned()])?;
        Ok(u64::try_from(sequence - first)?)
    }

    fn card(&self, way: &Way) -> Result<String> {
        let (card, number) = (way.card(), way.number + 1);
        let created = time(way.created())?;
        let last = time(way.last())?;
        let is_open = way.is_open();
        let closed = if is_open { "\\N" } else { &last };
        let Self { project, author, .. } = self;
        Ok(format!(
            "{card}\t{project}\t{number}\tWork {number}\t\t\t{}\t{is_open}\t{closed}\t{author}\t{created}\t{last}\t\
             {card}\t{number}\n",
            number % 9
        ))
    }

    /// The card's place, if it is on the board.
    fn place(&self, way: &Way) -> Result<String> {
        let Some(column) = way.column() else { return Ok(String::new()) };
        let (column, team) = (self.column(column), &self.team);
        Ok(format!("{team}\t{}\t{column}\t{:09}1\t{}\n", way.card(), way.number, time(way.last())?))
    }

    /// The rows of the card's history, without their numbers.
    fn history(&self, way: &Way) -> Result<Vec<String>> {
        let rank = format!("{:09}1", way.number);
        let placement = |column: Option<usize>| {
            column.map(|column| {
                let (status, state) = (self.column(column), STATES.get(column));
                json!({
                    "team_id": self.team, "status_id": status, "transition_state": state, "sprint_id": null,
                    "rank": rank,
                })
            })
        };
        let moved = |before, after| json!({ "team_placement": { "before": placement(before), "after": placement(after) } });
        let openness = |before, after| json!({ "is_open": { "before": before, "after": after } });
        let steps = [
            ("created", openness(None, Some(true))),
            ("placed", moved(None, Some(0))),
            ("moved", moved(Some(0), Some(1))),
            ("moved", moved(Some(1), Some(2))),
            ("closed", openness(Some(true), Some(false))),
        ];
        let Self { project, author, .. } = self;
        let lines = (0..).zip(steps).zip(&way.times).map(|((step, (kind, changes)), at)| {
            let row = id(way.number * u64::from(ROWS_OF_CARD) + step, ROWS_KIND);
            let (card, at) = (way.card(), time(*at)?);
            Ok(format!("{card}\tSEQUENCE\t{row}\t{project}\t{kind}\t{author}\t{changes}\t{at}\n"))
        });
        lines.collect()
    }

    fn column(&self, number: usize) -> &str {
        let [waiting, begun, done] = &self.columns;
        match number {
            0 => waiting,
            1 => begun,
            _ => done,
        }
    }
}

impl Way {
    /// The way of a card. Cards are created evenly over all days. Work waits up to nine days, and takes up to twelve.
    fn of(number: u64, cards: u64, now: i64) -> Result<Self> {
        let hours = |property, most| Ok::<_, anyhow::Error>(i64::try_from(noise(number, property) % most)?);
        let second = u64::try_from(DAYS * DAY_SECS)? * number / cards.max(1);
        let created = now - DAYS * DAY_SECS + i64::try_from(second)?;
        let placed = created + HOUR_SECS;
        let begun = placed + hours(0, 9 * 24)? * HOUR_SECS;
        let done = begun + (1 + hours(1, 12 * 24)?) * HOUR_SECS;
        let times = [created, placed, begun, done, done];
        Ok(Self { number, times: times.into_iter().filter(|time| *time < now).collect() })
    }

    fn card(&self) -> String {
        id(self.number, CARDS_KIND)
    }

    fn created(&self) -> i64 {
        self.times.first().copied().unwrap_or_default()
    }

    fn last(&self) -> i64 {
        self.times.last().copied().unwrap_or_default()
    }

    fn is_open(&self) -> bool {
        self.times.len() < 5
    }

    /// The column in which it is; `None` before it is placed.
    fn column(&self) -> Option<usize> {
        self.times.len().min(4).checked_sub(2)
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY_SECS, DAYS, Way};

    #[test]
    fn most_cards_are_done_and_the_last_ones_are_at_work() {
        let now = 800 * DAY_SECS;
        let ways: Vec<Way> = (0..1_000).map(|number| Way::of(number, 1_000, now).unwrap()).collect();
        let in_column = |column| ways.iter().filter(|way| way.column() == column).count();
        assert!(ways.iter().all(|way| way.created() >= now - DAYS * DAY_SECS && way.last() < now));
        assert!(ways.iter().all(|way| way.is_open() == (way.column() != Some(2))));
        let (waiting, begun, done) = (in_column(Some(0)), in_column(Some(1)), in_column(Some(2)));
        assert!(waiting > 0 && begun > 0 && done > 900, "{waiting}, {begun}, {done}");
    }
}
