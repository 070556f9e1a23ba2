//! Objects, branches, differences, merges and clones.

use insta::assert_snapshot;
use serde_json::json;
use testkit::environment::program;

use crate::support::{CommandLine, Finished};

/// A project with an object `Shaft` of steel that is committed.
async fn with_shaft() -> CommandLine {
    let terminal = CommandLine::open().await;
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
    assert_snapshot!(terminal.run(&["diff", "gearbox"]).await.expect(0).shown(), @r#"
    ~ /Library/Axle  object
        /data/material  "steel" → (absent)
        /data/size  (absent) → {"x":12}
        /name  "Shaft" → "Axle"
        /parent  "<id>" → "<id>"
    "#);
    let nothing = terminal.run(&["objects", "edit", place]).await.expect(2);
    assert!(nothing.stderr.contains("--rename <NAME>"), "{}", nothing.stderr);
    let deleted = terminal.run(&["objects", "rm", "gearbox:/Library/Axle", "--json"]).await.expect(0).lines();
    assert_eq!(deleted[0]["deletedCount"], json!(1));
    assert_snapshot!(terminal.run(&["diff", "gearbox"]).await.expect(0).shown(), @"- /Model/Shaft  object");
    let root = terminal.run(&["objects", "rm", "gearbox"]).await.expect(2);
    assert!(root.stderr.contains("gearbox:/Model/Shaft"), "{}", root.stderr);
}

/// The same with a branch `feature` on which the shaft is of brass, while it is of titanium on `main`.
async fn with_conflict() -> CommandLine {
    let terminal = with_shaft().await;
    terminal.run(&["branches", "create", "gearbox", "feature"]).await.expect(0);
    for (branch, material) in [("feature", "brass"), ("main", "titanium")] {
        let place = format!("gearbox--{branch}:/Model/Shaft");
        terminal.run(&["objects", "edit", &place, "--set", &format!("material={material}")]).await.expect(0);
        terminal.run(&["commit", &format!("gearbox--{branch}"), "-m", material]).await.expect(0);
    }
    terminal
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_shows_its_conflicts_and_takes_decisions() {
    let terminal = with_conflict().await;
    assert_snapshot!(terminal.run(&["branches", "list", "gearbox"]).await.expect(0).shown(), @r"
    BRANCH   COMMIT      CHANGES
    feature  <hash>  -
    main     <hash>  -        default
    ");
    assert_snapshot!(terminal.run(&["diff", "gearbox", "main", "feature"]).await.expect(0).shown(), @r#"
    ~ /Model/Shaft  object
        /data/material  "steel" → "brass"
    "#);
    let direct = terminal.run(&["diff", "gearbox", "main", "feature", "--direct"]).await.expect(0);
    assert_snapshot!(direct.shown(), @r#"
    ~ /Model/Shaft  object
        /data/material  "titanium" → "brass"
    "#);
    assert_eq!(direct.stderr, "1 changed.\n");
    // The project's branch is the base of the only one that is named, and a place leaves the others out.
    let own = terminal.run(&["diff", "gearbox:/Model", "feature", "--json"]).await.expect(0).lines();
    assert_eq!((own.len(), &own[0]["path"]), (1, &json!("/Model/Shaft")));
    let elsewhere = terminal.run(&["diff", "gearbox:/Library", "feature"]).await.expect(0);
    assert_eq!((elsewhere.stdout.as_str(), elsewhere.stderr.as_str()), ("", "Nothing differs.\n"));
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
    assert_eq!(listed[1]["error"]["code"], json!("MERGE_CONFLICT"));
    let dry = terminal.run(&["merge", "gearbox", "feature", "--theirs", "--dry-run"]).await.expect(0);
    assert_eq!(dry.stderr, "The source would be merged into gearbox with 1 conflict decided.\n");
    let decision = format!("{id}/data/material=value:\"bronze\"");
    let merged = terminal.run(&["merge", "gearbox", "feature", "--resolve", &decision]).await.expect(0);
    assert!(merged.stderr.contains("is merged into gearbox"), "{}", merged.stderr);
    let shown = terminal.run(&["objects", "show", "gearbox:/Model/Shaft"]).await.expect(0).stdout;
    assert!(shown.contains("material: bronze"), "{shown}");
    let again = terminal.run(&["merge", "gearbox", "feature"]).await.expect(0);
    assert!(again.stderr.contains("has all changes already"), "{}", again.stderr);
    terminal.run(&["branches", "delete", "gearbox", "feature"]).await.expect(0);
    terminal.run(&["merge", "gearbox", "feature"]).await.expect(6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_that_fits_no_conflict_ends_a_merge_before_it_is_made() {
    let terminal = with_conflict().await;
    let listed = terminal.run(&["merge", "gearbox", "feature", "--json"]).await.expect(1).lines();
    let id = listed[0]["conflict"]["objectId"].as_str().unwrap();
    let before = terminal.run(&["log", "gearbox", "--json"]).await.expect(0).stdout;
    let elsewhere = "0198c5f0-0000-7000-8000-000000000000/data/material";
    for place in [elsewhere, &format!("{id}/data/finish"), id] {
        let decision = format!("{place}=ours");
        for rest in [&["--theirs"][..], &["--theirs", "--dry-run"], &[]] {
            let merge = [&["merge", "gearbox", "feature", "--resolve", &decision], rest].concat();
            let refused = terminal.run(&merge).await.expect(2).stderr;
            assert!(refused.contains(&format!("no such conflict: {place}")), "{refused}");
        }
    }
    // Without any conflict the first request would make the merge.
    terminal.run(&["branches", "create", "gearbox", "other", "--from", "feature"]).await.expect(0);
    terminal.run(&["objects", "edit", "gearbox--other:/Model/Shaft", "--set", "x=1"]).await.expect(0);
    terminal.run(&["commit", "gearbox--other", "-m", "x"]).await.expect(0);
    let decision = format!("{id}/data/material=ours");
    let merge = ["merge", "gearbox--feature", "other", "--resolve", &decision];
    assert!(terminal.run(&merge).await.expect(2).stderr.contains("no such conflict"));
    assert_eq!(terminal.run(&["log", "gearbox", "--json"]).await.expect(0).stdout, before);
    let feature = terminal.run(&["log", "gearbox--feature", "--json"]).await.expect(0).lines();
    assert_eq!(feature[0]["message"], json!("brass"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_side_of_a_conflict_without_the_field_is_null() {
    let terminal = with_conflict().await;
    for branch in ["feature", "main"] {
        let place = format!("gearbox--{branch}:/Model/Shaft");
        terminal.run(&["objects", "edit", &place, "--set", &format!("finish={branch}")]).await.expect(0);
        terminal.run(&["commit", &format!("gearbox--{branch}"), "-m", "Finish"]).await.expect(0);
    }
    let listed = terminal.run(&["merge", "gearbox", "feature", "--json"]).await.expect(1).lines();
    let conflict = &listed[0]["conflict"];
    assert_eq!((&conflict["field"], conflict.get("base")), (&json!("/data/finish"), Some(&json!(null))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_refuses_says_what_comes_next() {
    let terminal = with_conflict().await;
    terminal.run(&["objects", "edit", "gearbox:/Model/Shaft", "--set", "x=1"]).await.expect(0);
    let dirty = terminal.run(&["merge", "gearbox", "feature"]).await.expect(1).stderr;
    assert!(dirty.contains("atelier commit gearbox") && dirty.contains("atelier discard gearbox"), "{dirty}");
    let taken = terminal.run(&["branches", "create", "gearbox", "feature"]).await.expect(1).stderr;
    assert!(taken.contains("atelier branches list gearbox"), "{taken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_text_is_shown_by_its_changed_lines() {
    let terminal = with_shaft().await;
    let notes = |changed: &str| {
        let line =
            |number: usize| format!("line {number} of a text that is longer than a line of a terminal");
        let lines = (0..9).map(|number| if number == 4 { changed.to_owned() } else { line(number) });
        format!("notes={}", lines.collect::<Vec<_>>().join("\n"))
    };
    let set = async |branch: &str, text: &str| {
        let place = format!("gearbox--{branch}:/Model/Shaft");
        terminal.run(&["objects", "edit", &place, "--set", &notes(text)]).await.expect(0);
    };
    let commit = async |branch: &str| {
        terminal.run(&["commit", &format!("gearbox--{branch}"), "-m", "Note"]).await.expect(0);
    };
    set("main", "old").await;
    commit("main").await;
    terminal.run(&["branches", "create", "gearbox", "feature"]).await.expect(0);
    set("main", "new").await;
    assert_snapshot!(terminal.run(&["diff", "gearbox"]).await.expect(0).stdout, @r"
    ~ /Model/Shaft  object
        /data/notes
           line 3 of a text that is longer than a line of a terminal
          -old
          +new
           line 5 of a text that is longer than a line of a terminal
    ");
    let rows = terminal.run(&["diff", "gearbox", "--json"]).await.expect(0).lines();
    assert_eq!(rows[0]["fields"][0]["field"], json!("/data/notes"));
    commit("main").await;
    assert_snapshot!(terminal.run(&["diff", "gearbox", "feature", "main"]).await.expect(0).stdout, @r"
    ~ /Model/Shaft  object
        /data/notes
           line 3 of a text that is longer than a line of a terminal
          -old
          +new
           line 5 of a text that is longer than a line of a terminal
    ");
    set("feature", "other").await;
    commit("feature").await;
    assert_snapshot!(terminal.run(&["merge", "gearbox", "feature"]).await.expect(1).shown(), @r"
    Shaft  /data/notes  <id>
        ours
           line 3 of a text that is longer than a line of a terminal
          -old
          +new
           line 5 of a text that is longer than a line of a terminal
        theirs
           line 3 of a text that is longer than a line of a terminal
          -old
          +other
           line 5 of a text that is longer than a line of a terminal
    ");
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
    assert!(cloned.stderr.contains("keep it set for fetches and pushes"), "{}", cloned.stderr);
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
    let own = terminal.deployment.control_urls[0].trim_start_matches("http://");
    let told = terminal.run_with_input(&["git-credential", "get"], &asked(own)).await.expect(0);
    assert_eq!(told.stdout, format!("username=git\npassword={}\n", terminal.caller.credential()));
    let other = terminal.run_with_input(&["git-credential", "get"], &asked("example.org")).await.expect(0);
    assert_eq!(other.stdout, "");
    let mut without_key = terminal.command(&["git-credential", "get"]);
    without_key.env_remove("ATELIER_KEY");
    let refused = Finished::of(without_key.output().await.unwrap()).expect(4).stderr;
    for name in ["ATELIER_KEY", "ATELIER_URL", "atelier login"] {
        assert!(refused.contains(name), "{refused}");
    }
}
