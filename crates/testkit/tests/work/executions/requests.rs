//! Requests for executions: objects, languages, lists and permissions.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::Options;
use testkit::session::{Session, uploaded};
use uuid::Uuid;

use crate::executions::support::{CodeSession, end};

#[tokio::test]
async fn only_code_in_a_supported_language_is_executed() {
    let code = CodeSession::open().await;
    let ruby = code.code("Ruby", "puts 1").await;
    assert_snapshot!(code.ask(&ruby).await, @r#"422 LANGUAGE_NOT_SUPPORTED {"language":"Ruby"}"#);
    let issues = async |object: &str| code.ask(object).await.expect(400).issues().join(" ");
    assert_snapshot!(issues(&Uuid::now_v7().to_string()).await, @"body.objectId exists");
    assert_snapshot!(issues(&code.opened.model).await, @"body.objectId state");
    // Longer than the control plane's limit for text.
    let text = format!("{}\nprint('at last')", "# Nothing.\n".repeat(50_000));
    let long = uploaded(&code.opened.session.upload(&code.opened.model, "long.py", text).await.expect(200));
    let object = long["id"].as_str().unwrap();
    let asked = code.ask(object).await.expect(201);
    assert_eq!(code.ended(&asked.text("/execution/executionId")).await["output"], "at last\n");
    let body = json!({ "objectId": object, "input": { "text": "x".repeat(256 * 1024) } });
    let answer = code.opened.caller.post(&code.path()).json(body).await.expect(400);
    assert_snapshot!(answer.issues().join(" "), @"body.input maxBytes");
}

#[tokio::test]
async fn code_is_executed_in_its_state_at_the_request_on_the_sessions_branch() {
    let code = CodeSession::open().await;
    let object = code.code("JavaScript", "console.log('main')").await;
    let path = format!("/api/v2/projects/{}/branches", code.opened.project);
    let commit = json!({ "message": "Add code" });
    code.opened.caller.post(&format!("{path}/main/commits")).json(commit).await.expect(201);
    code.opened.caller.post(&path).json(json!({ "name": "feature" })).await.expect(201);
    let at_feature = format!("{}--feature", code.opened.project);
    let session = Session::open(&code.opened.caller, &at_feature).await;
    let change = json!({ "data": { "language": "JavaScript", "text": "console.log(atelier.branch)" } });
    let of_object = format!("/api/v2/projects/{at_feature}/objects/{object}");
    code.opened.caller.patch(&of_object).json(change).await.expect(200);
    for (path, said) in [(code.path(), "main\n"), (format!("{}/executions", session.path()), "feature\n")] {
        let asked = code.opened.caller.post(&path).json(json!({ "objectId": object })).await.expect(201);
        let id = asked.text("/execution/executionId");
        assert_eq!(crate::executions::support::ended(&code.opened.caller, &path, &id).await["output"], said);
    }
}

#[tokio::test]
async fn a_repeat_starts_nothing_and_executions_are_listed_newest_first() {
    let code = CodeSession::open().await;
    let object = code.code("JavaScript", "console.log(1)").await;
    let ask = async || {
        let body = json!({ "objectId": object });
        code.opened.caller.post(&code.path()).json(body).idempotency_key("once").await.expect(201)
    };
    let (first, second) = (ask().await, ask().await);
    assert!(second.is_replay());
    assert_eq!(first.text("/execution/executionId"), second.text("/execution/executionId"));
    let other = code.ask(&object).await.expect(201).text("/execution/executionId");
    for id in [&first.text("/execution/executionId"), &other] {
        assert_eq!(end(&code.ended(id).await), "completed");
    }
    let page = async |query: &str| {
        code.opened.caller.get(&format!("{}?{query}", code.path())).await.expect(200).json()
    };
    let newest = page("limit=1").await;
    assert_eq!(newest["executions"][0]["executionId"], other);
    assert!(newest["executions"][0]["output"].is_null());
    let next = page(&format!("limit=1&cursor={}", newest["meta"]["nextCursor"].as_str().unwrap())).await;
    assert_eq!(next["executions"][0]["executionId"], first.text("/execution/executionId").as_str());
    assert_eq!(next["meta"]["hasMore"], false);
}

#[tokio::test]
async fn a_session_has_a_limit_of_executions_and_others_wait() {
    let code = CodeSession::set(&[("ATELIER_EXECUTIONS", "1")]).await;
    let object = code.code("JavaScript", "await new Promise((end) => setTimeout(end, 60000))").await;
    let mut begun = Vec::new();
    for _ in 0..20 {
        begun.push(code.ask(&object).await.expect(201).text("/execution/executionId"));
    }
    let refused = code.ask(&object).await;
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"limit":20,"scope":"session"}"#);
    assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
    assert_eq!(code.read(&begun[19]).await["state"], "queued");
    // Stopping a waiting one frees its place.
    let stopped = code.opened.caller.post(&format!("{}/{}/stop", code.path(), begun[19])).await.expect(200);
    assert_eq!(stopped.text("/execution/state"), "stopped");
    code.ask(&object).await.expect(201);
    code.opened.session.close().await.expect(200);
    for id in &begun {
        assert_eq!(code.read(id).await["state"], "stopped");
    }
}

