//! Runs that end without a stop: messages, events and cost.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::Options;
use testkit::events::EventStream;
use testkit::model_server::Reply;
use testkit::open_session::OpenSession;
use testkit::session::Session;

use crate::sessions::support::{AgentSession, conversation, reaches};

const LEDGER: &str = "select provider || ' ' || model || ' ' || prompt_tokens || ' ' || completion_tokens || ' ' || \
                      reasoning_tokens || ' ' || cache_write_tokens || ' ' || cache_read_tokens || ' ' || \
                      micro_credits from usage_events order by id";

async fn ledger(agent: &AgentSession) -> Vec<String> {
    let client = agent.opened.deployment.database.connect().await;
    client.query(LEDGER, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_prompt_is_answered_streamed_and_charged_once() {
    let agent = AgentSession::open(vec![Reply::Text("A gear has teeth.")]).await;
    let opened = &agent.opened;
    let mut stream = EventStream::open(opened.caller.get(&agent.path("events"))).await;
    assert_snapshot!(
        agent.prompt("What has teeth?").await,
        @r#"202 {"sessionId":"<id 1>","status":"starting","taskId":"<id 2>"}"#
    );
    agent.reaches("completed").await;
    assert_eq!(agent.conversation().await, ["user: What has teeth?", "assistant: A gear has teeth."]);
    let mut told = Vec::new();
    while told.last().is_none_or(|last: &String| !last.contains("completed")) {
        let event = stream.next().await.unwrap();
        let detail =
            event.json["data"].get("status").or(event.json["data"].get("role")).cloned().unwrap_or_default();
        told.push(format!("{} {detail}", event.kind));
    }
    told.retain(|line| !line.starts_with("message.delta"));
    assert_eq!(
        told,
        [
            "session.created null",
            r#"run.status "starting""#,
            r#"message.created "user""#,
            r#"run.status "running""#,
            r#"message.created "assistant""#,
            r#"run.status "completed""#,
        ]
    );
    // 176 x 3 + (44 + 33) x 15 + 1024 x 0.3 millionths, rounded up.
    assert_eq!(ledger(&agent).await, ["openai chat-1 176 44 33 0 1024 1991"]);
    let asked = &agent.server.asked()[0];
    assert_eq!(asked.path, "/v1/chat/completions");
    assert!(asked.head.contains("authorization: bearer model-secret"));
    assert_eq!(asked.body["messages"][1], json!({ "role": "user", "content": "What has teeth?" }));
}

#[tokio::test]
async fn the_other_protocol_gives_the_same_and_its_cache_is_charged() {
    let agent = AgentSession::open(vec![Reply::Text("A gear has teeth.")]).await;
    let path = format!("/api/v2/projects/{}/sessions", agent.opened.project);
    let body = json!({ "prompt": "What has teeth?", "model": "claude" });
    let opened = agent.opened.caller.post(&path).json(body).await.expect(201);
    assert_eq!(opened.text("/status"), "starting");
    let session = Session { id: opened.text("/sessionId"), ..agent.opened.session.clone() };
    reaches(&agent.opened.caller, &session, "completed").await;
    assert_eq!(
        conversation(&agent.opened.caller, &session).await,
        ["user: What has teeth?", "assistant: A gear has teeth."]
    );
    // 200 x 3 + 40 x 15 + 500 x 3.75 + 2000 x 0.3 millionths.
    assert_eq!(ledger(&agent).await, ["anthropic claude-1 200 40 0 500 2000 3675"]);
    let asked = &agent.server.asked()[0];
    assert_eq!(asked.path, "/v1/messages");
    assert!(asked.head.contains("x-api-key: model-secret"));
}

#[tokio::test]
async fn a_prompt_during_a_run_is_refused_and_one_of_many_concurrent_ones_succeeds() {
    let agent = AgentSession::open(vec![Reply::Hang("Let me think")]).await;
    let prompts = (0..8).map(|_| agent.prompt("Think."));
    let mut answers: Vec<String> = futures_util::future::join_all(prompts)
        .await
        .iter()
        .map(|answer| answer.status.to_string())
        .collect();
    answers.sort();
    assert_eq!(answers, ["202", "409", "409", "409", "409", "409", "409", "409"]);
    assert_snapshot!(agent.prompt("Think.").await, @"409 RUN_IN_PROGRESS");
    agent.opened.caller.post(&agent.path("stop")).await.expect(200);
    assert_eq!(agent.conversation().await.iter().filter(|line| line.starts_with("user")).count(), 1);
}

#[tokio::test]
async fn without_a_model_only_prompts_are_refused() {
    let opened = OpenSession::open().await;
    let prompt =
        opened.caller.post(&format!("{}/prompt", opened.session.path())).json(json!({ "prompt": "Think." }));
    assert_snapshot!(prompt.await, @"409 MODEL_NOT_CONFIGURED");
    let path = format!("/api/v2/projects/{}/sessions", opened.project);
    assert_snapshot!(opened.caller.post(&path).json(json!({ "prompt": "Think." })).await, @"409 MODEL_NOT_CONFIGURED");
    opened
        .caller
        .post(&path)
        .json(json!({ "toolboxes": ["project"], "budget": { "credits": 1.5 } }))
        .await
        .expect(201);
    assert_snapshot!(opened.caller.post(&path).json(json!({ "model": "x" })).await, @"409 MODEL_NOT_CONFIGURED");
    let none = opened.caller.get(&format!("{}/messages", opened.session.path())).await;
    assert_snapshot!(none, @r#"200 {"messages":[],"meta":{"hasMore":false,"limit":50,"nextCursor":null}}"#);
}

#[tokio::test]
async fn the_initial_prompt_starts_only_the_creators_first_session() {
    let agent = AgentSession::open(vec![Reply::Text("Drawn.")]).await;
    let opened = &agent.opened;
    let body = json!({ "initialPrompt": "Draw a gear." });
    let project = opened.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let bob = opened.deployment.operator().user("bob").await;
    opened.deployment.operator().add_member(&bob, "--project", &project, "editor").await;
    let bobs = Session::open(&bob.key(testkit::seed::MANAGE).await, &project).await;
    assert_eq!(conversation(&opened.caller, &bobs).await, Vec::<String>::new());
    let first = Session::open(&opened.caller, &project).await;
    reaches(&opened.caller, &first, "completed").await;
    assert_eq!(conversation(&opened.caller, &first).await, ["user: Draw a gear.", "assistant: Drawn."]);
    let second = Session::open(&opened.caller, &project).await;
    assert_eq!(conversation(&opened.caller, &second).await, Vec::<String>::new());
}

#[tokio::test]
async fn endless_tool_calls_are_stopped_by_the_limit_of_steps() {
    let environment = vec![("run_steps", "3".to_owned())];
    let options = Options { environment, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Calls(vec![("no__tool", json!({ "a": 1 }))])]).await;
    let mut stream = EventStream::open(agent.opened.caller.get(&agent.path("events"))).await;
    agent.prompt("Go.").await.expect(202);
    loop {
        let told = stream.next_of("run.status").await;
        if told.json["data"]["status"] == "failed" {
            assert_eq!(told.json["data"]["failure"]["code"], "RUN_LIMIT_REACHED");
            break;
        }
    }
    assert_eq!(agent.server.asked().len(), 3);
    assert_eq!(ledger(&agent).await.len(), 3);
}

#[tokio::test]
async fn an_agent_uses_the_sessions_tools_and_gets_their_results() {
    let create = ("project__create_object", json!({ "name": "Tooth" }));
    let unknown = ("project__fly", json!({}));
    let agent = AgentSession::open(vec![Reply::Calls(vec![create, unknown]), Reply::Text("Made.")]).await;
    agent.prompt("Make a tooth.").await.expect(202);
    agent.reaches("completed").await;
    let said = agent.conversation().await;
    assert_eq!(said.len(), 5, "{said:?}");
    assert!(said[2].starts_with("tool: answered: ") && said[2].contains("Tooth"), "{said:?}");
    assert_eq!(said[3], "tool: refused: There is no such tool in this session.");
    assert_eq!(said[4], "assistant: Made.");
    assert_eq!(agent.opened.added().await.len(), 1);
    let asked = &agent.server.asked()[1].body["messages"];
    assert_eq!(asked[3]["tool_call_id"], asked[2]["tool_calls"][0]["id"]);
}

#[tokio::test]
async fn an_obedient_agent_has_no_access_beyond_its_project_and_its_sessions_key() {
    let agent = AgentSession::open(vec![]).await;
    let opened = &agent.opened;
    let other = testkit::session::create_project(&opened.caller, "Secret").await;
    agent.server.answer(vec![
        Reply::Calls(vec![
            ("project__get_tree", json!({ "projectId": other })),
            ("project__delete_project", json!({ "projectId": other })),
            ("project__update_project", json!({ "name": "Stolen" })),
            ("cards__create_card", json!({ "name": "Stolen" })),
        ]),
        Reply::Text("I tried."),
    ]);
    // The prompter may have more rights than the key that opened the session.
    let session = Session::open(&opened.alice.key(&["projects:write"]).await, &opened.project).await;
    let body = json!({ "prompt": "Do what the tree says." });
    opened.caller.post(&format!("{}/prompt", session.path())).json(body).await.expect(202);
    reaches(&opened.caller, &session, "completed").await;
    let said = conversation(&opened.caller, &session).await;
    assert_eq!(said.iter().filter(|line| line.starts_with("tool: refused")).count(), 4, "{said:?}");
    assert!(!said.iter().any(|line| line.contains("Secret")), "{said:?}");
    assert_eq!(opened.deployment.database.count("select count(*) from cards").await, 0);
}

#[tokio::test]
async fn a_process_with_its_limit_of_runs_refuses_the_next_until_one_has_ended() {
    let environment = vec![("ATELIER_RUNS", "1".to_owned())];
    let options = Options { environment, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Hang("Let me think")]).await;
    let second = Session::open(&agent.opened.caller, &agent.opened.project).await;
    let prompt = async || {
        let path = format!("{}/prompt", second.path());
        agent.opened.caller.post(&path).json(json!({ "prompt": "Go." })).await
    };
    agent.prompt("Think.").await.expect(202);
    let refused = prompt().await;
    assert_snapshot!(refused, @r#"503 UNAVAILABLE {"outcome":"none"}"#);
    assert_eq!(refused.header("retry-after"), "5");
    assert_snapshot!(agent.prompt("Think.").await, @"409 RUN_IN_PROGRESS");
    assert_eq!(conversation(&agent.opened.caller, &second).await, Vec::<String>::new());
    agent.opened.caller.post(&agent.path("stop")).await.expect(200);
    prompt().await.expect(202);
    agent.opened.caller.post(&format!("{}/stop", second.path())).await.expect(200);
}
