//! Files named by pages exist: targets of links, and paths in backticks.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// Suffixes of names in backticks that are files of this repository.
const FILES: [&str; 5] = [".rs", ".sql", ".md", ".lua", ".py"];

#[test]
fn every_link_of_a_page_leads_to_a_file() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(repository().join(&page)).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        // An address with a scheme leads elsewhere, as `attachment:` does in texts of cards.
        for target in targets.filter(|target| !target.is_empty() && !target.contains(':')) {
            let path = without_parents(&Path::new(&page).parent().unwrap().join(target));
            if !repository().join(&path).exists() {
                broken.push(format!("{page}: {target}"));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_file_named_by_a_page_exists() {
    let files = files();
    let mut unknown = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(repository().join(&page)).unwrap();
        // Code between backticks alternates with prose.
        for name in text.split('`').skip(1).step_by(2).filter(|name| is_path(name)) {
            let is_named = |file: &String| file == name || file.ends_with(&format!("/{name}"));
            if !files.iter().any(is_named) {
                unknown.push(format!("{page}: {name}"));
            }
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
}

/// True if a text in backticks is a path below a folder, without placeholders.
fn is_path(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
    text.contains('/')
        && !text.starts_with('/')
        && text.chars().all(is_plain)
        && FILES.iter().any(|end| text.ends_with(end))
}

fn pages() -> Vec<String> {
    files().into_iter().filter(|file| file.ends_with(".md")).collect()
}

/// The paths of the repository's files.
fn files() -> BTreeSet<String> {
    let listed = Command::new("git").arg("ls-files").current_dir(repository()).output().unwrap();
    assert!(listed.status.success());
    let names = String::from_utf8(listed.stdout).unwrap();
    names.lines().filter(|name| repository().join(name).exists()).map(str::to_owned).collect()
}

/// The path with its `..` resolved.
fn without_parents(path: &Path) -> PathBuf {
    let mut followed = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                followed.pop();
            }
            other => followed.push(other),
        }
    }
    followed
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
