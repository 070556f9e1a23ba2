//! Custom fields of objects: values in their data, checked where they are written.

mod merges;
mod uploads;

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Base;

use super::id;
use crate::cards::support::Project;

impl Project {
    async fn object(&self, object_type: &str, data: Value) -> Answer {
        self.post("objects", json!({ "name": "Gear", "type": object_type, "data": data })).await
    }
}

/// The path of an object.
fn path(answer: &Answer) -> String {
    format!("objects/{}", answer.text("/object/id"))
}

#[tokio::test]
async fn objects_of_a_type_have_checked_values_in_their_data() {
    let project = Project::open().await;
    let mass = json!({
        "name": "Mass", "type": "number", "unit": "kg", "minimum": 0, "isRequired": true, "appliesTo": "objects",
        "objectType": "Part",
    });
    let mass = project.field(mass).await;
    assert_eq!((&mass["applies_to"], &mass["object_type"]), (&json!("objects"), &json!("Part")));
    let risk = json!({ "name": "Risk", "type": "choice", "options": ["low", "high"], "defaultValue": "low",
        "appliesTo": "both" });
    let risk = project.field(risk).await;
    let (low, high) = (risk["options"][0]["id"].clone(), risk["options"][1]["id"].clone());
    let place = format!("body.data.fields.{}", id(&mass));

    let without = project.object("Part", json!({ "a": 1 })).await.expect(400);
    assert!(without.to_string().contains(&format!("{place} required")), "{without}");
    let heavy = json!({ "fields": { id(&mass): -1 } });
    let refused = project.object("Part", heavy).await.expect(400);
    assert!(refused.to_string().contains(&format!("{place} minimum")), "{refused}");
    let made =
        project.object("Part", json!({ "a": 1, "fields": { id(&mass): 2.0, id(&risk): "high" } })).await;
    assert_eq!(
        made.expect(201).json()["object"]["data"],
        json!({ "a": 1, "fields": { id(&mass): 2, id(&risk): high } })
    );
    let page = project.object("Page", json!({})).await.expect(201);
    assert_eq!(page.json()["object"]["data"], json!({ "fields": { id(&risk): low } }), "the default");

    // Each change is checked alone, and a required value doesn't end.
    let at = path(&page);
    project.patch(&at, json!({ "data": { "fields": { id(&risk): null } } })).await.expect(200);
    let refused =
        project.patch(&at, json!({ "data": { "fields": { id(&risk): "grave" } } })).await.expect(400);
    assert!(refused.to_string().contains("exists"), "{refused}");
    // An id that names no field, or a field of another type, is a property as any other.
    let other = json!({ "data": { "fields": { id(&mass): "x", "colour": "red" } } });
    project.patch(&at, other).await.expect(200);
}

#[tokio::test]
async fn a_batch_with_a_bad_value_changes_nothing() {
    let project = Project::open().await;
    let field = json!({ "name": "Mass", "type": "number", "appliesTo": "objects", "isRequired": true });
    let field = project.field(field).await;
    let gear = project.object("Part", json!({ "fields": { id(&field): 1 } })).await.expect(201);
    let gear = gear.text("/object/id");
    let operations = json!([
        { "op": "update", "id": gear, "data": { "fields": { id(&field): 3 } } },
        { "op": "update", "id": gear, "data": { "fields": null } },
    ]);
    let refused = project.post("objects/batch", json!({ "operations": operations })).await.expect(400);
    let place = format!("body.operations[1].data.fields.{} required", id(&field));
    assert!(refused.to_string().contains(&place), "{refused}");
    let kept = project.get(&format!("objects/{gear}")).await.expect(200).json();
    assert_eq!(kept["object"]["data"]["fields"][id(&field)], 1);
}

#[tokio::test]
async fn fields_of_objects_are_only_archived_and_widened_and_cards_know_nothing_of_them() {
    let project = Project::open().await;
    let finish = json!({ "name": "Finish", "type": "choice", "options": ["raw", "oiled"], "appliesTo": "objects",
        "objectType": "Part", "isRequired": true });
    let finish = project.field(finish).await;
    let at = format!("fields/{}", id(&finish));
    let gear = project.object("Part", json!({ "fields": { id(&finish): "raw" } })).await.expect(201);
    project.card("without").await;
    let card = json!({ "name": "x", "fields": { "Finish": "raw" } });
    let refused = project.post("cards", card).await.expect(400);
    assert!(refused.to_string().contains("body.fields.Finish exists"), "{refused}");
    project.get("cards?sort=field-Finish").await.expect(400);
    let table = project.get("cards.csv").await.expect(200);
    assert!(!String::from_utf8_lossy(&table.body).contains("Finish"));

    assert_eq!(project.delete(&at).await.to_string(), "409 FIELD_IN_USE");
    // An option that goes is archived: commits may have it.
    let fewer = json!({ "options": [{ "id": finish["options"][1]["id"], "name": "oiled" }] });
    let changed = project.patch(&at, fewer).await.expect(200).json()["field"].clone();
    assert_eq!(
        (&changed["options"][1]["name"], &changed["options"][1]["is_archived"]),
        (&json!("raw"), &json!(true))
    );
    for (change, refused) in [
        (json!({ "appliesTo": "cards" }), "body.appliesTo state"),
        (json!({ "objectType": "Page" }), "body.objectType state"),
        (json!({ "isShown": true }), "body.isShown conflict"),
    ] {
        let answer = project.patch(&at, change).await.expect(400);
        assert!(answer.to_string().contains(refused), "{answer}");
    }
    project.patch(&at, json!({ "appliesTo": "both", "objectType": null, "isShown": true })).await.expect(200);
    let without = project.post("cards", json!({ "name": "y" })).await.expect(400);
    assert!(without.to_string().contains("body.fields.Finish required"), "{without}");

    project.patch(&at, json!({ "status": "archived" })).await.expect(200);
    project.patch(&path(&gear), json!({ "data": { "a": 1 } })).await.expect(200);
    let late = project.patch(&path(&gear), json!({ "data": { "fields": { id(&finish): "oiled" } } })).await;
    assert!(late.expect(400).to_string().contains("state"));
    project.patch(&path(&gear), json!({ "data": { "fields": null } })).await.expect(200);
    project.object("Part", json!({})).await.expect(201);
    let conflict = json!({ "name": "x", "type": "text", "objectType": "Part" });
    let answer = project.post("fields", conflict).await.expect(400);
    assert!(answer.to_string().contains("body.objectType conflict"), "{answer}");
}
