//! The OpenAPI documents describe the services exactly: each answer of a pass over all operations has only described
//! fields, and each sent body is allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use jsonschema::{Draft, Validator};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::document::example;
use testkit::examples::Examples;
use testkit::images::png_of;
use testkit::model_server::models_at;
use testkit::open_session::eventually_async;
use testkit::seed::{MANAGE, MANAGE_WITH_TEAMS, MANAGE_WITH_USAGE};
use testkit::session::{Session, ask_for_approval, file_name, uploaded};
use testkit::upload::{Form, form_of, form_with};

/// Operations without a permission: the caller's own account, organizations, memberships and keys.
const WITHOUT_PERMISSION: [&str; 26] = [
    "createOrganization",
    "removeMember",
    "listOwnInvitations",
    "lookUpInvitation",
    "acceptInvitation",
    "removeProjectMember",
    "removeTeamMember",
    "getMe",
    "updateMe",
    "putPicture",
    "deletePicture",
    "lookUpPictures",
    "getPicture",
    "signOut",
    "listModels",
    "useMcp",
    "listOrganizations",
    "getOrganization",
    "listApiKeys",
    "getApiKey",
    "createApiKey",
    "rotateApiKey",
    "revokeApiKey",
    "listCalendarFeeds",
    "createCalendarFeed",
    "revokeCalendarFeed",
];

/// Operations whose answers are too long for an example.
const WITHOUT_EXAMPLE: [&str; 2] = ["getOpenapi", "listTools"];

/// Operations with public answers.
const WITHOUT_CREDENTIAL: [&str; 8] = [
    "getOpenapi",
    "getProtectedResource",
    "getProtectedResourceOfMcp",
    "getCalendar",
    "describeResumableUploads",
    "describeResumableUpload",
    "describeAttachmentUploads",
    "describeAttachmentUpload",
];

