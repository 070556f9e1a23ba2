//! Pages of documentation as scripts: the blocks marked `sh` run in order by `bash`, and a block marked `json` or
//! `text` right after one shows its output. `…` stands for any text, and white space doesn't count.

#![expect(clippy::panic, reason = "a test's helper fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// Printed between the blocks of a page; no page contains it.
const SEPARATOR: char = '\u{1e}';
/// The file of addresses and credentials that the guide reads.
const READY_FILE: &str = "target/ready.json";

/// A block of commands.
#[derive(Debug, Default)]
pub struct Step {
    /// The commands.
    pub commands: String,
    /// The output that the page shows.
    pub shown: Option<String>,
}

/// The root of the checkout.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("")).to_owned()
}

/// The text of a page, by its path in the checkout.
pub fn read(page: &str) -> String {
    fs::read_to_string(repository().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The blocks of a page, which alternate with prose: language and text of each.
pub fn blocks(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split("\n```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap_or((block, "")))
}

/// The blocks of commands of a page.
pub fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (kind, text) in blocks(page) {
        match (kind, steps.last_mut()) {
            ("sh", _) => steps.push(Step { commands: text.to_owned(), shown: None }),
            ("json" | "text", Some(step)) if step.shown.is_none() => step.shown = Some(text.to_owned()),
            _ => {}
        }
    }
    steps
}

/// The script of a page after that of the pages before it, with this file of addresses and credentials.
pub fn script(preparation: &[Step], steps: &[Step], ready_file: &Path) -> String {
    let blocks: Vec<&str> = preparation.iter().chain(steps).map(|step| step.commands.as_str()).collect();
    let script = blocks.join(&format!("\nprintf '{SEPARATOR}'\n"));
    script.replace(READY_FILE, &ready_file.to_string_lossy())
}

/// Compares the output of a script with what its page shows.
///
/// # Panics
/// The output of a step is another one.
pub fn compare(page: &str, preparation: &[Step], steps: &[Step], printed: &str) {
    for (step, printed) in steps.iter().zip(printed.split(SEPARATOR).skip(preparation.len())) {
        let Some(shown) = &step.shown else { continue };
        let commands = &step.commands;
        assert!(
            is_shown(shown, printed),
            "{page}:\n{commands}\nprints\n{printed}\nand the page shows\n{shown}"
        );
    }
}

/// True if `printed` matches `shown`, with any text for each `…` and without regard to white space.
pub fn is_shown(shown: &str, printed: &str) -> bool {
    let compact = |text: &str| text.split_whitespace().collect::<String>();
    let (shown, printed) = (compact(shown), compact(printed));
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::is_shown;

    #[test]
    fn shown_output_may_have_gaps_and_another_layout() {
        assert!(is_shown("{\"a\": 1,\n \"b\": …}", "{\"a\":1,\"b\":[2]}"));
        assert!(is_shown("one … three", "one two three"));
        assert!(!is_shown("{\"a\": 1}", "{\"a\":12}"));
        assert!(!is_shown("one … one", "one"));
        assert!(!is_shown("… b", "b c"));
    }
}
