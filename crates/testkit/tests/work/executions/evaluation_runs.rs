//! Evaluation runs: allowed credentials, results, and the life of the new grant.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::open_session::eventually;
use testkit::session::Session;
use testkit::upload::Form;

use crate::executions::support::CodeSession;

/// Code that prints its variables and waits, so that a test gets the grant. Its characters are apart: whole grants are
/// masked.
const SAYS_ITS_GRANT: &str = "
    console.log(JSON.stringify({ ...atelier, grant: [...atelier.grant] }));
    await new Promise((end) => setTimeout(end, 3600000))";

/// A running execution and the variables of its code.
async fn running(code: &CodeSession) -> (String, Value) {
    let id = code.begin("JavaScript", SAYS_ITS_GRANT).await;
    code.writes(&id, "\n").await;
    let known = variables(&code.read(&id).await);
    (id, known)
}

/// The variables that an execution has printed.
fn variables(execution: &Value) -> Value {
    let mut known: Value = serde_json::from_str(execution["output"].as_str().unwrap()).unwrap();
    let grant: Vec<&str> = known["grant"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
    known["grant"] = grant.concat().into();
    known
}

fn grant(code: &CodeSession, known: &Value) -> Caller {
    code.opened.caller.with(known["grant"].as_str().unwrap())
}

fn path(code: &CodeSession) -> String {
    format!("/api/v2/projects/{}/evaluation-runs", code.opened.project)
}

/// The outcome of an upload by a grant through this connection.
async fn uploads(code: &CodeSession, token: &str, connection: &str) -> String {
    let session = Session {
        grant: code.opened.session.grant.with(token),
        connection: connection.to_owned(),
        ..code.opened.session.clone()
    };
    let answer = session.upload(&code.opened.model, "a.txt", "a").await;
    if answer.status == 200 { "200".to_owned() } else { answer.to_string() }
}

#[tokio::test]
async fn a_running_execution_creates_an_evaluation_run_and_keeps_its_own_grant() {
    let code = CodeSession::open().await;
    let (id, known) = running(&code).await;
    let token = known["grant"].as_str().unwrap();
    assert_eq!(known["connectionId"], format!("headless-exec-{id}"));
    let made = grant(&code, &known).post(&path(&code)).await.expect(201).json();
    assert_eq!((&made["executionId"], &made["projectId"]), (&json!(id), &json!(code.opened.project)));
    let run = made["evaluationRunId"].as_str().unwrap();
    assert_eq!(made["dataPlane"]["connectionId"], format!("headless-exec-{run}"));
    let of_run = made["dataPlane"]["token"].as_str().unwrap();
    assert_ne!(of_run, token);
    // Both grants work, each with its connection.
    assert_eq!(uploads(&code, of_run, &format!("headless-exec-{run}")).await, "200");
    assert_eq!(uploads(&code, token, known["connectionId"].as_str().unwrap()).await, "200");
    // Its claims.
    let claims = |token: &str| -> Value {
        use base64::Engine;
        let part = token.strip_prefix("svc_gr_").unwrap().split('.').nth(1).unwrap();
        serde_json::from_slice(&base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).unwrap())
            .unwrap()
    };
    let (source, evaluation) = (claims(token), claims(of_run));
    assert_eq!((&source["purpose"], &evaluation["purpose"]), (&json!("automation"), &json!("evaluation")));
    assert_eq!(source["permissions"], json!(["project.read", "project.write"]));
    for same in ["permissions", "project", "branch", "session", "sub", "key"] {
        assert_eq!(source[same], evaluation[same], "{same}");
    }
    // The new grant can't create another run.
    let refused = code.opened.caller.with(of_run).post(&path(&code)).await;
    assert_snapshot!(refused, @"403 CREDENTIAL_NOT_PERMITTED");
    // The execution's grant ends with it; the other remains.
    code.opened.caller.post(&format!("{}/{id}/stop", code.path())).await.expect(200);
    assert_snapshot!(grant(&code, &known).post(&path(&code)).await, @"401 UNAUTHENTICATED");
    assert_eq!(uploads(&code, token, known["connectionId"].as_str().unwrap()).await, "401 UNAUTHENTICATED");
    assert_eq!(uploads(&code, of_run, &format!("headless-exec-{run}")).await, "200");
    code.opened.session.close().await.expect(200);
    assert_eq!(uploads(&code, of_run, &format!("headless-exec-{run}")).await, "401 UNAUTHENTICATED");
}