#[tokio::test]
async fn every_answer_is_described_by_the_document() {
    let options = Options { models: Some(models_at("http://127.0.0.1:9")), ..Options::default() };
    let mut deployment = Deployment::with(options).await;
    // Of the attachment that is removed.
    deployment.leaves_blobs = true;
    let (control, data) = documents(&deployment).await;
    let mut control = Observer::of(&control);
    let mut data = Observer::of(&data);

    let alice = deployment.operator().user("alice").await;
    let (browser, key) = (alice.browser().await, alice.key(MANAGE).await);
    let org = deployment.operator().organization("works", &alice).await;
    let anonymous = deployment.anonymous();

    control.send(&anonymous, "getOpenapi", &[], None).await.expect(200);
    control.send(&key, "getMe", &[], None).await.expect(200);
    control.send(&anonymous, "getMe", &[], None).await.expect(401);
    let shown = json!({ "showEmailInCommits": false });
    control.send(&browser, "updateMe", &[], Some(shown)).await.expect(200);
    pass_over_pictures(&mut control, &browser, &alice.id).await;
    control.send(&alice.browser().await, "signOut", &[], Some(json!({}))).await.expect(200);
    control.send(&key, "signOut", &[], None).await.expect(403);
    control.send(&key, "listModels", &[], None).await.expect(200);
    for metadata in ["getProtectedResource", "getProtectedResourceOfMcp"] {
        control.send(&anonymous, metadata, &[], None).await.expect(200);
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "get_me" } });
    control.send(&key, "useMcp", &[], Some(body.clone())).await.expect(200);
    control.send(&anonymous, "useMcp", &[], Some(body)).await.expect(401);
    control.send(&key, "listOrganizations", &[], None).await.expect(200);
    control.send(&key, "getOrganization", &[("orgId", &org)], None).await.expect(200);
    control.send(&key, "getOrganization", &[("orgId", "x")], None).await.expect(400);

    let body = json!({ "name": "ci", "scopes": ["projects:read"], "projectIds": [org], "orgIds": [org] });
    let issued = control.send(&browser, "createApiKey", &[], Some(body.clone())).await.expect(201);
    control.send(&key, "createApiKey", &[], Some(body)).await.expect(403);
    let id = issued.text("/apiKey/id");
    let grace = Some(json!({ "graceSeconds": 60 }));
    control.send(&browser, "rotateApiKey", &[("keyId", &id)], grace).await.expect(201);
    control.send(&browser, "listApiKeys", &[], None).await.expect(200);
    let read = control.send(&browser, "getApiKey", &[("keyId", &id)], None).await.expect(200);
    control.revalidate(&browser, "getApiKey", &[("keyId", &id)], &read).await;
    control.send(&browser, "revokeApiKey", &[("keyId", &id)], None).await.expect(200);
    control.send(&browser, "revokeApiKey", &[("keyId", &id)], None).await.expect(404);

    pass_over_calendars(&mut control, &browser, &anonymous).await;

    let whole = json!({
        "name": "Gear", "key": "TOOTH", "initialPrompt": "Design a gear.", "description": "With teeth.", "orgId": org,
        "visibility": "internal", "autoName": true, "skipInitialCommit": true,
    });
    let project = control.send(&key, "createProject", &[], Some(whole)).await.expect(201).text("/id");
    let other = control.send(&key, "createProject", &[], Some(json!({ "name": "x" }))).await.expect(201);
    let other = other.text("/id");
    let unwanted = control.unchecked(&key, "createProject", &[], Some(json!({ "nmae": "x" }))).await;
    unwanted.expect(400);
    control.send(&key, "listProjects", &[], None).await.expect(200);
    let of_project: &[_] = &[("projectId", project.as_str())];
    let read = control.send(&key, "getProject", of_project, None).await.expect(200);
    control.revalidate(&key, "getProject", of_project, &read).await;
    let change = json!({
        "description": null, "name": "Gears", "key": "GEAR", "visibility": "private", "defaultBranch": "main",
    });
    let change = Some(change);
    control.send(&key, "updateProject", of_project, change).await.expect(200);
    for (audit, path) in
        [("getProjectAudit", of_project), ("getOrganizationAudit", &[("orgId", org.as_str())])]
    {
        control.send(&key, audit, path, None).await.expect(200);
    }
    // The packages without a commit are changes.
    control.send(&key, "getTree", of_project, None).await.expect(200);
    let of_branch: &[_] = &[("projectId", project.as_str()), ("branch", "main")];
    control.send(&key, "getChanges", of_branch, None).await.expect(200);
    control.send(&key, "getChanges", &[of_branch[0], ("branch", "none")], None).await.expect(404);
    control.send(&key, "listPackages", of_project, None).await.expect(200);

    let bob = deployment.operator().user("bob").await.browser().await;
    pass_over_people(&mut control, &browser, &bob, &org).await;
    pass_over_shares(&mut control, (&browser, &bob), &org, &other).await;
    pass_over_packages(&mut control, &key, &project, &other).await;
    for service in ["git-upload-pack", "git-receive-pack"] {
        let path = format!("{}?service={service}", control.path("getGitReferences", of_project));
        control.observe("getGitReferences", key.get(&path).await).expect(200);
    }
    control.unchecked(&key, "getGitReferences", of_project, None).await.expect(400);
    control.unchecked(&anonymous, "getGitReferences", of_project, None).await.expect(401);
    let asked = key.post(&control.path("fetchGit", of_project)).header("git-protocol", "version=2");
    let asked = asked.body("application/x-git-upload-pack-request", "0014command=ls-refs\n0000");
    control.observe("fetchGit", asked.await).expect(200);
    for (operation, status) in [("download", 200), ("upload", 403)] {
        let body = json!({ "operation": operation, "objects": [], "hash_algo": "sha256" });
        control.send(&key, "batchLfs", of_project, Some(body)).await.expect(status);
    }

    let named = control.send(&key, "getProject", of_project, None).await.expect(200);
    let (owner, name) = (named.text("/project/ownerSlug"), named.text("/project/projectSlug"));
    let by_name: &[_] = &[("ownerSlug", owner.as_str()), ("projectSlug", name.as_str())];
    let path = format!("{}?service=git-upload-pack", control.path("getGitReferencesByName", by_name));
    control.observe("getGitReferencesByName", key.get(&path).await).expect(200);
    let asked = key.post(&control.path("fetchGitByName", by_name)).header("git-protocol", "version=2");
    let asked = asked.body("application/x-git-upload-pack-request", "0014command=ls-refs\n0000");
    control.observe("fetchGitByName", asked.await).expect(200);
    let body = json!({ "operation": "download", "objects": [], "hash_algo": "sha256" });
    control.send(&key, "batchLfsByName", by_name, Some(body)).await.expect(200);

    control.send(&key, "createDownloadGrant", of_project, None).await.expect(200);
    let body = json!({ "hashes": ["0".repeat(64)] });
    control.send(&key, "lookUpFiles", of_project, Some(body)).await.expect(200);
    let opened = control.send(&key, "createSession", of_project, Some(json!({}))).await.expect(201);
    let session = opened.text("/sessionId");
    let of_session: &[_] = &[of_project[0], ("sessionId", session.as_str())];
    control.send(&key, "listSessions", of_project, None).await.expect(200);
    control.send(&key, "renewGrant", of_session, None).await.expect(200);
    control.send(&key, "stopRun", of_session, None).await.expect(200);
    // The run of the project's first prompt has ended, so two reads are equal.
    let read = control.send(&key, "getSession", of_session, None).await.expect(200);
    control.revalidate(&key, "getSession", of_session, &read).await;
    let raised = Some(json!({ "budget": { "credits": 7.5 } }));
    control.send(&key, "updateSession", of_session, raised).await.expect(200);
    control.send(&key, "listTools", of_session, None).await.expect(200);
    let body = json!({ "toolbox": "project", "tool": "get_tree", "params": { "depth": 1 } });
    control.send(&key, "invokeTool", of_session, Some(body)).await.expect(200);
    let body = json!({ "toolbox": "project", "tool": "get_object", "params": {} });
    control.send(&key, "invokeTool", of_session, Some(body)).await.expect(422);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "project__get_tree" } });
    control.send(&key, "callMcp", of_session, Some(body)).await.expect(200);
    let body = json!({ "jsonrpc": "2.0", "id": "a", "method": "none" });
    control.send(&key, "callMcp", of_session, Some(body)).await.expect(200);
    let question = ask_for_approval(&deployment.database, &session, &alice.id).await;
    let of_question: &[_] = &[of_session[0], of_session[1], ("approvalId", question.as_str())];
    control.send(&key, "listApprovals", of_session, None).await.expect(200);
    control.send(&key, "getApproval", of_question, None).await.expect(200);
    let decision = || Some(json!({ "decision": "deny" }));
    control.send(&key, "answerApproval", of_question, decision()).await.expect(200);
    control.send(&key, "answerApproval", of_question, decision()).await.expect(409);
    let of_server: &[_] = &[of_project[0], ("serverName", "wiki")];
    let server = json!({ "url": "https://mcp.example/mcp", "headers": { "Authorization": "Bearer x" } });
    control.send(&key, "putMcpServer", of_server, Some(server)).await.expect(200);
    control.send(&key, "listMcpServers", of_project, None).await.expect(200);
    let read = control.send(&key, "getMcpServer", of_server, None).await.expect(200);
    control.revalidate(&key, "getMcpServer", of_server, &read).await;
    control.send(&key, "deleteMcpServer", of_server, None).await.expect(200);
    control.send(&key, "deleteMcpServer", of_server, None).await.expect(404);
    control.send(&key, "listMessages", of_session, None).await.expect(200);
    pass_over_executions(&mut control, &key, of_session).await;
    let prompt = Some(json!({ "prompt": "Draw a gear." }));
    control.send(&key, "promptSession", of_session, prompt).await.expect(202);
    let accountant = alice.key(&["usage:read"]).await;
    control.send(&accountant, "getSessionUsage", of_session, None).await.expect(200);
    for group_by in ["model", "project", "session", "day"] {
        let path = format!("{}?groupBy={group_by}", control.path("getProjectUsage", of_project));
        control.observe("getProjectUsage", accountant.get(&path).await).expect(200);
    }
    control.send(&accountant, "getUsage", &[], None).await.expect(200);
    control.send(&accountant, "getOrganizationUsage", &[("orgId", &org)], None).await.expect(200);
    control.send(&key, "closeSession", of_session, None).await.expect(200);
    let closed = control.send(&key, "getSession", of_session, None).await.expect(200);
    assert!(closed.json()["session"]["closedAt"].is_string());
    control.send(&key, "stopRun", of_session, None).await.expect(200);
    control.send(&key, "renewGrant", of_session, None).await.expect(404);
    // The stream of a closed session ends, and a client that has read all of it gets nothing more.
    let streamed = control.send(&key, "streamEvents", of_session, None).await.expect(200);
    let streamed = String::from_utf8(streamed.body.to_vec()).unwrap();
    let last = streamed.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap();
    let seen = key.get(&control.path("streamEvents", of_session)).header("last-event-id", last);
    control.observe("streamEvents", seen.await).expect(204);

    let session = Session::open(&key, &other).await;
    let grant = session.grant.clone();
    let model = session.model().await;
    let project = format!("{}--main", session.project);
    let connection: &[_] = &[
        ("ownerId", session.owner.as_str()),
        ("userId", alice.id.as_str()),
        ("projectId", project.as_str()),
        ("connectionId", session.connection.as_str()),
    ];
    data.send(&grant, "getOpenapi", &[], None).await.expect(200);
    let upload = [connection, &[("parentId", model.as_str())]].concat();
    let form = Form::new("gear.txt");
    let send = |caller: &Caller, bytes: &[u8]| {
        let path = data.path("uploadFile", &upload);
        caller.post(&path).body(&form.content_type(), form.body(bytes))
    };
    let foreign = grant.with(key.credential());
    let (done, refused) = (send(&grant, b"solid"), send(&foreign, b"solid"));
    let done = data.observe("uploadFile", done.await).expect(200);
    data.observe("uploadFile", refused.await).expect(403);
    let (content_type, body) = form_of(&[("Drawings/2026/gear.txt", b"20 teeth"), ("../gear.txt", b"lost")]);
    let several = grant.post(&data.path("uploadFiles", &upload)).body(&content_type, body);
    data.observe("uploadFiles", several.await).expect(200);
    let several = grant.post(&data.path("uploadFiles", &upload)).body(&content_type, "no form");
    data.observe("uploadFiles", several.await).expect(400);
    let object = uploaded(&done)["id"].as_str().unwrap().to_owned();
    let of_file = [connection, &[("objectId", object.as_str())]].concat();
    let replace = |bytes: &[u8]| {
        let request = grant.put(&data.path("replaceFile", &of_file));
        request.body(&form.content_type(), form.body(bytes))
    };
    let (replaced, stale) = (replace(b"solid gear"), replace(b"x").header("if-match", "\"x\""));
    let done = data.observe("replaceFile", replaced.await).expect(200);
    data.observe("replaceFile", stale.await).expect(412);
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(8);
    archive.append_data(&mut header, "Drawings/rack.txt", b"30 teeth".as_slice()).unwrap();
    let archive = archive.into_inner().unwrap();
    for (archive, status) in [(archive.as_slice(), 200), (b"none".as_slice(), 400)] {
        let sent = grant.post(&data.path("uploadArchive", &upload));
        let sent = sent.body(&form.content_type(), form.body(archive)).await;
        data.observe("uploadArchive", sent).expect(status);
    }
    let name = file_name(&uploaded(&done));
    let download = [connection, &[("fileName", name.as_str())]].concat();
    let read = data.send(&grant, "downloadFile", &download, None).await.expect(200);
    data.revalidate(&grant, "downloadFile", &download, &read).await;
    for (range, status) in [("bytes=1-2", 206), ("bytes=99-", 416)] {
        let request = grant.get(&data.path("downloadFile", &download)).header("range", range);
        data.observe("downloadFile", request.await).expect(status);
    }
    let sha256 = uploaded(&done)["sha256"].as_str().unwrap().to_owned();
    let by_hash = [("projectId", project.as_str()), ("sha256", sha256.as_str())];
    let read = data.send(&grant, "downloadLfsFile", &by_hash, None).await.expect(200);
    data.revalidate(&grant, "downloadLfsFile", &by_hash, &read).await;
    pass_over_previews(&mut data, &grant, &project, &upload).await;
    let absent = [connection, &[("fileName", "x")]].concat();
    data.send(&grant, "downloadFile", &absent, None).await.expect(404);

    pass_over_pieces(&mut data, &grant, "ResumableUpload", &upload).await;
    let of_open: &[_] = &[("projectId", other.as_str()), ("sessionId", session.id.as_str())];
    let begun = grant.post(&data.path("createResumableUpload", &upload)).header("tus-resumable", "1.0.0");
    let begun = begun.header("upload-length", "4").await.expect(201);
    control.send(&key, "listUploads", of_open, None).await.expect(200);
    let id = begun.text("/upload/id");
    let of_upload = [of_open, &[("uploadId", id.as_str())]].concat();
    control.send(&key, "getUpload", &of_upload, None).await.expect(200);

    let versions = [("projectId", project.as_str()), ("objectId", object.as_str())];
    control.send(&key, "listObjectVersions", &versions, None).await.expect(200);
    let tree = control.send(&key, "getTree", &[("projectId", &project)], None).await.expect(200);
    control.revalidate(&key, "getTree", &[("projectId", &project)], &tree).await;
    pass_over_content(&mut control, &key, &other).await;
    let planner = alice.key(MANAGE_WITH_USAGE).await;
    pass_over_cards(&mut control, &planner, Place { project: &other, user: &alice.id, object: &model }).await;
    pass_over_attachments((&mut control, &planner), (&mut data, &grant), &other).await;
    let lead = alice.key(MANAGE_WITH_TEAMS).await;
    pass_over_teams(&mut control, &lead, &org, of_project[0].1).await;
    pass_over_imports(&mut control, &planner, &org, of_project[0].1).await;
    control.send(&key, "deleteProject", of_project, None).await.expect(200);
    control.send(&key, "getProject", of_project, None).await.expect(404);
    control.assert_all_seen();
    data.assert_all_seen();
    for (plane, observer) in [("control", control), ("dataplane", data)] {
        observer.finish(plane);
    }
}

