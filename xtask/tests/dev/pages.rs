//! The commands of README and of the guide, run by `bash` and compared with the shown output. A page is a script: its
//! blocks marked `sh` run in order, and a block marked `json` or `text` right after one shows its output. `…` stands
//! for any text, and white space doesn't count.

use std::fs;
use std::process::Command;

use nix::sys::signal::Signal;
use serde_json::json;
use testkit::model_server::{ModelServer, Reply};

use crate::run::{Place, Run, repository};

/// Printed between the blocks of a page; no page contains it.
const SEPARATOR: char = '\u{1e}';
const READY_FILE: &str = "target/ready.json";
const GUIDE: &str = "docs/guide";
/// The model server in the guide's example.
const MODEL_URL: &str = "http://127.0.0.1:11434";

/// A block of commands.
#[derive(Debug, Default)]
struct Step {
    commands: String,
    /// The output that the page shows.
    shown: Option<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_readme_and_guide_print_what_the_pages_show() {
    let call = ("cards__create_card", json!({ "name": "Cut the teeth" }));
    let replies = vec![Reply::Text("Hello from a model."), Reply::Calls(vec![call]), Reply::Text("Done.")];
    let model = ModelServer::start(replies).await;
    let place = Place::new();
    let models_file = place.target.path().join("models.json");
    fs::write(&models_file, models_of_the_guide().replace(MODEL_URL, &model.url)).unwrap();
    let mut run = place.dev_with("run", &["--ephemeral"], &[("ATELIER_MODELS_FILE", &models_file)]);
    run.ready();

    run_page(&run, "README.md", &[]);
    let index = read(&format!("{GUIDE}/README.md"));
    let preparation = steps(&index);
    run_page(&run, &format!("{GUIDE}/README.md"), &[]);
    for page in listed(&index) {
        run_page(&run, &format!("{GUIDE}/{page}"), &preparation);
    }

    run.signal(Signal::SIGINT);
    run.wait();
}

#[test]
fn commands_that_pages_show_without_running_them_are_commands_of_xtask() {
    let pages =
        ["README.md", "CONTRIBUTING.md", "docs/guide/README.md", "docs/guide/agents.md", "docs/testing.md"];
    let mut shown = 0;
    for page in pages.into_iter().chain(["docs/contributing.md", "docs/performance.md"]) {
        let text = read(page);
        let commands =
            blocks(&text).filter(|(kind, _)| *kind == "console").flat_map(|(_, block)| block.lines());
        for command in commands.filter_map(|line| line.split_once("cargo xtask ")) {
            let name = command.1.split_whitespace().next().unwrap();
            let help = Command::new(env!("CARGO_BIN_EXE_xtask")).args(["help", name]).output().unwrap();
            assert!(help.status.success(), "{page}: cargo xtask {name}");
            shown += 1;
        }
    }
    assert!(shown >= 10, "{shown} commands");
}

#[test]
fn the_guide_lists_each_of_its_pages_once() {
    let mut listed = listed(&read(&format!("{GUIDE}/README.md")));
    let entries = fs::read_dir(repository().join(GUIDE)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = names.filter(|name| name != "README.md").collect();
    listed.sort();
    pages.sort();
    assert_eq!(listed, pages);
}

#[test]
fn shown_output_may_have_gaps_and_another_layout() {
    assert!(is_shown("{\"a\": 1,\n \"b\": …}", "{\"a\":1,\"b\":[2]}"));
    assert!(is_shown("one … three", "one two three"));
    assert!(!is_shown("{\"a\": 1}", "{\"a\":12}"));
    assert!(!is_shown("one … one", "one"));
    assert!(!is_shown("… b", "b c"));
}

/// Runs the steps of a page in a new folder, after those of `preparation`.
fn run_page(run: &Run, page: &str, preparation: &[Step]) {
    let steps = steps(&read(page));
    assert!(!steps.is_empty(), "{page} has no commands");
    let blocks: Vec<&str> = preparation.iter().chain(&steps).map(|step| step.commands.as_str()).collect();
    let script = blocks.join(&format!("\nprintf '{SEPARATOR}'\n"));
    let script = script.replace(READY_FILE, run.ready_file.to_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    // A page that waits forever must not block the tests.
    let output = Command::new("timeout")
        .args(["180", "bash", "-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .output()
        .unwrap();

    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page} failed:\n{printed}\n{errors}\n{}", run.output());
    for (step, printed) in steps.iter().zip(printed.split(SEPARATOR).skip(preparation.len())) {
        let Some(shown) = &step.shown else { continue };
        let commands = &step.commands;
        assert!(
            is_shown(shown, printed),
            "{page}:\n{commands}\nprints\n{printed}\nand the page shows\n{shown}"
        );
    }
}

/// The models file in the guide.
fn models_of_the_guide() -> String {
    let page = read(&format!("{GUIDE}/agents.md"));
    let example = blocks(&page).find(|(kind, _)| *kind == "json").unwrap().1.to_owned();
    assert!(example.contains(MODEL_URL), "{example}");
    example
}

fn read(page: &str) -> String {
    fs::read_to_string(repository().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The blocks of a page, which alternate with prose: language and text of each.
fn blocks(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split("\n```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap_or((block, "")))
}

/// The blocks of commands of a page.
fn steps(page: &str) -> Vec<Step> {
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

/// The pages in the guide's table, in order.
fn listed(index: &str) -> Vec<String> {
    let rows = index.lines().filter(|line| line.starts_with("| ["));
    let links = rows.filter_map(|row| row.split_once("](")?.1.split_once(')'));
    links.map(|(page, _)| page.to_owned()).collect()
}

/// True if `printed` matches `shown`, with any text for each `…` and without regard to white space.
fn is_shown(shown: &str, printed: &str) -> bool {
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
