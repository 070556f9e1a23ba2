//! Rules for every operation, by the OpenAPI documents. An operation that requires a body needs a row here; others are
//! requested by their path alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::document::parameters;
use testkit::images::png_of;
use testkit::model_server::models_at;
use testkit::seed::{MANAGE, User};
use testkit::session::{Session, ask_for_approval, create_project, file_name, uploaded};
use testkit::upload::{Form, form_with};
use uuid::Uuid;

use crate::authentication::grant_with;
use testkit::open_session::{OpenSession, eventually_async};

/// The body, query or headers of a valid request, by operation. A test then changes another part of the request.
fn rows() -> BTreeMap<&'static str, Content> {
    let key = json!({ "name": "ci", "scopes": ["projects:read"] });
    BTreeMap::from([
        ("createApiKey", Content::Json(key)),
        ("putPicture", Content::Picture),
        ("lookUpPictures", Content::Json(json!({ "userIds": [Uuid::nil()] }))),
        ("updateMe", Content::Json(json!({ "showEmailInCommits": true }))),
        ("signOut", Content::Json(json!({ "everywhere": true }))),
        ("createOrganization", Content::Json(json!({ "name": "Gears" }))),
        ("updateOrganization", Content::Json(json!({ "name": "Gears" }))),
        ("updateMember", Content::Json(json!({ "role": "member" }))),
        ("createInvitation", Content::Json(json!({ "role": "guest" }))),
        ("lookUpInvitation", Content::Invitation),
        ("acceptInvitation", Content::Invitation),
        ("createServiceAccount", Content::Json(json!({ "name": "robot", "role": "guest" }))),
        ("createServiceAccountKey", Content::Json(json!({ "name": "ci", "scopes": ["projects:read"] }))),
        ("putProjectMember", Content::Json(json!({ "role": "viewer" }))),
        ("putTeamMember", Content::Json(json!({ "role": "member" }))),
        ("transferProject", Content::Owner),
        ("rotateApiKey", Content::Json(json!({ "graceSeconds": 60 }))),
        ("createProject", Content::Json(json!({ "name": "Gear" }))),
        ("updateProject", Content::Json(json!({ "description": "changed" }))),
        ("createObject", Content::Json(json!({ "name": "Tooth", "data": { "size": 2 } }))),
        (
            "batchObjects",
            Content::Json(json!({ "operations": [
                { "op": "create", "ref": "rim", "name": "Rim" },
                { "op": "create", "name": "Tooth", "parent": "#rim" },
            ] })),
        ),
        ("updateObject", Content::Json(json!({ "name": "Teeth" }))),
        ("createBranch", Content::Json(json!({ "name": "feature/teeth" }))),
        ("createCommit", Content::Json(json!({ "message": "Cut the teeth" }))),
        ("revertCommit", Content::Json(json!({ "branch": "spare" }))),
        ("mergeBranch", Content::Json(json!({ "source": "spare" }))),
        ("searchCards", Content::Query("q=gear")),
        ("compareCommits", Content::Query("base=spare&head=main")),
        ("listUses", Content::Query("part=4711")),
        ("publishPackage", Content::Json(json!({ "description": "Gears." }))),
        ("createInclude", Content::Include),
        ("updateInclude", Content::Pin),
        ("createSession", Content::Json(json!({}))),
        ("getSessionUsage", Content::Query("groupBy=model")),
        ("getProjectUsage", Content::Query("groupBy=day&from=2026-11-01")),
        (
            "putMcpServer",
            Content::Json(json!({ "url": "https://mcp.example/", "headers": { "X-Key": "1" } })),
        ),
        ("getUsage", Content::Query("groupBy=project")),
        ("updateSession", Content::Json(json!({ "budget": { "credits": 5 } }))),
        ("getOrganizationUsage", Content::Query("groupBy=project")),
        ("promptSession", Content::Json(json!({ "prompt": "Draw a gear." }))),
        ("streamEvents", Content::Query("follow=false")),
        ("streamTeamEvents", Content::Query("follow=false")),
        ("streamProjectEvents", Content::Query("follow=false")),
        (
            "invokeTool",
            Content::Json(
                json!({ "toolbox": "project", "tool": "create_object", "params": { "name": "Tooth" } }),
            ),
        ),
        ("callMcp", Content::Json(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))),
        ("useMcp", Content::Json(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))),
        ("answerApproval", Content::Json(json!({ "decision": "deny" }))),
        ("createExecution", Content::Code),
        ("createCard", Content::Json(json!({ "name": "Grind the teeth" }))),
        (
            "changeCards",
            Content::Json(json!({ "operations": [{ "op": "create", "name": "Grind the teeth" }] })),
        ),
        ("updateCard", Content::Json(json!({ "isOpen": false }))),
        ("createComment", Content::Json(json!({ "body": "Done." }))),
        ("updateComment", Content::Json(json!({ "body": "Done." }))),
        ("relateCards", Content::Json(json!({ "kind": "relates" }))),
        ("addChecklistItem", Content::Json(json!({ "text": "Measure the run-out" }))),
        ("updateChecklistItem", Content::Json(json!({ "isDone": true }))),
        ("createCardType", Content::Json(json!({ "name": "review" }))),
        ("updateCardType", Content::Json(json!({ "checklist": ["Look at the drawing"] }))),
        ("createField", Content::Json(json!({ "name": "Weight", "type": "number" }))),
        ("updateField", Content::Json(json!({ "status": "archived" }))),
        (
            "createView",
            Content::Json(
                json!({ "name": "Mine", "layout": "table", "filter": { "assignee": ["me", "!none"] } }),
            ),
        ),
        ("updateView", Content::Json(json!({ "name": "Ours", "groupBy": "priority" }))),
        ("createCardTag", Content::Json(json!({ "name": "ready" }))),
        ("updateCardTag", Content::Json(json!({ "status": "archived" }))),
        ("createImport", Content::Export),
        ("createCalendarFeed", Content::Json(json!({ "name": "Work" }))),
        ("createTeam", Content::Json(json!({ "name": "Teeth" }))),
        ("updateTeam", Content::Json(json!({ "description": "changed" }))),
        ("createStatus", Content::Json(json!({ "name": "Doing" }))),
        ("updateStatus", Content::Json(json!({ "color": "#00FF00" }))),
        ("getGitReferences", Content::Query("service=git-upload-pack")),
        ("getGitReferencesByName", Content::Query("service=git-upload-pack")),
        ("fetchGit", Content::Git),
        ("fetchGitByName", Content::Git),
        ("placeCard", Content::Json(json!({ "sprintId": null }))),
        ("placeCards", Content::Placements),
        ("createSprint", Content::Json(json!({ "name": "Two" }))),
        ("updateSprint", Content::Json(json!({ "name": "One and a half" }))),
        ("startSprint", Content::Json(json!({ "startDate": "2026-11-02", "endDate": "2026-11-15" }))),
        ("batchLfs", Content::Json(json!({ "operation": "download", "objects": [] }))),
        ("batchLfsByName", Content::Json(json!({ "operation": "download", "objects": [] }))),
        ("lookUpFiles", Content::Json(json!({ "hashes": ["0".repeat(64)] }))),
        ("uploadFile", Content::File),
        ("uploadFiles", Content::File),
        ("replaceFile", Content::File),
        ("uploadArchive", Content::Archive),
        ("attachFile", Content::File),
        ("createResumableUpload", Content::Tus(&[("upload-length", "4")])),
        ("getResumableUpload", Content::Tus(&[])),
        ("appendResumableUpload", Content::Piece(&[])),
        ("overrideResumableUpload", Content::Piece(&[("x-http-method-override", "PATCH")])),
        ("deleteResumableUpload", Content::Tus(&[])),
        ("createAttachmentUpload", Content::Tus(&[("upload-length", "4")])),
        ("getAttachmentUpload", Content::Tus(&[])),
        ("appendAttachmentUpload", Content::Piece(&[])),
        ("overrideAttachmentUpload", Content::Piece(&[("x-http-method-override", "PATCH")])),
        ("deleteAttachmentUpload", Content::Tus(&[])),
    ])
}

