//! Rules on single files: their place, their first line, their length.

use std::collections::BTreeSet;

/// Most lines of a file before its tests.
const LONGEST: usize = 400;
/// Diesel's list of tables, which must be one file.
const LIST: &str = "crates/database/src/schema.rs";
const TOP_LEVEL: [&str; 11] = [
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "crates",
    "deploy",
    "docs",
    "findings",
    "migrations",
    "xtask",
];

/// Unknown entries of the top level. Names that begin with a dot are allowed.
pub(super) fn top_level(files: &[&str]) -> Vec<String> {
    let entries: BTreeSet<&str> = files.iter().filter_map(|path| path.split('/').next()).collect();
    let strangers = entries.into_iter().filter(|entry| !entry.starts_with('.') && !TOP_LEVEL.contains(entry));
    strangers
        .map(|entry| format!("{entry}: not an entry of the top level ({})", TOP_LEVEL.join(", ")))
        .collect()
}

/// Complaints about one Rust file.
pub(super) fn source(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if !path.ends_with(".rs") {
        return complaints;
    }
    if !text.starts_with("//!") {
        complaints.push(format!("{path}: begin with `//!` and describe the file"));
    }
    if path.ends_with("/mod.rs") {
        complaints.push(format!("{path}: name the file after its module, beside the module's folder"));
    }
    // Tests may be longer.
    let length = if is_test(path) || path == LIST { 0 } else { length_before_tests(text) };
    if length > LONGEST {
        complaints.push(format!("{path}: {length} lines, {LONGEST} at most"));
    }
    complaints
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// The lines before the module of tests. Tests in a file of their own end nothing.
fn length_before_tests(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let begins = |pair: &[&str]| matches!(pair, ["#[cfg(test)]", next] if !next.ends_with(';'));
    lines.windows(2).position(begins).unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, source, top_level};

    #[test]
    fn unknown_entries_of_the_top_level_are_refused() {
        let files = ["Cargo.toml", ".gitignore", "crates/a/src/lib.rs", "notes.txt", "scripts/run.sh"];
        let complaints = top_level(&files);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(
            complaints[0].starts_with("notes.txt") && complaints[1].starts_with("scripts"),
            "{complaints:?}"
        );
    }

    #[test]
    fn a_file_without_a_description_is_refused() {
        assert!(source("a/src/b.rs", "//! What.\n").is_empty());
        assert_eq!(source("a/src/b.rs", "use std::fs;\n//! What.\n").len(), 1);
    }

    #[test]
    fn a_module_named_mod_is_refused() {
        assert_eq!(source("a/src/b/mod.rs", "//! What.\n").len(), 1);
    }

    #[test]
    fn a_long_file_is_refused_and_its_tests_do_not_count() {
        let full = format!("//! What.\n{}", "\n".repeat(LONGEST - 1));
        assert!(source("a/src/b.rs", &full).is_empty());
        assert!(source("a/src/b.rs", &format!("{full}#[cfg(test)]\nmod tests {{}}\n")).is_empty());
        assert_eq!(source("a/src/b.rs", &format!("{full}\n")).len(), 1);
        let elsewhere = format!("//! What.\n#[cfg(test)]\nmod tests;\n{}", "\n".repeat(LONGEST));
        assert_eq!(source("a/src/b.rs", &elsewhere).len(), 1);
        assert!(source("a/tests/b.rs", &format!("{full}\n")).is_empty());
    }
}
