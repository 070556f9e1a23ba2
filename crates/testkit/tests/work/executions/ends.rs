//! Stops, closed sessions and dying processes: an execution and its grant end once.

use serde_json::json;
use testkit::deployment::Options;
use testkit::open_session::eventually;
use testkit::redis::PrivateRedis;

use crate::executions::support::{CodeSession, end, ended};

const WAITS: &str = "console.log('here'); await new Promise((end) => setTimeout(end, 3600000))";
const LOOPS: &str = "print('here')\nwhile True: pass";

#[tokio::test]
async fn an_execution_is_stopped_by_any_replica_and_keeps_its_output() {
    let options = Options { control_replicas: 2, ..Options::default() };
    let code_session = CodeSession::with(options).await;
    let other = code_session.opened.caller.at(&code_session.opened.deployment.control_urls[1]);
    for (caller, language, code) in [
        (&code_session.opened.caller, "JavaScript", WAITS),
        (&other, "JavaScript", WAITS),
        (&other, "Python", LOOPS),
    ] {
        let id = code_session.begin(language, code).await;
        code_session.writes(&id, "here").await;
        let stop = format!("{}/{id}/stop", code_session.path());
        let stopped = caller.post(&stop).await.expect(200).json();
        assert_eq!((&stopped["stopped"], &stopped["execution"]["state"]), (&json!(true), &json!("stopped")));
        assert_eq!(stopped["execution"]["output"], "here\n");
        let again = caller.post(&stop).await.expect(200).json();
        assert_eq!((&again["stopped"], &again["execution"]["state"]), (&json!(false), &json!("stopped")));
        eventually("its process is gone", || {
            code_session.opened.deployment.control[0].process().children().is_empty()
        })
        .await;
    }
}

#[tokio::test]
async fn stopping_an_ended_execution_has_no_effect() {
    let code = CodeSession::open().await;
    let id = code.begin("JavaScript", "console.log('done')").await;
    assert_eq!(end(&code.ended(&id).await), "completed");
    let stopped = code.opened.caller.post(&format!("{}/{id}/stop", code.path())).await.expect(200).json();
    assert_eq!((&stopped["stopped"], &stopped["execution"]["state"]), (&json!(false), &json!("completed")));
}

#[tokio::test]
async fn closing_the_session_stops_its_executions() {
    let code = CodeSession::own().await;
    let id = code.begin("Python", LOOPS).await;
    code.writes(&id, "here").await;
    code.opened.session.close().await.expect(200);
    assert_eq!(code.read(&id).await["state"], "stopped");
    eventually("its process is gone", || code.opened.deployment.control[0].process().children().is_empty())
        .await;
    let object = code.code("JavaScript", "console.log(1)").await;
    code.ask(&object).await.expect(404);
}

// X12
#[tokio::test]
async fn an_execution_fails_within_its_lease_after_its_process_died_and_its_worker_ends() {
    let options = Options { control_replicas: 2, ..Options::default() };
    let mut code = CodeSession::with(options).await;
    let id = code.begin("Python", LOOPS).await;
    code.writes(&id, "here").await;
    let worker = code.opened.deployment.control[0].process().children()[0];
    code.opened.deployment.control[0].kill();
    eventually("the worker is gone", || !testkit::process::is_running(worker)).await;
    let other = code.opened.caller.at(&code.opened.deployment.control_urls[1]);
    let ended = ended(&other, &code.path(), &id).await;
    assert_eq!((end(&ended).as_str(), &ended["output"]), ("failed SERVICE_FAILED", &json!("here\n")));
    code.opened.deployment.control[0].restart();
}

// X6
#[tokio::test]
async fn an_execution_continues_and_can_be_stopped_without_redis() {
    let mut redis = PrivateRedis::start();
    let options = Options { redis_url: redis.url(), control_replicas: 2, ..Options::default() };
    let code = CodeSession::with(options).await;
    let id = code.begin("JavaScript", WAITS).await;
    code.writes(&id, "here").await;
    redis.kill();
    let other = code.opened.caller.at(&code.opened.deployment.control_urls[1]);
    let stopped = other.post(&format!("{}/{id}/stop", code.path())).await.expect(200);
    assert_eq!(stopped.text("/execution/state"), "stopped");
    eventually("its process is gone", || code.opened.deployment.control[0].process().children().is_empty())
        .await;
    redis.restart();
}

#[tokio::test]
async fn an_execution_whose_connection_is_lost_at_its_start_is_tried_again() {
    let code = CodeSession::set(&[("ATELIER_EXECUTIONS", "1")]).await;
    let first = code.begin("JavaScript", WAITS).await;
    code.writes(&first, "here").await;
    let second = code.begin("JavaScript", "console.log('done')").await;
    let mut blocker = code.opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from executions where state = 'queued' for update", &[]).await.unwrap();
    code.opened.caller.post(&format!("{}/{first}/stop", code.path())).await.expect(200);
    code.opened.deployment.database.wait_for_blocked(1).await;
    let client = code.opened.deployment.database.connect().await;
    let lose = "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' \
                and datname = current_database()";
    client.execute(lose, &[]).await.unwrap();
    lock.rollback().await.unwrap();
    let ended = code.ended(&second).await;
    assert_eq!((end(&ended).as_str(), &ended["output"]), ("completed", &json!("done\n")));
}