#[tokio::test]
async fn no_other_credential_creates_an_evaluation_run() {
    let code = CodeSession::open().await;
    let (id, known) = running(&code).await;
    let browser = code.opened.alice.browser().await;
    for credential in
        [code.opened.caller.credential(), browser.credential(), code.opened.session.grant.credential()]
    {
        let refused = code.opened.caller.with(credential).post(&path(&code)).await;
        assert_eq!(refused.to_string(), "403 CREDENTIAL_NOT_PERMITTED");
    }
    code.opened.caller.without_credential().post(&path(&code)).await.expect(401);
    // The grant is refused for other operations of this plane and for other projects.
    let me = grant(&code, &known).get("/api/v2/me").await;
    assert_snapshot!(me, @"403 CREDENTIAL_NOT_PERMITTED");
    let other = testkit::session::create_project(&code.opened.caller, "Other").await;
    let elsewhere = grant(&code, &known).post(&format!("/api/v2/projects/{other}/evaluation-runs")).await;
    assert_snapshot!(elsewhere, @"404 NOT_FOUND");
    code.opened.caller.post(&format!("{}/{id}/stop", code.path())).await.expect(200);
}

#[tokio::test]
async fn executed_code_creates_an_evaluation_run() {
    let code = CodeSession::open().await;
    let javascript = "
        const made = await atelier.createEvaluationRun();
        console.log(made.executionId === atelier.executionId, \
            made.dataPlane.connectionId.startsWith('headless-exec-'));";
    assert_eq!(code.output("JavaScript", javascript).await, "true true\n");
    let python = "
import atelier
made = atelier.create_evaluation_run()
print(made['executionId'] == atelier.execution_id, made['dataPlane']['token'] != atelier.grant)";
    assert_eq!(code.output("Python", python).await, "True True\n");
}

#[tokio::test]
async fn a_repeat_gets_the_same_run_with_a_fresh_grant() {
    let code = CodeSession::open().await;
    let (id, known) = running(&code).await;
    let make = async || grant(&code, &known).post(&path(&code)).idempotency_key("once").await.expect(201);
    let (first, second) = (make().await, make().await);
    assert!(!first.is_replay() && second.is_replay());
    assert_eq!(first.text("/evaluationRunId"), second.text("/evaluationRunId"));
    assert_ne!(first.text("/dataPlane/token"), second.text("/dataPlane/token"));
    code.opened.caller.post(&format!("{}/{id}/stop", code.path())).await.expect(200);
}

#[tokio::test]
async fn an_execution_has_no_more_rights_than_the_key_that_opened_its_session() {
    let code = CodeSession::own().await;
    let object = code.code("JavaScript", SAYS_ITS_GRANT).await;
    let opener = code.opened.alice.issue(&["projects:write"], &[]).await;
    let session = Session::open(&opener.caller, &code.opened.project).await;
    code.opened.deployment.operator().revoke(&opener).await;
    let path = format!("{}/executions", session.path());
    let asked = code.opened.caller.post(&path).json(json!({ "objectId": object })).await.expect(201);
    let id = asked.text("/execution/executionId");
    let says = async || {
        crate::executions::support::read(&code.opened.caller, &path, &id).await["output"]
            .as_str()
            .unwrap()
            .ends_with('\n')
    };
    testkit::open_session::eventually_async("the code prints its grant", says).await;
    let said = crate::executions::support::read(&code.opened.caller, &path, &id).await;
    let known = variables(&said);
    let form = Form::new("a.txt");
    let through =
        Session { connection: known["connectionId"].as_str().unwrap().to_owned(), ..session.clone() };
    let caller = code.opened.session.grant.with(known["grant"].as_str().unwrap());
    let refused = caller
        .post(&through.upload_path(&code.opened.model))
        .body(&form.content_type(), form.body(b"a"))
        .await;
    assert_snapshot!(refused, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"projects:write"}"#);
    code.opened.caller.post(&format!("{path}/{id}/stop")).await.expect(200);
    eventually("its process is gone", || code.opened.deployment.control[0].process().children().is_empty())
        .await;
}

#[tokio::test]
async fn an_execution_makes_a_limited_number_of_evaluation_runs() {
    let code = CodeSession::own().await;
    let (id, known) = running(&code).await;
    let earlier = format!(
        "insert into evaluation_runs (id, execution_id, created_at)
         select gen_random_uuid(), '{id}', now() from generate_series(1, 99)"
    );
    code.opened.deployment.database.connect().await.batch_execute(&earlier).await.unwrap();
    grant(&code, &known).post(&path(&code)).await.expect(201);
    let refused = grant(&code, &known).post(&path(&code)).await;
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"limit":100,"scope":"execution"}"#);
    // Another execution has runs of its own.
    let (_, known) = running(&code).await;
    grant(&code, &known).post(&path(&code)).await.expect(201);
}
