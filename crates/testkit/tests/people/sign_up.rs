//! Accounts that begin with a first sign-in.

use futures_util::future::join_all;
use insta::assert_snapshot;
use testkit::deployment::{Deployment, Options};

async fn with_rule(rule: &str) -> Deployment {
    let environment = vec![("ATELIER_SIGN_UP", rule.to_owned())];
    Deployment::with(Options { environment, ..Options::default() }).await
}

#[tokio::test]
async fn a_first_sign_in_makes_an_account_once_and_later_ones_find_it() {
    let deployment = with_rule("anybody").await;
    let ada = deployment.operator().newcomer("Ada.Lovelace@example.com").await;
    let first = ada.get("/api/v2/me").await.expect(200);
    assert_snapshot!(first, @r#"
    200 {
      "user": {
        "commitEmail": "<id 1>@users.noreply.control.test",
        "createdAt": "<time>",
        "email": "Ada.Lovelace@example.com",
        "id": "<id 1>",
        "name": "Ada.Lovelace",
        "showEmailInCommits": false,
        "slug": "ada-lovelace"
      }
    }
    "#);
    assert_eq!(ada.get("/api/v2/me").await.expect(200).body, first.body);
    assert_eq!(deployment.database.count("select count(*) from users").await, 1);
    assert_eq!(
        deployment.database.count("select count(*) from audit_log where action = 'user.signed_up'").await,
        1
    );
    // Another person with the same name for URLs gets another one.
    let other = deployment.operator().newcomer("ada.lovelace@example.org").await;
    assert_eq!(other.get("/api/v2/me").await.expect(200).text("/user/slug"), "ada-lovelace-2");
}

#[tokio::test]
async fn of_first_requests_at_once_one_makes_the_account() {
    let deployment = Deployment::with(Options {
        environment: vec![("ATELIER_SIGN_UP", "anybody".to_owned())],
        control_replicas: 2,
        ..Options::default()
    })
    .await;
    let ada = deployment.operator().newcomer("ada@example.com").await;
    let requests =
        (0..8).map(|number| ada.at(&deployment.control_urls[number % 2]).get("/api/v2/me").into_future());
    let answers = join_all(requests).await;
    let ids: Vec<String> = answers.into_iter().map(|answer| answer.expect(200).text("/user/id")).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(deployment.database.count("select count(*) from users").await, 1);
    assert_eq!(deployment.database.count("select count(*) from owners").await, 1);
}

#[tokio::test]
async fn nobody_gets_an_account_unless_the_deployment_says_so() {
    let deployment = Deployment::start().await;
    let ada = deployment.operator().newcomer("ada@example.com").await;
    assert_snapshot!(ada.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    let deployment = with_rule("works.example,lab.example").await;
    for (address, status) in [
        ("ada@works.example", 200),
        ("ada@LAB.example", 200),
        ("ada@more.works.example", 401),
        ("ada@example.com", 401),
    ] {
        let person = deployment.operator().newcomer(address).await;
        assert_eq!(person.get("/api/v2/me").await.status, status, "{address}");
    }
    assert_eq!(deployment.database.count("select count(*) from users").await, 2);
}

#[tokio::test]
async fn an_operators_account_becomes_the_persons_with_its_address_and_nobody_elses() {
    let deployment = with_rule("anybody").await;
    let operator = deployment.operator();
    let made = operator.user("ada").await;
    let ada = operator.newcomer("ADA@example.com").await;
    assert_eq!(ada.get("/api/v2/me").await.expect(200).text("/user/id"), made.id);
    // The account has an identity now, so another one with the same address doesn't get it.
    let other = operator.newcomer("ada@example.com").await;
    assert_snapshot!(other.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
    assert_eq!(deployment.database.count("select count(*) from users").await, 1);

    let disabled = operator.user("eve").await;
    operator.run(&["user", "disable", "--user", &disabled.id]).await;
    let eve = operator.newcomer("eve@example.com").await;
    assert_snapshot!(eve.get("/api/v2/me").await, @"401 UNAUTHENTICATED");
}