/// Makes a calendar feed, fetches its calendar, and revokes it.
async fn pass_over_calendars(control: &mut Observer, browser: &Caller, anonymous: &Caller) {
    let body = json!({ "name": "Work", "mine": true });
    let made = control.send(browser, "createCalendarFeed", &[], Some(body)).await.expect(201);
    control.send(browser, "listCalendarFeeds", &[], None).await.expect(200);
    let (id, url) = (made.text("/feed/id"), made.text("/url"));
    let at: &[_] = &[("feedSecret", url.rsplit('/').nth(1).unwrap())];
    let read = control.send(anonymous, "getCalendar", at, None).await.expect(200);
    control.revalidate(anonymous, "getCalendar", at, &read).await;
    control.send(browser, "revokeCalendarFeed", &[("feedId", &id)], None).await.expect(200);
    control.send(anonymous, "getCalendar", at, None).await.expect(404);
}

/// Invites Bob to an organization of Alice, and gives it a service account.
async fn pass_over_people(control: &mut Observer, alice: &Caller, bob: &Caller, org: &str) {
    let of_org: &[_] = &[("orgId", org)];
    let made = control.send(alice, "createOrganization", &[], Some(json!({ "name": "Spare" }))).await;
    let spare = made.expect(201).text("/organization/id");
    let of_spare: &[_] = &[("orgId", spare.as_str())];
    let read = control.send(alice, "getOrganization", of_spare, None).await.expect(200);
    control.revalidate(alice, "getOrganization", of_spare, &read).await;
    control.send(alice, "updateOrganization", of_spare, Some(json!({ "name": "Rest" }))).await.expect(200);
    control.send(alice, "deleteOrganization", of_spare, None).await.expect(200);
    control.send(alice, "deleteOrganization", of_org, None).await.expect(409);

    let invite = json!({ "role": "member", "email": "bob@example.com" });
    let invited = control.send(alice, "createInvitation", of_org, Some(invite)).await.expect(201);
    control.send(alice, "listInvitations", of_org, None).await.expect(200);
    control.send(bob, "listOwnInvitations", &[], None).await.expect(200);
    control.send(bob, "acceptInvitation", &[], Some(json!({ "secret": "unknown" }))).await.expect(400);
    let accept = json!({ "invitationId": invited.text("/invitation/id") });
    control.send(bob, "acceptInvitation", &[], Some(accept)).await.expect(200);
    let other = control.send(alice, "createInvitation", of_org, Some(json!({ "role": "guest" }))).await;
    let other = other.expect(201);
    let secret = json!({ "secret": other.text("/secret") });
    control.send(alice, "lookUpInvitation", &[], Some(secret)).await.expect(200);
    control.send(alice, "lookUpInvitation", &[], Some(json!({ "secret": "unknown" }))).await.expect(400);
    control
        .send(bob, "acceptInvitation", &[], Some(json!({ "secret": other.text("/secret") })))
        .await
        .expect(409);
    let id = other.text("/invitation/id");
    control.send(alice, "revokeInvitation", &[of_org[0], ("invitationId", &id)], None).await.expect(200);

    let user = control.send(bob, "getMe", &[], None).await.expect(200).text("/user/id");
    let of_bob: &[_] = &[of_org[0], ("memberId", user.as_str())];
    control.send(alice, "listMembers", of_org, None).await.expect(200);
    let read = control.send(alice, "getMember", of_bob, None).await.expect(200);
    control.revalidate(alice, "getMember", of_bob, &read).await;
    control.send(alice, "updateMember", of_bob, Some(json!({ "role": "admin" }))).await.expect(200);
    control.send(bob, "updateMember", of_bob, Some(json!({ "role": "owner" }))).await.expect(403);

    let robot = json!({ "name": "robot", "role": "member" });
    let robot = control.send(alice, "createServiceAccount", of_org, Some(robot)).await.expect(201);
    let robot = robot.text("/member/userId");
    let of_robot: &[_] = &[of_org[0], ("accountId", robot.as_str())];
    let body = json!({ "name": "ci", "scopes": ["projects:read"], "test": true });
    let key = control.send(alice, "createServiceAccountKey", of_robot, Some(body)).await.expect(201);
    control.send(alice, "listServiceAccountKeys", of_robot, None).await.expect(200);
    let key = key.text("/apiKey/id");
    let of_key = [of_robot, &[("keyId", key.as_str())]].concat();
    control.send(alice, "revokeServiceAccountKey", &of_key, None).await.expect(200);
    let of_robot = [of_org[0], ("memberId", robot.as_str())];
    control.send(alice, "removeMember", &of_robot, None).await.expect(200);
}

/// Shares Alice's project and a team with Bob, and gives the project to the organization and back.
async fn pass_over_shares(control: &mut Observer, people: (&Caller, &Caller), org: &str, project: &str) {
    let (alice, bob) = people;
    let id = async |person: &Caller| person.get("/api/v2/me").await.expect(200).text("/user/id");
    let (owner, member) = (id(alice).await, id(bob).await);
    let of_project: &[_] = &[("projectId", project)];
    let of_member = [of_project[0], ("memberId", member.as_str())];
    let role = |role: &str| Some(json!({ "role": role }));
    control.send(alice, "putProjectMember", &of_member, role("viewer")).await.expect(200);
    control.send(alice, "listProjectMembers", of_project, None).await.expect(200);
    control.send(alice, "removeProjectMember", &of_member, None).await.expect(200);
    for to in [org, &owner] {
        let to = Some(json!({ "ownerId": to }));
        control.send(alice, "transferProject", of_project, to).await.expect(200);
    }
    let team = alice.post(&format!("/api/v2/orgs/{org}/teams")).json(json!({ "name": "Shared" }));
    let team = team.await.expect(201).text("/team/id");
    let of_team: &[_] = &[("orgId", org), ("teamId", team.as_str())];
    let of_member = [of_team, &[("memberId", member.as_str())]].concat();
    control.send(alice, "putTeamMember", &of_member, role("manager")).await.expect(200);
    control.send(alice, "listTeamMembers", of_team, None).await.expect(200);
    control.send(alice, "removeTeamMember", &of_member, None).await.expect(200);
    alice.delete(&format!("/api/v2/orgs/{org}/teams/{team}")).await.expect(200);
}

