//! Every `.sql` file of the crates is a whole statement, or several, that the migrated database prepares.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use testkit::database::Database;

/// The `.sql` files below a folder.
fn sql_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sql_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            files.push(path);
        }
    }
    files
}

/// The types of a statement's parameters. PostgreSQL infers those that are used; statements that share their parameters
/// may leave out some.
fn types(statement: &str) -> String {
    let code = statement.lines().filter_map(|line| line.split("--").next());
    let numbers = code.flat_map(|line| line.split('$').skip(1)).filter_map(|rest| {
        rest.split(|character: char| !character.is_ascii_digit())
            .next()
            .and_then(|digits| digits.parse().ok())
    });
    let used: BTreeSet<usize> = numbers.collect();
    let types = 1..=used.last().copied().unwrap_or_default();
    let types = types.map(|number| if used.contains(&number) { "unknown" } else { "text" });
    match used.is_empty() {
        true => String::new(),
        false => format!("({})", types.collect::<Vec<_>>().join(", ")),
    }
}

#[tokio::test]
async fn every_sql_file_is_a_statement_that_the_database_prepares() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let files = sql_files(crates);
    assert!(files.len() > 100, "{} files", files.len());
    let database = Database::create().await;
    let client = database.connect().await;
    let mut refused = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for statement in text.split(";\n").filter(|statement| !statement.trim().is_empty()) {
            let prepare = format!("prepare one{} as {statement}\n; deallocate one", types(statement));
            if let Err(error) = client.batch_execute(&prepare).await {
                let error = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
                refused.push(format!("{}: {error}", file.strip_prefix(crates).unwrap().display()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
