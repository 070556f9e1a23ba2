//! Bills that go on in packages of other projects.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::deployment::Deployment;
use testkit::seed::MANAGE;

use crate::bom::support::{bill, lines, part, with_machine};
use crate::support::Project;

/// Publishes the package `Model` of a project with two pins; returns its reference.
async fn published(library: &Project) -> String {
    library.batch(json!([part(&library.model, "pin"), part(&library.model, "pin")])).await.expect(201);
    library.commit("main", "Add pins").await;
    let said = json!({ "description": "Pins" });
    library.put(&format!("packages/{}", library.model)).json(said).await.expect(200).text("/package/ref")
}

/// A project of the same caller.
async fn another(project: &Project) -> Project {
    let id = testkit::session::create_project(&project.caller, "Library").await;
    let tree = project.caller.get(&format!("/api/v2/projects/{id}/tree")).await.expect(200);
    let model = crate::support::id_of(&tree.json(), "Model");
    Project { deployment: Deployment::shared(), caller: project.caller.clone(), id, model }
}

async fn read(caller: &Caller, project: &Project, query: &str) -> Value {
    caller.get(&format!("/api/v2/projects/{}/bom?{query}", project.id)).await.expect(200).json()
}

#[tokio::test]
async fn a_bill_counts_included_packages_at_their_commits() {
    let (project, ids) = with_machine().await;
    let library = another(&project).await;
    let reference = published(&library).await;
    let include = json!({ "ref": reference, "parent": ids[0], "name": "Pins" });
    project.post("includes", include).await.expect(201);
    assert_snapshot!(bill(&project, "").await, @r"
    machine 1/1
      pair 2/2
        bolt 2/4
      bolt 1/1
      Pins 1/1
        pin 2/2
    ");
    assert_snapshot!(bill(&project, "view=flat").await, @r"
    bolt 5/5
    pin 2/2
    ");
    // What the library does afterwards changes nothing.
    library.batch(json!([part(&library.model, "pin")])).await.expect(201);
    library.commit("main", "Add a pin").await;
    let answer = read(&project.caller, &project, "view=flat").await;
    assert_eq!(lines(&answer), "bolt 5/5\npin 2/2");
    assert_eq!(answer["packages"][0]["available"], true);
    let pinned = &answer["packages"][0]["include"]["commitHash"];
    assert_eq!(answer["rows"][1]["objects"][0]["commitHash"], *pinned);
    assert_eq!(answer["rows"][1]["objects"][0]["projectId"], json!(library.id));
    assert_eq!(answer["rows"][0]["objects"][0].get("projectId"), None);
}

#[tokio::test]
async fn a_package_out_of_reach_is_one_row_that_tells_nothing_else() {
    let (project, ids) = with_machine().await;
    let library = another(&project).await;
    let reference = published(&library).await;
    let include = json!({ "ref": reference, "parent": ids[0], "name": "Bought" });
    project.post("includes", include).await.expect(201);
    let operator = project.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &project.id, "viewer").await;
    let bob = bob.key(MANAGE).await;
    let hidden = read(&bob, &project, "").await;
    assert_snapshot!(lines(&hidden), @r"
    machine 1/1
      pair 2/2
        bolt 2/4
      bolt 1/1
      Bought 1/1
    ");
    assert_eq!(hidden["rows"][4]["available"], false);
    assert_eq!(hidden["warnings"][0]["kind"], "unavailable_packages");
    assert!(!hidden.to_string().contains("pin"));
    // A withdrawn package and a deleted project are the same bytes.
    library.delete(&format!("packages/{}", library.model)).await.expect(200);
    assert_eq!(read(&project.caller, &project, "").await, hidden);
    project.caller.delete(&format!("/api/v2/projects/{}", library.id)).await.expect(200);
    assert_eq!(read(&project.caller, &project, "").await, hidden);
}
