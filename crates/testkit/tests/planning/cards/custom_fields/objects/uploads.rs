//! Defaults of custom fields on objects of uploads.

use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::session::{Session, objects};
use testkit::upload::ASSEMBLY;

use crate::cards::custom_fields::id;
use crate::cards::support::Project;

/// The values that an object of an answer has.
async fn values(project: &Project, object: &Value) -> Value {
    let path = format!("objects/{}", id(object));
    project.get(&path).await.expect(200).json()["object"]["data"]["fields"].clone()
}

#[tokio::test]
async fn objects_of_uploads_get_defaults_and_a_new_version_of_a_file_keeps_values() {
    let project = Project::open().await;
    let session = Session::open(&project.caller, &project.id).await;
    let model = session.model().await;
    let before = objects(&session.upload(&model, "old.txt", "old").await.expect(200));
    let risk = json!({ "name": "Risk", "type": "choice", "options": ["low", "high"], "defaultValue": "low",
        "appliesTo": "objects" });
    let risk = project.field(risk).await;
    let (low, high) = (risk["options"][0]["id"].clone(), risk["options"][1]["id"].clone());
    // An upload gives no values, so none is asked of it.
    project
        .field(json!({ "name": "Mass", "type": "number", "isRequired": true, "appliesTo": "objects" }))
        .await;
    let root_note = json!({ "name": "Note", "type": "text", "defaultValue": "Check", "appliesTo": "both",
        "objectType": "Assembly" });
    let note = project.field(root_note).await;

    let uploaded = objects(&session.upload(&model, "gear.stp", ASSEMBLY).await.expect(200));
    assert_eq!(uploaded.len(), 3);
    for object in &uploaded[1..] {
        assert_eq!(values(&project, object).await, json!({ id(&risk): low }));
    }
    let root = id(&uploaded[0]);
    assert_eq!(values(&project, &uploaded[0]).await, json!({ id(&risk): low, id(&note): "Check" }));
    assert_eq!(values(&project, &before[0]).await, json!(null), "older objects stay as they are");

    let change = json!({ "data": { "fields": { id(&risk): "high", id(&note): null } } });
    project.patch(&format!("objects/{root}"), change).await.expect(200);
    let next = ASSEMBLY.replace("Gear 20T", "Gear 21T");
    let replaced = objects(&session.replace(root, "gear.stp", next).await.expect(200));
    for object in &replaced {
        let expected =
            if id(object) == root { json!({ id(&risk): high }) } else { json!({ id(&risk): low }) };
        assert_eq!(values(&project, object).await, expected, "{object}");
    }

    session.upload_files(&model, &[("parts/a.txt", b"a".as_slice())]).await.expect(200);
    let tree = project.get("tree").await.expect(200).json();
    for name in ["parts", "a.txt"] {
        let node = tree["tree"].as_array().unwrap().iter().find(|node| node["name"] == name).unwrap();
        assert_eq!(values(&project, node).await, json!({ id(&risk): low }), "{name}");
    }

    // An archived field has no say.
    project.patch(&format!("fields/{}", id(&risk)), json!({ "status": "archived" })).await.expect(200);
    let last = objects(&session.upload(&model, "last.txt", "last").await.expect(200));
    assert_eq!(values(&project, &last[0]).await, json!(null));
}
