//! What the service sends to PostgreSQL for one request: read off the server's log, so that a yardstick made of it can't
//! lag behind the code.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::pgbench::Database;

/// The name under which the service connects.
const APPLICATION: &str = "atelier";
/// How often a request is sent until two in a row have sent the same.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// A statement with the values of its parameters, `$1` first. `None` is null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Executed {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<Option<String>>,
}

/// The statements of one `request`, in order, from the server's log file. What else the service happened to send at the
/// time is not among them: the request is repeated until two in a row have sent the same statements.
///
/// Returns what the request of the statements returned.
///
/// # Errors
/// No two requests sent the same.
pub(crate) fn capture<T>(
    database: &Database,
    log: &Path,
    mut request: impl FnMut() -> Result<T>,
) -> Result<(Vec<Executed>, T)> {
    database.run(&[
        "alter system set log_statement = 'all'",
        "alter system set log_line_prefix = '%a|'",
        "select pg_reload_conf()",
    ])?;
    let mut previous: Vec<String> = Vec::new();
    for _ in 0..ATTEMPTS {
        std::thread::sleep(PAUSE);
        let mut file = std::fs::File::open(log)?;
        file.seek(SeekFrom::End(0))?;
        let answer = request()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let executed = parse(&text);
        let statements: Vec<String> = executed.iter().map(|executed| executed.sql.clone()).collect();
        if !statements.is_empty() && statements == previous {
            database.run(&["alter system reset all", "select pg_reload_conf()"])?;
            return Ok((executed, answer));
        }
        previous = statements;
    }
    bail!("no two requests sent the same statements; the last: {previous:#?}")
}

/// The service's statements in a log whose lines begin with the application's name.
fn parse(log: &str) -> Vec<Executed> {
    let mut messages: Vec<String> = Vec::new();
    for line in log.lines() {
        // A message of several lines goes on behind a tab.
        match (line.strip_prefix('\t'), messages.last_mut()) {
            (Some(rest), Some(message)) => message.extend(["\n", rest]),
            _ => messages.push(line.to_owned()),
        }
    }
    let mut executed: Vec<Executed> = Vec::new();
    for message in &messages {
        let Some((APPLICATION, message)) = message.split_once('|') else { continue };
        if let Some(sql) = message.strip_prefix("LOG:  statement: ") {
            // Of several that are sent as one only the first: pgbench would wait for the answer to each. The setting that
            // follows a `begin` it has from the start.
            let sql = sql.split(';').next().unwrap_or_default().to_owned();
            executed.push(Executed { sql, parameters: Vec::new() });
        } else if let Some((_, sql)) =
            message.strip_prefix("LOG:  execute ").and_then(|execute| execute.split_once(": "))
        {
            executed.push(Executed { sql: sql.to_owned(), parameters: Vec::new() });
        } else if let Some((heading, values)) =
            message.strip_prefix("DETAIL:  ").and_then(|detail| detail.split_once(": "))
            && heading.eq_ignore_ascii_case("parameters")
            && let Some(last) = executed.last_mut()
        {
            last.parameters = parameters(values);
        }
    }
    executed
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
    use super::{Executed, parse};

    #[test]
    fn the_services_statements_are_found_with_their_values() {
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
        let plain = |sql: &str| Executed { sql: sql.to_owned(), parameters: vec![] };
        let insert = Executed {
            sql: "insert into a (b, c, d)\nvalues ($1, $2, $3)".to_owned(),
            parameters: vec![value("it's = here, $2 = ''"), None, value("{\"a\":1}")],
        };
        assert_eq!(parse(log), [plain("begin read only"), insert, plain("commit")]);
    }
}
