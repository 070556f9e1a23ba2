//! The logs of a process. The test starts itself again as that process.

use std::process::Command;

use serde_json::Value;

use crate::toy::{READER, Server, WRITER};

/// Marks the process whose logs the test reads.
const CHILD: &str = "WIRE_TEST_LOGS";
const PROJECT: &str = "0198c5f0-0000-7000-8000-000000000001";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

#[tokio::test]
async fn each_request_leaves_one_json_line_without_secrets() {
    if std::env::var_os(CHILD).is_some() {
        return requests().await;
    }
    let test = "logs::each_request_leaves_one_json_line_without_secrets";
    let child =
        Command::new(std::env::current_exe().unwrap()).args(["--exact", test]).env(CHILD, "1").output();
    let child = child.unwrap();
    assert!(child.status.success());
    let log = String::from_utf8(child.stderr).unwrap();
    for secret in [READER, WRITER, "svc_ak_test_stolen", "confidential"] {
        assert!(!log.contains(secret), "{log}");
    }
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let of = |id: &str| -> Vec<&Value> {
        lines.iter().filter(|line| line["spans"][0]["request.id"] == id).collect()
    };

    let [read] = of("read")[..] else { panic!("{log}") };
    assert_eq!((&read["level"], &read["http.response.status_code"]), (&"INFO".into(), &200.into()));
    let span = &read["spans"][0];
    assert_eq!((&span["operation"], &span["project.id"]), (&"getThing".into(), &PROJECT.into()));
    assert_eq!(span["http.request.method"], "GET");
    assert!(span["actor.user"].is_string() && span["actor.key"].is_string());

    // Also without a `traceparent`, each line of a request is of one trace.
    let ids = ["read", "refused", "bug", "panic", "traceless"].map(|id| {
        let traces: Vec<_> = of(id).iter().map(|line| line["trace.id"].as_str().unwrap()).collect();
        assert!(traces.iter().all(|trace| trace == &traces[0]), "{log}");
        traces[0]
    });
    assert_eq!(ids[..4], [TRACE; 4]);
    let new = ids[4];
    assert!(new != TRACE && new.len() == 32 && new.bytes().all(|byte| byte.is_ascii_hexdigit()), "{new}");

    let [refused] = of("refused")[..] else { panic!("{log}") };
    assert_eq!((&refused["level"], &refused["error.code"]), (&"INFO".into(), &"UNAUTHENTICATED".into()));

    let [bug] = of("bug")[..] else { panic!("{log}") };
    assert_eq!(bug["level"], "ERROR");
    assert_eq!(bug["error.chain"], "An unexpected error occurred.: a secret that no client may see");

    let [panicked, answered] = of("panic")[..] else { panic!("{log}") };
    assert_eq!(
        (&panicked["message"], &answered["http.response.status_code"]),
        (&"panicked".into(), &500.into())
    );
    assert!(panicked["panic.place"].as_str().is_some_and(|place| place.contains("toy.rs")));
}

async fn requests() {
    wire::init_logging("info").unwrap();
    let server = Server::start().await;
    let thing = format!("/api/v2/projects/{PROJECT}--confidential/things/confidential?text=confidential");
    for (id, path, token) in [
        ("read", thing.as_str(), READER),
        ("refused", "/api/v2/things", "svc_ak_test_stolen"),
        ("bug", "/api/v2/bug", READER),
        ("panic", "/api/v2/panic", READER),
        ("traceless", "/api/v2/panic", READER),
    ] {
        let mut request = server.request("GET", path).bearer_auth(token).header("X-Request-Id", id);
        if id != "traceless" {
            request = request.header("traceparent", format!("00-{TRACE}-00f067aa0ba902b7-01"));
        }
        request.send().await.unwrap();
    }
}
