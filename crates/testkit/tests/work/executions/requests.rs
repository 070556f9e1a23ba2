//! Requests for executions: objects, languages, lists and permissions.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::Options;
use testkit::session::{Session, uploaded};
use uuid::Uuid;

use crate::executions::support::{CodeSession, end};

#[tokio::test]
async fn only_code_in_a_supported_language_is_executed() {
    let lab = CodeSession::open().await;
    let ruby = lab.code("Ruby", "puts 1").await;
    assert_snapshot!(lab.ask(&ruby).await, @r#"422 LANGUAGE_NOT_SUPPORTED {"language":"Ruby"}"#);
    let issues = async |object: &str| lab.ask(object).await.expect(400).issues().join(" ");
    assert_snapshot!(issues(&Uuid::now_v7().to_string()).await, @"body.objectId exists");
    assert_snapshot!(issues(&lab.shop.model).await, @"body.objectId state");
    // Longer than the control plane's limit for text.
    let text = format!("{}\nprint('at last')", "# Nothing.\n".repeat(50_000));
    let long = uploaded(&lab.shop.session.upload(&lab.shop.model, "long.py", text).await.expect(200));
    let object = long["id"].as_str().unwrap();
    let asked = lab.ask(object).await.expect(201);
    assert_eq!(lab.ended(&asked.text("/execution/executionId")).await["output"], "at last\n");
    let body = json!({ "objectId": object, "input": { "text": "x".repeat(256 * 1024) } });
    let answer = lab.shop.caller.post(&lab.path()).json(body).await.expect(400);
    assert_snapshot!(answer.issues().join(" "), @"body.input maxBytes");
}

#[tokio::test]
async fn code_is_executed_in_its_state_at_the_request_on_the_sessions_branch() {
    let lab = CodeSession::open().await;
    let object = lab.code("JavaScript", "console.log('main')").await;
    let path = format!("/api/v2/projects/{}/branches", lab.shop.project);
    let commit = json!({ "message": "Add code" });
    lab.shop.caller.post(&format!("{path}/main/commits")).json(commit).await.expect(201);
    lab.shop.caller.post(&path).json(json!({ "name": "feature" })).await.expect(201);
    let at_feature = format!("{}--feature", lab.shop.project);
    let session = Session::open(&lab.shop.caller, &at_feature).await;
    let change = json!({ "data": { "language": "JavaScript", "text": "console.log(atelier.branch)" } });
    let of_object = format!("/api/v2/projects/{at_feature}/objects/{object}");
    lab.shop.caller.patch(&of_object).json(change).await.expect(200);
    for (path, said) in [(lab.path(), "main\n"), (format!("{}/executions", session.path()), "feature\n")] {
        let asked = lab.shop.caller.post(&path).json(json!({ "objectId": object })).await.expect(201);
        let id = asked.text("/execution/executionId");
        assert_eq!(crate::executions::support::ended(&lab.shop.caller, &path, &id).await["output"], said);
    }
}

#[tokio::test]
async fn a_repeat_starts_nothing_and_executions_are_listed_newest_first() {
    let lab = CodeSession::open().await;
    let object = lab.code("JavaScript", "console.log(1)").await;
    let ask = async || {
        let body = json!({ "objectId": object });
        lab.shop.caller.post(&lab.path()).json(body).idempotency_key("once").await.expect(201)
    };
    let (first, second) = (ask().await, ask().await);
    assert!(second.is_replay());
    assert_eq!(first.text("/execution/executionId"), second.text("/execution/executionId"));
    let other = lab.ask(&object).await.expect(201).text("/execution/executionId");
    for id in [&first.text("/execution/executionId"), &other] {
        assert_eq!(end(&lab.ended(id).await), "completed");
    }
    let page =
        async |query: &str| lab.shop.caller.get(&format!("{}?{query}", lab.path())).await.expect(200).json();
    let newest = page("limit=1").await;
    assert_eq!(newest["executions"][0]["executionId"], other);
    assert!(newest["executions"][0]["output"].is_null());
    let next = page(&format!("limit=1&cursor={}", newest["meta"]["nextCursor"].as_str().unwrap())).await;
    assert_eq!(next["executions"][0]["executionId"], first.text("/execution/executionId").as_str());
    assert_eq!(next["meta"]["hasMore"], false);
}

#[tokio::test]
async fn a_session_has_a_limit_of_executions_and_others_wait() {
    let lab = CodeSession::set(&[("ATELIER_EXECUTIONS", "1")]).await;
    let object = lab.code("JavaScript", "await new Promise((end) => setTimeout(end, 60000))").await;
    let mut begun = Vec::new();
    for _ in 0..20 {
        begun.push(lab.ask(&object).await.expect(201).text("/execution/executionId"));
    }
    let refused = lab.ask(&object).await;
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"limit":20,"scope":"session"}"#);
    assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
    assert_eq!(lab.read(&begun[19]).await["state"], "queued");
    // Stopping a waiting one frees its place.
    let stopped = lab.shop.caller.post(&format!("{}/{}/stop", lab.path(), begun[19])).await.expect(200);
    assert_eq!(stopped.text("/execution/state"), "stopped");
    lab.ask(&object).await.expect(201);
    lab.shop.session.close().await.expect(200);
    for id in &begun {
        assert_eq!(lab.read(id).await["state"], "stopped");
    }
}