/// Uploads in pieces to the object or the card named by `at`; the operations have names with `kind`.
async fn pass_over_pieces(data: &mut Observer, grant: &Caller, kind: &str, at: &[(&str, &str)]) {
    let named = |verb: &str| format!("{verb}{kind}");
    let (create, append, get) = (named("create"), named("append"), named("get"));
    let tus = |request: Request| request.header("tus-resumable", "1.0.0");
    let path = data.path(&create, at);
    data.observe(&format!("describe{kind}s"), grant.request(Method::OPTIONS, &path).await).expect(204);
    data.observe(&create, grant.post(&path).await).expect(412);
    let begun = tus(grant.post(&path)).header("upload-length", "4").await;
    let path = data.observe(&create, begun).expect(201).header("location").to_owned();
    data.observe(&named("describe"), grant.request(Method::OPTIONS, &path).await).expect(204);
    let piece = |request: Request, offset: &str| {
        let piece = tus(request).header("upload-offset", offset);
        piece.body("application/offset+octet-stream", "ab")
    };
    data.observe(&append, piece(grant.patch(&path), "0").await).expect(204);
    data.observe(&append, piece(grant.patch(&path), "0").await).expect(409);
    data.observe(&get, grant.get(&path).await).expect(200);
    let last = piece(grant.post(&path), "2").header("x-http-method-override", "PATCH");
    data.observe(&named("override"), last.await).expect(204);
    data.observe(&get, grant.get(&path).await).expect(200);
    data.observe(&named("delete"), tus(grant.delete(&path)).await).expect(204);
    data.observe(&get, grant.get(&path).await).expect(404);
}

/// A file with a shape.
const TRIANGLE: &[u8] =
    b"solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
                          endfacet\nendsolid t\n";

/// Uploads a file with a shape to the object named by `at`, and looks at it.
async fn pass_over_previews(data: &mut Observer, grant: &Caller, project: &str, at: &[(&str, &str)]) {
    let form = Form::new("t.stl");
    let sent = grant.post(&data.path("uploadFile", at)).body(&form.content_type(), form.body(TRIANGLE));
    let object = uploaded(&sent.await.expect(200))["id"].as_str().unwrap().to_owned();
    let shown = [("projectId", project), ("objectId", object.as_str())];
    let thumbnail = data.send(grant, "readThumbnail", &shown, None).await.expect(200);
    data.revalidate(grant, "readThumbnail", &shown, &thumbnail).await;
    data.send(grant, "readPreview", &shown, None).await.expect(200);
    for (format, status) in [("glb", 200), ("stl", 200), ("dxf", 400)] {
        let derived = [shown[0], shown[1], ("format", format)];
        data.send(grant, "readDerivedFile", &derived, None).await.expect(status);
    }
    let absent = [shown[0], ("objectId", "0198c5f0-0000-7000-8000-000000000000")];
    data.send(grant, "readThumbnail", &absent, None).await.expect(404);
}

/// Attaches a file to a card of a project, reads it and removes it.
async fn pass_over_attachments(
    (control, key): (&mut Observer, &Caller),
    (data, at_data): (&mut Observer, &Caller),
    project: &str,
) {
    let of_project: &[_] = &[("projectId", project)];
    let card = Some(json!({ "name": "Measure the run-out" }));
    let card = control.send(key, "createCard", of_project, card).await.expect(201).text("/card/id");
    let of_card: &[_] = &[of_project[0], ("cardId", card.as_str())];
    let minted = control.send(key, "createAttachmentGrant", of_project, None).await.expect(200);
    let grant = at_data.with(&minted.text("/dataPlane/token"));
    let (form, path) = (Form::new("run-out.csv"), data.path("attachFile", of_card));
    let attach = |body: Vec<u8>| grant.post(&path).body(&form.content_type(), body);
    let attached = data.observe("attachFile", attach(form.body(b"0.02;0.03")).await).expect(200);
    data.observe("attachFile", attach(b"no form".to_vec()).await).expect(400);
    let id = attached.text("/attachment/id");
    let of_file = [of_card, &[("attachmentId", id.as_str())]].concat();
    let read = data.send(&grant, "downloadAttachment", &of_file, None).await.expect(200);
    data.revalidate(&grant, "downloadAttachment", &of_file, &read).await;
    for (range, status) in [("bytes=1-2", 206), ("bytes=99-", 416)] {
        let request = grant.get(&data.path("downloadAttachment", &of_file)).header("range", range);
        data.observe("downloadAttachment", request.await).expect(status);
    }
    let picture = data.send(&grant, "readAttachmentThumbnail", &of_file, None).await.expect(200);
    data.revalidate(&grant, "readAttachmentThumbnail", &of_file, &picture).await;
    pass_over_pieces(data, &grant, "AttachmentUpload", of_card).await;
    control.send(key, "listAttachments", of_card, None).await.expect(200);
    control.send(key, "getCard", of_card, None).await.expect(200);
    control.send(key, "deleteAttachment", &of_file, None).await.expect(200);
    data.send(&grant, "downloadAttachment", &of_file, None).await.expect(404);
}

/// Uses the content of a project with uncommitted changes.
async fn pass_over_content(control: &mut Observer, key: &Caller, project: &str) {
    let of_project: &[_] = &[("projectId", project)];
    let of_main: &[_] = &[of_project[0], ("branch", "main")];
    let whole =
        json!({ "name": "Gear", "type": "Part", "parent": project, "data": { "teeth": 20, "a": [{}] } });
    let gear =
        control.send(key, "createObject", of_project, Some(whole)).await.expect(201).text("/object/id");
    let of_gear: &[_] = &[of_project[0], ("objectId", gear.as_str())];
    let read = control.send(key, "getObject", of_gear, None).await.expect(200);
    control.revalidate(key, "getObject", of_gear, &read).await;
    let change = json!({ "name": "Wheel", "type": "Part", "parent": project, "data": { "teeth": null } });
    control.send(key, "updateObject", of_gear, Some(change)).await.expect(200);
    let operations = json!({ "operations": [
        { "op": "create", "ref": "rim", "name": "Rim", "type": "Part", "parent": gear, "data": {} },
        { "op": "create", "name": "Tooth", "parent": "#rim" },
        { "op": "update", "id": gear, "name": "Gear", "type": "Part", "parent": project, "data": null },
        { "op": "delete", "id": "#rim" },
    ] });
    control.send(key, "batchObjects", of_project, Some(operations)).await.expect(201);
    control.send(key, "listObjects", of_project, None).await.expect(200);
    control.send(key, "deleteObject", of_gear, None).await.expect(200);
    control.send(key, "getObject", of_gear, None).await.expect(404);
    let message = || Some(json!({ "message": "Cut the teeth" }));
    let commit = control.send(key, "createCommit", of_main, message()).await.expect(201).text("/commit/hash");
    control.send(key, "createCommit", of_main, message()).await.expect(409);
    control.unchecked(key, "createCommit", of_main, Some(json!({ "message": " " }))).await.expect(400);
    control.send(key, "listCommits", of_main, None).await.expect(200);
    control.send(key, "discardChanges", of_main, None).await.expect(200);
    let of_commit: &[_] = &[of_project[0], ("hash", commit.as_str())];
    let read = control.send(key, "getCommit", of_commit, None).await.expect(200);
    control.revalidate(key, "getCommit", of_commit, &read).await;
    let compare = format!("/api/v2/projects/{project}/compare?base=main&head={commit}&limit=1");
    control.observe("compareCommits", key.get(&compare).await).expect(200);
    let body = Some(json!({ "name": "teeth", "fromBranch": "main", "fromCommit": commit }));
    control.send(key, "createBranch", of_project, body.clone()).await.expect(201);
    control.send(key, "createBranch", of_project, body).await.expect(409);
    control.send(key, "listBranches", of_project, None).await.expect(200);
    let of_branch: &[_] = &[of_project[0], ("branch", "teeth")];
    let resolution = json!({ "objectId": project, "field": "/name", "take": "ours" });
    let body = json!({
        "source": "main", "message": "Merge", "expectedHead": commit, "resolutions": [], "dryRun": true,
    });
    control.send(key, "mergeBranch", of_branch, Some(body)).await.expect(200);
    let revert = |resolutions: Value| Some(json!({ "branch": "teeth", "resolutions": resolutions }));
    control.send(key, "revertCommit", of_commit, revert(json!([resolution]))).await.expect(400);
    control.send(key, "revertCommit", of_commit, revert(json!([]))).await.expect(200);
    let read = control.send(key, "getBranch", of_branch, None).await.expect(200);
    control.revalidate(key, "getBranch", of_branch, &read).await;
    control.send(key, "deleteBranch", of_branch, None).await.expect(200);
    control.send(key, "getBranch", of_branch, None).await.expect(404);
}

