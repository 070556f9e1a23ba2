//! Lists, names and ends of accounts, by operators.

use std::fmt::Write as _;

use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::redacted_lines;
use testkit::deployment::Deployment;
use testkit::seed::{ABSENT_ID, MANAGE};
use testkit::session::Session;
use uuid::Uuid;

use crate::support::Organization;

#[tokio::test]
async fn a_disabled_users_credentials_end_at_once_and_its_keys_stay_revoked() {
    let organization = Organization::own().await;
    let bob = organization.member("bob", "member").await;
    let project = bob.project("Gear", None).await;
    let key = bob.key(MANAGE).await;
    let (by_key, by_browser) =
        (Session::open(&key, &project).await, Session::open(&bob.browser, &project).await);
    let operator = organization.deployment.operator();
    let stream = key.get(&format!("{}/events", by_key.path())).begin().await.unwrap();
    let disable = ["user", "disable", "--user", &bob.id];
    assert_eq!(operator.run(&disable).await, json!({ "disabled": true }));
    assert_eq!(operator.run(&disable).await, json!({ "disabled": false }));
    // The stream ends.
    stream.bytes().await.unwrap();
    assert_snapshot!(key.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    assert_snapshot!(bob.browser.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    for session in [&by_key, &by_browser] {
        assert_eq!(session.upload(&project, "a.txt", "a").await.to_string(), "401 UNAUTHENTICATED");
    }
    let issue = ["key", "issue", "--user", &bob.id, "--scopes", "projects:read"];
    let refused = operator.try_run(&issue).await.unwrap_err();
    assert_snapshot!(refused.lines().next().unwrap(), @"Error: user: does not exist or is not visible to you");
    // Lists leave the account out, and its name stays in histories.
    let members = organization.alice.browser.get(&organization.at("/members")).await.expect(200);
    assert_eq!(crate::support::listed(&members, "members", "name"), ["alice"]);
    assert_eq!(operator.run(&["user", "enable", "--user", &bob.id]).await, json!({ "enabled": true }));
    bob.browser.get("/api/v2/me").await.expect(200);
    assert_snapshot!(key.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
}

#[tokio::test]
async fn operators_list_and_rename_what_there_is() {
    let organization = Organization::own().await;
    let bob = organization.member("bob", "member").await;
    bob.key(&["projects:read"]).await;
    let operator = organization.deployment.operator();
    let run = async |arguments: &[&str]| redacted_lines(&operator.run(arguments).await);
    assert_snapshot!(run(&["user", "list", "--q", "BOB"]).await, @r#"
    {
      "users": [
        {
          "createdAt": "<time>",
          "disabledAt": null,
          "email": "bob@example.com",
          "isService": false,
          "name": "bob",
          "slug": "bob",
          "userId": "<id 1>"
        }
      ]
    }
    "#);
    assert_snapshot!(
        run(&["org", "list"]).await,
        @r#"{"organizations":[{"createdAt":"<time>","name":"Works","orgId":"<id 1>","slug":"works"}]}"#
    );
    assert_snapshot!(run(&["member", "list", "--org", &organization.org]).await, @r#"
    {
      "members": [
        {"email":"alice@example.com","name":"alice","role":"owner","userId":"<id 1>"},
        {"email":"bob@example.com","name":"bob","role":"member","userId":"<id 2>"}
      ]
    }
    "#);
    let keys = operator.run(&["key", "list", "--user", &bob.id]).await;
    assert_eq!(keys["keys"][0]["scopes"], json!(["projects:read"]));
    assert_eq!(operator.run(&["user", "list"]).await["users"].as_array().unwrap().len(), 2);
    assert_eq!(
        operator.run(&["user", "rename", "--user", &bob.id, "--name", "Robert"]).await,
        json!({ "renamed": true })
    );
    assert_eq!(bob.browser.get("/api/v2/me").await.text("/user/name"), "Robert");
    assert_eq!(
        operator.run(&["org", "rename", "--org", &organization.org, "--name", "Gears"]).await,
        json!({ "renamed": true })
    );
    let read = bob.browser.get(&organization.at("")).await;
    assert_eq!(
        (read.text("/organization/name"), read.text("/organization/slug")),
        ("Gears".into(), "works".into())
    );
}

#[tokio::test]
async fn a_refused_command_of_a_batch_ends_nothing() {
    let operator = Deployment::shared().operator();
    let mut refusals = String::new();
    let slug = format!("works-{}", Uuid::new_v4().simple());
    let absent = ["org", "create", "--name", "Works", "--slug", &slug, "--owner", ABSENT_ID];
    for line in [json!("user list"), json!(["users", "list"]), json!(["batch"]), json!(absent)] {
        let refused = operator.answer(&line).await;
        let first = refused["refused"].as_str().unwrap().lines().next().unwrap().to_owned();
        writeln!(refusals, "{first}").unwrap();
    }
    assert_snapshot!(refusals, @r#"
    a line is a JSON array of words: invalid type: string "user list", expected a sequence at line 1 column 11
    error: unrecognized subcommand 'users'
    a batch is no command of a batch
    user: there is no such user or resource
    "#);
    let made = operator.run(&["user", "create", "--email", &operator.address("eve"), "--name", "Eve"]).await;
    assert!(made["userId"].is_string(), "{made}");
}
