//! `control admin`: commands of operators, their refusals, and their entries in the audit log.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::redact;
use testkit::deployment::Deployment;
use testkit::environment;
use testkit::seed::{ABSENT_ID, MANAGE};
use testkit::session::{Session, create_project};

#[tokio::test]
async fn an_invalid_command_is_refused_in_a_line_and_changes_nothing() {
    let deployment = Deployment::start().await;
    let operator = deployment.operator();
    let alice = operator.user("alice").await;
    let org = operator.organization("works", &alice).await;
    let before = deployment.database.count("select count(*) from audit_log").await;
    let refusal = async |arguments: &[&str]| {
        let said = operator.try_run(arguments).await.unwrap_err();
        said.lines().next().unwrap_or_default().to_owned()
    };
    assert_snapshot!(
        refusal(&["user", "create", "--email", "ALICE@example.com", "--name", "x"]).await,
        @"Error: email: belongs to another user"
    );
    assert_snapshot!(
        refusal(&["org", "create", "--name", "x", "--slug", "works", "--owner", &alice.id]).await,
        @"Error: slug: belongs to another user or organization"
    );
    assert_snapshot!(
        refusal(&["org", "create", "--name", "x", "--slug", "alice", "--owner", &alice.id]).await,
        @"Error: slug: belongs to another user or organization"
    );
    assert_snapshot!(
        refusal(&["org", "create", "--name", "x", "--slug", "No Slug", "--owner", &alice.id]).await,
        @"Error: slug: must be lower-case letters and digits, separated by single hyphens"
    );
    assert_snapshot!(
        refusal(&["member", "add", "--user", &alice.id, "--org", &org, "--role", "manager"]).await,
        @"Error: `manager` is not a role here"
    );
    assert_snapshot!(
        refusal(&["key", "issue", "--user", &alice.id, "--scopes", "projects:read", "--expires-in", "366d"]).await,
        @"Error: --expires-in must be within 365 days"
    );
    assert_snapshot!(
        refusal(&["key", "issue", "--user", ABSENT_ID, "--scopes", "projects:read"]).await,
        @"Error: user: there is no such user or resource"
    );
    assert_snapshot!(
        refusal(&["key", "issue", "--user", &alice.id, "--scopes", "all"]).await,
        @"error: invalid value 'all' for '--scopes <SCOPES>': `all` is not a scope"
    );
    assert_eq!(deployment.database.count("select count(*) from audit_log").await, before);
    assert_eq!(operator.run(&["key", "revoke", "--key-id", ABSENT_ID]).await, json!({ "revoked": false }));
}

#[tokio::test]
async fn a_key_pair_is_private_to_its_owner_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let generate = || {
        let mut command = Command::new(environment::program("control"));
        command.args(["admin", "signing-key", "generate", "--name", "grant", "--out"]).arg(folder.path());
        command.output().unwrap()
    };
    assert!(generate().status.success());
    let private = folder.path().join("grant-private.pem");
    let before = fs::read_to_string(&private).unwrap();
    assert_eq!(fs::metadata(&private).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!generate().status.success(), "a second key pair took the place of the first");
    assert_eq!(fs::read_to_string(&private).unwrap(), before);
}

#[tokio::test]
async fn granting_a_role_again_changes_it_and_revoking_ends_it() {
    let deployment = Deployment::shared();
    let operator = deployment.operator();
    let (alice, bob) = (operator.user("alice").await, operator.user("bob").await);
    let org = operator.organization("works", &alice).await;
    let key = bob.key(MANAGE).await;
    let role = async || match key.get(&format!("/api/v2/orgs/{org}")).await {
        answer if answer.status == 200 => answer.text("/organization/role"),
        answer => answer.to_string(),
    };
    assert_eq!(role().await, "404 NOT_FOUND");
    for given in ["guest", "admin", "member"] {
        operator.add_member(&bob, "--org", &org, given).await;
        assert_eq!(role().await, given);
    }
    let remove = ["member", "remove", "--user", &bob.id, "--org", &org];
    assert_eq!(operator.run(&remove).await, json!({ "removed": true }));
    assert_eq!(operator.run(&remove).await, json!({ "removed": false }));
    assert_eq!(role().await, "404 NOT_FOUND");
}

#[tokio::test]
async fn sensitive_changes_and_operators_work_are_in_the_audit_log_at_once() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await;
    let key = alice.issue(MANAGE, &[]).await;
    let project = create_project(&key.caller, "Gear").await;
    let path = format!("/api/v2/projects/{project}");
    key.caller.patch(&path).json(json!({ "description": "d" })).await.expect(200);
    let session = Session::open(&key.caller, &project).await;
    session.close().await.expect(200);
    key.caller.delete(&path).await.expect(200);
    deployment.operator().revoke(&key).await;
    // Reads are not in the log.
    key.caller.get(&path).await.expect(401);

    let rows = deployment
        .database
        .connect()
        .await
        .query(
            "select concat_ws(' ', action, 'by', coalesce(actor_user_id::text, 'an operator'), \
                    'with ' || actor_key_id, 'on', target_id) from audit_log order by sequence",
            &[],
        )
        .await
        .unwrap();
    let log: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert_snapshot!(redact(&log.join("\n")), @"
    user.created by an operator on <id 1>
    api_key.created by an operator on <id 2>
    createProject by <id 1> with <id 2> on <id 3>
    updateProject by <id 1> with <id 2> on <id 3>
    createSession by <id 1> with <id 2> on <id 4>
    closeSession by <id 1> with <id 2> on <id 4>
    deleteProject by <id 1> with <id 2> on <id 3>
    api_key.revoked by an operator on <id 2>
    ");
}