/// Executes code, and creates an evaluation run with the grant of an execution.
async fn pass_over_executions(control: &mut Observer, key: &Caller, of_session: &[(&str, &str)]) {
    let text = "const { size } = atelier.input; console.log(`${size} wheels`); \
                await new Promise((end) => setTimeout(end, 3600000))";
    let id = begin_execution(control, key, of_session, text).await;
    let none = json!({ "objectId": of_session[0].1 });
    control.send(key, "createExecution", of_session, Some(none)).await.expect(400);
    let of_execution = [of_session, &[("executionId", id.as_str())]].concat();
    printed(key, &control.path("getExecution", &of_execution)).await;
    let read = control.send(key, "getExecution", &of_execution, None).await.expect(200);
    control.revalidate(key, "getExecution", &of_execution, &read).await;
    control.send(key, "stopExecution", &of_execution, None).await.expect(200);
    control.send(key, "listExecutions", of_session, None).await.expect(200);

    // Apart, because whole grants are masked. Its answers are no examples.
    let text =
        "console.log([...atelier.grant].join(' ')); await new Promise((end) => setTimeout(end, 3600000))";
    let id = begin_execution(control, key, of_session, text).await;
    let path = control.path("getExecution", &[of_session, &[("executionId", id.as_str())]].concat());
    let grant = key.with(&printed(key, &path).await.replace(char::is_whitespace, ""));
    control.send(&grant, "createEvaluationRun", &of_session[..1], None).await.expect(201);
    control.send(key, "createEvaluationRun", &of_session[..1], None).await.expect(403);
    key.post(&format!("{path}/stop")).await.expect(200);
}

/// Executes the text as new code of the session, and answers the execution's id.
async fn begin_execution(
    control: &mut Observer,
    key: &Caller,
    of_session: &[(&str, &str)],
    text: &str,
) -> String {
    let code = json!({ "name": "code", "type": "Code", "data": { "language": "JavaScript", "text": text } });
    let code = control.send(key, "createObject", &of_session[..1], Some(code)).await.expect(201);
    let body = json!({ "objectId": code.text("/object/id"), "input": { "size": 2 } });
    let begun = control.send(key, "createExecution", of_session, Some(body)).await.expect(201);
    begun.text("/execution/executionId")
}

/// The first line that the execution at this path prints.
async fn printed(key: &Caller, path: &str) -> String {
    let said = async || key.get(path).await.expect(200).text("/execution/output");
    eventually_async("the code prints", async || said().await.ends_with('\n')).await;
    said().await
}

/// Publishes a package of `library` and includes it in `project`.
async fn pass_over_packages(control: &mut Observer, key: &Caller, project: &str, library: &str) {
    let package = Session::open(key, library).await.model().await;
    let of_package: &[_] = &[("projectId", library), ("packageId", package.as_str())];
    let said = Some(json!({ "description": "Wheels." }));
    let published = control.send(key, "publishPackage", of_package, said).await.expect(200);
    control.send(key, "listPackages", &of_package[..1], None).await.expect(200);
    control.send(key, "getPackage", of_package, None).await.expect(200);
    let include = json!({ "ref": published.text("/package/ref"), "parent": project, "name": "Wheels" });
    let of_project: &[_] = &[("projectId", project)];
    let include = control.send(key, "createInclude", of_project, Some(include)).await.expect(201);
    let include = include.text("/include/id");
    let of_include: &[_] = &[of_project[0], ("includeId", include.as_str())];
    let read = control.send(key, "getInclude", of_include, None).await.expect(200);
    control.revalidate(key, "getInclude", of_include, &read).await;
    let pin = Some(json!({ "commitHash": published.text("/package/commitHash") }));
    control.send(key, "updateInclude", of_include, pin).await.expect(200);
    control.send(key, "getBom", of_project, None).await.expect(200);
    let of_object: &[_] = &[of_project[0], ("objectId", include.as_str())];
    control.send(key, "listObjectUses", of_object, None).await.expect(200);
    let uses = format!("{}?part=wheel", control.path("listUses", &[]));
    control.observe("listUses", key.get(&uses).await).expect(200);
    control.send(key, "withdrawPackage", of_package, None).await.expect(200);
    control.send(key, "getInclude", of_include, None).await.expect(200);
    control.send(key, "getPackage", of_package, None).await.expect(404);
}

/// The project, assignee and object for cards.
struct Place<'a> {
    project: &'a str,
    user: &'a str,
    object: &'a str,
}