/// All scopes.
const ALL_SCOPES: [&str; 10] = [
    "projects:read",
    "projects:write",
    "projects:manage",
    "cards:read",
    "cards:write",
    "cards:manage",
    "teams:read",
    "teams:write",
    "teams:manage",
    "usage:read",
];

enum Content {
    Json(Value),
    /// A query without a body.
    Query(&'static str),
    /// A card to place.
    Placements,
    /// A package of the caller's library to include.
    Include,
    /// Another commit of the included package.
    Pin,
    /// The secret of an invitation to another organization.
    Invitation,
    /// The project's present owner.
    Owner,
    /// An execution of the caller's code.
    Code,
    /// A request for an unknown commit, which is answered like any other.
    Git,
    File,
    /// A trial of an import of a table.
    Export,
    /// An image of a person.
    Picture,
    /// An archive.
    Archive,
    /// Headers of a resumable upload without a body.
    Tus(&'static [(&'static str, &'static str)]),
    /// The complete bytes of a resumable upload, with more headers.
    Piece(&'static [(&'static str, &'static str)]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plane {
    Control,
    Data,
}

/// An operation of a document.
pub(crate) struct Operation {
    plane: Plane,
    pub(crate) id: String,
    pub(crate) method: Method,
    path: String,
    permission: Option<String>,
    scope: Option<String>,
    browser_only: bool,
    automation_only: bool,
    pub(crate) creates: bool,
    requires_body: bool,
    /// It takes `If-Match`.
    conditional: bool,
    /// It takes `If-None-Match`.
    revalidates: bool,
    /// Its success has an `ETag`.
    has_etag: bool,
    success: u16,
    pub(crate) public: bool,
    /// Its part of the document.
    pub(crate) definition: Value,
    /// The whole document.
    pub(crate) document: Arc<Value>,
}

/// Values of path parameters.
pub(crate) type Ids = BTreeMap<&'static str, String>;

/// A resource of each kind in paths, of one user.
pub(crate) struct Estate {
    user: User,
    browser: Caller,
    caller: Caller,
    session: Session,
    /// The grant of a running execution.
    automation: String,
    pub(crate) ids: Ids,
}

#[tokio::test]
async fn every_operation_with_a_body_has_a_row_and_every_row_an_operation() {
    let opened = OpenSession::open().await;
    let (rows, operations) = (rows(), operations(&opened).await);
    let missing: Vec<&str> = operations
        .iter()
        .filter(|operation| operation.requires_body && !rows.contains_key(operation.id.as_str()))
        .map(|operation| operation.id.as_str())
        .collect();
    assert!(missing.is_empty(), "without a row: {missing:?}");
    let documented: BTreeSet<&str> = operations.iter().map(|operation| operation.id.as_str()).collect();
    for row in rows.keys() {
        assert!(documented.contains(row), "{row} is not an operation");
    }
}

#[tokio::test]
async fn each_operation_refuses_invalid_credentials() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    let expired = estate.user.issue(MANAGE, &["--expires-in", "1s"]).await.caller;
    let revoked = estate.user.issue(MANAGE, &[]).await;
    opened.deployment.operator().revoke(&revoked).await;
    eventually_async("the key expires", async || expired.get("/api/v2/me").await.status == 401).await;
    let closed = Session::open(&estate.caller, &estate.session.project).await;
    closed.close().await.expect(200);
    let garbled =
        |good: &str| format!("{}{}", &good[..good.len() - 2], if good.ends_with("aa") { "bb" } else { "aa" });

    for operation in operations(&opened).await.iter().filter(|operation| !operation.public) {
        let of_kind = match operation.plane {
            Plane::Control if operation.automation_only => {
                vec![garbled(&estate.automation), closed.grant.credential().to_owned()]
            }
            Plane::Control => vec![
                garbled(estate.caller.credential()),
                expired.credential().to_owned(),
                revoked.caller.credential().to_owned(),
                garbled(estate.browser.credential()),
            ],
            Plane::Data => {
                vec![garbled(estate.session.grant.credential()), closed.grant.credential().to_owned()]
            }
        };
        let nonsense = ["nonsense", "svc_ak_live_", "svc_xx_live_0", "a b"].map(str::to_owned);
        // The prefix decides the kind of a malformed key or grant.
        let takes_grants = operation.plane == Plane::Data || operation.automation_only;
        let is_foreign = |text: &str| takes_grants && !text.starts_with("svc_gr_");
        for credential in of_kind.iter().chain(&nonsense) {
            let answer = estate.request(operation, Some(credential)).await;
            let foreign =
                is_foreign(credential) && (credential.starts_with("svc_ak_") || credential.starts_with("ey"));
            let expected = match credential {
                _ if foreign => "403 CREDENTIAL_NOT_PERMITTED",
                expired_key if expired_key == expired.credential() => "401 CREDENTIAL_EXPIRED",
                _ => "401 UNAUTHENTICATED",
            };
            assert_eq!(answer.to_string(), expected, "{} with {credential}", operation.id);
            let challenge = answer.header("www-authenticate");
            assert_eq!(challenge.contains("error=\"invalid_token\""), answer.status == 401, "{challenge}");
        }
        let answer = estate.request(operation, None).await;
        assert_eq!(answer.to_string(), "401 UNAUTHENTICATED", "{} without a credential", operation.id);
        let challenge = answer.header("www-authenticate");
        // MCP's challenge says where to sign in, too.
        match operation.id.as_str() {
            "useMcp" => assert!(challenge.starts_with("Bearer resource_metadata=\""), "{challenge}"),
            id => assert_eq!(challenge, "Bearer", "{id}"),
        }
    }
}

#[tokio::test]
async fn each_operation_refuses_credentials_of_the_wrong_kind_by_kind() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    for operation in operations(&opened).await.iter().filter(|operation| !operation.public) {
        let foreign = match operation.plane {
            Plane::Control if operation.browser_only => vec![&estate.session.grant, &estate.caller],
            Plane::Control if operation.automation_only => {
                vec![&estate.session.grant, &estate.caller, &estate.browser]
            }
            Plane::Control => vec![&estate.session.grant],
            Plane::Data => vec![&estate.caller, &estate.browser],
        };
        for caller in foreign {
            let answer = estate.request(operation, Some(caller.credential())).await;
            assert_eq!(answer.to_string(), "403 CREDENTIAL_NOT_PERMITTED", "{}", operation.id);
        }
    }
}

// I8
#[tokio::test]
async fn hidden_and_absent_resources_get_identical_answers() {
    let opened = OpenSession::open().await;
    let (victim, stranger) = (Estate::of(&opened, "victim").await, Estate::of(&opened, "stranger").await);
    let mut compared = 0;
    for operation in operations(&opened).await.iter().filter(|operation| operation.names_something()) {
        // All ids of another user; then all except the outermost.
        for (hidden, absent) in [
            (victim.ids.clone(), random_ids(&victim.ids)),
            (
                mixed(operation, &stranger.ids, &victim.ids),
                mixed(operation, &stranger.ids, &random_ids(&victim.ids)),
            ),
        ] {
            if operation.fill(&hidden) == operation.fill(&absent) {
                continue;
            }
            let hidden = stranger.request_to(operation, &hidden).await;
            let absent = stranger.request_to(operation, &absent).await;
            assert_eq!(hidden.to_string(), "404 NOT_FOUND", "{}", operation.id);
            assert_eq!(hidden.body, absent.body, "{}", operation.id);
            assert_eq!(comparable(&hidden), comparable(&absent), "{}", operation.id);
            compared += 1;
        }
    }
    assert!(compared > 15, "only {compared} pairs were compared");
    // Nothing had an effect.
    victim.caller.get(&format!("/api/v2/projects/{}", victim.session.project)).await.expect(200);
    assert_eq!(victim.caller.get(&victim.session.path()).await.text("/session/status"), "idle");
}

#[tokio::test]
async fn each_operation_refuses_a_key_without_its_scope_and_names_the_scope() {
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    for operation in operations(&opened).await {
        // No key has enough scopes for what takes a browser token only.
        let (Some(scope), Some(permission), false) =
            (&operation.scope, &operation.permission, operation.browser_only)
        else {
            continue;
        };
        let credential = match operation.plane {
            Plane::Control if operation.automation_only => {
                automation(&opened, &estate.session, &estate.user, json!(["project.read"])).await
            }
            Plane::Control => {
                let (ladder, rung) = scope.split_once(':').unwrap();
                let above = ["read", "write", "manage"].iter().skip_while(|name| **name != rung);
                let enough: Vec<String> = above.map(|rung| format!("{ladder}:{rung}")).collect();
                let others: Vec<&str> = ALL_SCOPES
                    .into_iter()
                    .filter(|other| !enough.iter().any(|scope| scope == other))
                    .collect();
                estate.user.key(&others).await.credential().to_owned()
            }
            Plane::Data => grant_with(&opened, &estate.session, |terms| {
                terms["permissions"] = match permission.as_str() {
                    "project.read" => json!([]),
                    _ => json!(["project.read"]),
                };
            }),
        };
        let answer = estate.request(&operation, Some(&credential)).await;
        let expected = format!(r#"403 INSUFFICIENT_SCOPE {{"requiredScope":"{scope}"}}"#);
        assert_eq!(answer.to_string(), expected, "{}", operation.id);
    }
}

#[tokio::test]
async fn each_operation_on_a_project_refuses_a_member_with_a_lesser_role() {
    let opened = OpenSession::open().await;
    let owner = Estate::of(&opened, "owner").await;
    let operator = opened.deployment.operator();
    let member = operator.user("member").await;
    let (key, browser) = (member.key(&ALL_SCOPES).await, member.browser().await);
    operator.add_member(&member, "--project", &owner.session.project, "editor").await;
    let session = Session::open(&key, &owner.session.project).await;
    let grant = automation(&opened, &session, &member, json!(["project.read", "project.write"])).await;
    for (role, permission) in [
        ("viewer", "project.write"),
        ("editor", "project.manage"),
        ("viewer", "card.write"),
        ("editor", "card.delete"),
        ("viewer", "usage.read"),
    ] {
        operator.add_member(&member, "--project", &owner.session.project, role).await;
        let mut refused = 0;
        for operation in operations(&opened).await {
            if operation.permission.as_deref() != Some(permission) || !operation.path.contains("{projectId}")
            {
                continue;
            }
            let credential = match operation.plane {
                Plane::Control if operation.automation_only => &grant,
                Plane::Control if operation.browser_only => browser.credential(),
                Plane::Control => key.credential(),
                Plane::Data => session.grant.credential(),
            };
            let answer = owner.request(&operation, Some(credential)).await;
            assert_eq!(answer.to_string(), "403 FORBIDDEN", "{} as {role}", operation.id);
            refused += 1;
        }
        assert!(refused >= 2, "{role}");
    }
}

#[tokio::test]
async fn each_creation_answers_a_repeat_with_its_first_result() {
    let options = Options { models: Some(models_at("http://127.0.0.1:9")), ..Options::default() };
    let opened = OpenSession::on(Deployment::with(options).await).await;
    let estate = Estate::of(&opened, "bob").await;
    let creating: Vec<Operation> =
        operations(&opened).await.into_iter().filter(|operation| operation.creates).collect();
    assert!(creating.len() >= 3);
    for operation in &creating {
        assert!([Method::POST, Method::PUT].contains(&operation.method), "{}", operation.id);
        let send = async || {
            let request = estate.prepare(operation, estate.good_credential(operation), &estate.ids);
            request.idempotency_key("repeat").await.expect(operation.success)
        };
        let (first, second) = (send().await, send().await);
        assert!(!first.is_replay() && second.is_replay(), "{}", operation.id);
        assert_eq!(without_secrets(&first), without_secrets(&second), "{}", operation.id);
    }
}

/// Operations that a test requests at once, each with an estate of its own.
const AT_ONCE: usize = 6;
/// Parts of ids of operations after which something is not as it was for others.
const ENDS: [&str; 17] = [
    "accept",
    "answer",
    "archive",
    "cancel",
    "close",
    "commit",
    "complete",
    "discard",
    "merge",
    "revert",
    "putpicture",
    "revoke",
    "remove",
    "sign",
    "start",
    "transfer",
    "upload",
];

#[tokio::test]
async fn each_operation_works_for_an_authorized_caller() {
    let options = Options { models: Some(models_at("http://127.0.0.1:9")), ..Options::default() };
    let mut opened = OpenSession::on(Deployment::with(options).await).await;
    opened.deployment.leaves_blobs = true;
    let operations = operations(&opened).await;
    let tagged: BTreeSet<String> = operations
        .iter()
        .filter(|operation| operation.revalidates)
        .map(|operation| operation.path.clone())
        .collect();
    let works = async |operation: &Operation, estate: &Estate| {
        if operation.id == "completeSprint" {
            // The estate's sprint is only planned.
            let start = operation.fill(&estate.ids).replace("/complete", "/start");
            let body = json!({ "startDate": "2026-11-02", "endDate": "2026-11-15" });
            estate.caller.post(&start).json(body).await.expect(200);
        }
        let mut request = estate.prepare(operation, estate.good_credential(operation), &estate.ids);
        if operation.conditional && tagged.contains(&operation.path) {
            // A current condition lets it pass.
            let reader = estate.at(operation, estate.good_credential(operation));
            let current = match operation.method {
                Method::GET => {
                    estate.prepare(operation, estate.good_credential(operation), &estate.ids).await
                }
                _ => reader.get(&operation.fill(&estate.ids)).await,
            };
            let current = current.expect(200);
            request = request.header("if-match", current.header("etag"));
        }
        let answer = request.await;
        assert_eq!(answer.status, operation.success, "{}: {answer}", operation.id);
    };
    // Deletions and ends would affect other operations, so each of these has its own estate.
    let ends = |operation: &&Operation| {
        let id = operation.id.to_lowercase();
        operation.method == Method::DELETE || ENDS.iter().any(|end| id.contains(end))
    };
    let (ending, others): (Vec<_>, Vec<_>) =
        operations.iter().filter(|operation| !operation.public).partition(ends);
    let common = Estate::of(&opened, "common").await;
    for operation in others {
        works(operation, &common).await;
    }
    stream::iter(ending)
        .for_each_concurrent(AT_ONCE, async |operation| {
            let estate = Estate::of(&opened, &format!("user-{}", operation.id.to_lowercase())).await;
            works(operation, &estate).await;
        })
        .await;
    let audited = async || {
        let query = "select string_agg(distinct action, ' ') from audit_log where result = 'OK'";
        let row = opened.deployment.database.connect().await.query_one(query, &[]).await.unwrap();
        let written: String = row.get(0);
        let is_change = |operation: &&Operation| !operation.public && !operation.method.is_safe();
        let left_out = operations.iter().filter(is_change).map(|operation| operation.id.clone());
        left_out.filter(|id| !written.split(' ').any(|action| action == id)).collect::<Vec<String>>()
    };
    // The journal is written each moment.
    eventually_async("the journal is written", async || audited().await.len() <= READS_BY_POST.len()).await;
    assert_eq!(audited().await, READS_BY_POST);
}

/// Operations that change nothing in spite of their method, in the order of the documents.
const READS_BY_POST: [&str; 8] = [
    "lookUpInvitation",
    "lookUpPictures",
    "lookUpFiles",
    "fetchGitByName",
    "batchLfsByName",
    "fetchGit",
    "batchLfs",
    "useMcp",
];

/// Operations that take neither a key nor a condition in a header: a repeat has no further effect, or the body or an
/// offset says what is expected.
const REPEATABLE: [&str; 38] = [
    "placeCards",
    "signOut",
    "putPicture",
    "deletePicture",
    "lookUpPictures",
    "lookUpInvitation",
    "acceptInvitation",
    "revokeInvitation",
    "revokeServiceAccountKey",
    "revokeCalendarFeed",
    "putProjectMember",
    "removeProjectMember",
    "putTeamMember",
    "removeTeamMember",
    "transferProject",
    "answerApproval",
    "unlinkProject",
    "linkProject",
    "mergeBranch",
    "revertCommit",
    "stopExecution",
    "renewGrant",
    "createDownloadGrant",
    "createAttachmentGrant",
    "lookUpFiles",
    "callMcp",
    "useMcp",
    "stopRun",
    "fetchGit",
    "batchLfs",
    "fetchGitByName",
    "batchLfsByName",
    "deleteResumableUpload",
    "appendResumableUpload",
    "overrideResumableUpload",
    "deleteAttachmentUpload",
    "appendAttachmentUpload",
    "overrideAttachmentUpload",
];

#[tokio::test]
async fn each_resource_with_a_tag_takes_conditions_on_its_changes_and_reads() {
    let opened = OpenSession::open().await;
    let operations = operations(&opened).await;
    let tagged: BTreeSet<&str> = operations
        .iter()
        .filter(|operation| operation.method == Method::GET && operation.has_etag)
        .map(|operation| operation.path.as_str())
        .collect();
    assert!(tagged.len() > 15, "{tagged:?}");
    for operation in &operations {
        let id = &operation.id;
        let of_tagged = tagged.contains(operation.path.as_str());
        match operation.method {
            Method::GET => assert_eq!(operation.revalidates, operation.has_etag, "{id}"),
            Method::POST if operation.success == 201 => {
                let below = format!("{}/{{", operation.path);
                let creates_tagged = tagged.iter().any(|path| {
                    path.strip_prefix(&below).is_some_and(|rest| rest.ends_with('}') && !rest.contains('/'))
                });
                // A rotation issues a key, a branch's commits are read among all of the project, and a tag's change
                // answers its tag.
                let elsewhere = ["rotateApiKey", "createCommit", "createCardTag"].contains(&id.as_str());
                assert_eq!(operation.has_etag, creates_tagged || elsewhere, "{id}");
            }
            Method::PUT | Method::PATCH | Method::DELETE => {
                assert!(operation.conditional || !of_tagged, "{id}");
                let answers_it = operation.method != Method::DELETE && of_tagged;
                assert!(operation.has_etag || !answers_it, "{id}");
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_stale_condition_refuses_each_change_and_a_current_one_answers_a_read_with_304() {
    const STALE: &str = "\"00000000-0000-7000-8000-000000000000\"";
    let opened = OpenSession::open().await;
    let estate = Estate::of(&opened, "bob").await;
    let operations = operations(&opened).await;
    let send =
        |operation: &Operation| estate.prepare(operation, estate.good_credential(operation), &estate.ids);
    let mut tags = BTreeMap::new();
    for operation in operations.iter().filter(|operation| operation.revalidates) {
        let tag = send(operation).await.expect(200).header("etag").to_owned();
        let unchanged = send(operation).header("if-none-match", &tag).await;
        assert_eq!((unchanged.status, unchanged.body.len()), (304, 0), "{}", operation.id);
        send(operation).header("if-none-match", STALE).await.expect(200);
        // Both planes read their document by the same id.
        tags.insert(operation.path.clone(), tag);
    }
    // An element that a card has already is no change, so no head is compared.
    let unchanged = ["assignCard", "tagCard", "linkCard"];
    let mut refused = 0;
    for operation in operations.iter().filter(|operation| operation.conditional) {
        let id = &operation.id;
        let empty = send(operation).header("if-match", "").await;
        assert_eq!(empty.to_string(), "400 INVALID_REQUEST header.If-Match format", "{id}");
        if !unchanged.contains(&id.as_str()) {
            let answer = send(operation).header("if-match", STALE).await;
            let is_of_card = operation.method != Method::GET && operation.path.contains("{cardId}");
            let expected = if is_of_card { "409 CARD_HISTORY_CONFLICT" } else { "412 PRECONDITION_FAILED" };
            assert!(answer.to_string().starts_with(expected), "{id}: {answer}");
            refused += 1;
        }
    }
    assert!(refused > 20, "{refused}");
    for operation in operations.iter().filter(|operation| operation.revalidates) {
        let tag = send(operation).await.expect(200).header("etag").to_owned();
        assert_eq!(tags[&operation.path], tag, "{}", operation.id);
    }
}

#[tokio::test]
async fn each_change_can_be_repeated_to_find_out_its_outcome() {
    let opened = OpenSession::open().await;
    let neither: BTreeSet<String> = operations(&opened)
        .await
        .into_iter()
        .filter(|operation| ![Method::GET, Method::OPTIONS].contains(&operation.method))
        .filter(|operation| !operation.creates && !operation.conditional)
        .map(|operation| operation.id)
        .collect();
    assert_eq!(neither, REPEATABLE.map(str::to_owned).into());
}

/// The operations of both planes.
pub(crate) async fn operations(opened: &OpenSession) -> Vec<Operation> {
    let deployment = &opened.deployment;
    let control = deployment.anonymous().get("/api/v2/openapi.json").await.expect(200).json();
    let data = deployment.anonymous_at_data().get("/api/v1/openapi.json").await.expect(200).json();
    let of = |plane: Plane, document: Value| {
        let document = Arc::new(document);
        let paths = document["paths"].as_object().unwrap().clone();
        let operations = paths.into_iter().flat_map(|(path, operations)| {
            let operations = operations.as_object().unwrap().clone();
            operations.into_iter().map(move |(method, operation)| (path.clone(), method, operation))
        });
        operations
            .map(move |(path, method, operation)| {
                Operation::read(plane, path, &method, &operation, &document)
            })
            .collect::<Vec<_>>()
    };
    let mut all = of(Plane::Control, control);
    all.extend(of(Plane::Data, data));
    all
}

impl Operation {
    fn read(plane: Plane, path: String, method: &str, operation: &Value, document: &Arc<Value>) -> Self {
        let text = |name: &str| operation[name].as_str().map(str::to_owned);
        let security = operation["security"].as_array().unwrap();
        let parameters = parameters(document, operation);
        let mut definition = operation.clone();
        definition["parameters"] = json!(parameters);
        let takes = |name: &str| parameters.iter().any(|parameter| parameter["name"] == name);
        // Further ones are for clients that need less.
        let success = [201, 200, 202, 204]
            .into_iter()
            .find(|status| !operation["responses"][status.to_string()].is_null())
            .unwrap();
        let headers = &operation["responses"][success.to_string()]["headers"];
        Self {
            plane,
            id: text("operationId").unwrap(),
            method: method.to_uppercase().parse().unwrap(),
            path,
            permission: text("x-permission"),
            scope: text("x-scope"),
            browser_only: plane == Plane::Control && *security == [json!({ "browserToken": [] })],
            automation_only: plane == Plane::Control && *security == [json!({ "grant": [] })],
            creates: takes("Idempotency-Key"),
            requires_body: operation["requestBody"]["required"] == true,
            conditional: takes("If-Match"),
            revalidates: takes("If-None-Match"),
            has_etag: headers
                .as_object()
                .is_some_and(|headers| headers.keys().any(|name| name.eq_ignore_ascii_case("etag"))),
            success,
            public: security.is_empty(),
            definition,
            document: Arc::clone(document),
        }
    }

    pub(crate) fn fill(&self, ids: &Ids) -> String {
        let parts = self.path.split('/').map(|part| {
            match part.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                // The default branch can't be deleted.
                Some("branch") if self.id == "deleteBranch" => "spare",
                Some("keyId") if self.id == "revokeServiceAccountKey" => &ids["accountKeyId"],
                Some("uploadId") if self.id.ends_with("AttachmentUpload") => &ids["attachmentUploadId"],
                Some("orgId") if self.id == "deleteOrganization" => &ids["emptyOrgId"],
                Some(name) => ids.get(name).unwrap_or_else(|| panic!("{}: nothing for {name}", self.id)),
                None => part,
            }
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// True if a path parameter names a resource that can be hidden.
    fn names_something(&self) -> bool {
        !self.public && self.path.contains('{')
    }
}

impl Estate {
    pub(crate) async fn of(opened: &OpenSession, name: &str) -> Self {
        let operator = opened.deployment.operator();
        let user = operator.user(name).await;
        let org = operator.organization(&format!("works-of-{name}"), &user).await;
        let caller = user.key(&ALL_SCOPES).await;
        let body = json!({ "name": format!("Gear of {name}"), "orgId": org });
        let created = caller.post("/api/v2/projects").json(body).await.expect(201);
        let project = created.text("/id");
        let session = Session::open(&caller, &project).await;
        let file = uploaded(&session.upload(&project, "a.stl", triangle(name)).await.expect(200));
        let at = format!("/api/v2/projects/{project}");
        let post =
            async |path: &str, body: Value| caller.post(&format!("{at}/{path}")).json(body).await.expect(201);
        let begun = session.grant.post(&session.resumable_path(&project));
        let begun = with_headers(begun, &[("upload-length", "4")]).await.expect(201);
        let tag = post("card-tags", json!({ "name": "blocked" })).await.text("/tag/id");
        let card_type = post("card-types", json!({ "name": "bug" })).await.text("/cardType/id");
        let field = post("fields", json!({ "name": "Material", "type": "text" })).await.text("/field/id");
        let view = caller.post("/api/v2/views").json(json!({ "name": "All", "layout": "table" })).await;
        let view = view.expect(201).text("/view/id");
        let card = json!({ "name": "Cut the teeth", "assigneeId": user.id, "tagIds": [tag] });
        let card = post("cards", card).await.text("/card/id");
        let blocked = post("cards", json!({ "name": "Grind the teeth" })).await.text("/card/id");
        let relation = format!("{at}/cards/{card}/relations/{blocked}");
        caller.put(&relation).json(json!({ "kind": "blocks" })).await.expect(200);
        let line = post(&format!("cards/{card}/checklist"), json!({ "text": "Measure the run-out" })).await;
        let comment = post(&format!("cards/{card}/comments"), json!({ "body": "Not yet." })).await;
        let form = Form::new("run-out.csv");
        let attached = session.grant.post(&format!("/api/v1/projects/{project}/cards/{card}/attachments"));
        let attached = attached.body(&form.content_type(), form.body(name.as_bytes())).await.expect(200);
        let uploads = format!("/api/v1/projects/{project}/cards/{card}/attachment-uploads");
        let attaching =
            with_headers(session.grant.post(&uploads), &[("upload-length", "4")]).await.expect(201);
        // A commit to revert, a branch without changes for it, and changes to commit.
        post("branches/main/commits", json!({ "message": "Add a file" })).await;
        post("branches", json!({ "name": "spare" })).await;
        session.upload(&project, "b.txt", b"b").await.expect(200);
        let commit = caller.get(&format!("{at}/branches/main")).await.text("/branch/commitHash");
        caller.put(&format!("{at}/cards/{card}/objects/{}", file["id"].as_str().unwrap())).await.expect(200);
        let teams = format!("/api/v2/orgs/{org}/teams");
        let team = caller.post(&teams).json(json!({ "name": "Wheels" })).await.expect(201).text("/team/id");
        let statuses = format!("{teams}/{team}/statuses");
        caller.post(&statuses).json(json!({ "name": "To do" })).await.expect(201);
        // An empty column, which can be deleted.
        let status = caller.post(&statuses).json(json!({ "name": "Waiting" })).await.expect(201);
        let status = status.text("/status/id");
        caller.put(&format!("{teams}/{team}/projects/{project}")).await.expect(200);
        let sprint = caller.post(&format!("{teams}/{team}/sprints")).json(json!({ "name": "One" }));
        let sprint = sprint.await.expect(201).text("/sprint/id");
        let place = json!({ "sprintId": sprint });
        caller.put(&format!("{teams}/{team}/cards/{card}")).json(place).await.expect(200);
        let server = json!({ "url": "https://mcp.example/mcp" });
        caller.put(&format!("{at}/mcp-servers/wiki")).json(server).await.expect(200);
        let code = json!({ "language": "JavaScript", "text": "console.log(1)" });
        let code = post("objects", json!({ "name": "code", "type": "Code", "data": code })).await;
        let library = create_project(&caller, "Library").await;
        let package = publish(&caller, &library).await;
        let include = json!({ "ref": package.text("/package/ref"), "parent": project });
        let include = post("includes", include).await.text("/include/id");
        let browser = user.browser().await;
        let member = operator.user(&format!("member-of-{name}")).await;
        for (of, id) in [("--org", &org), ("--project", &project), ("--team", &team)] {
            let role = if of == "--project" { "editor" } else { "member" };
            operator.add_member(&member, of, id, role).await;
        }
        let other = operator.organization(&format!("others-of-{name}"), &member).await;
        let invite = async |by: &Caller, org: &str| {
            let invite = by.post(&format!("/api/v2/orgs/{org}/invitations")).json(json!({ "role": "guest" }));
            invite.await.expect(201)
        };
        let accounts = format!("/api/v2/orgs/{org}/service-accounts");
        let account = browser.post(&accounts).json(json!({ "name": "robot", "role": "guest" }));
        let account = account.await.expect(201).text("/member/userId");
        let key = json!({ "name": "ci", "scopes": ["projects:read"] });
        let key = browser.post(&format!("{accounts}/{account}/keys")).json(key).await.expect(201);
        let feed = browser.post("/api/v2/me/calendar-feeds").json(json!({ "name": "Work" }));
        let feed = feed.await.expect(201);
        let (media_type, form) = portrait(name);
        let picture = browser.put("/api/v2/me/picture").body(&media_type, form).await.expect(200);
        let (media_type, form) = trial(&project);
        let import = caller.post(&format!("/api/v2/orgs/{org}/imports")).body(&media_type, form);
        let ids = BTreeMap::from([
            ("importId", import.await.expect(201).text("/import/id")),
            ("feedId", feed.text("/feed/id")),
            ("feedSecret", feed.text("/url").rsplit('/').nth(1).unwrap().to_owned()),
            ("memberId", member.id.clone()),
            ("pictureHash", picture.text("/picture/sha256")),
            ("invitationId", invite(&browser, &org).await.text("/invitation/id")),
            ("invitationSecret", invite(&member.browser().await, &other).await.text("/secret")),
            ("accountId", account),
            ("accountKeyId", key.text("/apiKey/id")),
            ("emptyOrgId", operator.organization(&format!("spare-of-{name}"), &user).await),
            ("sprintId", sprint),
            ("serverName", "wiki".to_owned()),
            ("packageId", publish(&caller, &project).await.text("/package/id")),
            ("includeId", include),
            ("codeId", code.text("/object/id")),
            ("executionId", execution(opened, &session, &user).await),
            ("approvalId", ask_for_approval(&opened.deployment.database, &session.id, &user.id).await),
            ("libraryId", library),
            ("libraryPackageId", package.text("/package/id")),
            ("libraryCommit", package.text("/package/commitHash")),
            ("teamId", team),
            ("statusId", status),
            ("ownerId", org.clone()),
            ("orgId", org),
            ("cardId", card),
            ("otherCardId", blocked),
            ("itemId", line.text("/item/id")),
            ("attachmentId", attached.text("/attachment/id")),
            ("tagId", tag),
            ("cardTypeId", card_type),
            ("fieldId", field),
            ("viewId", view),
            ("commentId", comment.text("/comment/id")),
            ("objectId", file["id"].as_str().unwrap().to_owned()),
            ("keyId", user.issue(MANAGE, &[]).await.id),
            ("projectId", project.clone()),
            ("ownerSlug", created.text("/ownerSlug")),
            ("projectSlug", created.text("/projectSlug")),
            ("branch", "main".to_owned()),
            ("hash", commit),
            ("sessionId", session.id.clone()),
            ("userId", user.id.clone()),
            ("connectionId", session.connection.clone()),
            ("parentId", project),
            ("format", "glb".to_owned()),
            ("fileName", file_name(&file)),
            ("sha256", file["sha256"].as_str().unwrap().to_owned()),
            ("uploadId", begun.text("/upload/id")),
            ("attachmentUploadId", attaching.text("/upload/id")),
        ]);
        let automation = automation(opened, &session, &user, json!(["project.read", "project.write"])).await;
        Self { browser, user, caller, session, automation, ids }
    }

    pub(crate) fn good_credential(&self, operation: &Operation) -> &str {
        match operation.plane {
            Plane::Control if operation.browser_only => self.browser.credential(),
            Plane::Control if operation.automation_only => &self.automation,
            Plane::Control => self.caller.credential(),
            Plane::Data => self.session.grant.credential(),
        }
    }

    /// The operation's request on this estate's resources.
    async fn request(&self, operation: &Operation, credential: Option<&str>) -> Answer {
        self.prepare(operation, credential.unwrap_or_default(), &self.ids).await
    }

    /// The operation's request with this estate's credential on other resources.
    async fn request_to(&self, operation: &Operation, ids: &Ids) -> Answer {
        self.prepare(operation, self.good_credential(operation), ids).await
    }

    /// The plane of an operation, with a credential.
    pub(crate) fn at(&self, operation: &Operation, credential: &str) -> Caller {
        let base = match operation.plane {
            Plane::Control => &self.caller,
            Plane::Data => &self.session.grant,
        };
        if credential.is_empty() { base.without_credential() } else { base.with(credential) }
    }

    /// The operation's valid body, if it is JSON that needs no resource of the estate.
    pub(crate) fn valid_body(operation: &Operation) -> Option<Value> {
        match rows().remove(operation.id.as_str()) {
            Some(Content::Json(body)) => Some(body),
            _ => None,
        }
    }

    fn prepare(&self, operation: &Operation, credential: &str, ids: &Ids) -> Request {
        let caller = self.at(operation, credential);
        let path = operation.fill(ids);
        let request = |path: &str| caller.request(operation.method.clone(), path);
        match rows().remove(operation.id.as_str()) {
            Some(Content::Json(body)) => request(&path).json(body),
            Some(Content::Query(query)) => request(&format!("{path}?{query}")),
            Some(Content::Include) => {
                let (library, package) = (&self.ids["libraryId"], &self.ids["libraryPackageId"]);
                let parent = &ids["projectId"];
                request(&path).json(json!({ "ref": format!("{library}/{package}"), "parent": parent }))
            }
            Some(Content::Placements) => {
                request(&path).json(json!({ "placements": [{ "cardId": self.ids["cardId"] }] }))
            }
            Some(Content::Invitation) => {
                request(&path).json(json!({ "secret": self.ids["invitationSecret"] }))
            }
            Some(Content::Owner) => request(&path).json(json!({ "ownerId": self.ids["orgId"] })),
            Some(Content::Code) => request(&path).json(json!({ "objectId": self.ids["codeId"] })),
            Some(Content::Pin) => request(&path).json(json!({ "commitHash": self.ids["libraryCommit"] })),
            Some(Content::Git) => {
                let want = "0032want 0123456789012345678901234567890123456789\n00000009done\n";
                request(&path).body("application/x-git-upload-pack-request", want)
            }
            Some(Content::File) => {
                let form = Form::new("a.stl");
                request(&path).body(&form.content_type(), form.body(triangle("a").as_bytes()))
            }
            Some(Content::Picture) => {
                let (media_type, form) = portrait("another");
                request(&path).body(&media_type, form)
            }
            Some(Content::Export) => {
                let (media_type, body) = trial(&ids["projectId"]);
                request(&path).body(&media_type, body)
            }
            Some(Content::Archive) => {
                let mut archive = tar::Builder::new(Vec::new());
                let mut header = tar::Header::new_gnu();
                header.set_size(1);
                archive.append_data(&mut header, "a.txt", b"a".as_slice()).unwrap();
                let form = Form::new("archive.tar");
                request(&path).body(&form.content_type(), form.body(&archive.into_inner().unwrap()))
            }
            Some(Content::Tus(headers)) => with_headers(request(&path), headers),
            Some(Content::Piece(headers)) => with_headers(request(&path), headers)
                .header("upload-offset", "0")
                .body("application/offset+octet-stream", "next"),
            None => request(&path),
        }
    }
}

/// The form of a trial of an import: the `Content-Type` header and the body.
fn trial(project: &str) -> (String, Vec<u8>) {
    let columns = r#"{"Nr":"id","Title":"name"}"#;
    let fields = [("tool", "csv"), ("projectId", project), ("columns", columns), ("dryRun", "true")];
    form_with(&fields, b"Nr,Title\n1,Cut the teeth\n")
}

/// An image of a person: another one for each name, since a picture is found by its bytes.
fn portrait(name: &str) -> (String, Vec<u8>) {
    let [red, green, blue, ..]: [u8; 32] = Sha256::digest(name).into();
    form_with(&[], &png_of([red, green, blue], name))
}

fn with_headers(request: Request, headers: &[(&str, &str)]) -> Request {
    let request = request.header("tus-resumable", "1.0.0");
    headers.iter().fold(request, |request, (name, value)| request.header(name, value))
}

/// A file with a shape that has this name.
fn triangle(name: &str) -> String {
    let corners = ["0 0 0", "1 0 0", "0 1 0"].map(|corner| format!("vertex {corner}\n")).concat();
    format!("solid {name}\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid {name}\n")
}

/// Adds an execution without a process that looks as if it ran; returns its id.
async fn execution(opened: &OpenSession, session: &Session, user: &User) -> String {
    let id = Uuid::now_v7();
    let (of, by) = (&session.id, &user.id);
    let statement = format!(
        "insert into executions (id, session_id, object_id, language, source, input, state, user_id, process_id, \
         lease_until, created_at, started_at) values ('{id}', '{of}', '{id}', 'python', '', '{{}}', 'running', \
         '{by}', '{id}', now() + interval '1 hour', now(), now())"
    );
    opened.deployment.database.connect().await.batch_execute(&statement).await.unwrap();
    id.to_string()
}

/// The grant of a running execution of this session.
async fn automation(opened: &OpenSession, session: &Session, user: &User, permissions: Value) -> String {
    let execution = execution(opened, session, user).await;
    grant_with(opened, session, |terms| {
        terms["purpose"] = json!("automation");
        terms["connection"] = json!(format!("headless-exec-{execution}"));
        terms["permissions"] = permissions;
    })
}

/// Publishes a project's package `Model`.
async fn publish(caller: &Caller, project: &str) -> Answer {
    let model = Session::open(caller, project).await.model().await;
    caller.put(&format!("/api/v2/projects/{project}/packages/{model}")).await.expect(200)
}

/// Random ids of the same kinds. Keeps parameters that don't name a resource.
fn random_ids(ids: &Ids) -> Ids {
    let random = |(name, value): (&&'static str, &String)| {
        let new = match *name {
            "branch" | "userId" | "connectionId" | "serverName" | "format" => value.clone(),
            "fileName" => format!("{}.txt", Uuid::now_v7()),
            "sha256" | "pictureHash" => format!("{}{}", Uuid::now_v7().simple(), Uuid::now_v7().simple()),
            "hash" => format!("{}01234567", Uuid::now_v7().simple()),
            _ => Uuid::now_v7().to_string(),
        };
        (*name, new)
    };
    ids.iter().map(random).collect()
}

/// `inner`'s ids, except the operation's first path parameter and what belongs to it, which are `outer`'s.
fn mixed(operation: &Operation, outer: &Ids, inner: &Ids) -> Ids {
    let placeholders: Vec<&str> =
        operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
    let innermost = placeholders.last().copied();
    let mut ids = outer.clone();
    for (name, value) in inner {
        if Some(*name) == innermost && placeholders.len() > 1 && *name != "branch" {
            ids.insert(name, value.clone());
        }
    }
    ids
}

/// The headers of an answer without those that differ for each request.
fn comparable(answer: &Answer) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = answer
        .headers
        .iter()
        .filter(|(name, _)| !["x-request-id", "date"].contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    headers
}

/// The body without the values that a replay mints again.
fn without_secrets(answer: &Answer) -> Value {
    let mut body = answer.json();
    let fields = body.as_object_mut().unwrap();
    fields.remove("key");
    fields.remove("secret");
    fields.remove("dataPlane");
    if fields.contains_key("feed") {
        fields.remove("url");
    }
    if let Some(key) = fields.get_mut("apiKey").and_then(Value::as_object_mut) {
        key.remove("mask");
    }
    body
}
