//! Sessions: opening, reading, lists, renewal, stop and close, and their statuses.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::{Deployment, Options};
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project};

use testkit::open_session::OpenSession;

#[tokio::test]
async fn a_session_is_created_read_listed_and_closed() {
    let deployment = Deployment::shared();
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let project = create_project(&caller, "Gear").await;
    let path = format!("/api/v2/projects/{project}/sessions");
    let created = caller.post(&path).json(json!({})).await;
    assert_snapshot!(created, @r#"
    201 {
      "archiveUrl": "<url 1>/api/v1/file/archive/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
      "branch": "main",
      "bulkUrl": "<url 1>/api/v1/file/bulk/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
      "createdAt": "<time>",
      "dataPlane": {"connectionId":"headless-<id 3>","expiresAt":"<time>","token":"<grant>","url":"<url 1>"},
      "downloadUrl": "<url 1>/api/v1/file/download/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{fileName}",
      "ownerId": "<id 1>",
      "projectId": "<id 2>",
      "replaceUrl": "<url 1>/api/v1/file/replace/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{objectId}",
      "resumableUrl": "<url 1>/api/v1/file/resumable/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
      "sessionId": "<id 3>",
      "status": "idle",
      "uploadUrl": "<url 1>/api/v1/file/upload/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}"
    }
    "#);
    let session = format!("{path}/{}", created.text("/sessionId"));
    assert_snapshot!(caller.get(&session).await, @r#"
    200 {
      "session": {
        "archiveUrl": "<url 1>/api/v1/file/archive/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
        "autoApprove": ["read","write"],
        "branch": "main",
        "budget": null,
        "bulkUrl": "<url 1>/api/v1/file/bulk/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
        "closedAt": null,
        "createdAt": "<time>",
        "createdBy": "<id 1>",
        "downloadUrl": "<url 1>/api/v1/file/download/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{fileName}",
        "model": null,
        "ownerId": "<id 1>",
        "projectId": "<id 2>",
        "replaceUrl": "<url 1>/api/v1/file/replace/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{objectId}",
        "resumableUrl": "<url 1>/api/v1/file/resumable/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
        "sessionId": "<id 3>",
        "status": "idle",
        "toolboxes": null,
        "uploadUrl": "<url 1>/api/v1/file/upload/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}"
      }
    }
    "#);
    assert_snapshot!(caller.get(&path).await, @r#"
    200 {
      "meta": {"hasMore":false,"limit":50,"nextCursor":null},
      "sessions": [
        {
          "archiveUrl": "<url 1>/api/v1/file/archive/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
          "autoApprove": ["read","write"],
          "branch": "main",
          "budget": null,
          "bulkUrl": "<url 1>/api/v1/file/bulk/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
          "closedAt": null,
          "createdAt": "<time>",
          "createdBy": "<id 1>",
          "downloadUrl": "<url 1>/api/v1/file/download/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{fileName}",
          "model": null,
          "ownerId": "<id 1>",
          "projectId": "<id 2>",
          "replaceUrl": "<url 1>/api/v1/file/replace/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{objectId}",
          "resumableUrl": "<url 1>/api/v1/file/resumable/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}",
          "sessionId": "<id 3>",
          "status": "idle",
          "toolboxes": null,
          "uploadUrl": "<url 1>/api/v1/file/upload/<id 1>/<id 1>/<id 2>--main/headless-<id 3>/{parentId}"
        }
      ]
    }
    "#);
    assert_snapshot!(caller.delete(&session).await, @r#"200 {"deleted":true,"sessionId":"<id 1>"}"#);
    // A lapsed session answers reads and stop with `no_session`, and other requests with 404.
    assert_eq!(caller.get(&session).await.expect(200).text("/session/status"), "no_session");
    assert_snapshot!(
        caller.post(&format!("{session}/stop")).await,
        @r#"200 {"sessionId":"<id 1>","status":"no_session","stopped":false,"taskId":""}"#
    );
    assert_snapshot!(caller.post(&format!("{session}/grant")).await, @"404 NOT_FOUND");
    assert_snapshot!(caller.delete(&session).await, @"404 NOT_FOUND");
    assert_snapshot!(
        caller.get(&path).await,
        @r#"200 {"meta":{"hasMore":false,"limit":50,"nextCursor":null},"sessions":[]}"#
    );
}

#[tokio::test]
async fn a_session_shows_the_settings_of_its_creation_to_everybody_who_reads_it() {
    let opened = OpenSession::open().await;
    let path = format!("/api/v2/projects/{}/sessions", opened.project);
    let body =
        json!({ "toolboxes": ["project", "cards"], "budget": { "credits": "1.5" }, "autoApprove": ["read"] });
    let create =
        || opened.caller.post(&path).header("Idempotency-Key", "once").json(body.clone()).into_future();
    let created = create().await.expect(201);
    let again = create().await.expect(201);
    let at = format!("{path}/{}", created.text("/sessionId"));
    let bob = opened.deployment.operator().user("bob").await;
    opened.deployment.operator().add_member(&bob, "--project", &opened.project, "viewer").await;
    let reader = bob.key(&["projects:read"]).await;
    let read = reader.get(&at).await.expect(200);
    let settings = |session: &serde_json::Value| {
        ["model", "toolboxes", "budget", "autoApprove"].map(|name| session[name].clone())
    };
    let chosen = [json!(null), json!(["project", "cards"]), json!({ "credits": 1.5 }), json!(["read"])];
    assert_eq!(settings(&read.json()["session"]), chosen);
    for answer in [&created, &again] {
        assert_eq!(answer.header("etag"), read.header("etag"));
    }
    let listed = reader.get(&path).await.expect(200).json();
    assert_eq!(settings(&listed["sessions"][0]), chosen);
    let default = json!(["read", "write"]);
    assert_eq!(settings(&listed["sessions"][1]), [json!(null), json!(null), json!(null), default]);
}

#[tokio::test]
async fn a_session_belongs_to_the_branch_in_its_projects_name() {
    let opened = OpenSession::open().await;
    let open =
        |project: String| opened.caller.post(&format!("/api/v2/projects/{project}/sessions")).into_future();
    assert_eq!(open(format!("{}--main", opened.project)).await.expect(201).text("/branch"), "main");
    assert_snapshot!(open(format!("{}--other", opened.project)).await, @"404 NOT_FOUND");
    let session = &opened.session;
    opened
        .caller
        .get(&format!("/api/v2/projects/{}--main/sessions/{}", session.project, session.id))
        .await
        .expect(200);
    let other = opened
        .caller
        .get(&format!("/api/v2/projects/{}--other/sessions/{}", session.project, session.id))
        .await;
    assert_snapshot!(other, @"404 NOT_FOUND");
    let strange = create_project(&opened.caller, "Other").await;
    let elsewhere = opened.caller.get(&format!("/api/v2/projects/{strange}/sessions/{}", session.id)).await;
    assert_snapshot!(elsewhere, @"404 NOT_FOUND");
    let unknown = opened
        .caller
        .post(&format!("/api/v2/projects/{}/sessions", opened.project))
        .json(json!({ "brnach": "x" }))
        .await;
    assert_snapshot!(unknown, @"400 INVALID_REQUEST body.brnach unknown");
}

#[tokio::test]
async fn a_deleted_branch_closes_its_sessions_and_a_later_one_of_its_name_does_not_revive_them() {
    let opened = OpenSession::open().await;
    let (at, caller) = (format!("/api/v2/projects/{}", opened.project), &opened.caller);
    let branch = || caller.post(&format!("{at}/branches")).json(json!({ "name": "b" })).into_future();
    let listed = async |path: &str| {
        let list = caller.get(&format!("{at}{path}/sessions")).await.expect(200).json();
        let ids = list["sessions"].as_array().unwrap().iter();
        ids.map(|session| session["sessionId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    branch().await.expect(201);
    let on_branch = Session::open(caller, &format!("{}--b", opened.project)).await;
    let id = on_branch.id.clone();
    assert_eq!(listed("--b").await, std::slice::from_ref(&id));
    assert_eq!(listed("--main").await, std::slice::from_ref(&opened.session.id));
    assert_eq!(listed("").await, [id.clone(), opened.session.id.clone()]);
    on_branch.upload(&opened.model, "a.txt", "a").await.expect(200);

    caller.delete(&format!("{at}/branches/b")).await.expect(200);
    for is_there_again in [false, true] {
        if is_there_again {
            branch().await.expect(201);
        }
        assert_eq!(on_branch.upload(&opened.model, "b.txt", "b").await.to_string(), "401 UNAUTHENTICATED");
        assert_eq!(listed("").await, std::slice::from_ref(&opened.session.id));
        let read = caller.get(&format!("{at}/sessions/{id}")).await.expect(200);
        assert_eq!(read.text("/session/status"), "no_session");
        assert!(read.json()["session"]["closedAt"].is_string());
        let renewed = caller.post(&format!("{at}/sessions/{id}/grant")).await;
        assert_eq!(renewed.to_string(), "404 NOT_FOUND");
    }
    assert_eq!(listed("--b").await, Vec::<String>::new());
    opened.session.upload(&opened.model, "c.txt", "c").await.expect(200);
}

#[tokio::test]
async fn stopping_without_a_run_succeeds_and_leaves_the_session_open() {
    let opened = OpenSession::open().await;
    for _ in 0..2 {
        let stopped = opened.caller.post(&format!("{}/stop", opened.session.path())).await;
        assert_eq!(
            stopped.to_string(),
            r#"200 {"sessionId":"<id 1>","status":"idle","stopped":false,"taskId":""}"#
        );
    }
    opened.session.upload(&opened.model, "a.txt", "a").await.expect(200);
}

#[tokio::test]
async fn renewal_gives_a_second_grant_and_closing_ends_both() {
    let opened = OpenSession::open().await;
    let renewed = opened.caller.post(&format!("{}/grant", opened.session.path())).await;
    assert_snapshot!(renewed, @r#"
    200 {
      "dataPlane": {"connectionId":"headless-<id 1>","expiresAt":"<time>","token":"<grant>","url":"<url 1>"}
    }
    "#);
    assert_eq!(renewed.text("/dataPlane/connectionId"), opened.session.connection);
    let second = Session {
        grant: opened.session.grant.with(&renewed.text("/dataPlane/token")),
        ..opened.session.clone()
    };
    assert_ne!(second.grant.credential(), opened.session.grant.credential());
    for session in [&opened.session, &second] {
        session.upload(&opened.model, "a.txt", session.grant.credential()).await.expect(200);
    }
    opened.session.close().await.expect(200);
    for session in [&opened.session, &second] {
        assert_eq!(session.upload(&opened.model, "b.txt", "b").await.to_string(), "401 UNAUTHENTICATED");
    }
}

#[tokio::test]
async fn a_repeated_creation_gets_the_same_session_with_a_fresh_grant() {
    let opened = OpenSession::open().await;
    let path = format!("/api/v2/projects/{}/sessions", opened.project);
    let create = || opened.caller.post(&path).idempotency_key("k").json(json!({})).into_future();
    let (first, second) = (create().await.expect(201), create().await.expect(201));
    assert!(!first.is_replay() && second.is_replay());
    assert_eq!(first.text("/sessionId"), second.text("/sessionId"));
    for answer in [&first, &second] {
        let grant = opened.session.grant.with(&answer.text("/dataPlane/token"));
        let connection = answer.text("/dataPlane/connectionId");
        let session = Session { grant, connection, ..opened.session.clone() };
        session.upload(&opened.model, "a.txt", "a").await.expect(200);
    }
}

#[tokio::test]
async fn another_replica_answers_for_a_session_and_takes_it_over_after_the_death_of_its_host() {
    let mut opened =
        OpenSession::on(Deployment::with(Options { control_replicas: 2, ..Options::default() }).await).await;
    let other = opened.caller.at(&opened.deployment.control_urls[1]);
    let status = async || other.get(&opened.session.path()).await.expect(200).text("/session/status");
    assert_eq!(status().await, "idle");
    opened.deployment.control[0].kill();
    // The session stays live during the dead host's lease. Afterwards no process has it loaded, or the other replica
    // has taken it over. It is never lost.
    let between = status().await;
    assert!(["idle", "project_not_running"].contains(&between.as_str()), "{between}");
    let second = Session { caller: other.clone(), ..opened.session.clone() };
    let renewed = other.post(&format!("{}/grant", opened.session.path())).await.expect(200);
    let grant = second.grant.with(&renewed.text("/dataPlane/token"));
    let upload = Session { grant, ..second }.upload(&opened.model, "a.txt", "a").await;
    upload.expect(200);
    other.delete(&opened.session.path()).await.expect(200);
    assert_eq!(status().await, "no_session");
    opened.deployment.control[0].restart();
}

#[tokio::test]
async fn all_sessions_are_listed_in_pages_newest_first() {
    let opened = OpenSession::open().await;
    let path = format!("/api/v2/projects/{}/sessions", opened.project);
    let mut ids = vec![opened.session.id.clone()];
    for _ in 0..4 {
        ids.insert(0, opened.caller.post(&path).await.expect(201).text("/sessionId"));
    }
    let first = opened.caller.get(&format!("{path}?limit=3")).await.expect(200);
    let cursor = first.text("/meta/nextCursor");
    let second = opened.caller.get(&format!("{path}?limit=3&cursor={cursor}")).await.expect(200);
    let listed: Vec<String> = [&first, &second]
        .iter()
        .flat_map(|page| page.json()["sessions"].as_array().unwrap().clone())
        .map(|session| session["sessionId"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(listed, ids);
    assert_eq!(second.json()["meta"], json!({ "limit": 3, "hasMore": false, "nextCursor": null }));
    let of_projects = opened.caller.get(&format!("/api/v2/projects?cursor={cursor}")).await;
    assert_snapshot!(of_projects, @"400 INVALID_PAGINATION");
}
