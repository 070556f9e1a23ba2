//! `cargo xtask dev` from outside: its addresses answer, its processes end with it, and the pages that begin with it
//! are correct. The tests run the built programs; `cargo xtask test` builds them first.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod pages;
mod run;

use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::run::{Place, until};

#[test]
fn an_interrupt_ends_only_the_processes_of_its_run() {
    let place = Place::new();
    let (mut first, mut second) =
        (place.dev("first", &["--ephemeral"]), place.dev("second", &["--ephemeral"]));
    let (one, other) = (first.ready(), second.ready());

    first.signal(Signal::SIGINT);
    assert_eq!(first.wait().code(), Some(130));

    assert_eq!(listening(&one), Vec::<String>::new(), "left behind");
    assert!(!first.ready_file.exists(), "the ready file announces what is gone");
    assert_eq!(listening(&other).len(), 6, "the other run is whole");
    assert_eq!(place.folders().iter().filter(|name| !name.ends_with(".lock")).count(), 1);

    second.signal(Signal::SIGTERM);
    assert_eq!(second.wait().code(), Some(143));
    assert_eq!(place.folders(), Vec::<String>::new());
}

#[test]
fn a_killed_run_leaves_no_process_and_no_folder() {
    let place = Place::new();
    let mut run = place.dev("run", &["--ephemeral", "--replicas", "2"]);
    let ready = run.ready();

    run.signal(Signal::SIGKILL);
    assert_eq!(run.wait().signal(), Some(9));

    until("something was left behind", || {
        (listening(&ready).is_empty() && place.folders().is_empty()).then_some(())
    });
}

#[test]
fn a_second_run_on_the_same_data_names_the_first_and_data_survive_a_kill() {
    let place = Place::new();
    let mut first = place.dev("first", &[]);
    let ready = first.ready();
    let mut second = place.dev("second", &[]);
    assert_eq!(second.wait().code(), Some(1));
    let refusal = format!("process {} at {}", first.child.id(), text(&ready, "controlUrl"));
    assert!(second.output().contains(&refusal), "{}", second.output());

    first.signal(Signal::SIGKILL);
    first.wait();
    let mut third = place.dev("third", &[]);
    let again = third.ready();
    for kept in ["userId", "orgId", "apiKey"] {
        assert_eq!(again[kept], ready[kept], "{kept}");
    }
    third.signal(Signal::SIGINT);
    third.wait();
}

#[test]
fn a_demonstration_has_a_tree_a_branch_a_board_and_a_finished_sprint() {
    let place = Place::new();
    let mut run = place.dev("run", &["--ephemeral", "--demo"]);
    let ready = run.ready();
    let atelier = |args: &[&str]| {
        let program = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("atelier");
        let mut command = Command::new(program);
        command.args(args).env("ATELIER_URL", text(&ready, "controlUrl"));
        let output = command.env("ATELIER_KEY", text(&ready, "apiKey")).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };

    let tree = atelier(&["tree", "rod-mount"]);
    for part in ["l-bracket-assembly_1  assembly", "Page 2  page", "bolt_load.py  code", "+ Review.md"] {
        assert!(tree.contains(part), "{part}: {tree}");
    }
    let differs = atelier(&["diff", "rod-mount", "main", "lighter-bracket"]);
    assert!(differs.contains("thickness") && differs.contains("bolt_load.py"), "{differs}");
    let board = atelier(&["board", "Rod mount"]);
    assert!(["TO DO", "DOING", "REVIEW", "DONE"].iter().all(|column| board.contains(column)), "{board}");
    let sprints = atelier(&["sprints", "list", "Rod mount"]);
    assert!(sprints.contains("completed") && sprints.contains("active"), "{sprints}");

    run.signal(Signal::SIGINT);
    run.wait();
}

/// The addresses of a run that accept connections.
fn listening(ready: &Value) -> Vec<String> {
    let names = ["controlUrl", "dataUrl", "opsUrl", "dataOpsUrl", "databaseUrl", "redisUrl"];
    let address = |name: &&str| {
        let rest = text(ready, name).split_once("://").unwrap().1.to_owned();
        let rest = rest.rsplit_once('@').map_or(rest.clone(), |(_, host)| host.to_owned());
        rest.split('/').next().unwrap().to_owned()
    };
    names.iter().map(address).filter(|address| TcpStream::connect(address).is_ok()).collect()
}

fn text<'a>(ready: &'a Value, name: &str) -> &'a str {
    ready[name].as_str().unwrap()
}