async fn pass_over_cards(control: &mut Observer, key: &Caller, place: Place<'_>) {
    let of_project: &[_] = &[("projectId", place.project)];
    let tag = json!({ "name": "urgent", "description": "Now.", "color": "#FF0000", "status": "active" });
    let tag =
        control.send(key, "createCardTag", of_project, Some(tag.clone())).await.expect(201).text("/tag/id");
    let of_tag: &[_] = &[of_project[0], ("tagId", tag.as_str())];
    let read = control.send(key, "getCardTag", of_tag, None).await.expect(200);
    control.revalidate(key, "getCardTag", of_tag, &read).await;
    control.send(key, "updateCardTag", of_tag, Some(json!({ "description": null }))).await.expect(200);
    let whole = json!({
        "name": "Cut teeth", "description": "All of them.", "resolution": "", "effort": 3,
        "deadline": "2027-01-01T00:00:00Z", "assigneeId": place.user, "tagIds": [tag], "priority": "high",
        "type": "change", "startDate": "2026-12-01", "fields": { "Material": "steel" },
        "checklist": ["Measure the blank"],
    });
    let card_type = pass_over_card_types(control, key, of_project[0]).await;
    let field = pass_over_fields(control, key, of_project[0]).await;
    let created = control.send(key, "createCard", of_project, Some(whole)).await.expect(201);
    let (card, card_key) = (created.text("/card/id"), created.text("/card/key"));
    let of_card: &[_] = &[of_project[0], ("cardId", card.as_str())];
    let many = json!({ "atomic": false, "operations": [
        { "op": "create", "name": "Grind teeth", "effort": 1 },
        { "op": "update", "cardId": card, "effort": 2, "expectedHistoryHeadId": null },
        { "op": "tag", "cardId": card, "tagId": tag }, { "op": "untag", "cardId": card, "tagId": tag },
        { "op": "assign", "cardId": card, "userId": place.user },
        { "op": "unassign", "cardId": card, "userId": place.user },
        { "op": "link", "cardId": card, "objectId": place.object },
        { "op": "unlink", "cardId": card, "objectId": place.object },
        { "op": "delete", "cardId": place.object },
    ] });
    control.send(key, "changeCards", of_project, Some(many)).await.expect(200);
    control.send(key, "getCardUsage", of_card, None).await.expect(200);
    control.send(key, "listCardUsage", of_project, None).await.expect(200);
    control.observe("searchCards", key.get("/api/v2/cards?q=teeth&open=true&limit=1").await).expect(200);
    let read = control.send(key, "getCard", of_card, None).await.expect(200);
    control.revalidate(key, "getCard", of_card, &read).await;
    control
        .send(key, "updateCard", of_card, Some(json!({ "isOpen": false, "deadline": null })))
        .await
        .expect(200);
    for (put, delete, end) in [
        ("assignCard", "unassignCard", ("userId", place.user)),
        ("tagCard", "untagCard", ("tagId", tag.as_str())),
        ("linkCard", "unlinkCard", ("objectId", place.object)),
    ] {
        let path = [of_card, &[end]].concat();
        let put = control.send(key, put, &path, None).await.expect(200);
        let head = json!({ "expectedHistoryHeadId": put.json()["historyHeadId"] });
        control.send(key, delete, &path, Some(head)).await.expect(200);
    }
    let part = json!({ "name": "Measure", "parentId": card });
    let part = control.send(key, "createCard", of_project, Some(part)).await.expect(201).text("/card/key");
    let related = [of_card, &[("otherCardId", part.as_str())]].concat();
    let kind = Some(json!({ "kind": "relates" }));
    control.send(key, "relateCards", &related, kind).await.expect(200);
    control.send(key, "listCardRelations", of_card, None).await.expect(200);
    control.send(key, "createObject", of_project, Some(json!({ "name": "Tooth" }))).await.expect(201);
    let of_main: &[_] = &[of_project[0], ("branch", "main")];
    let message = json!({ "message": format!("Cut the first tooth of {card_key}") });
    control.send(key, "createCommit", of_main, Some(message)).await.expect(201);
    control.send(key, "listCardCommits", of_card, None).await.expect(200);
    control.send(key, "getCard", of_card, None).await.expect(200);
    let kind = Some(json!({ "kind": "relates" }));
    control.send(key, "unrelateCards", &related, kind).await.expect(200);
    let line = Some(json!({ "text": "Measure the run-out", "isDone": false }));
    let line = control.send(key, "addChecklistItem", of_card, line).await.expect(201).text("/item/id");
    control.send(key, "listChecklist", of_card, None).await.expect(200);
    control.send(key, "getMyWork", &[], None).await.expect(200);
    let of_line = [of_card, &[("itemId", line.as_str())]].concat();
    let done = Some(json!({ "isDone": true, "afterItemId": null }));
    control.send(key, "updateChecklistItem", &of_line, done).await.expect(200);
    control.send(key, "deleteChecklistItem", &of_line, None).await.expect(200);
    let body = Some(json!({ "body": "Done." }));
    let comment =
        control.send(key, "createComment", of_card, body.clone()).await.expect(201).text("/comment/id");
    let of_comment = [of_card, &[("commentId", comment.as_str())]].concat();
    control.send(key, "updateComment", &of_comment, body).await.expect(200);
    control.send(key, "listComments", of_card, None).await.expect(200);
    control.send(key, "deleteComment", &of_comment, None).await.expect(200);
    control
        .observe("searchCards", key.get("/api/v2/cards?assignee=none,me&priority=!low&sort=deadline").await)
        .expect(200);
    for report in ["getFlowReport", "exportFlowReport"] {
        let path = format!("{}?from=2026-11-01&to=2026-11-02", control.path(report, of_project));
        control.observe(report, key.get(&path).await).expect(200);
    }
    for list in [
        "listCardTypes",
        "listFields",
        "listCards",
        "exportCards",
        "exportProject",
        "listCardTags",
        "listHistory",
    ] {
        control.send(key, list, of_project, None).await.expect(200);
    }
    control.send(key, "listCardHistory", of_card, None).await.expect(200);
    let stale = Some(json!({ "expectedHistoryHeadId": place.object }));
    control.send(key, "deleteCard", of_card, stale).await.expect(409);
    control.send(key, "deleteCard", of_card, None).await.expect(200);
    control.send(key, "getCard", of_card, None).await.expect(404);
    control.send(key, "deleteCardTag", of_tag, None).await.expect(200);
    let of_type: &[_] = &[of_project[0], ("cardTypeId", card_type.as_str())];
    control.send(key, "deleteCardType", of_type, None).await.expect(200);
    control.send(key, "deleteField", &[of_project[0], ("fieldId", field.as_str())], None).await.expect(200);
    pass_over_views(control, key, of_project[0].1).await;
}

async fn pass_over_views(control: &mut Observer, key: &Caller, project: &str) {
    let view = json!({
        "name": "Urgent and mine", "projectId": project, "layout": "table", "groupBy": "type",
        "filter": { "assignee": ["me", "none"], "priority": ["!low", "!none"], "open": true },
        "columns": ["key", "name", "due"], "order": { "by": "due" },
    });
    let id = control.send(key, "createView", &[], Some(view)).await.expect(201).text("/view/id");
    let of_view: &[_] = &[("viewId", id.as_str())];
    let read = control.send(key, "getView", of_view, None).await.expect(200);
    control.revalidate(key, "getView", of_view, &read).await;
    control
        .send(key, "updateView", of_view, Some(json!({ "name": "Mine", "order": null })))
        .await
        .expect(200);
    control.send(key, "listViews", &[], None).await.expect(200);
    control.send(key, "deleteView", of_view, None).await.expect(200);
}

/// Defines the type `bug`; returns its id.
async fn pass_over_card_types(control: &mut Observer, key: &Caller, of_project: (&str, &str)) -> String {
    let defined = json!({ "name": "bug", "description": "Steps to see it:", "checklist": ["Write a test"] });
    let created = control.send(key, "createCardType", &[of_project], Some(defined)).await.expect(201);
    let id = created.text("/cardType/id");
    let of_type: &[_] = &[of_project, ("cardTypeId", id.as_str())];
    let read = control.send(key, "getCardType", of_type, None).await.expect(200);
    control.revalidate(key, "getCardType", of_type, &read).await;
    let change = json!({ "checklist": ["Write a test", "Tell the customer"] });
    control.send(key, "updateCardType", of_type, Some(change)).await.expect(200);
    id
}

/// Defines the field `Material`; returns its id.
async fn pass_over_fields(control: &mut Observer, key: &Caller, of_project: (&str, &str)) -> String {
    let field =
        json!({ "name": "Material", "type": "choice", "options": ["steel", "brass"], "isShown": true });
    let created = control.send(key, "createField", &[of_project], Some(field)).await.expect(201);
    let id = created.text("/field/id");
    let of_field: &[_] = &[of_project, ("fieldId", id.as_str())];
    let read = control.send(key, "getField", of_field, None).await.expect(200);
    control.revalidate(key, "getField", of_field, &read).await;
    let change = json!({ "description": "Of the blank.", "isRequired": false });
    control.send(key, "updateField", of_field, Some(change)).await.expect(200);
    id
}

async fn pass_over_pictures(control: &mut Observer, browser: &Caller, user: &str) {
    let path = control.path("putPicture", &[]);
    let (media_type, body) = form_with(&[], &png_of([90, 120, 200], ""));
    let put = control.observe("putPicture", browser.put(&path).body(&media_type, body).await).expect(200);
    let (media_type, body) = form_with(&[], b"no image");
    control.observe("putPicture", browser.put(&path).body(&media_type, body).await).expect(400);
    let people = json!({ "userIds": [user] });
    control.send(browser, "lookUpPictures", &[], Some(people)).await.expect(200);
    let hash = put.text("/picture/sha256");
    let of_picture: &[_] = &[("pictureHash", hash.as_str())];
    control.send(browser, "getPicture", of_picture, None).await.expect(200);
    control.send(browser, "deletePicture", &[], None).await.expect(200);
    control.send(browser, "getPicture", of_picture, None).await.expect(404);
}

