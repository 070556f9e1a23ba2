//! The console in Chromium: a board of 2,000 cards that opens and is worked on, and a tree of 10^5 objects that scrolls.

use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::board;
use crate::pgbench::Database;
use crate::process::output;
use crate::stack::Stack;
use crate::table::{Bound, Row};
use crate::{log, projects};

const SCRIPT: &str = include_str!("console/measure.mjs");
const DRIVER: &str = "puppeteer-core@24.43.1";
const OBJECTS: u32 = 100_000;
/// A frame of 60 in a second, which is 16.7 ms, and what a clock's ticks add.
const FRAME_MS: f64 = 17.5;

/// The script's figures, in milliseconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    opened_ms: f64,
    moved_ms: f64,
    seen_ms: f64,
    dragged_frame_ms: f64,
    scrolled_frame_ms: f64,
    longest_scrolled_frame_ms: f64,
}

/// The rows of the console; none without Chromium, npm, or pgbench, which fills the tree.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let database = Database::open(&stack.postgres_bin, &stack.ready.database_url)?;
    let (Some(browser), Some(database)) = (&stack.browser, database) else {
        log("nothing is measured in the console: there is no Chromium, or no pgbench");
        return Ok(Vec::new());
    };
    let folder = stack.scratch.join("console");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("measure.mjs"), SCRIPT)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", DRIVER]).arg("--prefix").arg(&folder);
    if let Err(error) = output("npm", &mut npm) {
        log(format_args!("nothing is measured in the console: {error:#}"));
        return Ok(Vec::new());
    }

    let board = board::fill(stack)?;
    // The console's addresses are those of the API.
    let board_page = board.path.strip_prefix("/api/v2").context("the path of a board")?;
    let project = projects::create(stack, &database, OBJECTS)?;
    let mut node = Command::new("node");
    node.current_dir(&folder).arg("measure.mjs").arg(browser);
    node.args([&stack.ready.sign_in_link, board_page, &format!("/projects/{project}")]);
    let printed = output("node", &mut node)?;
    let figures: Figures = serde_json::from_str(&printed).context("the script's figures")?;

    let row = |name: &str, service, below| Row {
        name: name.to_owned(),
        unit: "ms",
        service,
        yardstick: None,
        required: Some(Bound::Below(below)),
        aim: None,
        note: "",
    };
    Ok(vec![
        row("console: a board of 2,000 cards opens, warm", figures.opened_ms, 300.0),
        row("  a move shows", figures.moved_ms, 50.0),
        row("  another tab shows it", figures.seen_ms, 1_000.0),
        row("  a frame while dragging", figures.dragged_frame_ms, FRAME_MS),
        row("  a frame while 100,000 objects scroll", figures.scrolled_frame_ms, FRAME_MS),
        row("    the longest", figures.longest_scrolled_frame_ms, 50.0),
    ])
}
