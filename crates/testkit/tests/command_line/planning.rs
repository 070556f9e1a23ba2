//! Cards, boards, sprints and their history.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::deployment::Options;
use testkit::open_session::eventually_async;
use testkit::seed::MANAGE_WITH_TEAMS;

use crate::support::{CommandLine, Finished, sha256};

/// A terminal with a project of an organization, and a team `Makers` with two columns whose board shows it.
async fn with_team() -> (CommandLine, String) {
    let terminal = CommandLine::with(Options::default(), MANAGE_WITH_TEAMS).await;
    let organization = terminal.deployment.operator().organization("acme", &terminal.user).await;
    let caller = &terminal.caller;
    let orgs = format!("/api/v2/orgs/{organization}");
    let team = caller.post(&format!("{orgs}/teams")).json(json!({ "name": "Makers" })).await;
    let team = format!("{orgs}/teams/{}", team.expect(201).text("/team/id"));
    let project = json!({ "name": "Pump", "orgId": organization });
    let project = caller.post("/api/v2/projects").json(project).await.expect(201).text("/id");
    caller.put(&format!("{team}/projects/{project}")).await.expect(200);
    for column in [json!({ "name": "To do" }), json!({ "name": "Doing", "wipLimit": 1 })] {
        caller.post(&format!("{team}/statuses")).json(column).await.expect(201);
    }
    (terminal, team)
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_attached_to_cards_listed_downloaded_and_removed() {
    let (mut terminal, _) = with_team().await;
    terminal.deployment.leaves_blobs = true;
    assert_eq!(terminal.run(&["cards", "create", "pump", "Seal"]).await.expect(0).stdout, "PUMP-1\n");
    terminal.write("run-out.csv", "0.02;0.03");
    terminal.write("ring ä.jpg", vec![7; 3_000_000]);
    let missing = terminal.run(&["cards", "attach", "pump", "PUMP-1", "run-out.csv", "none.csv"]).await;
    assert_ne!(missing.code, 0);
    let listed = ["cards", "attachments", "pump", "PUMP-1"];
    assert_eq!(terminal.run(&listed).await.expect(0).stdout.trim(), "", "nothing is sent if one is missing");
    let attach = ["cards", "attach", "pump", "PUMP-1", "run-out.csv", "ring ä.jpg"];
    let attached = terminal.run(&attach).await.expect(0);
    assert!(attached.stderr.contains("Attached run-out.csv"), "{}", attached.stderr);
    assert!(attached.stderr.contains("Attached ring ä.jpg"), "{}", attached.stderr);
    let names = terminal.run(&listed).await.expect(0).stdout;
    assert!(names.contains("run-out.csv") && names.contains("ring ä.jpg"), "{names}");
    let shown = terminal.run(&["cards", "show", "pump", "PUMP-1"]).await.expect(0).stdout;
    assert!(shown.contains("attached  run-out.csv  9 B"), "{shown}");

    let download = ["cards", "download", "pump", "PUMP-1", "ring ä.jpg", "-o", "back.jpg"];
    terminal.run(&download).await.expect(0);
    assert_eq!(std::fs::read(terminal.files.path().join("back.jpg")).unwrap(), vec![7; 3_000_000]);
    let there = terminal.run(&download).await;
    assert!(there.stderr.contains("back.jpg is there already"), "{}", there.stderr);
    let removed = terminal.run(&["cards", "detach", "pump", "PUMP-1", "run-out.csv"]).await.expect(0);
    assert_eq!(removed.stderr, "Removed run-out.csv.\n");
    let names = terminal.run(&listed).await.expect(0).stdout;
    assert!(!names.contains("run-out.csv") && names.contains("ring ä.jpg"), "{names}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_attachment_goes_on_where_it_was_and_another_run_attaches_it_again() {
    let (terminal, _) = with_team().await;
    terminal.run(&["cards", "create", "pump", "Seal"]).await.expect(0);
    let bytes: Vec<u8> = (0..40 * 1024 * 1024_u32).flat_map(u32::to_le_bytes).collect();
    terminal.write("ring.bin", &bytes);
    let attach = ["cards", "attach", "pump", "PUMP-1", "ring.bin", "--json"];
    let count = async |of: &str| {
        terminal
            .deployment
            .database
            .count(&format!("select count(*) from resumable_uploads where {of}"))
            .await
    };
    let mut child = terminal.start(&attach);
    eventually_async("a piece arrives", async || count("offset_bytes >= 33554432").await == 1).await;
    child.start_kill().unwrap();
    child.wait().await.unwrap();

    // Lines that tell how far it is come first.
    let said = terminal.run(&attach).await.expect(0).stdout;
    let attached: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(attached["attachment"]["sha256"], sha256(&bytes));
    let listed = async || {
        let listed =
            terminal.run(&["cards", "attachments", "pump", "PUMP-1", "--json"]).await.expect(0).stdout;
        listed.lines().count()
    };
    // The killed run has begun it. Its record is removed at the end.
    assert_eq!((listed().await, count("true").await), (1, 0));
    terminal.run(&attach).await.expect(0);
    assert_eq!((listed().await, count("true").await), (2, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_are_parts_of_others_block_others_and_have_checklists() {
    let (terminal, _) = with_team().await;
    let create = ["cards", "create", "pump", "Pump", "--priority", "high", "--type", "Change"];
    assert_eq!(terminal.run(&create).await.expect(0).stdout, "PUMP-1\n");
    let part = ["cards", "create", "pump", "Seal", "--parent", "PUMP-1", "--start", "2030-01-31"];
    terminal.run(&part).await.expect(0);
    let related = terminal.run(&["cards", "relate", "pump", "PUMP-2", "blocks", "pump-1"]).await.expect(0);
    assert_eq!(related.stderr, "\"Seal\" blocks pump-1.\n");
    for line in ["Measure the run-out", "Order the ring"] {
        terminal.run(&["cards", "check", "pump", "PUMP-2", line]).await.expect(0);
    }
    let ticked = terminal.run(&["cards", "tick", "pump", "PUMP-2", "2"]).await.expect(0);
    assert_eq!(ticked.stderr, "\"Order the ring\" is done.\n");
    let missing = terminal.run(&["cards", "tick", "pump", "PUMP-2", "3"]).await.expect(2);
    assert!(missing.stderr.contains("the card's checklist has 2 lines"), "{}", missing.stderr);
    assert_snapshot!(terminal.run(&["cards", "show", "pump", "PUMP-2"]).await.expect(0).shown(), @r"
    PUMP-2  Seal  open
    id        <id>
    created   <time> by ada
    type      task
    start     <day>
    parent    PUMP-1  Pump
    blocks    PUMP-1  Pump  open

      1  [ ] Measure the run-out
      2  [x] Order the ring
    ");
    assert_snapshot!(terminal.run(&["cards", "show", "pump", "Pump"]).await.expect(0).shown(), @r"
    PUMP-1  Pump  open
    id        <id>
    created   <time> by ada
    type      change
    priority  high
    children  0 of 1 closed
    blocked by PUMP-2  Seal  open
    ");
    terminal.write("seal.txt", "EPDM");
    terminal.run(&["upload", "seal.txt", "--to", "pump:/Model"]).await.expect(0);
    terminal.run(&["commit", "pump", "-m", "Draw the seal, see PUMP-1"]).await.expect(0);
    let shown = terminal.run(&["cards", "show", "pump", "PUMP-1"]).await.expect(0).stdout;
    assert!(shown.ends_with("  Draw the seal, see PUMP-1\n"), "{shown}");
    terminal.run(&["cards", "move", "pump", "PUMP-1", "--team", "makers"]).await.expect(0);
    let board = terminal.run(&["board", "makers"]).await.expect(0);
    assert!(board.stdout.contains("blocked · high"), "{}", board.stdout);
    let ended = ["cards", "unrelate", "pump", "PUMP-2", "blocks", "PUMP-1"];
    terminal.run(&ended).await.expect(0);
    terminal.run(&ended).await.expect(6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_a_part_of_a_card_of_another_project_by_its_key() {
    let (terminal, team) = with_team().await;
    let organization = team.split('/').nth(4).unwrap();
    let motor = json!({ "name": "Motor", "orgId": organization, "key": "MOT" });
    terminal.caller.post("/api/v2/projects").json(motor).await.expect(201);
    terminal.run(&["cards", "create", "motor", "Drive"]).await.expect(0);
    terminal.run(&["cards", "create", "pump", "Seal", "--parent", "mot-1"]).await.expect(0);
    let shown = terminal.run(&["cards", "show", "pump", "Seal"]).await.expect(0).stdout;
    assert!(shown.contains("parent    MOT-1  Drive\n"), "{shown}");
    let above = terminal.run(&["cards", "show", "motor", "Drive"]).await.expect(0).stdout;
    assert!(above.contains("children  0 of 1 closed"), "{above}");
}

#[tokio::test(flavor = "multi_thread")]
async fn types_are_listed_and_fill_in_new_cards() {
    let (terminal, _) = with_team().await;
    let none = terminal.run(&["cards", "types", "pump"]).await.expect(0);
    assert_eq!(none.stderr, "The project defines no types of cards.\n");
    terminal.run(&["cards", "create", "pump", "Before", "--type", "bug"]).await.expect(0);
    let listed = terminal.caller.get("/api/v2/projects").await.expect(200).json();
    let project = listed["projects"][0]["id"].as_str().unwrap();
    let bug = json!({ "name": "bug", "description": "Steps:\n1. …", "checklist": ["Write a test"] });
    terminal.caller.post(&format!("/api/v2/projects/{project}/card-types")).json(bug).await.expect(201);
    assert_snapshot!(terminal.run(&["cards", "types", "pump"]).await.expect(0).shown(), @r"
    NAME  LINES  DESCRIPTION
    bug   1      Steps:
    ");
    terminal.run(&["cards", "create", "pump", "Leak", "--type", "bug"]).await.expect(0);
    let shown = terminal.run(&["cards", "show", "pump", "Leak"]).await.expect(0).stdout;
    assert!(shown.contains("1  [ ] Write a test") && shown.contains("Steps:"), "{shown}");
    let before = terminal.run(&["cards", "show", "pump", "Before"]).await.expect(0).stdout;
    assert!(!before.contains("Steps:"), "{before}");
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_and_boards_are_shown_as_of_a_time() {
    let (terminal, _) = with_team().await;
    terminal.run(&["cards", "create", "pump", "Seal", "--json"]).await.expect(0);
    terminal.run(&["cards", "move", "pump", "Seal", "--team", "makers"]).await.expect(0);
    let shown = terminal.run(&["cards", "show", "pump", "PUMP-1", "--json"]).await.expect(0).stdout;
    let card: Value = serde_json::from_str(&shown).unwrap();
    terminal.run(&["cards", "edit", "pump", "PUMP-1", "--rename", "Ring"]).await.expect(0);
    let at = card["card"]["updated_at"].as_str().unwrap();
    let past = terminal.run(&["cards", "show", "pump", "PUMP-1", "--at", at]).await.expect(0).stdout;
    assert!(past.starts_with(&format!("as of {at}\nPUMP-1  Seal  open\n")), "{past}");
    let past =
        terminal.run(&["cards", "show", "pump", "PUMP-1", "--at", at, "--json"]).await.expect(0).stdout;
    let past: Value = serde_json::from_str(&past).unwrap();
    // Comments are of now alone.
    assert_eq!((&past["card"], past.get("comments")), (&card["card"], None));
    for command in [["cards", "show", "pump", "PUMP-1"].as_slice(), &["board", "makers"]] {
        terminal.run(&[command, &["--at", "2000-01-01"]].concat()).await.expect(6);
        terminal.run(&[command, &["--at", "9999-01-01"]].concat()).await.expect(1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn work_are_the_cards_that_one_has_and_those_that_mention_one() {
    let (terminal, _) = with_team().await;
    let none = terminal.run(&["work"]).await.expect(0);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", "No open card is assigned to you.\n"));
    let mine = ["cards", "create", "pump", "Seal", "--mine", "--priority", "high", "--due", "2020-01-31"];
    terminal.run(&mine).await.expect(0);
    terminal.run(&["cards", "create", "pump", "Ring"]).await.expect(0);
    let handle = terminal.caller.get("/api/v2/me").await.expect(200).text("/user/slug");
    terminal.run(&["cards", "comment", "pump", "Ring", &format!("Look, @{handle}")]).await.expect(0);
    let shown = terminal.run(&["work"]).await.expect(0).stdout;
    let lines = shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    let (last, first) = lines.split_last().unwrap();
    let expected =
        ["KEY CARD PRIORITY DUE BECAUSE", "PUMP-1 Seal high 2020-01-31 due", "KEY MENTIONS YOU SINCE (UTC)"];
    assert_eq!(first, expected);
    assert!(last.starts_with("PUMP-2 Ring 2"), "{last}");
}

/// The names of the cards that a command prints as JSON.
async fn listed(terminal: &CommandLine, command: &[&str]) -> String {
    let arguments = [command, &["--json"]].concat();
    let cards = terminal.run(&arguments).await.expect(0).lines();
    cards.iter().map(|card| card["name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_take_several_values_and_a_view_keeps_them() {
    let (terminal, _) = with_team().await;
    for (name, more) in [
        ("cut", &["--priority", "high", "--mine"][..]),
        ("grind", &["--priority", "low", "--due", "2020-01-31"]),
        ("paint", &["--type", "bug"]),
    ] {
        terminal.run(&[&["cards", "create", "pump", name], more].concat()).await.expect(0);
    }
    terminal.run(&["cards", "move", "pump", "cut", "--team", "makers", "--to", "Doing"]).await.expect(0);
    let list =
        async |filter: &[&str]| listed(&terminal, &[&["cards", "list", "pump"], filter].concat()).await;
    assert_eq!(list(&["--assignee", "me"]).await, "cut");
    assert_eq!(list(&["--assignee", "!ada"]).await, "paint grind");
    assert_eq!(list(&["--assignee", "me", "--assignee", "none"]).await, "paint grind cut");
    assert_eq!(list(&["--priority", "high,low", "--type", "!bug"]).await, "grind cut");
    assert_eq!(list(&["--due", "late"]).await, "grind");
    assert_eq!(list(&["--team", "makers", "--column", "Doing", "--sprint", "none"]).await, "cut");
    assert_eq!(list(&["--team", "makers", "--column", "!Doing"]).await, "");
    terminal.run(&["cards", "list", "pump", "--column", "Doing"]).await.expect(2);
    terminal.run(&["cards", "list", "pump", "--priority", "asap"]).await.expect(2);
    let search = ["cards", "search", "in", "--assignee", "none", "--due", "!none"];
    assert_eq!(listed(&terminal, &search).await, "grind");

    let create =
        ["views", "create", "To do", "--project", "pump", "--assignee", "none", "--priority", "!high"];
    let created = terminal.run(&[&create[..], &["--sort", "due", "--share-with", "makers"]].concat()).await;
    assert_eq!(created.expect(0).stderr, "Saved the view \"To do\".\n");
    assert_eq!(listed(&terminal, &["views", "show", "to do"]).await, "grind paint");
    assert_eq!(listed(&terminal, &["views", "list", "--project", "pump"]).await, "To do");
    terminal.run(&["views", "create", "Board", "--layout", "board"]).await.expect(1);
    terminal.run(&["views", "create", "Board", "--layout", "board", "--team", "makers"]).await.expect(0);
    assert_eq!(listed(&terminal, &["views", "show", "Board"]).await, "cut");
    terminal.run(&["views", "rm", "To do"]).await.expect(0);
    terminal.run(&["views", "show", "To do"]).await.expect(6);
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_go_from_creation_over_the_board_to_their_history() {
    let (terminal, _) = with_team().await;
    let create =
        ["cards", "create", "pump", "Cut the teeth", "--effort", "3", "--due", "2030-01-31", "--mine"];
    terminal.run(&create).await.expect(0);
    terminal.run(&["cards", "create", "pump", "Grind the teeth"]).await.expect(0);
    assert_snapshot!(terminal.run(&["cards", "list", "pump"]).await.expect(0).shown(), @r"
    KEY     CARD             STATE  PRIORITY  EFFORT  DUE         COLUMN
    PUMP-2  Grind the teeth  open   -         -       -           -
    PUMP-1  Cut the teeth    open   -         3       <day>  -
    ");
    assert_snapshot!(terminal.run(&["cards", "search", "GRIND"]).await.expect(0).shown(), @r"
    KEY     CARD             STATE  PROJECT    CHANGED (UTC)
    PUMP-2  Grind the teeth  open   acme/pump  <time>
    ");
    assert_eq!(terminal.run(&["cards", "search", "teeth", "--closed", "--json"]).await.expect(0).stdout, "");
    let moved =
        terminal.run(&["cards", "move", "pump", "Cut the teeth", "--team", "makers", "--to", "doing"]).await;
    assert_eq!(moved.expect(0).stderr, "\"Cut the teeth\" is in Doing of acme/Makers.\n");
    let over = terminal
        .run(&["cards", "move", "pump", "grind the teeth", "--team", "acme/makers", "--to", "Doing"])
        .await;
    assert!(over.expect(0).stderr.contains("The column is over its limit: 2 of 1."));
    assert_snapshot!(terminal.run(&["board", "makers"]).await.expect(0).shown(), @r"
    TO DO 0 (0)                              DOING 2/1 (3) full
                                             PUMP-1 Cut the teeth                 3
                                               ada · due <day>
                                             PUMP-2 Grind the teeth
    ");
    terminal.run(&["cards", "comment", "pump", "cut the teeth", "The mill is free"]).await.expect(0);
    let close =
        ["cards", "edit", "pump", "Cut the teeth", "--close", "--resolution", "Done", "--effort", "5"];
    let closed = terminal.run(&close).await.expect(0);
    assert_eq!(closed.stderr, "Changed \"Cut the teeth\" (closed).\n");
    assert_snapshot!(terminal.run(&["cards", "show", "pump", "Cut the teeth"]).await.expect(0).shown(), @r"
    PUMP-1  Cut the teeth  closed
    id        <id>
    created   <time> by ada
    type      task
    effort    5
    due       <day>
    assigned  ada
    board     acme/Makers, Doing

    Done

    ada · <time>
    The mill is free
    ");
    assert_snapshot!(terminal.run(&["history", "pump", "--card", "Cut"]).await.expect(0).shown(), @r#"
    8  closed     Cut the teeth  <time> · ada
    7  updated    Cut the teeth  <time> · ada
       effort  3 → 5
       resolution  "" → "Done"
    6  commented  Cut the teeth  <time> · ada
    4  placed     Cut the teeth: Doing of acme/Makers  <time> · ada
    2  assigned   Cut the teeth: ada  <time> · ada
    1  created    Cut the teeth  <time> · ada
    "#);
    let today = domain::time::Clock::system().now().to_string();
    let today = today.get(..10).unwrap();
    let all = terminal.run(&["history", "pump", "--json"]).await.expect(0);
    let of_today = terminal.run(&["history", "pump", "--from", today, "--json"]).await.expect(0);
    assert_eq!(of_today.stdout, all.stdout);
    for none in [["--from", "2999-01-01"], ["--to", "2000-01-01"]] {
        let ended = terminal.run(&[&["history", "pump"][..], &none].concat()).await.expect(0);
        assert_eq!(
            (ended.stdout.as_str(), ended.stderr.as_str()),
            ("", "Nothing has changed in this period.\n")
        );
    }
    let rows = all.lines();
    let newest = terminal.run(&["history", "pump", "-n", "2", "--json"]).await.expect(0).lines();
    assert_eq!(newest, rows[..2]);
    assert_eq!(rows.last().unwrap()["kind"], "created");
    let kinds: Vec<&Value> = rows.iter().map(|row| &row["kind"]).collect();
    assert!(kinds.contains(&&json!("placed")) && kinds.contains(&&json!("commented")), "{kinds:?}");
    let several = terminal.run(&["cards", "show", "pump", "x"]).await.expect(6);
    assert!(several.stderr.contains("no card \"x\""), "{}", several.stderr);
    let nothing = terminal.run(&["cards", "edit", "pump", "Cut"]).await.expect(2);
    assert!(nothing.stderr.contains("nothing to change"), "{}", nothing.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_others_reach_a_terminal_without_control_characters() {
    let (terminal, _) = with_team().await;
    terminal.run(&["cards", "create", "pump", "Seal"]).await.expect(0);
    let hostile = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}2K\u{202e}txt.exe";
    terminal.run(&["cards", "comment", "pump", "Seal", hostile]).await.expect(0);
    let shown = terminal.run(&["cards", "show", "pump", "Seal"]).await.expect(0).stdout;
    terminal.run(&["cards", "comment", "pump", "Seal", "k\u{1b}[32m"]).await.expect(0);
    let styled = terminal.run(&["cards", "show", "pump", "Seal"]).await.expect(0).stdout;
    assert!(styled.contains("k␛[32m"), "{styled}");
    assert!(shown.contains("␛]0;title␇␛[2J\u{fffd}2K\u{fffd}txt.exe"), "{shown}");
    let json = terminal.run(&["cards", "show", "pump", "Seal", "--json"]).await.expect(0);
    assert_eq!(json.lines()[0]["comments"][0]["body"], json!(hostile));
    assert!(!json.stdout.contains(['\u{9b}', '\u{202e}']), "{}", json.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_without_rows_says_so() {
    let (terminal, _) = with_team().await;
    for (command, code, words) in [
        ("projects list crate", 0, "No project matches \"crate\"."),
        ("objects list pump --type Nope", 0, "pump has no object of type \"Nope\"."),
        ("cards list pump", 0, "pump has no card that matches."),
        ("cards search x", 0, "No card matches."),
        ("tags list pump", 0, "pump has no tag."),
        ("sprints list makers", 0, "acme/Makers has no sprint."),
        ("teams list --org nope", 6, "no organization \"nope\""),
        ("board nope/makers", 6, "no organization \"nope\""),
    ] {
        let ended = terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(code);
        assert!(ended.stderr.contains(words) && ended.stdout.is_empty(), "{command}: {}", ended.stderr);
    }
    let quoted = terminal.run(&["cards", "move", "pump", "x", "--team", "makers", "--to", "漢字"]).await;
    assert!(!quoted.expect(6).stderr.contains("Makers 漢字"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_under_standard_output_is_a_failure() {
    let terminal = CommandLine::open().await;
    let mut command = terminal.command(&["projects", "--json"]);
    command.stdout(std::fs::File::create("/dev/full").unwrap());
    let failed = Finished::of(command.spawn().unwrap().wait_with_output().await.unwrap()).expect(1);
    assert!(failed.stderr.contains("cannot write to standard output"), "{}", failed.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sprint_is_planned_started_drawn_and_completed() {
    let (terminal, _) = with_team().await;
    for (name, effort) in [("Cut", "5"), ("Grind", "3")] {
        terminal.run(&["cards", "create", "pump", name, "--effort", effort]).await.expect(0);
    }
    let reversed = ["sprints", "create", "makers", "Back", "--start", "2026-12-04", "--end", "2026-11-23"];
    let reversed = terminal.run(&reversed).await.expect(1).stderr;
    assert!(reversed.contains("--end must") && !reversed.contains("body"), "{reversed}");
    let none = terminal.run(&["sprints", "burndown", "makers"]).await.expect(6);
    assert!(none.stderr.contains("acme/Makers has no active sprint"), "{}", none.stderr);
    let today = domain::time::Clock::system().now();
    let day = |days: i64| today.plus_seconds(days * 86_400).to_string().chars().take(10).collect::<String>();
    let create = ["sprints", "create", "makers", "Sprint 4", "--start", &day(-1), "--end", &day(3)];
    terminal.run(&create).await.expect(0);
    for name in ["Cut", "Grind"] {
        let place = ["cards", "move", "pump", name, "--team", "makers", "--sprint", "Sprint 4"];
        terminal.run(&place).await.expect(0);
    }
    terminal.run(&["cards", "create", "pump", "Seal", "--effort", "2"]).await.expect(0);
    terminal.run(&["cards", "move", "pump", "Seal", "--team", "makers", "--to", "doing"]).await.expect(0);
    terminal.run(&["cards", "move", "pump", "Cut", "--team", "makers", "--to", "doing"]).await.expect(0);
    let board = terminal.run(&["board", "makers", "--sprint", "Sprint 4"]).await.expect(0).stdout;
    let heads = board.lines().next().unwrap();
    assert!(heads.contains("TO DO 1 (3)") && heads.contains("DOING 1 of 2/1 (5) full"), "{board}");
    let history = terminal.run(&["history", "pump", "--card", "Cut"]).await.expect(0).stdout;
    assert!(history.contains("moved      Cut: Doing of acme/Makers, Sprint 4  "), "{history}");
    let which = terminal.run(&["sprints", "start", "makers"]).await.expect(2).stderr;
    assert!(which.contains("<SPRINT>"), "{which}");
    let prefix = terminal.run(&["sprints", "start", "makers", "sprint"]).await.expect(2).stderr;
    assert!(prefix.contains("'Sprint 4'"), "{prefix}");
    terminal.run(&["sprints", "start", "makers", "sprint 4"]).await.expect(0);
    let nowhere = ["sprints", "complete", "makers", "Sprint 4", "--rest-to", "Sprint 4"];
    let nowhere = terminal.run(&nowhere).await.expect(1).stderr;
    assert!(nowhere.contains("--rest-to"), "{nowhere}");
    terminal.run(&["cards", "edit", "pump", "Cut", "--close"]).await.expect(0);
    let drawn = terminal.run(&["sprints", "burndown", "makers"]).await.expect(0);
    assert_snapshot!(drawn.stdout, @r"
    Sprint 4 · day 2 of 5 · 3 of 8 effort left · 0 added, 0 removed
    8 ┤●─╮
    7 ┤  │
    6 ┤  │╌
    5 ┤  │
    4 ┤  │   ╌
    3 ┤  ╰●
    2 ┤         ╌
    1 ┤
    0 ┤            ╌
      └┬──┬──┬──┬──┬──
       1  2  3  4  5
       ╌ even pace
    ");
    assert_snapshot!(terminal.run(&["sprints", "list", "makers"]).await.expect(0).shown(), @r"
    SPRINT    STATE   START       END
    Sprint 4  active  <day>  <day>
    ");
    let completed = terminal.run(&["sprints", "complete", "makers", "--rest-to", "backlog"]).await.expect(0);
    assert!(completed.stderr.contains("1 done (5 effort), 1 unfinished, 1 moved"), "{}", completed.stderr);
    let drawn = terminal.run(&["sprints", "burndown", "makers", "Sprint 4"]).await.expect(0).stdout;
    assert!(drawn.starts_with("Sprint 4 · completed · 3 of 8 effort left"), "{drawn}");
    let board = terminal.run(&["board", "makers", "--sprint", "none", "--json"]).await.expect(0).lines();
    assert_eq!(board[0]["columns"][0]["cards"][0]["name"], json!("Grind"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_shown_with_its_tags_people_and_boards() {
    let (terminal, _) = with_team().await;
    assert_snapshot!(terminal.run(&["teams", "list"]).await.expect(0).shown(), @r"
    TEAM         VISIBILITY  ID
    acme/Makers  private     <id>
    ");
    let of_one = terminal.run(&["teams", "list", "--org", "acme", "--json"]).await.expect(0).lines();
    assert_eq!(of_one[0]["name"], json!("Makers"));
    for (command, words) in [
        ("tags create pump pressing --color #d02020", "Created the tag pressing of pump.\n"),
        ("tags rename pump pressing urgent", "pressing is now urgent.\n"),
        ("cards create pump Cut", "Created \"Cut\".\n"),
        ("cards tag pump Cut urgent", "\"Cut\" has the tag urgent.\n"),
        ("cards untag pump Cut urgent", "The card no longer has the tag urgent.\n"),
        ("cards tag pump cut Urgent", "\"Cut\" has the tag urgent.\n"),
        ("cards assign pump Cut", "\"Cut\" is assigned to ada.\n"),
        ("cards unassign pump Cut ada", "The card is no longer assigned to ada.\n"),
        ("cards assign pump Cut me", "\"Cut\" is assigned to ada.\n"),
    ] {
        let ended = terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(0);
        assert_eq!(ended.stderr, words, "{command}");
    }
    let nobody = terminal.run(&["cards", "assign", "pump", "Cut", "nobody"]).await.expect(6).stderr;
    assert!(nobody.contains("no person \"nobody\"") && nobody.contains("projects members pump"), "{nobody}");
    terminal.run(&["sprints", "create", "makers", "Sprint 4"]).await.expect(0);
    let place = ["cards", "move", "pump", "Cut", "--team", "makers", "--to", "Doing", "--sprint", "Sprint 4"];
    terminal.run(&place).await.expect(0);
    assert_snapshot!(terminal.run(&["cards", "show", "pump", "Cut"]).await.expect(0).shown(), @r"
    PUMP-1  Cut  open
    id        <id>
    created   <time> by ada
    type      task
    tags      urgent
    assigned  ada
    board     acme/Makers, Doing, Sprint 4
    ");
    assert_snapshot!(terminal.run(&["tags", "list", "pump"]).await.expect(0).shown(), @r"
    TAG     CARDS  STATE   ID
    urgent  1      active  <id>
    ");
    let tag = terminal.run(&["tags", "list", "pump", "--json"]).await.expect(0).lines();
    assert_eq!((&tag[0]["name"], &tag[0]["card_count"]), (&json!("urgent"), &json!(1)));
    assert_eq!(tag[0]["color"], json!("#D02020"));
    terminal.run(&["tags", "rm", "pump", "urgent"]).await.expect(0);
    terminal.run(&["cards", "rm", "pump", "Cut"]).await.expect(0);
    assert_eq!(terminal.run(&["cards", "list", "pump", "--all", "--json"]).await.expect(0).stdout, "");
    let unknown = terminal.run(&["cards", "list", "pump", "--tag", "nothing"]).await.expect(6).stderr;
    assert!(unknown.contains("atelier tags list"), "{unknown}");
}