async fn pass_over_imports(control: &mut Observer, key: &Caller, org: &str, project: &str) {
    let of_org: &[_] = &[("orgId", org)];
    let columns = r#"{"Nr":"id","Title":"name"}"#;
    let fields = [("tool", "csv"), ("projectId", project), ("columns", columns), ("dryRun", "true")];
    let path = control.path("createImport", of_org);
    let (media_type, body) = form_with(&fields, b"Nr,Title,Due\n1,Cut the teeth,soon\n,,\n");
    let begun = control.observe("createImport", key.post(&path).body(&media_type, body).await).expect(201);
    let refused = key.post(&path).body(&media_type, "no form").await;
    control.observe("createImport", refused).expect(400);
    let import = begun.text("/import/id");
    let of_import = [of_org[0], ("importId", import.as_str())];
    control.send(key, "listImports", of_org, None).await.expect(200);
    control.send(key, "exportOrganization", of_org, None).await.expect(200);
    control.send(key, "getImport", &of_import, None).await.expect(200);
    control.send(key, "listImportNotes", &of_import, None).await.expect(200);
}

async fn pass_over_teams(control: &mut Observer, key: &Caller, org: &str, project: &str) {
    let of_org: &[_] = &[("orgId", org)];
    let whole = json!({
        "name": "Wheels", "description": "Of all kinds.", "status": "active", "visibility": "internal",
        "timeZone": "Europe/Berlin",
    });
    let team =
        control.send(key, "createTeam", of_org, Some(whole.clone())).await.expect(201).text("/team/id");
    control.send(key, "createTeam", of_org, Some(whole)).await.expect(409);
    control.send(key, "listTeams", of_org, None).await.expect(200);
    let of_team: &[_] = &[of_org[0], ("teamId", team.as_str())];
    let read = control.send(key, "getTeam", of_team, None).await.expect(200);
    control.revalidate(key, "getTeam", of_team, &read).await;
    let change = Some(json!({ "description": null, "status": null, "visibility": "private" }));
    control.send(key, "updateTeam", of_team, change).await.expect(200);

    let first =
        control.send(key, "createStatus", of_team, Some(json!({ "name": "To do" }))).await.expect(201);
    let whole = json!({
        "name": "Done", "description": "And checked.", "color": "#00FF00", "status": "active",
        "transitionState": "closed", "closeMode": "automatic", "wipLimit": 5, "wipPolicy": "block",
        "wipUnit": "effort", "afterStatusId": first.text("/status/id"),
    });
    let status = control.send(key, "createStatus", of_team, Some(whole)).await.expect(201).text("/status/id");
    control.send(key, "listStatuses", of_team, None).await.expect(200);
    let of_status: &[_] = &[of_team[0], of_team[1], ("statusId", status.as_str())];
    let read = control.send(key, "getStatus", of_status, None).await.expect(200);
    control.revalidate(key, "getStatus", of_status, &read).await;
    let change = Some(json!({ "wipLimit": null, "beforeStatusId": first.text("/status/id") }));
    control.send(key, "updateStatus", of_status, change).await.expect(200);

    let of_link: &[_] = &[of_team[0], of_team[1], ("projectId", project)];
    control.send(key, "linkProject", of_link, None).await.expect(200);
    control.send(key, "listTeamProjects", of_team, None).await.expect(200);
    let of_project: &[_] = &[("projectId", project)];
    let tag = json!({ "name": "ready" });
    let tag = control.send(key, "createCardTag", of_project, Some(tag)).await.expect(201).text("/tag/id");
    let user = control.send(key, "getMe", &[], None).await.expect(200).text("/user/id");
    let card = json!({ "name": "Spokes", "tagIds": [tag], "assigneeId": user });
    control.send(key, "createCard", of_project, Some(card)).await.expect(201);
    control.send(key, "listAvailableCards", of_team, None).await.expect(200);
    for (events, path) in [("streamTeamEvents", of_team), ("streamProjectEvents", &[("projectId", project)])]
    {
        let path = format!("{}?after=0&follow=false", control.path(events, path));
        control.observe(events, key.get(&path).await).expect(200);
    }
    let body = json!({ "name": "Cut teeth", "effort": 3 });
    let card = control.send(key, "createCard", &[of_link[2]], Some(body)).await.expect(201).text("/card/id");
    let of_card: &[_] = &[of_team[0], of_team[1], ("cardId", card.as_str())];
    pass_over_sprints(control, key, of_card, &status).await;
    control.send(key, "placeCard", of_card, Some(json!({ "statusId": status }))).await.expect(200);
    control.send(key, "deleteStatus", of_status, None).await.expect(400);
    let to = Some(json!({ "moveCardsTo": first.text("/status/id") }));
    control.send(key, "deleteStatus", of_status, to).await.expect(200);
    let mut expected = json!({ "expectedHistoryHeadIds": {} });
    control.send(key, "deleteTeam", of_team, Some(expected.clone())).await.expect(409);
    control.send(key, "unlinkProject", of_link, None).await.expect(200);
    control.send(key, "linkProject", of_link, None).await.expect(200);
    let placed = control.send(key, "placeCard", of_card, Some(json!({}))).await.expect(200);
    expected["expectedHistoryHeadIds"][&card] = placed.json()["historyHeadId"].clone();
    control.send(key, "deleteTeam", of_team, Some(expected)).await.expect(200);
}

async fn pass_over_sprints(control: &mut Observer, key: &Caller, of_card: &[(&str, &str)], status: &str) {
    let of_team = of_card.split_last().unwrap().1;
    let whole = json!({
        "name": "One", "description": "The first.", "startDate": "2026-11-02", "endDate": "2026-11-15T12:00Z",
    });
    let sprint = control.send(key, "createSprint", of_team, Some(whole)).await.expect(201).text("/sprint/id");
    let of_sprint = [of_team, &[("sprintId", sprint.as_str())]].concat();
    let read = control.send(key, "getSprint", &of_sprint, None).await.expect(200);
    control.revalidate(key, "getSprint", &of_sprint, &read).await;
    control.send(key, "updateSprint", &of_sprint, Some(json!({ "endDate": null }))).await.expect(200);
    let whole = json!({ "statusId": status, "sprintId": sprint, "closeCard": false });
    control.send(key, "placeCard", of_card, Some(whole)).await.expect(200);
    let whole = json!({ "placements": [{
        "cardId": of_card.last().unwrap().1, "statusId": status, "sprintId": sprint, "closeCard": false,
    }] });
    control.send(key, "placeCards", of_team, Some(whole)).await.expect(200);
    let read = control.send(key, "getBoard", of_team, None).await.expect(200);
    control.revalidate(key, "getBoard", of_team, &read).await;
    control.send(key, "getBoardChanges", of_team, None).await.expect(200);
    let start = json!({ "endDate": "2026-11-15", "allowConcurrent": false });
    control.send(key, "startSprint", &of_sprint, Some(start.clone())).await.expect(200);
    control.send(key, "startSprint", &of_sprint, Some(start)).await.expect(409);
    control.send(key, "getSprintReport", &of_sprint, None).await.expect(200);
    let other = control.send(key, "createSprint", of_team, Some(json!({ "name": "Two" }))).await.expect(201);
    let other = other.text("/sprint/id");
    let complete = json!({ "incompleteCardsTo": other });
    control.send(key, "completeSprint", &of_sprint, Some(complete)).await.expect(200);
    control.send(key, "getSprintReport", &of_sprint, None).await.expect(200);
    control.send(key, "listSprints", of_team, None).await.expect(200);
    let of_other = [of_team, &[("sprintId", other.as_str())]].concat();
    control.send(key, "deleteSprint", &of_other, None).await.expect(200);
    control.send(key, "getSprint", &of_other, None).await.expect(404);
    control.send(key, "removeCard", of_card, None).await.expect(200);
}

