//! Prompts, and sessions opened with one: refusals and their order, and repeats.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::model_server::Reply;
use testkit::open_session::OpenSession;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project};

use crate::sessions::support::{AgentSession, conversation};

/// The path to open sessions of a project.
fn sessions(project: &str) -> String {
    format!("/api/v2/projects/{project}/sessions")
}

#[tokio::test]
async fn a_repeated_prompt_starts_one_run_and_always_gets_the_same_answer() {
    let agent = AgentSession::open(vec![Reply::Text("Good.")]).await;
    let send = async || {
        let prompt = json!({ "prompt": "Go." });
        agent.opened.caller.post(&agent.path("prompt")).json(prompt).idempotency_key("once").await
    };
    let first = send().await;
    assert_snapshot!(first, @r#"202 {"sessionId":"<id 1>","status":"starting","taskId":"<id 2>"}"#);
    let second = send().await;
    assert_snapshot!(second, @r#"202 replayed {"sessionId":"<id 1>","status":"starting","taskId":"<id 2>"}"#);
    assert_eq!(second.body, first.body);
    agent.reaches("completed").await;
    assert_eq!(agent.conversation().await, ["user: Go.", "assistant: Good."]);
    agent.opened.session.close().await.expect(200);
    assert_eq!(send().await.body, first.body);
    assert_snapshot!(agent.prompt("Go on.").await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn an_unknown_model_is_refused_and_a_removed_one_shows_in_the_session() {
    let agent = AgentSession::open(vec![]).await;
    let path = sessions(&agent.opened.project);
    let unknown = agent.opened.caller.post(&path).json(json!({ "model": "none" })).await;
    assert_snapshot!(unknown, @"400 INVALID_REQUEST body.model exists");
    let client = agent.opened.deployment.database.connect().await;
    client.batch_execute("update sessions set model = 'gone'").await.unwrap();
    assert_snapshot!(agent.prompt("Go.").await, @"409 MODEL_NOT_CONFIGURED");
}

#[tokio::test]
async fn the_fields_of_a_new_session_are_checked() {
    let opened = OpenSession::open().await;
    let open = async |body: Value| opened.caller.post(&sessions(&opened.project)).json(body).await;
    assert_snapshot!(open(json!({ "prompt": " \n" })).await, @"400 INVALID_REQUEST body.prompt format");
    assert_snapshot!(
        open(json!({ "toolboxes": ["cards", "\0"] })).await,
        @"400 INVALID_REQUEST body.toolboxes[1] pattern"
    );
    assert_snapshot!(open(json!({ "toolboxes": [""] })).await, @"400 INVALID_REQUEST body.toolboxes[0] pattern");
    let many = vec!["cards"; 101];
    assert_snapshot!(open(json!({ "toolboxes": many })).await, @"400 INVALID_REQUEST body.toolboxes maxItems");
    assert_snapshot!(
        open(json!({ "toolboxes": ["cards", "crm-2"] })).await,
        @"400 INVALID_REQUEST body.toolboxes[1] exists"
    );
    let server = json!({ "url": "https://crm.example/mcp" });
    opened
        .caller
        .put(&format!("/api/v2/projects/{}/mcp-servers/crm-2", opened.project))
        .json(server)
        .await
        .expect(200);
    open(json!({ "toolboxes": ["cards", "crm-2"] })).await.expect(201);
}

#[tokio::test]
async fn access_is_decided_before_the_model() {
    let opened = OpenSession::open().await;
    let prompt = || json!({ "prompt": "Go." });
    let absent = sessions(&opened.session.id);
    assert_snapshot!(opened.caller.post(&absent).json(prompt()).await, @"404 NOT_FOUND");
    let bob = opened.deployment.operator().user("bob").await;
    opened.deployment.operator().add_member(&bob, "--project", &opened.project, "viewer").await;
    let viewer = bob.key(MANAGE).await;
    assert_snapshot!(viewer.post(&sessions(&opened.project)).json(prompt()).await, @"403 FORBIDDEN");
    assert_snapshot!(opened.caller.post(&sessions(&opened.project)).json(prompt()).await, @"409 MODEL_NOT_CONFIGURED");
}

#[tokio::test]
async fn without_a_model_the_initial_prompt_becomes_a_message_in_its_creators_session() {
    let opened = OpenSession::open().await;
    let body = json!({ "initialPrompt": "Draw a gear." });
    let project = opened.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let session = Session::open(&opened.caller, &project).await;
    assert_eq!(conversation(&opened.caller, &session).await, ["user: Draw a gear."]);
    let plain = create_project(&opened.caller, "Plain").await;
    let session = Session::open(&opened.caller, &plain).await;
    assert_eq!(conversation(&opened.caller, &session).await, Vec::<String>::new());
}
