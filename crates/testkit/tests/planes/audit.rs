//! The audit log of projects and organizations: what is in it, who reads it, and its bounds.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::deployment::Deployment;
use testkit::open_session::{OpenSession, eventually_async};
use testkit::seed::{ABSENT_ID, MANAGE, MANAGE_WITH_CARDS, MANAGE_WITH_TEAMS};
use testkit::session::{Session, create_project};

/// A page of a log.
async fn log(caller: &Caller, path: &str) -> Vec<Value> {
    let answer = caller.get(path).await.expect(200).json();
    answer["entries"].as_array().unwrap().clone()
}

/// Waits until the log has an entry of each of these operations and results.
async fn has(caller: &Caller, path: &str, expected: &[(&str, &str)]) -> Vec<Value> {
    let is_there = |entries: &[Value], (operation, result): &(&str, &str)| {
        entries.iter().any(|entry| entry["operation"] == *operation && entry["result"] == *result)
    };
    eventually_async("the log has the entries", async || {
        let entries = log(caller, path).await;
        expected.iter().all(|expected| is_there(&entries, expected))
    })
    .await;
    log(caller, path).await
}

#[tokio::test]
async fn changes_of_every_kind_and_refusals_are_in_the_log() {
    let opened = OpenSession::own().await;
    let path = format!("/api/v2/projects/{}", opened.project);
    let caller = opened.alice.key(MANAGE_WITH_CARDS).await;
    caller.post(&format!("{path}/branches")).json(json!({ "name": "side" })).await;
    let made = caller.post(&format!("{path}/cards")).json(json!({ "name": "A" })).await.expect(201);
    opened.session.upload(&opened.model, "a.txt", "a").await.expect(200);
    caller.delete(&format!("{path}/branches/main/changes")).await.expect(200);
    caller.post(&format!("{path}/branches/main/merge")).json(json!({ "source": "nowhere" })).await;
    let invoke = json!({ "toolbox": "project", "tool": "create_branch", "params": { "name": "by-tool" } });
    let invoked = caller.post(&format!("{}/tools/invoke", opened.session.path())).json(invoke).await;
    assert!([200, 422].contains(&invoked.status), "{invoked}");
    caller
        .post(&format!("{}/executions", opened.session.path()))
        .json(json!({ "objectId": ABSENT_ID }))
        .await;
    let bob = opened.deployment.operator().user("bob").await;
    let stranger = bob.key(MANAGE).await;
    stranger.delete(&path).await.expect(404);
    let refused = stranger.patch(&path).json(json!({ "name": "Mine" })).await.expect(404);

    let log_path = format!("{path}/audit?limit=100");
    let entries = has(
        &caller,
        &log_path,
        &[
            ("createProject", "OK"),
            ("createSession", "OK"),
            ("createCard", "OK"),
            ("uploadFile", "OK"),
            ("deleteProject", "NOT_FOUND"),
            ("updateProject", "NOT_FOUND"),
        ],
    )
    .await;
    let of = |operation: &str| -> Vec<&Value> {
        entries.iter().filter(|entry| entry["operation"] == operation).collect()
    };
    for operation in ["discardChanges", "mergeBranch", "invokeTool", "createExecution"] {
        assert_eq!(of(operation).len(), 1, "{operation}: {entries:#?}");
    }
    // Of a request, and of a tool.
    assert_eq!(of("createBranch").len(), 2, "{entries:#?}");
    let card = of("createCard")[0];
    assert_eq!(card["requestId"], made.header("x-request-id"));
    assert_eq!((&card["userId"], &card["projectId"]), (&json!(opened.alice.id), &json!(opened.project)));
    let attempt = of("updateProject")[0];
    assert_eq!(attempt["requestId"], refused.header("x-request-id"));
    assert_eq!((&attempt["userId"], &attempt["attempts"]), (&json!(bob.id), &json!(1)));
    // Reads are no entries.
    assert!(
        entries.iter().all(|entry| !entry["operation"].as_str().unwrap().starts_with("get")),
        "{entries:#?}"
    );
    let ids: Vec<i64> = entries.iter().map(|entry| entry["id"].as_str().unwrap().parse().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a > b), "{ids:?}");
}

