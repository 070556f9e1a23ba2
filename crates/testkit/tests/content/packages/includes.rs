//! Includes: their content, commit and visibility.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::Deployment;
use testkit::seed::MANAGE;

use crate::packages::support::{Shelf, nodes};

#[tokio::test]
async fn an_include_shows_the_package_at_its_pin_until_it_is_moved() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let (gears, machine) = (Shelf::new(&alice, "Gears").await, Shelf::new(&alice, "Machine").await);
    let first = gears.publish().await.expect(200);
    let created = machine.include(&gears).await.expect(201);
    assert_snapshot!(created, @r#"
    201 {
      "include": {
        "available": true,
        "id": "<id 1>",
        "include": {"commitHash":"<hash 1>","packageId":"<id 2>","projectId":"<id 3>"},
        "name": "Bought",
        "package": {
          "branch": "main",
          "commitHash": "<hash 1>",
          "description": "Secret gears",
          "id": "<id 2>",
          "name": "Model",
          "objectCount": 1,
          "ref": "<id 3>/<id 2>@<hash 1>",
          "updatedAt": "<time>"
        },
        "parent": "<id 4>"
      }
    }
    "#);
    let include = created.text("/include/id");
    // The tree has only the reference, not its target.
    assert_eq!(machine.tree().await, ["Package Model", "Include Bought", "Package Library"]);

    gears.add("gear.txt").await;
    gears.commit().await;
    let second = gears.publish().await.expect(200).text("/package/commitHash");
    let read = machine.included(&include).await.expect(200);
    assert_eq!(nodes(&read.json()["tree"]), ["Package Model"]);
    assert_eq!(read.text("/include/include/commitHash"), first.text("/package/commitHash"));
    assert_eq!(read.text("/include/package/commitHash"), second, "what it could be pinned to");

    let pin = async |commit: &str| {
        let path = machine.at(&format!("includes/{include}"));
        alice.patch(&path).json(json!({ "commitHash": commit })).await
    };
    machine.commit().await;
    pin(&second).await.expect(200);
    let read = machine.included(&include).await.expect(200).json();
    assert_eq!(nodes(&read["tree"]), ["Package Model", "File gear.txt"]);
    let changes = async || alice.get(&machine.at("branches/main/changes")).await.expect(200).json();
    assert_eq!(changes().await["modified"], json!([include]));
    // Back at the committed pin, nothing has changed.
    pin(&first.text("/package/commitHash")).await.expect(200);
    assert_eq!(changes().await["hasChanges"], false);
    assert_snapshot!(
        pin("0123456789012345678901234567890123456789").await,
        @"400 INVALID_REQUEST body.commitHash exists"
    );
}

#[tokio::test]
async fn an_include_reveals_nothing_to_a_caller_without_access_to_the_package() {
    let deployment = Deployment::shared();
    let operator = deployment.operator();
    let alice = operator.user("alice").await.key(MANAGE).await;
    let (gears, machine) = (Shelf::new(&alice, "Gears").await, Shelf::new(&alice, "Machine").await);
    gears.publish().await.expect(200);
    let include = machine.include(&gears).await.expect(201).text("/include/id");
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &machine.id, "editor").await;
    let bob = bob.key(MANAGE).await;
    let path = machine.at(&format!("includes/{include}"));
    let hidden = bob.get(&path).await.expect(200);
    assert_snapshot!(hidden, @r#"
    200 {
      "include": {
        "available": false,
        "id": "<id 1>",
        "include": {"commitHash":"<hash 1>","packageId":"<id 2>","projectId":"<id 3>"},
        "name": "Bought",
        "parent": "<id 4>"
      }
    }
    "#);
    bob.patch(&path)
        .json(json!({ "commitHash": hidden.text("/include/include/commitHash") }))
        .await
        .expect(400);

    // The same bytes after the package's withdrawal and after its project's deletion.
    gears.caller.delete(&gears.at(&format!("packages/{}", gears.model))).await.expect(200);
    assert_eq!(alice.get(&path).await.expect(200).body, hidden.body);
    alice.delete(&format!("/api/v2/projects/{}", gears.id)).await.expect(200);
    assert_eq!(alice.get(&path).await.expect(200).body, hidden.body);
}