#[tokio::test]
async fn sleeping_executions_of_one_user_delay_no_strangers() {
    let code_session = CodeSession::set(&[("ATELIER_EXECUTIONS", "3")]).await;
    let sleeping =
        code_session.code("JavaScript", "await new Promise((end) => setTimeout(end, 60000))").await;
    let mut begun = Vec::new();
    for _ in 0..6 {
        begun.push(code_session.ask(&sleeping).await.expect(201).text("/execution/executionId"));
    }
    let bob = code_session.opened.deployment.operator().user("bob").await.key(testkit::seed::MANAGE).await;
    let project = testkit::session::create_project(&bob, "Pump").await;
    let session = Session::open(&bob, &project).await;
    let body = json!({
        "name": "code", "type": "Code", "data": { "language": "JavaScript", "text": "console.log(1)" },
    });
    let code = bob.post(&format!("/api/v2/projects/{project}/objects")).json(body).await.expect(201);
    let path = format!("{}/executions", session.path());
    for _ in 0..3 {
        let asked = bob.post(&path).json(json!({ "objectId": code.text("/object/id") })).await.expect(201);
        let ended =
            crate::executions::support::ended(&bob, &path, &asked.text("/execution/executionId")).await;
        assert_eq!(ended["output"], "1\n");
    }
    let mut states = Vec::new();
    for id in &begun {
        states.push(code_session.read(id).await["state"].as_str().unwrap().to_owned());
    }
    // Which of them wait is not promised: a row that another process holds is passed over.
    states.sort_unstable();
    assert_eq!(states, ["queued", "queued", "queued", "queued", "running", "running"]);
    code_session.opened.session.close().await.expect(200);
}

#[tokio::test]
async fn without_an_interpreter_python_fails_with_the_reason_and_javascript_runs() {
    let code = CodeSession::set(&[("ATELIER_PYTHON", "python-that-is-nowhere")]).await;
    let ended = code.run("Python", "print(1)").await;
    assert_eq!(end(&ended), "failed LANGUAGE_UNAVAILABLE");
    assert!(ended["failure"]["message"].as_str().unwrap().contains("python"), "{ended}");
    assert_eq!(code.output("JavaScript", "console.log(1)").await, "1\n");
}

#[tokio::test]
async fn an_execution_whose_key_is_revoked_while_it_waits_never_starts() {
    let environment = vec![("ATELIER_EXECUTIONS", "1".to_owned())];
    let code = CodeSession::with(Options { environment, ..Options::default() }).await;
    let object = code.code("JavaScript", "console.log(1)").await;
    let first = code.begin("JavaScript", "await new Promise((end) => setTimeout(end, 60000))").await;
    let key = code.opened.alice.issue(&["projects:write"], &[]).await;
    let asked = key.caller.post(&code.path()).json(json!({ "objectId": object })).await.expect(201);
    code.opened.deployment.operator().revoke(&key).await;
    code.opened.caller.post(&format!("{}/{first}/stop", code.path())).await.expect(200);
    let ended = code.ended(&asked.text("/execution/executionId")).await;
    assert_eq!((end(&ended).as_str(), &ended["output"]), ("failed CREDENTIAL_ENDED", &json!("")));
}

#[tokio::test]
async fn the_tool_executes_code_in_its_own_session() {
    let code = CodeSession::open().await;
    let object = code.code("JavaScript", "console.log(atelier.sessionId)").await;
    let use_tool = async |tool: &str, params: serde_json::Value| {
        let body = json!({ "toolbox": "code", "tool": tool, "params": params });
        let path = format!("{}/tools/invoke", code.opened.session.path());
        code.opened.caller.post(&path).json(body).await.expect(200).json()["structuredContent"].clone()
    };
    let begun = use_tool("create_execution", json!({ "objectId": object })).await;
    let id = begun["execution"]["executionId"].as_str().unwrap().to_owned();
    assert_eq!(end(&code.ended(&id).await), "completed");
    let read = use_tool("get_execution", json!({ "executionId": id })).await;
    assert_eq!(read["execution"]["output"], format!("{}\n", code.opened.session.id));
}
