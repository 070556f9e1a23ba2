//! Every `.sql` file of the crates is a whole statement, or several, that the migrated database prepares. Parts that
//! several statements have are the same line by line.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use testkit::database::Database;

/// A part that several statements have.
struct RepeatedPart {
    first_line: &'static str,
    last_line: &'static str,
    /// Files below `src`.
    files: &'static [&'static str],
}

/// A change of such a part in one file alone would answer differently by the way that leads to it.
const REPEATED_PARTS: [RepeatedPart; 8] = [
    // A filter of cards, in one project and over several.
    RepeatedPart {
        first_line: "and ($2::boolean is null or c.is_open = $2)",
        last_line: "and (c.updated_at, c.id) < ($33, $34)",
        files: &["resources/planning/cards/list.sql", "resources/planning/cards/search/filtered.sql"],
    },
    RepeatedPart {
        first_line: "select case",
        last_line: ") due",
        files: &["resources/planning/cards/list.sql", "resources/planning/cards/search/filtered.sql"],
    },
    // The columns of a card.
    RepeatedPart {
        first_line: "select",
        last_line: "join users u on u.id = c.created_by",
        files: &["access/card.sql", "access/card_locked.sql", "resources/planning/cards/list.sql"],
    },
    // The columns of a project at a branch.
    RepeatedPart {
        first_line: concat!(
            "p.id, p.owner_id, p.name, p.key, p.slug, p.description, p.visibility, ",
            "p.initial_prompt, p.default_branch,",
        ),
        last_line: "pm.role as project_role,",
        files: &[
            "access/project.sql",
            "access/project_by_name.sql",
            "access/session.sql",
            "resources/content/attachments/lock.sql",
            "resources/content/attachments/try_lock.sql",
        ],
    },
    // The roles that decide on access to a project.
    RepeatedPart {
        first_line: "p.id, p.owner_id, p.visibility,",
        last_line: "left join organization_members om on om.organization_id = p.owner_id and om.user_id = $2",
        files: &[
            "access/connected.sql",
            "access/reachable.sql",
            "access/reachable_own.sql",
            "access/related.sql",
            "access/related_to_team.sql",
        ],
    },
    // The roles that decide on access to a team.
    RepeatedPart {
        first_line: "left join team_members tm on tm.team_id = t.id and tm.user_id = $3",
        last_line: concat!(
            "left join organization_members om ",
            "on om.organization_id = t.organization_id and om.user_id = $3",
        ),
        files: &["access/team.sql", "access/linked_projects/board.sql"],
    },
    // The projects of a user.
    RepeatedPart {
        first_line: "with reachable as (",
        last_line: ")",
        files: &["access/reachable_own.sql", "resources/content/projects/list.sql"],
    },
    // A page of the cards that a team can place.
    RepeatedPart {
        first_line: "and i.is_open",
        last_line: "order by p.updated_at desc, p.id",
        files: &[
            "resources/planning/teams/available/search_by_letters.sql",
            "resources/planning/teams/available/search_by_text.sql",
        ],
    },
];

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

#[test]
fn parts_that_statements_repeat_are_the_same_line_by_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for RepeatedPart { first_line, last_line, files } in REPEATED_PARTS {
        let parts: BTreeSet<String> = files
            .iter()
            .map(|file| {
                let text = fs::read_to_string(folder.join(file)).unwrap();
                let lines = text.lines().map(str::trim).skip_while(|line| *line != first_line);
                let mut lines: Vec<&str> = lines.collect();
                let last = lines.iter().position(|line| *line == last_line);
                assert!(last.is_some(), "{file}: no `{first_line}` before a `{last_line}`");
                lines.truncate(last.unwrap() + 1);
                lines.join("\n")
            })
            .collect();
        assert_eq!(parts.len(), 1, "{files:?} differ between `{first_line}` and `{last_line}`");
    }
}