#[tokio::test]
async fn every_body_lists_its_fields_and_every_type_has_a_stable_name() {
    let deployment = Deployment::shared();
    let (control, data) = documents(&deployment).await;
    for document in [control, data] {
        for operation in operations(&document) {
            let id = operation["operationId"].as_str().unwrap();
            let open = operation["x-permission"].is_null() != operation["x-scope"].is_null();
            assert!(!open, "{id} names its permission or its scope alone");
            let needs_none = WITHOUT_PERMISSION.contains(&id) || WITHOUT_CREDENTIAL.contains(&id);
            assert_eq!(operation["x-permission"].is_null(), needs_none, "{id}");
            let Some(content) = operation.pointer("/requestBody/content").and_then(Value::as_object) else {
                continue;
            };
            // Clients of Git LFS and MCP send more fields than a server needs.
            let is_open = ["batchLfs", "batchLfsByName", "callMcp", "useMcp"].contains(&id);
            for body in content.values().filter(|_| !is_open) {
                assert_closed(&document, &body["schema"], id, &mut BTreeSet::new());
            }
        }
        for name in document["components"]["schemas"].as_object().unwrap().keys() {
            // A number would mean that types with the same name were distinguished by their order.
            assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "{name}");
        }
    }
}

async fn documents(deployment: &Deployment) -> (Value, Value) {
    let control = deployment.anonymous().get("/api/v2/openapi.json").await.expect(200).json();
    let data = deployment.anonymous_at_data().get("/api/v1/openapi.json").await.expect(200).json();
    (control, data)
}

fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values())
}

/// Fails if a described object allows fields that it doesn't list.
fn assert_closed<'a>(document: &'a Value, schema: &'a Value, id: &str, seen: &mut BTreeSet<&'a str>) {
    if let Some(reference) = schema["$ref"].as_str() {
        if seen.insert(reference) {
            assert_closed(document, document.pointer(reference.trim_start_matches('#')).unwrap(), id, seen);
        }
        return;
    }
    if schema["type"] == "object" {
        // Maps describe their values, and free properties are declared.
        let more = &schema["additionalProperties"];
        assert!(more.is_object() || more.is_boolean(), "{id}: {schema}");
    }
    let parts = ["properties", "items", "anyOf", "oneOf", "allOf"].into_iter().map(|part| &schema[part]);
    for part in parts {
        match part {
            Value::Object(fields) if fields.contains_key("type") || fields.contains_key("$ref") => {
                assert_closed(document, part, id, seen);
            }
            Value::Object(fields) => {
                fields.values().for_each(|field| assert_closed(document, field, id, seen));
            }
            Value::Array(items) => items.iter().for_each(|item| assert_closed(document, item, id, seen)),
            _ => {}
        }
    }
}

/// Compares requests and answers of one service with its document.
struct Observer {
    document: Value,
    /// Operations by id, with methods and paths.
    operations: BTreeMap<String, (Method, String, Value)>,
    /// Operations that have succeeded.
    seen: BTreeSet<String>,
    examples: Examples,
}

impl Observer {
    fn of(document: &Value) -> Self {
        let mut operations = BTreeMap::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let id = operation["operationId"].as_str().unwrap().to_owned();
                let method: Method = method.to_uppercase().parse().unwrap();
                operations.insert(id, (method, path.clone(), operation.clone()));
            }
        }
        let mut document = document.clone();
        // An answer must not have a field that the document lacks.
        close(&mut document["components"]["schemas"]);
        Self { document, operations, seen: BTreeSet::new(), examples: Examples::default() }
    }

    /// Sends a request that the document allows, and checks its answer.
    async fn send(
        &mut self,
        caller: &Caller,
        id: &str,
        path: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        if let Some(body) = &body {
            let schema = &self.operations[id].2["requestBody"]["content"]["application/json"]["schema"];
            assert_valid(&self.validator(schema), body, id);
        }
        self.unchecked(caller, id, path, body).await
    }

    /// Sends any request, and checks its answer.
    async fn unchecked(
        &mut self,
        caller: &Caller,
        id: &str,
        path: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        let request = self.request(caller, id, path);
        let answer = match body.clone() {
            Some(body) => request.json(body).await,
            None => request.await,
        };
        if answer.status < 300
            && let Some(body) = body
        {
            self.examples.add(id, Some(&body), json_of(&answer).as_ref());
        }
        self.observe(id, answer)
    }

    /// Repeats a read with the tag that the caller has.
    async fn revalidate(&mut self, caller: &Caller, id: &str, path: &[(&str, &str)], read: &Answer) {
        let request = self.request(caller, id, path).header("if-none-match", read.header("etag"));
        self.observe(id, request.await).expect(304);
    }

    fn request(&self, caller: &Caller, id: &str, path: &[(&str, &str)]) -> Request {
        caller.request(self.operations[id].0.clone(), &self.path(id, path))
    }

    fn path(&self, id: &str, values: &[(&str, &str)]) -> String {
        let fill = |path: String, (name, value): &(&str, &str)| path.replace(&format!("{{{name}}}"), value);
        let path = values.iter().fold(self.operations[id].1.clone(), fill);
        assert!(!path.contains('{'), "{path}");
        path
    }

    fn observe(&mut self, id: &str, answer: Answer) -> Answer {
        let (_, _, operation) = &self.operations[id];
        let (status, responses) = (answer.status.to_string(), &operation["responses"]);
        let failed = answer.status >= 400;
        let response = match responses.get(&status) {
            Some(response) => response,
            // All failures have the same shape; successes are listed.
            None if failed => &responses["default"],
            None => panic!("{id} answers {status}, which it does not list"),
        };
        let response = match response["$ref"].as_str() {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => response,
        };
        if failed && let Some(codes) = response["x-error-codes"].as_array() {
            assert!(codes.contains(&json!(answer.code())), "{id} {status}: {} is not listed", answer.code());
        }
        let Some(content) = response["content"].as_object() else {
            assert!(answer.body.is_empty(), "{id} {status} has a body that it does not list");
            // An answer without a body may be the operation's only one, or a 304.
            if status == "204" {
                self.seen.insert(id.to_owned());
            }
            return answer;
        };
        if let Some(media) = content.get("application/json") {
            assert_eq!(answer.header("content-type"), "application/json", "{id} {status}");
            assert_valid(&self.validator(&media["schema"]), &answer.json(), &format!("{id} {status}"));
        }
        if !failed {
            self.seen.insert(id.to_owned());
            self.examples.add(id, None, json_of(&answer).as_ref());
        }
        answer
    }

    /// Every operation with JSON has an example that its schemas allow. `ATELIER_EXAMPLES=write` writes them
    /// again, out of the requests of this test.
    fn finish(self, plane: &str) {
        if std::env::var("ATELIER_EXAMPLES").is_ok_and(|value| value == "write") {
            let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
            let file = crates.join(plane).join("generated/examples.json");
            fs::write(file, self.examples.file()).unwrap();
            return;
        }
        for (id, (_, _, operation)) in &self.operations {
            let answers = operation["responses"].as_object().unwrap().iter();
            let answers = answers.filter(|(status, _)| status.starts_with('2')).map(|(_, answer)| answer);
            for described in answers.chain([&operation["requestBody"]]) {
                let Some(json) = described.pointer("/content/application~1json") else { continue };
                let example = example(&self.document, json);
                if example.is_null() {
                    let needs_none = WITHOUT_EXAMPLE.contains(&id.as_str()) || described["required"] == false;
                    assert!(needs_none, "{id} has no example: run this test with ATELIER_EXAMPLES=write");
                    continue;
                }
                assert_valid(&self.validator(&json["schema"]), example, id);
            }
        }
    }

    fn validator(&self, schema: &Value) -> Validator {
        let schema = json!({ "allOf": [schema], "components": self.document["components"] });
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .build(&schema)
            .unwrap()
    }

    fn assert_all_seen(&self) {
        let unseen: Vec<_> = self.operations.keys().filter(|id| !self.seen.contains(*id)).collect();
        assert!(unseen.is_empty(), "{unseen:?} were not tried, or never succeeded");
    }
}

fn assert_valid(validator: &Validator, value: &Value, what: &str) {
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect();
    assert!(errors.is_empty(), "{what}: {}\n{value}", errors.join("; "));
}

/// The body of an answer, if it is JSON.
fn json_of(answer: &Answer) -> Option<Value> {
    (answer.header("content-type") == "application/json").then(|| answer.json())
}

/// Closes every object with listed fields to others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("type") == Some(&json!("object")) && fields.contains_key("properties") {
                fields.entry("additionalProperties").or_insert(json!(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
