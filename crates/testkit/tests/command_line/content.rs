//! Objects, branches, differences, merges and clones.

use insta::assert_snapshot;
use serde_json::json;
use testkit::environment::program;

use crate::support::{Finished, Terminal};

/// A project with an object `Shaft` of steel that is committed.
async fn with_shaft() -> Terminal {
    let terminal = Terminal::open().await;
    let path = format!("/api/v2/projects/{}", terminal.project);
    let tree = terminal.caller.get(&format!("{path}/tree")).await.expect(200).json();
    let model = tree["tree"].as_array().unwrap().iter().find(|node| node["name"] == "Model").unwrap();
    let shaft = json!({ "name": "Shaft", "parent": model["id"], "data": { "material": "steel" } });
    terminal.caller.post(&format!("{path}/objects")).json(shaft).await.expect(201);
    terminal.run(&["commit", "gearbox", "-m", "Add the shaft"]).await.expect(0);
    terminal
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_listed_shown_changed_and_deleted() {
    let terminal = with_shaft().await;
    assert_snapshot!(terminal.run(&["objects", "list", "gearbox:/Model"]).await.expect(0).shown(), @r"
    NAME   TYPE    FILE  ID
    Shaft  Object        <id>
    ");
    let place = "gearbox:/Model/Shaft";
    let edit =
        ["objects", "edit", place, "--rename", "Axle", "--set", "size={\"x\": 12}", "--unset", "material"];
    assert_snapshot!(terminal.run(&edit).await.expect(0).shown(), @r#"
    Axle  Object
    id      <id>
    size: {"x":12}
    "#);
    let moved = terminal.run(&["objects", "edit", "gearbox:/Model/Axle", "--move-to", "/Library"]).await;
    moved.expect(0);
    let shown = terminal.run(&["objects", "show", "gearbox:/Library/Axle", "--json"]).await.expect(0).lines();
    assert_eq!(shown[0]["data"], json!({ "size": { "x": 12 } }));
    assert_snapshot!(terminal.run(&["diff", "gearbox"]).await.expect(0).shown(), @"~ /Library/Axle  object");
    let nothing = terminal.run(&["objects", "edit", place]).await.expect(2);
    assert!(nothing.stderr.contains("--rename <NAME>"), "{}", nothing.stderr);
    let deleted = terminal.run(&["objects", "rm", "gearbox:/Library/Axle", "--json"]).await.expect(0).lines();
    assert_eq!(deleted[0]["deletedCount"], json!(1));
    assert_snapshot!(terminal.run(&["diff", "gearbox"]).await.expect(0).shown(), @"- /Model/Shaft  object");
    let root = terminal.run(&["objects", "rm", "gearbox"]).await.expect(2);
    assert!(root.stderr.contains("gearbox:/Model/Shaft"), "{}", root.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_shows_its_conflicts_and_takes_decisions() {
    let terminal = with_shaft().await;
    terminal.run(&["branches", "create", "gearbox", "feature"]).await.expect(0);
    for (branch, material) in [("feature", "brass"), ("main", "titanium")] {
        let place = format!("gearbox--{branch}:/Model/Shaft");
        terminal.run(&["objects", "edit", &place, "--set", &format!("material={material}")]).await.expect(0);
        terminal.run(&["commit", &format!("gearbox--{branch}"), "-m", material]).await.expect(0);
    }
    assert_snapshot!(terminal.run(&["branches", "list", "gearbox"]).await.expect(0).shown(), @r"
    BRANCH   COMMIT      CHANGES
    feature  <hash>  -
    main     <hash>  -        default
    ");
    assert_snapshot!(terminal.run(&["diff", "gearbox", "main", "feature"]).await.expect(0).shown(), @r#"
    ~ Shaft  object
        /data/material  "titanium" → "brass"
    "#);
    let refused = terminal.run(&["merge", "gearbox", "feature"]).await.expect(1);
    assert_snapshot!(refused.shown(), @r#"
    Shaft  /data/material  <id>
        base    "steel"
        ours    "titanium"
        theirs  "brass"
    "#);
    assert!(refused.stderr.contains("1 conflict to decide") && refused.stderr.contains("--theirs"));
    let listed = terminal.run(&["merge", "gearbox", "feature", "--json"]).await.expect(1).lines();
    let id = listed[0]["conflict"]["objectId"].as_str().unwrap();
    let dry = terminal.run(&["merge", "gearbox", "feature", "--theirs", "--dry-run"]).await.expect(0);
    assert!(dry.stderr.contains("would be merged"), "{}", dry.stderr);
    let decision = format!("{id}/data/material=value:\"bronze\"");
    let merged = terminal.run(&["merge", "gearbox", "feature", "--resolve", &decision]).await.expect(0);
    assert!(merged.stderr.contains("is merged into gearbox"), "{}", merged.stderr);
    let shown = terminal.run(&["objects", "show", "gearbox:/Model/Shaft"]).await.expect(0).stdout;
    assert!(shown.contains("material: bronze"), "{shown}");
    let again = terminal.run(&["merge", "gearbox", "feature"]).await.expect(0);
    assert!(again.stderr.contains("has all changes already"), "{}", again.stderr);
    terminal.run(&["branches", "rm", "gearbox", "feature"]).await.expect(0);
    terminal.run(&["merge", "gearbox", "feature"]).await.expect(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clone_keeps_no_key_and_fetches_with_the_programs() {
    let terminal = with_shaft().await;
    let git = |arguments: &[&str]| {
        let mut command = terminal.command(arguments);
        command
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("no_proxy", "*");
        command
    };
    let cloned =
        Finished::of(git(&["clone", "gearbox", "clone", "--json"]).output().await.unwrap()).expect(0);
    assert_eq!(cloned.lines()[0]["folder"], json!("clone"));
    let config = std::fs::read_to_string(terminal.files.path().join("clone/.git/config")).unwrap();
    assert!(!config.contains(terminal.caller.credential()), "{config}");
    assert!(config.contains(&*program("atelier").to_string_lossy()), "{config}");
    let mut fetch = tokio::process::Command::new("git");
    let of_program = git(&[]);
    for (name, value) in of_program.as_std().get_envs() {
        fetch.env(name, value.unwrap());
    }
    fetch.args(["-C", "clone", "fetch"]).current_dir(terminal.files.path());
    Finished::of(fetch.output().await.unwrap()).expect(0);

    let asked = |host: &str| format!("protocol=http\nhost={host}\n\n");
    let own = terminal.api.control_urls[0].trim_start_matches("http://");
    let told = terminal.run_with_input(&["git-credential", "get"], &asked(own)).await.expect(0);
    assert_eq!(told.stdout, format!("username=git\npassword={}\n", terminal.caller.credential()));
    let other = terminal.run_with_input(&["git-credential", "get"], &asked("example.org")).await.expect(0);
    assert_eq!(other.stdout, "");
}
