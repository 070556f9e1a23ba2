//! Rules on single files: where they lie, how they begin, how long they are.

use std::collections::BTreeSet;

/// Lines of a file before its tests.
const LONGEST: usize = 400;
/// A list of tables as diesel reads it, which all have to be named in one place. There is nothing in it to understand.
const LIST: &str = "crates/store/src/db/schema.rs";
const TOP_LEVEL: [&str; 10] = [
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "crates",
    "deploy",
    "docs",
    "migrations",
    "xtask",
];

/// What lies at the top that has no place there. Files whose name begins with a dot may.
pub(super) fn top_level(files: &[&str]) -> Vec<String> {
    let entries: BTreeSet<&str> = files.iter().filter_map(|path| path.split('/').next()).collect();
    let strangers = entries.into_iter().filter(|entry| !entry.starts_with('.') && !TOP_LEVEL.contains(entry));
    strangers
        .map(|entry| format!("{entry}: not an entry of the top level ({})", TOP_LEVEL.join(", ")))
        .collect()
}

/// What is wrong with one Rust file.
pub(super) fn source(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if !path.ends_with(".rs") {
        return complaints;
    }
    if !text.starts_with("//!") {
        complaints.push(format!("{path}: does not begin with `//!`, which says what the file is"));
    }
    if path.ends_with("/mod.rs") {
        complaints.push(format!("{path}: name the file after its module, beside the module's folder"));
    }
    // Tests are as long as they need to be.
    let length = if is_test(path) || path == LIST { 0 } else { length_before_tests(text) };
    if length > LONGEST {
        complaints.push(format!("{path}: {length} lines, {LONGEST} at most"));
    }
    complaints
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

fn length_before_tests(text: &str) -> usize {
    text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count()
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, source, top_level};

    #[test]
    fn only_known_entries_and_dotfiles_lie_at_the_top() {
        let files = ["Cargo.toml", ".gitignore", "crates/a/src/lib.rs", "notes.txt", "scripts/run.sh"];
        let complaints = top_level(&files);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(
            complaints[0].starts_with("notes.txt") && complaints[1].starts_with("scripts"),
            "{complaints:?}"
        );
    }

    #[test]
    fn a_file_says_what_it_is_first() {
        assert!(source("a/src/b.rs", "//! What.\n").is_empty());
        assert_eq!(source("a/src/b.rs", "use std::fs;\n//! What.\n").len(), 1);
    }

    #[test]
    fn a_module_is_not_named_mod() {
        assert_eq!(source("a/src/b/mod.rs", "//! What.\n").len(), 1);
    }

    #[test]
    fn a_file_is_short_and_its_tests_do_not_count() {
        let full = format!("//! What.\n{}", "\n".repeat(LONGEST - 1));
        assert!(source("a/src/b.rs", &full).is_empty());
        assert!(source("a/src/b.rs", &format!("{full}#[cfg(test)]\nmod tests {{}}\n")).is_empty());
        assert_eq!(source("a/src/b.rs", &format!("{full}\n")).len(), 1);
        assert!(source("a/tests/b.rs", &format!("{full}\n")).is_empty());
    }
}
