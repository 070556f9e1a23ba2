//! Agents, executions, costs and keys.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::deployment::Options;
use testkit::model_server::{ModelServer, Reply};
use testkit::seed::{MANAGE, MANAGE_WITH_USAGE};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

use crate::support::{CommandLine, Finished};

/// A terminal whose deployment has models with these replies.
async fn with_model(replies: Vec<Reply>) -> CommandLine {
    let server = ModelServer::start(replies).await;
    let options = Options { models: Some(server.models()), ..Options::default() };
    CommandLine::with(options, MANAGE_WITH_USAGE).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_streamed_with_its_tools_and_its_cost() {
    let calls = Reply::Calls(vec![("project__get_project", json!({}))]);
    let terminal = with_model(vec![calls, Reply::Text("It is a gearbox."), Reply::Text("Yes.")]).await;
    let answered = terminal.run(&["prompt", "gearbox", "What is it?", "--keep"]).await.expect(0);
    assert_eq!(answered.stdout, "It is a gearbox.\n", "{}", answered.stderr);
    assert!(answered.stderr.contains("▸ project.get_project"), "{}", answered.stderr);
    assert!(answered.stderr.contains(" tokens in, ") && answered.stderr.contains(" credits · "));
    let listed = terminal.run(&["sessions", "list", "gearbox"]).await.expect(0);
    assert_snapshot!(listed.shown(), @r"
    SESSION                               STATUS     BRANCH  OPENED (UTC)
    <id>  completed  main    <time>
    ");
    let id = listed.stdout.lines().nth(1).unwrap().get(..36).unwrap();
    let more = terminal.run(&["prompt", "gearbox", "Sure?", "--session", id, "--json"]).await.expect(0);
    let summary = more.event("summary");
    assert_eq!((&summary["status"], &summary["sessionId"]), (&json!("completed"), &json!(id)));
    assert!(summary["credits"].as_f64().unwrap() > 0.0, "{summary}");
    let stopped = terminal.run(&["sessions", "stop", "gearbox"]).await.expect(0);
    assert_eq!(stopped.stderr, "Nothing was running.\n");

    let mut attached = terminal.start(&["sessions", "attach", "gearbox", id]);
    // It is attached once it shows the conversation.
    let mut shown = BufReader::new(attached.stdout.take().unwrap());
    let mut conversation = String::new();
    shown.read_line(&mut conversation).await.unwrap();
    terminal.run(&["sessions", "close", "gearbox", id]).await.expect(0);
    shown.read_to_string(&mut conversation).await.unwrap();
    Finished::of(attached.wait_with_output().await.unwrap()).expect(0);
    assert_eq!(conversation, "> What is it?\nIt is a gearbox.\n> Sure?\nYes.\n");

    let usage = terminal.run(&["usage", "gearbox"]).await.expect(0).shown();
    assert!(usage.starts_with("       CREDITS") || usage.contains("<day>"), "{usage}");
    assert!(usage.contains('█') && usage.contains("total"), "{usage}");
    let by_card = terminal.run(&["usage", "gearbox", "--by", "card"]).await.expect(0).stdout;
    assert!(by_card.contains("no card") && by_card.contains("total"), "{by_card}");
    assert!(terminal.run(&["usage", "--by", "card"]).await.expect(2).stderr.contains("within a project"));
    let by_model = terminal.run(&["usage", "--by", "model", "--json"]).await.expect(0).lines();
    assert_eq!(by_model[0]["groupBy"], json!("model"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sessions_budget_is_the_one_that_was_typed() {
    let terminal = with_model(vec![Reply::Text("Yes.")]).await;
    let prompt = ["prompt", "gearbox", "Sure?", "--budget", "0.000001", "--keep"];
    let too_dear = terminal.run(&prompt).await.expect(1);
    assert!(too_dear.stderr.contains("may cost"), "{}", too_dear.stderr);
    let listed = terminal.run(&["sessions", "list", "gearbox", "--json"]).await.expect(0).lines();
    assert_eq!(listed[0]["budget"], json!({ "credits": 0.000001 }));
    let id = listed[0]["sessionId"].as_str().unwrap();
    let more = terminal.run(&["prompt", "gearbox", "And?", "--session", id]).await.expect(1);
    assert!(more.stderr.contains("may cost"), "{}", more.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_without_a_model_leaves_no_session() {
    let terminal = CommandLine::open().await;
    let refused = terminal.run(&["prompt", "gearbox", "Go."]).await.expect(1);
    assert!(refused.stderr.contains("MODEL_NOT_CONFIGURED"), "{}", refused.stderr);
    let listed = terminal.run(&["sessions", "list", "gearbox", "--json"]).await.expect(0);
    assert_eq!(listed.lines(), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_a_question_is_denied() {
    let call = ("cards__create_card", json!({ "name": "Cut the teeth" }));
    let terminal = with_model(vec![Reply::Calls(vec![call]), Reply::Text("Then not.")]).await;
    let answered = terminal.run(&["prompt", "gearbox", "Plan it.", "--ask"]).await.expect(0);
    assert_eq!(answered.stdout, "Then not.\n", "{}", answered.stderr);
    assert!(answered.stderr.contains("cards__create_card is denied"), "{}", answered.stderr);
    let cards = terminal.run(&["cards", "list", "gearbox", "--all", "--json"]).await.expect(0);
    assert_eq!(cards.lines(), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn code_of_a_file_runs_and_leaves_nothing() {
    let terminal = CommandLine::open().await;
    terminal.write("hello.js", "console.log('Hello ' + atelier.input.name)");
    let ran = terminal.run(&["exec", "gearbox", "hello.js", "--input", r#"{"name": "Ada"}"#]).await.expect(0);
    assert_eq!(ran.stdout, "Hello Ada\n");
    let exec = ["exec", "gearbox", "-", "--language", "javascript", "--json"];
    let failed = terminal.run_with_input(&exec, "console.log(1); throw new Error('broken')").await.expect(1);
    assert_eq!(failed.event("output")["text"], json!("1\n"));
    assert_eq!(failed.event("ended")["state"], json!("failed"));
    assert!(failed.stderr.contains("broken"), "{}", failed.stderr);
    let changes = terminal.run(&["diff", "gearbox"]).await.expect(0);
    assert_eq!(changes.stderr, "gearbox has no uncommitted changes.\n");
    terminal.write("hello.txt", "");
    let unknown = terminal.run(&["exec", "gearbox", "hello.txt"]).await.expect(2);
    assert!(unknown.stderr.contains("--language python"), "{}", unknown.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_managed_with_a_browser_token_alone() {
    let terminal = CommandLine::with(Options::default(), MANAGE).await;
    let refused = terminal.run(&["keys", "list"]).await.expect(1);
    assert!(refused.stderr.contains("atelier login --web"), "{}", refused.stderr);
    let token = terminal.user.browser().await;
    let with_token = async |arguments: &[&str]| {
        let mut command = terminal.command(arguments);
        command.env("ATELIER_KEY", token.credential());
        Finished::of(command.output().await.unwrap())
    };
    let create = ["keys", "create", "Build server", "--scope", "projects:read", "--project", "gearbox"];
    let created = with_token(&create).await.expect(0);
    assert!(created.stdout.starts_with("svc_ak_live_"), "{}", created.stdout);
    assert!(!created.stderr.contains("svc_ak_live_"), "{}", created.stderr);
    let mut whoami = terminal.command(&["whoami"]);
    whoami.env("ATELIER_KEY", created.stdout.trim());
    Finished::of(whoami.output().await.unwrap()).expect(0);
    for prefix in ["rotate b", "rotate build", "revoke B", "delete Build"] {
        let command: Vec<&str> = ["keys"].into_iter().chain(prefix.split(' ')).collect();
        let refused = with_token(&command).await.expect(2).stderr;
        assert!(refused.contains("is not the whole name of a key"), "{prefix}: {refused}");
    }
    let rotated = with_token(&["keys", "rotate", "build server"]).await.expect(0);
    assert_ne!(rotated.stdout, created.stdout);
    let listed = with_token(&["keys", "list"]).await.expect(0).stdout;
    assert!(listed.contains("Build server") && listed.contains("projects:read"), "{listed}");
    with_token(&["keys", "delete", "Build server", "--yes"]).await.expect(0);
    with_token(&["keys", "revoke", "Build server"]).await.expect(6);
}
