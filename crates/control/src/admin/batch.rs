//! Many commands by one process and one connection: a script that makes a thousand accounts needn't start the program a
//! thousand times.

use std::io::{self, Write};

use anyhow::Context;
use clap::Parser;
use serde_json::json;

use super::arguments::Action;
use super::{Database, perform};

/// A line, as `control admin` would take its words.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct BatchLine {
    #[command(subcommand)]
    action: Action,
}

/// Answers each line of standard input by a line of JSON, in order. A refused command ends nothing.
///
/// # Errors
/// Standard input or output can't be used.
pub(super) async fn run(database: &mut Database) -> anyhow::Result<()> {
    for line in io::stdin().lines() {
        let answer = match answer(&line?, database).await {
            Ok(made) => json!({ "made": made }),
            Err(error) => json!({ "refused": format!("{error:#}") }),
        };
        let mut output = io::stdout().lock();
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

async fn answer(line: &str, database: &mut Database) -> anyhow::Result<serde_json::Value> {
    let words: Vec<String> = serde_json::from_str(line).context("a line is a JSON array of words")?;
    perform(&BatchLine::try_parse_from(words)?.action, database).await
}
