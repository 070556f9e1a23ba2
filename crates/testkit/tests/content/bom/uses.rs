//! Where parts and packages are used, over projects.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::seed::{ABSENT_ID, MANAGE};
use testkit::session::{Session, create_project};

use crate::bom::support::{assembly, part, with_machine};
use crate::support::{Project, id_of, texts};

/// The uses as lines: project, assembly with its number, quantities, products.
fn lines(answer: &Value) -> String {
    let mut lines = Vec::new();
    for project in answer["projects"].as_array().unwrap() {
        for found in project["uses"].as_array().unwrap() {
            let assembly = match found.get("assembly") {
                Some(above) => format!("{}×{}", above["objectCount"], above["name"].as_str().unwrap()),
                None => "top".to_owned(),
            };
            let name = project["name"].as_str().unwrap();
            let products = texts(&found["products"], "name").join(",");
            lines.push(format!(
                "{name}: {assembly} {}/{} {products}",
                found["quantity"], found["totalQuantity"]
            ));
        }
    }
    lines.join("\n")
}

/// Creates a project with a frame that holds three bolts; returns its id and that of the frame.
async fn frame(caller: &Caller) -> (String, String) {
    let id = create_project(caller, "Frame").await;
    let path = format!("/api/v2/projects/{id}");
    let model = id_of(&caller.get(&format!("{path}/tree")).await.expect(200).json(), "Model");
    let bolts = [0; 3].map(|_| part("#frame", "bolt"));
    let operations: Vec<Value> = std::iter::once(assembly(&model, "frame", "frame")).chain(bolts).collect();
    let body = json!({ "operations": operations });
    let made = caller.post(&format!("{path}/objects/batch")).json(body).await.expect(201).json();
    (id, texts(&made["results"], "id")[0].clone())
}

async fn uses(project: &Project, object: &str, query: &str) -> Value {
    project.get(&format!("objects/{object}/uses?{query}")).await.expect(200).json()
}

#[tokio::test]
async fn uses_of_a_part_are_found_in_all_projects_that_the_caller_reads() {
    let (project, ids) = with_machine().await;
    frame(&project.caller).await;
    // A stranger's project has the same bolt.
    let stranger = project.deployment.operator().user("stranger").await.key(MANAGE).await;
    frame(&stranger).await;
    let answer = uses(&project, &ids[7], "").await;
    assert_snapshot!(lines(&answer), @r"
    Gear: 2×pair 2/4 machine
    Gear: 1×machine 1/1 machine
    Frame: 1×frame 3/3 frame
    ");
    assert_eq!((&answer["searchedCount"], &answer["notSearched"]), (&json!(2), &json!([])));
    let by_text = project.caller.get("/api/v2/uses?part=bolt").await.expect(200).json();
    assert_eq!(by_text["projects"].as_array().unwrap().len(), 2);
    assert_snapshot!(lines(&uses(&project, &ids[1], "").await), @"Gear: 1×machine 2/2 machine");
    let nothing = project.caller.get("/api/v2/uses?part=Bolt").await.expect(200).json();
    assert_eq!((&nothing["projects"], &nothing["searchedCount"]), (&json!([]), &json!(2)));
    let theirs = stranger.get("/api/v2/uses?part=bolt").await.expect(200).json();
    assert_snapshot!(lines(&theirs), @"Frame: 1×frame 3/3 frame");
}

#[tokio::test]
async fn uses_come_in_pages_of_projects() {
    let (project, ids) = with_machine().await;
    for _ in 0..3 {
        frame(&project.caller).await;
    }
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = uses(&project, &ids[7], &format!("limit=2{cursor}")).await;
        for found in page["projects"].as_array().unwrap() {
            seen.push(found["projectId"].as_str().unwrap().to_owned());
        }
        match page["meta"]["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen[0], project.id, "the path's own first");
    assert_eq!(seen.len(), 4);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 4, "each once");
}

#[tokio::test]
async fn uses_of_a_package_are_its_includes() {
    let (project, ids) = with_machine().await;
    let (library, _) = frame(&project.caller).await;
    let path = format!("/api/v2/projects/{library}");
    let model = id_of(&project.caller.get(&format!("{path}/tree")).await.expect(200).json(), "Model");
    let message = json!({ "message": "Frame" });
    project.caller.post(&format!("{path}/branches/main/commits")).json(message).await.expect(201);
    let said = json!({ "description": "Frames" });
    let published = project.caller.put(&format!("{path}/packages/{model}")).json(said).await.expect(200);
    let include = json!({ "ref": published.text("/package/ref"), "parent": ids[0], "name": "Frames" });
    let include = project.post("includes", include).await.expect(201).text("/include/id");
    let of_package = project.caller.get(&format!("{path}/objects/{model}/uses")).await.expect(200).json();
    assert_snapshot!(lines(&of_package), @"Gear: 1×machine 1/1 machine");
    let found = &of_package["projects"][0]["uses"][0];
    assert_eq!(found["commitHash"], json!(published.text("/package/commitHash")));
    assert_eq!(lines(&uses(&project, &include, "").await), lines(&of_package));
}

#[tokio::test]
async fn a_session_searches_its_own_project_alone() {
    let (project, ids) = with_machine().await;
    frame(&project.caller).await;
    let session = Session::open(&project.caller, &project.id).await;
    let tool = json!({ "toolbox": "project", "tool": "list_object_uses", "params": { "objectId": ids[7] } });
    let answer =
        project.caller.post(&format!("{}/tools/invoke", session.path())).json(tool).await.expect(200);
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    assert!(text.contains("machine") && !text.contains("frame"), "{text}");
}

#[tokio::test]
async fn uses_of_nothing_there_are_refused_and_of_a_folder_empty() {
    let (project, _) = with_machine().await;
    assert_snapshot!(project.get(&format!("objects/{ABSENT_ID}/uses")).await, @"404 NOT_FOUND");
    let body = json!({ "name": "Loose", "type": "Folder", "parent": project.model });
    let folder = project.post("objects", body).await.expect(201).text("/object/id");
    let answer = uses(&project, &folder, "").await;
    assert_eq!((&answer["projects"], &answer["meta"]["hasMore"]), (&json!([]), &json!(false)));
    assert_snapshot!(project.caller.get("/api/v2/uses").await, @"400 INVALID_REQUEST query.part required");
    assert_snapshot!(project.caller.get("/api/v2/uses?part=").await, @"400 INVALID_REQUEST query.part minLength");
}
