//! Exports of this service: what is planned of them, and files that are cut, damaged or made by hand.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::HashMap;

use domain::planning::import::{ImportItem, ImportedCard};
use domain::planning::relation::CARD_MAX_LEVELS;
use exchange::ndjson::plan;
use exchange::plan::Plan;
use exchange::settings::{ReadError, ReadOptions};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// An id that ends with a number.
fn id(number: usize) -> String {
    format!("0198c5f0-0000-7000-8000-{number:012}")
}

fn head() -> Value {
    let project =
        json!({ "id": id(1), "key": "GEAR", "name": "Gear", "description": "", "visibility": "private" });
    json!({ "kind": "project", "format": "atelier-project", "version": 1, "project": project })
}

fn person(number: usize, name: &str, email: Option<&str>) -> Value {
    json!({ "kind": "person", "id": id(number), "name": name, "email": email })
}

/// Card `GEAR-{number}`.
fn card(number: usize, parent: Option<usize>) -> Value {
    json!({
        "kind": "card",
        "card": {
            "id": id(1000 + number), "key": format!("GEAR-{number}"), "number": number, "name": format!("c{number}"),
            "parent_id": parent.map(|parent| id(1000 + parent)), "fields": {}, "description": "", "resolution": "",
            "effort": 0, "priority": "none", "type": "task", "start_date": null, "deadline": null,
            "created_by_user": id(2), "created_at": "2026-11-01T08:00:00.000Z",
            "updated_at": "2026-11-01T08:00:00.000Z", "is_open": true, "project_id": id(1),
            "author_display_name": "Ada", "closed_at": null,
        },
        "tagIds": [], "userIds": [], "placements": [], "checklist": [], "objectIds": [], "attachments": [],
        "relations": [],
    })
}

fn comment(number: usize, card: usize, author: usize, body: &str) -> Value {
    let comment = json!({
        "id": id(5000 + number), "cardId": id(1000 + card), "body": body, "authorId": id(author),
        "authorDisplayName": "Bob *", "createdAt": "2026-11-02T08:00:00.000Z",
        "updatedAt": "2026-11-03T08:00:00.000Z",
    });
    json!({ "kind": "comment", "comment": comment })
}

/// A file of these lines, with the last one that they need.
fn file(lines: &[Value]) -> Vec<u8> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let end = json!({
        "kind": "end", "lines": lines.len(), "sha256": hex(&Sha256::digest(text.as_bytes())), "changed": false,
    });
    format!("{text}{end}\n").into_bytes()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(lines: &[Value]) -> Plan {
    plan(&file(lines), &ReadOptions::default()).unwrap()
}

fn refusal(lines: &[Value]) -> String {
    plan(&file(lines), &ReadOptions::default()).unwrap_err().to_string()
}

fn cards(plan: &Plan) -> Vec<&ImportedCard> {
    let cards = plan.items.iter().filter_map(|(_, item)| match item {
        ImportItem::Card(card) => Some(&**card),
        ImportItem::Field(_) | ImportItem::Tag(_) | ImportItem::Relation(_) => None,
    });
    cards.collect()
}

