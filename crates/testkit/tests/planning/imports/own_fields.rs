//! Values of files for the project's custom fields.

use serde_json::{Value, json};
use testkit::caller::Base;

use super::support::Importer;

/// Creates a custom field of the project; returns it.
async fn field(works: &Importer, body: Value) -> Value {
    works.post("fields", body).await.expect(201).json()["field"].clone()
}

fn id(field: &Value) -> &str {
    field["id"].as_str().unwrap()
}

#[tokio::test]
async fn values_go_into_custom_fields_and_those_that_do_not_fit_are_listed_and_kept() {
    let works = Importer::own().await;
    let weight = json!({ "name": "Weight", "type": "number", "unit": "kg", "maximum": 10 });
    let weight = field(&works, weight).await;
    let risk = json!({ "name": "Risk", "type": "choice", "options": ["low", "high"], "isRequired": true });
    let risk = field(&works, risk).await;
    let buyer = field(&works, json!({ "name": "Buyer", "type": "user" })).await;
    let address = works.deployment.operator().address("alice");
    let table = format!(
        "Nr,Title,Mass,Danger,For,Note\n1,Mill,2.5 kg,HIGH,{address},a\n2,Turn,11,grave,nobody@example.com,b\n"
    );
    let columns = json!({ "Nr": "id", "Title": "name" }).to_string();
    let fields = json!({ "Mass": "weight", "Danger": id(&risk), "For": "Buyer" }).to_string();
    let form = [("columns", columns.as_str()), ("fields", fields.as_str())];
    let trial = works.import("csv", &[form[0], form[1], ("dryRun", "true")], table.as_bytes()).await;
    let told = |notes: &[Value]| {
        let mut told: Vec<String> = notes
            .iter()
            .map(|note| format!("{} {} {}", note["issue"], note["field"], note["value"]).replace('"', ""))
            .collect();
        told.sort();
        told
    };
    // Only the import itself knows who is a member.
    assert_eq!(told(&works.notes(&trial).await), ["2 Danger grave", "2 Mass 11"]);
    let done = works.import("csv", &form, table.as_bytes()).await;
    assert_eq!((&done["state"], &done["counts"]["created"]), (&json!("finished"), &json!(2)));
    assert_eq!(told(&works.notes(&done).await), ["2 Danger grave", "2 For nobody@example.com", "2 Mass 11"]);
    let cards = works.cards().await;
    assert_eq!(
        cards[0]["fields"],
        json!({ id(&weight): 2.5, id(&risk): risk["options"][1]["id"], id(&buyer): works.alice.id })
    );
    assert_eq!(cards[1]["fields"], json!({}));
    let comments = works.get(&format!("cards/{}/comments", cards[1]["id"].as_str().unwrap())).await.json();
    let texts = comments["comments"].to_string();
    for kept in ["- Mass: 11", "- Danger: grave", "nobody", "- Note: b"] {
        assert!(texts.contains(kept), "{kept}: {texts}");
    }
    // The index of values knows them.
    let heavy = works.get("cards?fields=%7B%22Weight%22:%7B%22from%22:2%7D%7D").await.expect(200).json();
    assert_eq!(heavy["cards"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn fields_of_other_tools_go_into_custom_fields() {
    let works = Importer::open().await;
    let vendor = field(&works, json!({ "name": "Vendor", "type": "text" })).await;
    let file = b"Summary,Issue key,Issue id,Custom field (Vendor)\nGear,G-1,1,Acme\nAxle,G-2,2,\n";
    let fields = json!({ "Custom field (Vendor)": "Vendor" }).to_string();
    let done = works.import("jira", &[("fields", &fields)], file).await;
    assert_eq!(works.notes(&done).await, Vec::<Value>::new());
    let cards = works.cards().await;
    let values: Vec<&Value> = cards.iter().map(|card| &card["fields"][id(&vendor)]).collect();
    assert_eq!(values, [&json!("Acme"), &Value::Null]);
    let unknown = json!({ "Custom field (Colour)": "Vendor" }).to_string();
    let done = works.import("jira", &[("fields", &unknown), ("dryRun", "true")], file).await;
    let notes = works.notes(&done).await;
    assert_eq!(notes[0]["field"], "Custom field (Colour)", "{notes:?}");
}

#[tokio::test]
async fn a_form_that_names_no_active_field_is_refused() {
    let works = Importer::open().await;
    let old = field(&works, json!({ "name": "Old", "type": "text" })).await;
    works.patch(&format!("fields/{}", id(&old)), json!({ "status": "archived" })).await.expect(200);
    field(&works, json!({ "name": "Vendor", "type": "text" })).await;
    for (fields, refused) in [
        (json!({ "a": "Nothing" }), "400 INVALID_REQUEST body.fields.a exists"),
        (json!({ "a": "Old" }), "400 INVALID_REQUEST body.fields.a state"),
        (json!({ "a": "Vendor", "b": "VENDOR" }), "400 INVALID_REQUEST body.fields.b duplicate"),
        (json!(["Vendor"]), "400 INVALID_REQUEST body.fields syntax"),
        (json!({ "a": 1 }), "400 INVALID_REQUEST body.fields syntax"),
    ] {
        let fields = fields.to_string();
        let form = [("tool", "jira"), ("projectId", works.project.as_str()), ("fields", fields.as_str())];
        let answer = works.post_form(&works.org, &form, b"Summary,Issue key\nGear,G-1\n").await;
        assert_eq!(answer.to_string(), refused);
    }
    assert_eq!(works.list().await.len(), 0);
}
