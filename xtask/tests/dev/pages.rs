//! The commands of README and of the guide, run by `sh` and compared with the shown output.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use nix::sys::signal::Signal;
use serde_json::json;
use testkit::guide::{Step, blocks, compare, read, repository, script, steps};
use testkit::model_server::{ModelServer, Reply};

use crate::run::{Place, Run};

const GUIDE: &str = "docs/guide";
/// The page with packages of npm, which `browser_tokens/first_hour.rs` of `testkit` runs on an empty deployment.
const WITH_PACKAGES: &str = "first-hour.md";
/// The page that exceeds the limits.
const WITH_LIMITS: &str = "rate-limits.md";
/// The model server in the guide's example.
const MODEL_URL: &str = "http://127.0.0.1:11434";

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_readme_and_guide_print_what_the_pages_show() {
    let call = ("cards__create_card", json!({ "name": "Cut the teeth" }));
    let replies = vec![Reply::Text("Hello from a model."), Reply::Calls(vec![call]), Reply::Text("Done.")];
    let model = ModelServer::start(Vec::new()).await;
    let place = Place::new();
    let models_file = place.target.path().join("models.json");
    fs::write(&models_file, models_of_the_guide().replace(MODEL_URL, &model.url)).unwrap();
    // All pages run within seconds by one key, faster than a reader.
    let settings = [
        ("ATELIER_MODELS_FILE", models_file.as_os_str()),
        ("ATELIER_RATE_KEY", OsStr::new("600/6000")),
        ("ATELIER_RATE_USER", OsStr::new("1200/12000")),
    ];
    let mut run = place.dev_with("run", &["--ephemeral"], &settings);
    run.ready();

    run_page(&run, "README.md", &[]);
    let index = read(&format!("{GUIDE}/README.md"));
    let preparation = steps(&index);
    run_page(&run, &format!("{GUIDE}/README.md"), &[]);
    for page in listed(&index).iter().filter(|page| ![WITH_PACKAGES, WITH_LIMITS].contains(&page.as_str())) {
        // Each page that prompts begins with the first reply.
        model.answer(replies.clone());
        run_page(&run, &format!("{GUIDE}/{page}"), &preparation);
    }

    run.signal(Signal::SIGINT);
    run.wait();
}

#[test]
fn the_commands_of_the_page_on_limits_meet_the_default_ones() {
    let place = Place::new();
    let mut run = place.dev("run", &["--ephemeral"]);
    run.ready();
    let preparation = steps(&read(&format!("{GUIDE}/README.md")));
    run_page(&run, &format!("{GUIDE}/{WITH_LIMITS}"), &preparation);
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
    let mut pages: Vec<String> = names.filter(|name| name.ends_with(".md") && name != "README.md").collect();
    listed.sort();
    pages.sort();
    assert_eq!(listed, pages);
}

/// Runs the steps of a page in a new folder, after those of `preparation`.
fn run_page(run: &Run, page: &str, preparation: &[Step]) {
    let steps = steps(&read(page));
    assert!(!steps.is_empty(), "{page} has no commands");
    let script = script(preparation, &steps, &run.ready_file);
    let folder = tempfile::tempdir().unwrap();
    // Pages use `atelier`, which is built beside this program; its state is the page's own.
    let programs = Path::new(env!("CARGO_BIN_EXE_xtask")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&others))).unwrap();
    // A page that waits forever must not block the tests.
    let output = Command::new("timeout")
        .args(["180", "sh", "-eu", "-c", &script])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .output()
        .unwrap();

    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page} failed:\n{printed}\n{errors}\n{}", run.output());
    compare(page, preparation, &steps, &printed);
}

/// The models file in the guide.
fn models_of_the_guide() -> String {
    let page = read(&format!("{GUIDE}/agents.md"));
    let example = blocks(&page).find(|(kind, _)| *kind == "json").unwrap().1.to_owned();
    assert!(example.contains(MODEL_URL), "{example}");
    example
}

/// The pages in the guide's table, in order.
fn listed(index: &str) -> Vec<String> {
    let rows = index.lines().filter(|line| line.starts_with("| ["));
    let links = rows.filter_map(|row| row.split_once("](")?.1.split_once(')'));
    links.map(|(page, _)| page.to_owned()).collect()
}
