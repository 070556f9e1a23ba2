//! Custom fields: their definitions, and cards that have values of them.

mod objects;
mod sorting;

use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::seed::MANAGE_WITH_CARDS;
use uuid::Uuid;

use crate::cards::support::{Card, Project};

impl Project {
    /// Creates a custom field; returns it.
    async fn field(&self, body: Value) -> Value {
        self.post("fields", body).await.expect(201).json()["field"].clone()
    }
}

/// The id of a field.
fn id(field: &Value) -> &str {
    field["id"].as_str().unwrap()
}

/// The query of a filter by custom fields.
fn query(tests: &Value) -> String {
    let encoded: String = tests.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("fields={encoded}&sort=oldest")
}

/// The names of the cards that pass these tests, the oldest first.
async fn found(project: &Project, tests: Value) -> String {
    let answer = project.get(&format!("cards?{}", query(&tests))).await.expect(200).json();
    let names = answer["cards"].as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap());
    names.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_card_has_values_of_the_fields_that_its_project_defines() {
    let project = Project::open().await;
    let weight = json!({ "name": "Weight", "type": "number", "unit": "kg", "minimum": 0, "maximum": 100 });
    let weight = project.field(weight).await;
    let material =
        json!({ "name": "Material", "type": "choice", "options": ["steel", "alu"], "defaultValue": "steel" });
    let material = project.field(material).await;
    let finish = json!({ "name": "Finish", "type": "choices", "options": ["oiled", "anodized", "raw"] });
    let finish = project.field(finish).await;
    for (name, kind) in [("Part number", "text"), ("Needed", "date"), ("Buyer", "user"), ("Quote", "url")] {
        project.field(json!({ "name": name, "type": kind })).await;
    }
    let body = json!({ "name": "Axle", "fields": {
        "weight": 2.5, id(&finish): ["raw", "oiled"], "Part number": "A-100", "Needed": "2026-12-24",
        "Buyer": project.alice.id, "Quote": "https://steel.example/quote/7",
    } });
    let card = Card::of(&project.post("cards", body).await.expect(201));
    let read = project.get(&card.path()).await.expect(200).json();
    let fields = &read["card"]["fields"];
    assert_eq!(fields[id(&weight)], 2.5);
    assert_eq!(fields[id(&material)], material["options"][0]["id"], "the default");
    assert_eq!(fields[id(&finish)], json!([finish["options"][0]["id"], finish["options"][2]["id"]]));
    assert_eq!(fields.as_object().unwrap().len(), 7);

    let changed = json!({ "fields": { "Weight": 3, "Needed": null } });
    let changed = project.patch(&card.path(), changed).await.expect(200).json();
    assert_eq!(changed["card"]["fields"].as_object().unwrap().len(), 6);
    let history = project.get(&card.at("history")).await.json();
    let changes = history["history"][1]["changes"].to_string();
    let changes = changes.replace(id(&weight), "WEIGHT");
    let changes: Value = serde_json::from_str(&changes).unwrap();
    let mut values: Vec<String> = changes.as_object().unwrap().values().map(Value::to_string).collect();
    values.sort();
    assert_eq!(values, [r#"{"after":3,"before":2.5}"#, r#"{"after":null,"before":"2026-12-24"}"#]);
    assert!(changes.get("fields.WEIGHT").is_some(), "{changes}");
    let again = project.patch(&card.path(), json!({ "fields": { "Weight": 3.0 } })).await.expect(200).json();
    assert_eq!(again["historyHeadId"], changed["historyHeadId"], "nothing changed");
}

#[tokio::test]
async fn values_that_a_field_does_not_take_are_refused_at_their_place() {
    let project = Project::open().await;
    for body in [
        json!({ "name": "Weight", "type": "number", "minimum": 0, "maximum": 100 }),
        json!({ "name": "Material", "type": "choice", "options": ["steel"] }),
        json!({ "name": "Finish", "type": "choices", "options": ["raw"] }),
        json!({ "name": "Note", "type": "text" }),
        json!({ "name": "Needed", "type": "date" }),
        json!({ "name": "Buyer", "type": "user" }),
        json!({ "name": "Quote", "type": "url" }),
    ] {
        project.field(body).await;
    }
    let stranger = project.deployment.operator().user("stranger").await;
    for (name, value) in [
        ("Weight", json!("2")),
        ("Weight", json!(-0.5)),
        ("Weight", json!(100.5)),
        ("Weight", json!([1])),
        ("Material", json!("gold")),
        ("Material", json!(["steel"])),
        ("Finish", json!("raw")),
        ("Finish", json!([])),
        ("Finish", json!(["raw", "gold"])),
        ("Note", json!(" \u{200b}")),
        ("Note", json!("x".repeat(1001))),
        ("Note", json!("a\0b")),
        ("Note", json!({ "text": "x" })),
        ("Needed", json!("2026-02-30")),
        ("Needed", json!("24.12.2026")),
        ("Buyer", json!("alice")),
        ("Buyer", json!(stranger.id)),
        ("Quote", json!("javascript:alert(1)")),
        ("Quote", json!("steel.example/7")),
        ("No such field", json!(1)),
    ] {
        let body = json!({ "name": "x", "fields": { name: value.clone() } });
        let answer = project.post("cards", body).await.expect(400);
        assert!(answer.to_string().contains(&format!("body.fields.{name}")), "{name} {value}: {answer}");
    }
    let card = project.card("x").await;
    let twice = json!({ "fields": { "Weight": 1, "WEIGHT": 2 } });
    assert!(project.patch(&card.path(), twice).await.expect(400).to_string().contains("duplicate"));
    assert_eq!(project.get(&card.path()).await.json()["card"]["fields"], json!({}));
}

#[tokio::test]
async fn a_required_field_binds_new_cards_alone() {
    let project = Project::open().await;
    let old = project.card("old").await;
    let field = project.field(json!({ "name": "Risk", "type": "choice", "options": ["low", "high"] })).await;
    let path = format!("fields/{}", id(&field));
    project.patch(&path, json!({ "isRequired": true })).await.expect(200);
    let without = project.post("cards", json!({ "name": "new" })).await.expect(400);
    assert!(without.to_string().contains("body.fields.Risk required"), "{without}");
    project.patch(&old.path(), json!({ "name": "older" })).await.expect(200);
    let with = project.post("cards", json!({ "name": "new", "fields": { "Risk": "low" } })).await.expect(201);
    let cleared = project.patch(&Card::of(&with).path(), json!({ "fields": { "Risk": null } })).await;
    assert!(cleared.expect(400).to_string().contains("body.fields.Risk required"));
    project.patch(&path, json!({ "defaultValue": "high" })).await.expect(200);
    let by_default = project.post("cards", json!({ "name": "newer" })).await.expect(201).json();
    assert_eq!(by_default["card"]["fields"][id(&field)], field["options"][1]["id"]);
}

#[tokio::test]
async fn cards_are_filtered_by_values_ranges_and_their_absence() {
    let project = Project::open().await;
    let weight = project.field(json!({ "name": "Weight", "type": "number" })).await;
    project.field(json!({ "name": "Finish", "type": "choices", "options": ["oiled", "raw"] })).await;
    project.field(json!({ "name": "Needed", "type": "date" })).await;
    project.field(json!({ "name": "Maker", "type": "text" })).await;
    for (name, fields) in [
        ("a", json!({ "Weight": 1, "Finish": ["oiled"], "Needed": "2026-12-01" })),
        ("b", json!({ "Weight": 2.5, "Finish": ["oiled", "raw"], "Maker": "Müller" })),
        ("c", json!({ "Weight": 10, "Needed": "2027-01-01", "Maker": "x".repeat(900) })),
        ("d", json!({})),
    ] {
        project.post("cards", json!({ "name": name, "fields": fields })).await.expect(201);
    }
    for (tests, names) in [
        (json!({ "Weight": 2.5 }), "b"),
        (json!({ id(&weight): [1, 10] }), "a c"),
        (json!({ "weight": { "from": 1, "to": 2.5 } }), "a b"),
        (json!({ "Weight": { "from": 3 } }), "c"),
        (json!({ "Weight": null }), "d"),
        (json!({ "Weight": [1, null] }), "a d"),
        (json!({ "Weight": { "not": [1] } }), "b c d"),
        (json!({ "Weight": { "not": null } }), "a b c"),
        (json!({ "Weight": { "not": [1, null] } }), "b c"),
        (json!({ "Finish": "oiled" }), "a b"),
        (json!({ "Finish": ["raw"] }), "b"),
        (json!({ "Finish": "oiled", "Weight": { "to": 1 } }), "a"),
        (json!({ "Needed": { "to": "2026-12-31" } }), "a"),
        (json!({ "Maker": "Müller" }), "b"),
        (json!({ "Maker": "x".repeat(900) }), "c"),
        (json!({}), "a b c d"),
    ] {
        assert_eq!(found(&project, tests.clone()).await, names, "{tests}");
    }
    for (tests, place) in [
        (json!({ "Height": 1 }), "query.fields"),
        (json!({ "Weight": "1" }), "query.fields"),
        (json!({ "Finish": "gold" }), "query.fields"),
        (json!({ "Maker": { "from": "a" } }), "query.fields"),
        (json!({ "Weight": { "above": 1 } }), "query.fields"),
        (json!({ "Maker": "a\0" }), "query.fields"),
        (json!([1]), "query.fields"),
    ] {
        for list in ["cards", "cards.csv"] {
            let answer = project.get(&format!("{list}?{}", query(&tests))).await.expect(400);
            assert!(answer.to_string().contains(place), "{tests}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_search_over_all_projects_finds_a_field_of_one_name_in_each() {
    let project = Project::open().await;
    let other = testkit::session::create_project(&project.caller, "Other").await;
    for (path, name, options) in [(project.id.clone(), "a", ["high", "none"]), (other, "b", ["high", "low"])]
    {
        let at = |rest: &str| format!("/api/v2/projects/{path}/{rest}");
        let field = json!({ "name": "Risk", "type": "choice", "options": options });
        project.caller.post(&at("fields")).json(field).await.expect(201);
        let card = json!({ "name": name, "fields": { "Risk": "high" } });
        project.caller.post(&at("cards")).json(card).await.expect(201);
    }
    project.card("without").await;
    for (tests, names) in [
        (json!({ "Risk": "high" }), vec!["a", "b"]),
        // Of the field that doesn't know the option, cards with another value are no cards without one.
        (json!({ "Risk": ["low", null] }), vec!["without"]),
        (json!({ "Risk": { "not": ["none", null] } }), vec!["a", "b"]),
    ] {
        let answer = project.caller.get(&format!("/api/v2/cards?{}", query(&tests))).await.expect(200).json();
        let found: Vec<&Value> =
            answer["cards"].as_array().unwrap().iter().map(|card| &card["name"]).collect();
        assert_eq!(found, names, "{tests}");
    }
}

#[tokio::test]
async fn fields_are_renamed_and_archived_without_loss_and_deleted_without_values() {
    let project = Project::open().await;
    let body = json!({ "name": "Material", "type": "choice", "options": ["steel", "alu", "zinc"] });
    let field = project.field(body).await;
    let path = format!("fields/{}", id(&field));
    let card =
        project.post("cards", json!({ "name": "x", "fields": { "Material": "steel" } })).await.expect(201);
    let card = Card::of(&card);
    let value = async || project.get(&card.path()).await.json()["card"]["fields"][id(&field)].clone();

    let taken = project.post("fields", json!({ "name": "MATERIAL", "type": "text" })).await;
    assert_eq!(taken.to_string(), "409 FIELD_NAME_TAKEN");
    let alu = field["options"][1]["id"].clone();
    let changes =
        json!({ "name": "Stock", "options": [{ "id": alu, "name": "aluminium" }, { "name": "brass" }] });
    let changed = project.patch(&path, changes).await.expect(200).json()["field"].clone();
    let options = changed["options"].as_array().unwrap();
    let options: Vec<Value> =
        options.iter().map(|option| json!([option["name"], option["is_archived"]])).collect();
    assert_eq!(json!(options), json!([["aluminium", false], ["brass", false], ["steel", true]]));
    assert_eq!(value().await, field["options"][0]["id"], "kept, archived");
    let same = json!({ "name": "y", "fields": { "Stock": field["options"][0]["id"] } });
    assert!(project.post("cards", same).await.expect(400).to_string().contains("state"));
    assert_eq!(found(&project, json!({ "Stock": "steel" })).await, "x");

    project.patch(&path, json!({ "status": "archived" })).await.expect(200);
    let late = project.patch(&card.path(), json!({ "fields": { "Stock": "brass" } })).await.expect(400);
    assert!(late.to_string().contains("state"), "{late}");
    assert_eq!(project.delete(&path).await.to_string(), "409 FIELD_IN_USE");
    project.patch(&card.path(), json!({ "fields": { "Stock": null } })).await.expect(200);
    project.delete(&path).await.expect(200);
    project.get(&path).await.expect(404);
}

#[tokio::test]
async fn properties_that_contradict_the_type_are_refused() {
    let project = Project::open().await;
    for (body, refused) in [
        (json!({ "name": "x", "type": "choice" }), "body.options minItems"),
        (json!({ "name": "x", "type": "choice", "options": ["a", "A"] }), "body.options[1] duplicate"),
        (json!({ "name": "x", "type": "text", "options": ["a"] }), "body.options conflict"),
        (json!({ "name": "x", "type": "text", "unit": "kg" }), "body.unit conflict"),
        (json!({ "name": "x", "type": "date", "minimum": 1 }), "body.minimum conflict"),
        (json!({ "name": "x", "type": "number", "minimum": 2, "maximum": 1 }), "body.maximum minimum"),
        (
            json!({ "name": "x", "type": "number", "minimum": 2, "defaultValue": 1 }),
            "body.defaultValue minimum",
        ),
        (
            json!({ "name": "x", "type": "user", "defaultValue": project.alice.id }),
            "body.defaultValue conflict",
        ),
        (json!({ "name": "x", "type": "colour" }), "body.type enum"),
    ] {
        let answer = project.post("fields", body.clone()).await.expect(400);
        assert!(answer.to_string().contains(refused), "{body}: {answer}");
    }
    let field = project.field(json!({ "name": "x", "type": "number" })).await;
    let retyped =
        project.patch(&format!("fields/{}", id(&field)), json!({ "type": "text" })).await.expect(400);
    assert!(retyped.to_string().contains("body.type unknown"), "{retyped}");
}

#[tokio::test]
async fn a_project_has_at_most_50_active_fields() {
    let project = Project::open().await;
    let mut first = None;
    for number in 0..50 {
        let field = project.field(json!({ "name": format!("{number}"), "type": "text" })).await;
        first.get_or_insert(field);
    }
    let over = json!({ "name": "over", "type": "text" });
    project.post("fields", over.clone()).await.expect(403);
    let path = format!("fields/{}", id(&first.unwrap()));
    project.patch(&path, json!({ "status": "archived" })).await.expect(200);
    project.field(over).await;
    project.patch(&path, json!({ "status": "active" })).await.expect(403);
}

#[tokio::test]
async fn two_people_change_two_fields_of_a_card_at_once_without_a_conflict() {
    let project = Project::open().await;
    project.field(json!({ "name": "A", "type": "number" })).await;
    project.field(json!({ "name": "B", "type": "number" })).await;
    let card = project.card("x").await;
    let head = project.get(&card.path()).await.json()["historyHeadId"].clone();
    let change = |name: &str, value: i32| {
        let body = json!({ "fields": { name: value }, "expectedHistoryHeadId": head });
        project.patch(&card.path(), body).into_future()
    };
    let (a, b) = tokio::join!(change("A", 1), change("B", 2));
    a.expect(200);
    b.expect(200);
    let fields = project.get(&card.path()).await.json()["card"]["fields"].clone();
    assert_eq!(fields.as_object().unwrap().len(), 2);
    assert_eq!(change("A", 3).await.expect(409).code(), "CARD_HISTORY_CONFLICT");
}

#[tokio::test]
async fn an_option_that_goes_while_cards_get_it_is_archived_or_refused() {
    let project = Project::own().await;
    let field = project.field(json!({ "name": "F", "type": "choice", "options": ["keep", "goes"] })).await;
    let path = format!("fields/{}", id(&field));
    let keep = json!({ "options": [{ "id": field["options"][0]["id"], "name": "keep" }] });
    let creations = (0..8).map(|number| {
        let body = json!({ "name": number.to_string(), "fields": { "F": "goes" } });
        project.post("cards", body).into_future()
    });
    let (created, changed) =
        tokio::join!(futures_util::future::join_all(creations), project.patch(&path, keep).into_future());
    let with = created.iter().filter(|answer| answer.status == 201).count();
    assert!(created.iter().all(|answer| [201, 400].contains(&answer.status)), "{created:?}");
    let options = changed.expect(200).json()["field"]["options"].as_array().unwrap().len();
    assert_eq!(options, if with > 0 { 2 } else { 1 });
    let orphans = "select count(*) from card_field_values v join custom_fields f on f.id = v.field_id \
                   where not f.options @> jsonb_build_array(jsonb_build_object('id', v.text))";
    assert_eq!(project.deployment.database.count(orphans).await, 0);
}

#[tokio::test]
async fn the_table_has_a_column_for_each_field_with_names_instead_of_ids() {
    let project = Project::open().await;
    project.field(json!({ "name": "Weight", "type": "number", "unit": "kg" })).await;
    project.field(json!({ "name": "Finish", "type": "choices", "options": ["oiled", "raw"] })).await;
    project.field(json!({ "name": "=Buyer", "type": "user" })).await;
    let fields = json!({ "Weight": 2.5, "Finish": ["raw", "oiled"], "=Buyer": project.alice.id });
    project.post("cards", json!({ "name": "x", "fields": fields })).await.expect(201);
    let table = project.get("cards.csv").await.expect(200);
    let mut reader = csv::Reader::from_reader(&*table.body);
    let last =
        |row: &csv::StringRecord| row.iter().skip(row.len() - 3).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(last(reader.headers().unwrap()), ["Weight (kg)", "Finish", "'=Buyer"]);
    let rows: Vec<_> = reader.records().map(|row| last(&row.unwrap())).collect();
    assert_eq!(rows, [["2.5", "oiled\nraw", "alice"]]);
}

#[tokio::test]
async fn a_viewer_reads_fields_and_a_stranger_learns_nothing_of_them() {
    let project = Project::open().await;
    let field = project.field(json!({ "name": "F", "type": "text" })).await;
    let (_, viewer) = project.member("viewer", "viewer").await;
    let at = |path: &str| format!("/api/v2/projects/{}/{path}", project.id);
    let list = viewer.get(&at("fields")).await.expect(200).json();
    assert_eq!(list["fields"][0]["id"], field["id"]);
    viewer.post(&at("fields")).json(json!({ "name": "G", "type": "text" })).await.expect(403);
    let stranger = project.deployment.operator().user("stranger").await.key(MANAGE_WITH_CARDS).await;
    let hidden = stranger.get(&at(&format!("fields/{}", id(&field)))).await;
    let absent = stranger.get(&at(&format!("fields/{}", Uuid::now_v7()))).await;
    assert_eq!((hidden.status, absent.status), (404, 404));
}

#[tokio::test]
async fn an_option_that_comes_back_by_its_name_is_the_same() {
    let project = Project::open().await;
    let field = project.field(json!({ "name": "F", "type": "choice", "options": ["steel", "alu"] })).await;
    let path = format!("fields/{}", id(&field));
    project.post("cards", json!({ "name": "x", "fields": { "F": "steel" } })).await.expect(201);
    let again = json!({ "options": [{ "name": "Steel" }, { "name": "brass" }] });
    let changed = project.patch(&path, again).await.expect(200).json()["field"].clone();
    assert_eq!(changed["options"][0]["id"], field["options"][0]["id"]);
    assert_eq!(changed["options"].as_array().unwrap().len(), 2);
    project.patch(&path, json!({ "name": "G" })).await.expect(200);
    // Another one can't take the name of one that cards keep.
    let taken = json!({ "options": [{ "id": changed["options"][1]["id"], "name": "steel" }] });
    let refused = project.patch(&path, taken).await.expect(400);
    assert!(refused.to_string().contains("body.options[1] duplicate"), "{refused}");
}

#[tokio::test]
async fn a_name_with_nul_is_refused_alone_in_a_bulk_with_a_key() {
    let project = Project::open().await;
    let operations = json!({ "atomic": false, "operations": [
        { "op": "create", "name": "x", "fields": { "a\0": 1 } }, { "op": "create", "name": "y" },
    ] });
    let bulk = project.post("cards/bulk", operations).header("idempotency-key", "nul").await.expect(200);
    let statuses: Vec<Value> =
        bulk.json()["results"].as_array().unwrap().iter().map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, [400, 201], "{bulk}");
}

#[tokio::test]
async fn fields_that_are_made_at_once_stay_within_the_limit() {
    let project = Project::own().await;
    for number in 0..45 {
        project.field(json!({ "name": format!("{number}"), "type": "text" })).await;
    }
    let at_once = (0..10).map(|number| {
        project.post("fields", json!({ "name": format!("at once {number}"), "type": "text" })).into_future()
    });
    let made = futures_util::future::join_all(at_once).await;
    assert_eq!(made.iter().filter(|answer| answer.status == 201).count(), 5, "{made:?}");
}
