//! The same files sent by several runs: at once, from several machines, or by another spelling after a kill.

use std::collections::BTreeMap;

use serde_json::json;
use testkit::open_session::eventually_async;
use tokio::process::Child;

use crate::support::{CommandLine, Finished};

/// Starts a run of another machine, which shares no state with this one.
fn start_elsewhere(terminal: &CommandLine, home: &tempfile::TempDir, arguments: &[&str]) -> Child {
    terminal.command(arguments).env("HOME", home.path()).spawn().unwrap()
}

async fn end(child: Child) -> Finished {
    Finished::of(child.wait_with_output().await.unwrap()).expect(0)
}

/// The number of objects at each path that has several.
async fn repeated(terminal: &CommandLine) -> BTreeMap<String, usize> {
    let path = format!("/api/v2/projects/{}/tree", terminal.project);
    let tree = terminal.caller.get(&path).await.expect(200).json();
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for node in tree["tree"].as_array().unwrap() {
        let text = |field: &str| node[field].as_str().unwrap();
        let path = format!("{}/{}", paths.get(text("parent")).map_or("", String::as_str), text("name"));
        paths.insert(text("id").to_owned(), path.clone());
        *counts.entry(path).or_default() += 1;
    }
    counts.retain(|_, count| *count > 1);
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn three_machines_that_send_a_folder_at_once_add_it_once() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(900);
    let homes = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let upload = ["upload", "parts", "--to", "gearbox:/Model/Deep/New", "--json"];
    let runs: Vec<Child> = homes.iter().map(|home| start_elsewhere(&terminal, home, &upload)).collect();
    for run in runs {
        end(run).await;
    }
    assert_eq!(repeated(&terminal).await, BTreeMap::new());
    terminal.check_parts("/Model/Deep/New").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_with_other_files_share_the_new_folder() {
    let terminal = CommandLine::open().await;
    terminal.write("one/a.txt", "a");
    terminal.write("two/sub/b.txt", "b");
    for round in 0..4 {
        let place = format!("gearbox:/Shared{round}/Below");
        let runs = [["upload", "one/", "--to", &place], ["upload", "two/", "--to", &place]];
        let [one, two] = runs.map(|arguments| terminal.start(&arguments));
        end(one).await;
        end(two).await;
    }
    assert_eq!(repeated(&terminal).await, BTreeMap::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_spelling_after_a_kill_repeats_no_file() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(900);
    let mut child = terminal.start(&["upload", "parts", "--to", "gearbox:/Model"]);
    eventually_async("files arrive", async || terminal.tree().await.len() >= 20).await;
    child.start_kill().unwrap();
    child.wait().await.unwrap();
    let other = ["upload", "parts/", "--to", "gearbox:/Model/parts", "--json"];
    terminal.run(&other).await.expect(0);
    assert_eq!(repeated(&terminal).await, BTreeMap::new());
    terminal.check_parts("/Model").await;
    let again = terminal.run(&other).await.expect(0).event("summary");
    assert_eq!((&again["sent"], &again["unchanged"]), (&json!(0), &json!(900)));
}
