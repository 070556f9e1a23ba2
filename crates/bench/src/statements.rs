//! The statements that the service sends for one request, read from PostgreSQL's log. A yardstick made of them follows
//! the code.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::pgbench::Database;

/// `application_name` of the service's connections.
const APPLICATION: &str = "atelier";
/// Most requests until two in a row send the same statements.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// A statement with the values of its parameters, `$1` first. `None` is null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<Option<String>>,
}

/// The statements of one `request` in order, from the server's log, and the value that the request returned. The request
/// is repeated until two in a row send the same statements, which excludes statements of background work.
///
/// # Errors
/// No two requests in a row sent the same.
pub(crate) fn capture<T>(
    database: &Database,
    log: &Path,
    request: impl FnMut() -> Result<T>,
) -> Result<(Vec<Statement>, T)> {
    database.run(&[
        "alter system set log_statement = 'all'",
        "alter system set log_line_prefix = '%a|'",
        "select pg_reload_conf()",
    ])?;
    let captured = repeated(log, request);
    // After a failure, too: the log of each statement would slow the groups that follow.
    database.run(&["alter system reset all", "select pg_reload_conf()"])?;
    captured
}

/// The statements of the first request that sends the same as the one before.
fn repeated<T>(log: &Path, mut request: impl FnMut() -> Result<T>) -> Result<(Vec<Statement>, T)> {
    let mut previous: Vec<String> = Vec::new();
    for _ in 0..ATTEMPTS {
        std::thread::sleep(PAUSE);
        let mut file = std::fs::File::open(log)?;
        file.seek(SeekFrom::End(0))?;
        let answer = request()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let found = parse(&text);
        let statements: Vec<String> = found.iter().map(|found| found.sql.clone()).collect();
        if !statements.is_empty() && statements == previous {
            return Ok((found, answer));
        }
        previous = statements;
    }
    bail!("no two requests sent the same statements; the last: {previous:#?}")
}

/// The service's statements in a log whose lines begin with the application's name.
fn parse(log: &str) -> Vec<Statement> {
    let mut messages: Vec<String> = Vec::new();
    for line in log.lines() {
        // The next lines of a message begin with a tab.
        match (line.strip_prefix('\t'), messages.last_mut()) {
            (Some(rest), Some(message)) => message.extend(["\n", rest]),
            _ => messages.push(line.to_owned()),
        }
    }
    let mut found: Vec<Statement> = Vec::new();
    for message in &messages {
        let Some((APPLICATION, message)) = message.split_once('|') else { continue };
        if let Some(sql) = message.strip_prefix("LOG:  statement: ") {
            // Only the first of several statements in one message: pgbench would wait for the answer to each. It has
            // the setting that follows a `begin` from the start.
            let sql = sql.split(';').next().unwrap_or_default().to_owned();
            found.push(Statement { sql, parameters: Vec::new() });
        } else if let Some((_, sql)) =
            message.strip_prefix("LOG:  execute ").and_then(|execute| execute.split_once(": "))
        {
            found.push(Statement { sql: sql.to_owned(), parameters: Vec::new() });
        } else if let Some((heading, values)) =
            message.strip_prefix("DETAIL:  ").and_then(|detail| detail.split_once(": "))
            && heading.eq_ignore_ascii_case("parameters")
            && let Some(last) = found.last_mut()
        {
            last.parameters = parameters(values);
        }
    }
    found
}

/// The values of `$1 = 'it''s', $2 = NULL`.
fn parameters(mut text: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    while let Some((_, rest)) = text.split_once(" = ") {
        let Some(mut quoted) = rest.strip_prefix('\'') else {
            values.push(None);
            text = rest;
            continue;
        };
        let mut value = String::new();
        while let Some((piece, rest)) = quoted.split_once('\'') {
            value.push_str(piece);
            quoted = rest;
            let Some(rest) = rest.strip_prefix('\'') else { break };
            value.push('\'');
            quoted = rest;
        }
        values.push(Some(value));
        text = quoted;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{Statement, parse};

    #[test]
    fn the_statements_of_the_service_are_parsed_with_their_values() {
        let log = "\
|LOG:  received SIGHUP, reloading configuration files
psql|LOG:  statement: select pg_reload_conf()
atelier|LOG:  statement: begin read only; set local plan_cache_mode = auto
atelier|LOG:  execute s1: insert into a (b, c, d)
\tvalues ($1, $2, $3)
atelier|DETAIL:  parameters: $1 = 'it''s = here, $2 = ''''', $2 = NULL, $3 = '{\"a\":1}'
atelier|LOG:  execute s2: commit
";
        let value = |text: &str| Some(text.to_owned());
        let plain = |sql: &str| Statement { sql: sql.to_owned(), parameters: vec![] };
        let insert = Statement {
            sql: "insert into a (b, c, d)\nvalues ($1, $2, $3)".to_owned(),
            parameters: vec![value("it's = here, $2 = ''"), None, value("{\"a\":1}")],
        };
        assert_eq!(parse(log), [plain("begin read only"), insert, plain("commit")]);
    }
}