#[tokio::test]
async fn an_unreachable_package_can_not_be_included_and_looks_absent() {
    let deployment = Deployment::shared();
    let operator = deployment.operator();
    let alice = operator.user("alice").await.key(MANAGE).await;
    let stranger = operator.user("stranger").await.key(MANAGE).await;
    let (gears, machine) = (Shelf::new(&alice, "Gears").await, Shelf::new(&stranger, "Machine").await);
    gears.publish().await.expect(200);
    let hidden = machine.include(&gears).await.expect(400);
    let nowhere = "0198c5f0-0000-7000-8000-000000000001";
    let absent = machine.include_as(&format!("{nowhere}/{nowhere}")).await.expect(400);
    assert_eq!(hidden.body, absent.body);
    // A reader of the project may include only its published packages.
    let public = json!({ "visibility": "public" });
    alice.patch(&format!("/api/v2/projects/{}", gears.id)).json(public).await.expect(200);
    machine.include(&gears).await.expect(201);
    let library = format!("{}/{}", gears.id, nowhere);
    machine.include_as(&library).await.expect(400);
}

#[tokio::test]
async fn an_include_has_one_valid_form_of_reference() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let (gears, machine) = (Shelf::new(&alice, "Gears").await, Shelf::new(&alice, "Machine").await);
    let package = gears.publish().await.expect(200);
    let (reference, commit) = (package.text("/package/ref"), package.text("/package/commitHash"));
    let send = |body: serde_json::Value| alice.post(&machine.at("includes")).json(body);
    let ids = json!({ "projectId": gears.id, "packageId": gears.model, "commitHash": commit, "parent": machine.id });
    let created = send(ids).await.expect(201);
    assert_eq!(created.text("/include/name"), "Model");
    let both = json!({ "ref": reference, "packageId": gears.model, "parent": machine.id });
    assert_snapshot!(send(both).await, @"400 INVALID_REQUEST body.ref conflict");
    assert_snapshot!(
        send(json!({ "projectId": gears.id, "parent": machine.id })).await,
        @"400 INVALID_REQUEST body.ref required"
    );
    assert_snapshot!(
        send(json!({ "ref": "gears", "parent": machine.id })).await,
        @"400 INVALID_REQUEST body.ref format"
    );
    assert_snapshot!(
        send(json!({ "ref": reference, "parent": gears.model })).await,
        @"400 INVALID_REQUEST body.parent exists"
    );
}

#[tokio::test]
async fn an_unchanged_pin_is_not_a_change_and_keeps_uncommitted_work() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let (gears, machine) = (Shelf::new(&alice, "Gears").await, Shelf::new(&alice, "Machine").await);
    let first = gears.publish().await.expect(200).text("/package/commitHash");
    gears.add("gear.txt").await;
    let second = gears.commit().await;
    gears.publish().await.expect(200);
    let include = machine.include(&gears).await.expect(201).text("/include/id");
    let pin = |commit: &str| {
        let path = machine.at(&format!("includes/{include}"));
        alice.patch(&path).json(json!({ "commitHash": commit })).into_future()
    };
    let changes = async || {
        let changes = alice.get(&machine.at("branches/main/changes")).await.expect(200).json();
        let count = |kind: &str| changes[kind].as_array().unwrap().len();
        (count("added"), count("modified"))
    };
    pin(&second).await.expect(200);
    assert_eq!(changes().await, (1, 0));
    machine.commit().await;
    pin(&second).await.expect(200);
    assert_eq!(changes().await, (0, 0));
    pin(&first).await.expect(200);
    assert_eq!(changes().await, (0, 1));
    pin(&second).await.expect(200);
    assert_eq!(changes().await, (0, 0));
}