#[tokio::test]
async fn sleeping_executions_of_one_user_delay_no_strangers() {
    let lab = CodeSession::set(&[("ATELIER_EXECUTIONS", "3")]).await;
    let sleeping = lab.code("JavaScript", "await new Promise((end) => setTimeout(end, 60000))").await;
    let mut begun = Vec::new();
    for _ in 0..6 {
        begun.push(lab.ask(&sleeping).await.expect(201).text("/execution/executionId"));
    }
    let bob = lab.shop.deployment.operator().user("bob").await.key(testkit::seed::MANAGE).await;
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
        states.push(lab.read(id).await["state"].as_str().unwrap().to_owned());
    }
    // Which of them wait is not promised: a row that another process holds is passed over.
    states.sort_unstable();
    assert_eq!(states, ["queued", "queued", "queued", "queued", "running", "running"]);
    lab.shop.session.close().await.expect(200);
}

#[tokio::test]
async fn without_an_interpreter_python_fails_with_the_reason_and_javascript_runs() {
    let lab = CodeSession::set(&[("ATELIER_PYTHON", "python-that-is-nowhere")]).await;
    let ended = lab.run("Python", "print(1)").await;
    assert_eq!(end(&ended), "failed LANGUAGE_UNAVAILABLE");
    assert!(ended["failure"]["message"].as_str().unwrap().contains("python"), "{ended}");
    assert_eq!(lab.output("JavaScript", "console.log(1)").await, "1\n");
}

#[tokio::test]
async fn an_execution_whose_key_is_revoked_while_it_waits_never_starts() {
    let environment = vec![("ATELIER_EXECUTIONS", "1".to_owned())];
    let lab = CodeSession::with(Options { environment, ..Options::default() }).await;
    let object = lab.code("JavaScript", "console.log(1)").await;
    let first = lab.begin("JavaScript", "await new Promise((end) => setTimeout(end, 60000))").await;
    let key = lab.shop.alice.issue(&["projects:write"], &[]).await;
    let asked = key.caller.post(&lab.path()).json(json!({ "objectId": object })).await.expect(201);
    lab.shop.deployment.operator().revoke(&key).await;
    lab.shop.caller.post(&format!("{}/{first}/stop", lab.path())).await.expect(200);
    let ended = lab.ended(&asked.text("/execution/executionId")).await;
    assert_eq!((end(&ended).as_str(), &ended["output"]), ("failed CREDENTIAL_ENDED", &json!("")));
}

#[tokio::test]
async fn the_tool_executes_code_in_its_own_session() {
    let lab = CodeSession::open().await;
    let object = lab.code("JavaScript", "console.log(atelier.sessionId)").await;
    let use_tool = async |tool: &str, params: serde_json::Value| {
        let body = json!({ "toolbox": "code", "tool": tool, "params": params });
        let path = format!("{}/tools/invoke", lab.shop.session.path());
        lab.shop.caller.post(&path).json(body).await.expect(200).json()["structuredContent"].clone()
    };
    let begun = use_tool("create_execution", json!({ "objectId": object })).await;
    let id = begun["execution"]["executionId"].as_str().unwrap().to_owned();
    assert_eq!(end(&lab.ended(&id).await), "completed");
    let read = use_tool("get_execution", json!({ "executionId": id })).await;
    assert_eq!(read["execution"]["output"], format!("{}\n", lab.shop.session.id));
}