#[tokio::test]
async fn managers_and_owners_read_the_log_page_by_page_and_as_lines() {
    let deployment = Deployment::start().await;
    let operator = deployment.operator();
    let (alice, bob) = (operator.user("alice").await, operator.user("bob").await);
    let org = operator.organization("acme", &alice).await;
    operator.add_member(&bob, "--org", &org, "member").await;
    let (owner, member) = (alice.key(MANAGE_WITH_TEAMS).await, bob.key(MANAGE_WITH_TEAMS).await);
    let project = owner.post("/api/v2/projects").json(json!({ "name": "Pump", "orgId": org })).await;
    let project = project.expect(201).text("/id");
    let teams = format!("/api/v2/orgs/{org}/teams");
    owner.post(&teams).json(json!({ "name": "Builders" })).await.expect(201);
    member.delete(&format!("/api/v2/projects/{project}")).await;
    let (of_org, of_project) =
        (format!("/api/v2/orgs/{org}/audit"), format!("/api/v2/projects/{project}/audit"));
    let expected = [("createProject", "OK"), ("createTeam", "OK")];
    let entries = has(&owner, &of_org, &expected).await;
    assert!(entries.iter().all(|entry| entry["organizationId"] == json!(org)), "{entries:#?}");
    has(&owner, &of_project, &expected[..1]).await;

    // Roles and scopes.
    assert_snapshot!(member.get(&of_org).await, @"403 FORBIDDEN");
    let few = alice.key(&["projects:write", "teams:manage"]).await;
    assert_snapshot!(few.get(&of_org).await, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"projects:manage"}"#);
    let stranger = operator.user("eve").await.key(MANAGE).await;
    assert_snapshot!(stranger.get(&of_org).await, @"404 NOT_FOUND");
    assert_snapshot!(stranger.get(&of_project).await, @"404 NOT_FOUND");

    // Filters and pages.
    let of = |filter: &str| format!("{of_org}?{filter}");
    assert_eq!(log(&owner, &of("operation=createTeam")).await.len(), 1);
    assert_eq!(log(&owner, &of(&format!("actor={}&result=OK", bob.id))).await.len(), 0);
    assert_eq!(log(&owner, &of("to=2020-01-01")).await.len(), 0);
    assert_eq!(log(&owner, &of("from=2020-01-01&result=OK")).await.len(), 2);
    for bad in ["operation=a%00", "from=2026-01-02&to=2026-01-01", "actor=x"] {
        assert_eq!(owner.get(&of(bad)).await.status, 400, "{bad}");
    }
    let first = owner.get(&of("limit=1&result=OK")).await.expect(200);
    let cursor = first.text("/meta/nextCursor");
    let second = owner.get(&of(&format!("limit=1&result=OK&cursor={cursor}"))).await.expect(200).json();
    assert_eq!(second["entries"][0]["operation"], "createProject");
    assert_eq!(second["meta"]["hasMore"], false);
    let lines =
        owner.get(&of("limit=1&result=OK")).header("accept", "application/x-ndjson").await.expect(200);
    assert_eq!(lines.header("content-type"), "application/x-ndjson");
    assert_eq!(lines.header("next-cursor"), cursor);
    let text = String::from_utf8(lines.body.to_vec()).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), first.json()["entries"][0]);
}

#[tokio::test]
async fn a_flood_of_refusals_is_few_entries_that_count_it() {
    let opened = OpenSession::own().await;
    let bob = opened.deployment.operator().user("bob").await.key(MANAGE).await;
    for n in 0..60 {
        // Equal attempts, and attempts on ever new things.
        bob.delete(&format!("/api/v2/projects/{}", opened.project)).await.expect(404);
        bob.delete(&format!("/api/v2/projects/0198c5f0-0000-7000-8000-{n:012}")).await.expect(404);
    }
    let counted = "select coalesce(sum(attempts), 0)::bigint from audit_log where result = 'NOT_FOUND'";
    eventually_async("entries are written", async || opened.deployment.database.count(counted).await > 0)
        .await;
    let rows =
        opened.deployment.database.count("select count(*) from audit_log where result = 'NOT_FOUND'").await;
    assert!(rows <= 10, "{rows}");
}

#[tokio::test]
async fn a_stopping_process_writes_its_journal() {
    let mut opened = OpenSession::own().await;
    let caller = opened.alice.key(MANAGE_WITH_CARDS).await;
    let cards = format!("/api/v2/projects/{}/cards", opened.project);
    for name in ["A", "B", "C"] {
        caller.post(&cards).json(json!({ "name": name })).await.expect(201);
    }
    // An entry that is on its way when the process is asked to end.
    let holder = opened.deployment.database.connect().await;
    holder.batch_execute("begin; lock table audit_log in exclusive mode").await.unwrap();
    caller.post(&cards).json(json!({ "name": "D" })).await.expect(201);
    opened.deployment.database.wait_for_blocked(1).await;
    opened.deployment.control[0].ask_to_end();
    // No event tells of a process that goes on. One that forgets the entry ends within this time; one that keeps it
    // can't end while the lock is held, on however busy a machine.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!opened.deployment.control[0].process().has_ended(), "an entry was on its way");
    holder.batch_execute("commit").await.unwrap();
    assert_eq!(opened.deployment.control[0].wait_for_end(), Some(0));
    let written = "select count(*) from audit_log where action = 'createCard' and result = 'OK'";
    assert_eq!(opened.deployment.database.count(written).await, 4);
    opened.deployment.control[0].restart();
    let other = create_project(&opened.caller, "Other").await;
    Session::open(&opened.caller, &other).await;
}
