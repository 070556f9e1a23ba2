//! Publish, move, withdraw and list.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::Deployment;
use testkit::seed::MANAGE;

use crate::packages::support::{Shelf, nodes};

#[tokio::test]
async fn a_package_is_published_from_the_last_commit_and_moves_when_published_again() {
    let deployment = Deployment::shared();
    let shelf = Shelf::new(&deployment.operator().user("alice").await.key(MANAGE).await, "Gears").await;
    assert_snapshot!(
        shelf.caller.get(&shelf.at("packages")).await,
        @r#"200 {"meta":{"hasMore":false,"limit":50,"nextCursor":null},"packages":[]}"#
    );
    let first = shelf.publish().await.expect(200);
    assert_snapshot!(first, @r#"
    200 {
      "package": {
        "branch": "main",
        "commitHash": "<hash 1>",
        "description": "Secret gears",
        "id": "<id 1>",
        "name": "Model",
        "objectCount": 1,
        "ref": "<id 2>/<id 1>@<hash 1>",
        "updatedAt": "<time>"
      }
    }
    "#);
    shelf.add("gear.txt").await;
    let listed = shelf.caller.get(&shelf.at("packages?branch=main")).await.expect(200).json();
    assert_eq!(listed["packages"][0]["objectCount"], 1);

    let commit = shelf.commit().await;
    let again = shelf.caller.put(&shelf.at(&format!("packages/{}", shelf.model))).await.expect(200);
    assert_eq!(
        (again.text("/package/commitHash"), again.text("/package/description")),
        (commit, String::new())
    );
    assert_eq!(again.json()["package"]["objectCount"], 2);
    let path = shelf.at(&format!("packages/{}", shelf.model));
    let read = shelf.caller.get(&path).await.expect(200);
    assert_eq!(nodes(&read.json()["tree"]), ["Package Model", "File gear.txt"]);
    assert_eq!(shelf.caller.get(&path).header("if-none-match", read.header("etag")).await.status, 304);
    // Every published commit remains readable.
    let path = format!("packages/{}?commitHash={}", shelf.model, first.text("/package/commitHash"));
    let read = shelf.caller.get(&shelf.at(&path)).await.expect(200).json();
    assert_eq!(nodes(&read["tree"]), ["Package Model"]);
}

#[tokio::test]
async fn only_a_committed_package_can_be_published() {
    let deployment = Deployment::shared();
    let shelf = Shelf::new(&deployment.operator().user("alice").await.key(MANAGE).await, "Gears").await;
    let file = shelf.add("gear.txt").await;
    let publish = |object: &str| shelf.caller.put(&shelf.at(&format!("packages/{object}")));
    assert_snapshot!(publish(&file).await, @"400 INVALID_REQUEST path.packageId exists");
    shelf.commit().await;
    assert_snapshot!(publish(&file).await, @"400 INVALID_REQUEST path.packageId state");
    assert_snapshot!(publish("0198c5f0-0000-7000-8000-000000000001").await, @"404 NOT_FOUND");
    // The project object is not a package either.
    assert_snapshot!(publish(&shelf.id).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_package_belongs_to_its_branch_and_is_deleted_with_it() {
    let deployment = Deployment::shared();
    let shelf = Shelf::new(&deployment.operator().user("alice").await.key(MANAGE).await, "Gears").await;
    shelf.caller.post(&shelf.at("branches")).json(json!({ "name": "next" })).await.expect(201);
    let path = format!("/api/v2/projects/{}--next/packages/{}", shelf.id, shelf.model);
    let published = shelf.caller.put(&path).await.expect(200);
    assert_eq!(published.text("/package/branch"), "next");
    let count = async |branch: &str| {
        let listed = shelf.caller.get(&shelf.at(&format!("packages?branch={branch}"))).await.expect(200);
        listed.json()["packages"].as_array().unwrap().len()
    };
    assert_eq!((count("main").await, count("next").await), (0, 1));
    shelf.caller.delete(&shelf.at("branches/next")).await.expect(200);
    let version = format!("packages/{}?commitHash={}", shelf.model, published.text("/package/commitHash"));
    shelf.caller.get(&shelf.at(&version)).await.expect(404);
}

#[tokio::test]
async fn a_withdrawn_package_is_absent_at_every_commit() {
    let deployment = Deployment::shared();
    let shelf = Shelf::new(&deployment.operator().user("alice").await.key(MANAGE).await, "Gears").await;
    let published = shelf.publish().await.expect(200);
    let path = shelf.at(&format!("packages/{}", shelf.model));
    assert_snapshot!(shelf.caller.delete(&path).await, @r#"200 {"deleted":true,"packageId":"<id 1>"}"#);
    shelf.caller.get(&path).await.expect(404);
    let version = format!("{path}?commitHash={}", published.text("/package/commitHash"));
    shelf.caller.get(&version).await.expect(404);
    assert_snapshot!(shelf.caller.delete(&path).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn deleting_a_branch_with_packages_needs_the_permission_to_withdraw_them() {
    let deployment = Deployment::shared();
    let operator = deployment.operator();
    let shelf = Shelf::new(&operator.user("alice").await.key(MANAGE).await, "Gears").await;
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &shelf.id, "editor").await;
    let by_bob = bob.key(MANAGE).await;
    shelf.caller.post(&shelf.at("branches")).json(json!({ "name": "next" })).await.expect(201);
    let package = format!("/api/v2/projects/{}--next/packages/{}", shelf.id, shelf.model);
    shelf.caller.put(&package).await.expect(200);
    let delete = || by_bob.delete(&shelf.at("branches/next")).into_future();
    assert_eq!(delete().await.to_string(), "403 FORBIDDEN");
    shelf.caller.get(&package).await.expect(200);
    shelf.caller.delete(&package).await.expect(200);
    delete().await.expect(200);
}

#[tokio::test]
async fn packages_are_listed_in_pages_by_name_in_byte_order() {
    let deployment = Deployment::shared();
    let shelf = Shelf::new(&deployment.operator().user("alice").await.key(MANAGE).await, "Gears").await;
    let mut packages = Vec::new();
    for name in ["b", "é", "B", "a", "a"] {
        let body = json!({ "name": name, "type": "Package" });
        let made = shelf.caller.post(&shelf.at("objects")).json(body).await.expect(201);
        packages.push(made.text("/object/id"));
    }
    shelf.commit().await;
    for package in &packages {
        shelf.caller.put(&shelf.at(&format!("packages/{package}"))).await.expect(200);
    }
    let mut pages: Vec<Vec<String>> = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = shelf.caller.get(&shelf.at(&format!("packages?limit=2{cursor}"))).await.expect(200).json();
        let listed = page["packages"].as_array().unwrap();
        pages.push(listed.iter().map(|package| package["name"].as_str().unwrap().to_owned()).collect());
        let Some(next) = page["meta"]["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(pages, [vec!["B", "a"], vec!["a", "b"], vec!["é"]]);
    let elsewhere = shelf.caller.get(&shelf.at(&format!("packages?branch=main{cursor}"))).await;
    assert_snapshot!(elsewhere, @"400 INVALID_PAGINATION");
}