/// A file with each kind of line.
fn whole() -> Vec<Value> {
    let field = json!({
        "id": id(20), "project_id": id(1), "name": "Material", "description": "", "type": "choices", "unit": "",
        "options": [
            { "id": id(21), "name": "steel", "is_archived": true },
            { "id": id(22), "name": "alu", "is_archived": false },
        ],
        "default_value": null, "is_required": false, "minimum": null, "maximum": null, "status": "active",
    });
    let buyer = json!({
        "id": id(25), "project_id": id(1), "name": "Buyer", "description": "", "type": "user", "unit": "",
        "options": [], "default_value": null, "is_required": false, "minimum": null, "maximum": null,
        "status": "active",
    });
    let tag = json!({
        "id": id(30), "name": "drive", "description": "", "color": "#FF0000", "status": "archived",
        "project_id": id(1), "card_count": 1,
    });
    let mut shaft = card(1, Some(2));
    shaft["card"]["fields"] = json!({ id(20): [id(22), id(21)], id(25): id(2), id(26): 3 });
    shaft["tagIds"] = json!([id(30)]);
    shaft["userIds"] = json!([id(2), id(3)]);
    shaft["objectIds"] = json!([id(40)]);
    let other = |number: usize| {
        json!({
            "id": id(1000 + number), "projectId": id(1), "key": format!("GEAR-{number}"), "name": "x", "isOpen": true,
        })
    };
    shaft["relations"] = json!([
        { "kind": "blocks", "direction": "outward", "card": other(2) },
        { "kind": "relates", "direction": "mutual", "card": other(9) },
    ]);
    let mut gearbox = card(2, None);
    gearbox["relations"] = json!([{ "kind": "blocks", "direction": "inward", "card": other(1) }]);
    let row = json!({
        "id": id(60), "sequence": "7", "cardId": id(1001), "projectId": id(1), "kind": "created",
        "actor": { "userId": id(2), "keyId": null, "sessionId": null }, "changes": {},
        "occurredAt": "2026-11-01T08:00:00.000Z",
    });
    vec![
        head(),
        person(2, "Ada", Some("ada@example.com")),
        person(3, "Bob", None),
        json!({ "kind": "field", "field": field }),
        json!({ "kind": "field", "field": buyer }),
        json!({ "kind": "tag", "tag": tag }),
        shaft,
        gearbox,
        comment(1, 1, 2, "Hard?"),
        comment(2, 1, 3, "Yes"),
        comment(3, 8, 3, "of a card that came later"),
        json!({ "kind": "history", "row": row }),
    ]
}

#[test]
fn an_export_is_planned_with_all_that_cards_can_have() {
    let plan = read(&whole());
    let cards = cards(&plan);
    let keys: Vec<&str> = cards.iter().map(|card| card.source_key.as_str()).collect();
    assert_eq!(keys, ["GEAR-2", "GEAR-1"], "parents first");
    let shaft = cards[1];
    assert_eq!(
        (shaft.parent.as_deref(), shaft.author.as_deref()),
        (Some(&*id(1002)), Some("ada@example.com"))
    );
    let exact = shaft.exact.as_ref().unwrap();
    assert_eq!((exact.number, &exact.assignees), (Some(1), &vec!["ada@example.com".to_owned()]));
    assert_eq!(json!(exact.fields), json!({ "Material": ["alu", "steel"] }));
    assert_eq!(json!(exact.user_fields), json!({ "Buyer": "ada@example.com" }));
    let comments: Vec<(&str, Option<&str>)> = shaft
        .comments
        .iter()
        .map(|one| (one.body.as_str(), one.own_body.as_ref().map(|own| own.as_str())))
        .collect();
    assert_eq!(comments.len(), 2);
    assert_eq!(comments[0].1, Some("Hard?"));
    assert!(comments[1].0.ends_with("2026-11-02*\n\nYes") && comments[1].1.is_none(), "{comments:?}");
    assert_eq!(plan.comments, 2);
    let relations = plan.items.iter().filter(|(_, item)| matches!(item, ImportItem::Relation(_)));
    assert_eq!(relations.count(), 1, "both ends have it");
    let told: Vec<String> = plan
        .notes
        .iter()
        .map(|note| {
            format!("{:?} {} {} {}", note.line, note.issue.as_deref().unwrap_or("-"), note.field, note.value)
        })
        .collect();
    assert_eq!(
        told,
        [
            "Some(1) - project Gear".to_owned(),
            "Some(11) - comment of a card that came later".to_owned(),
            "Some(7) GEAR-1 relates GEAR-9".to_owned(),
            format!("Some(7) GEAR-1 object {}", id(40)),
            "Some(7) GEAR-1 user_ids Bob".to_owned(),
            format!("Some(7) GEAR-1 {} 3", id(26)),
            "None - history 1".to_owned(),
        ]
    );
}

#[test]
fn each_cut_is_refused() {
    let bytes = file(&whole());
    for end in 0..bytes.len() {
        assert!(plan(&bytes[..end], &ReadOptions::default()).is_err(), "{end}");
    }
    assert_eq!(plan(b" \n", &ReadOptions::default()), Err(ReadError::Empty));
}

#[test]
fn lines_made_by_hand_are_refused_by_their_numbers() {
    assert_eq!(refusal(&[head(), card(1, None), card(1, None)]), "line 3: a second card with this id");
    assert_eq!(refusal(&[head(), head()]), "line 2: a second line of kind project");
    assert!(refusal(&[card(1, None)]).starts_with("not an export of this tool"));
    let mut later = head();
    later["version"] = json!(2);
    assert_eq!(refusal(&[later]), "line 1: version 2 of the format is not known here");
    for number in [0_i64, -1, i64::MAX] {
        let mut wrong = card(1, None);
        wrong["card"]["number"] = json!(number);
        assert_eq!(refusal(&[head(), wrong]), "line 2: not a number of a card");
    }
    let mut long = card(1, None);
    let line = json!({ "id": id(70), "text": "x", "isDone": false });
    long["checklist"] = json!(vec![line; 201]);
    assert_eq!(refusal(&[head(), long]), "line 2: a checklist with too many lines");
    let mut nul = card(1, None);
    nul["card"]["description"] = json!("a\0b");
    assert!(refusal(&[head(), nul]).starts_with("line 2: must not contain the character NUL"));
    let options = ReadOptions { issues_max: 1, ..ReadOptions::default() };
    let two = file(&[head(), card(1, None), card(2, None)]);
    assert_eq!(plan(&two, &options), Err(ReadError::TooManyIssues(1)));
}

#[test]
fn values_that_cannot_be_stored_are_told() {
    let mut lines = whole();
    lines[3]["field"]["type"] = json!("text");
    lines[3]["field"]["options"] = json!([]);
    lines[6]["card"]["fields"] = json!({ id(20): "a\0b" });
    let plan = read(&lines);
    assert!(cards(&plan)[1].exact.as_ref().unwrap().fields.is_empty());
    assert!(plan.notes.iter().any(|note| note.field == id(20)), "{:?}", plan.notes);
    lines[3]["field"]["default_value"] = json!("a\0b");
    assert_eq!(refusal(&lines), "line 4: a default with the character NUL");
}

proptest! {
    #[test]
    fn a_damaged_file_is_refused(damage in vec((any::<Index>(), any::<u8>()), 1..4), end in any::<Index>()) {
        let bytes = file(&whole());
        let mut damaged = bytes.clone();
        for (place, byte) in damage {
            let place = place.index(damaged.len());
            damaged[place] = byte;
        }
        damaged.truncate(end.index(bytes.len() + 1));
        if let Ok(read) = plan(&damaged, &ReadOptions::default()) {
            // The last line may have been written otherwise.
            prop_assert_eq!(read, plan(&bytes, &ReadOptions::default()).unwrap());
        }
    }

    #[test]
    fn parents_come_before_their_children_on_at_most_eight_levels(
        parents in vec(proptest::option::of(1_usize..24), 0..20),
    ) {
        let mut lines = vec![head(), person(2, "Ada", Some("ada@example.com"))];
        lines.extend(parents.iter().zip(1..).map(|(parent, number)| card(number, *parent)));
        let plan = read(&lines);
        let mut levels = HashMap::new();
        let mut lost = 0;
        for (level, item) in &plan.items {
            let ImportItem::Card(card) = item else { continue };
            prop_assert!((1..=CARD_MAX_LEVELS).contains(level));
            match &card.parent {
                Some(parent) => prop_assert_eq!(levels.get(parent), Some(&(level - 1))),
                None => prop_assert_eq!(*level, 1),
            }
            let number = usize::try_from(card.exact.as_ref().unwrap().number.unwrap()).unwrap();
            lost += usize::from(parents[number - 1].is_some() && card.parent.is_none());
            levels.insert(card.source_id.clone(), *level);
        }
        prop_assert_eq!(levels.len(), parents.len());
        prop_assert_eq!(plan.notes.iter().filter(|note| note.field == "parent_id").count(), lost);
    }
}
