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

/// Team `number` with two columns, `number + 1` and `number + 2`.
fn team(number: usize) -> Value {
    let column = |at: usize, name: &str| {
        json!({
            "id": id(number + at), "name": name, "description": "", "position": format!("a{at}"), "color": "#FF0000",
            "status": "active", "transition_state": "not_started", "closeMode": "off", "wip_limit": null,
            "wip_policy": "warn", "wip_unit": "count", "team_id": id(number),
        })
    };
    let team = json!({
        "id": id(number), "name": format!("t{number}"), "description": "", "status": "active",
        "created_at": "2026-11-01T08:00:00.000Z", "updated_at": "2026-11-01T08:00:00.000Z",
        "organization_id": id(5), "visibility": "private", "time_zone": "UTC",
    });
    json!({ "kind": "team", "team": team, "columns": [column(1, "Doing"), column(2, "Done")] })
}

fn sprint(number: usize, team: usize, status: &str, days: [u32; 2]) -> Value {
    let day = |day: u32| format!("2026-11-{day:02}T00:00:00.000Z");
    let sprint = json!({
        "id": id(number), "name": format!("s{number}"), "description": "", "status": status,
        "created_at": "2026-11-01T08:00:00.000Z", "start_date": day(days[0]), "end_date": day(days[1]),
        "team_id": id(team),
    });
    json!({ "kind": "sprint", "sprint": sprint })
}

/// A card's place in a column of a team.
fn place(team: usize, column: usize, sprint: Option<usize>, rank: Option<&str>) -> Value {
    json!({
        "team_id": id(team), "status_id": id(team + column), "sprint_id": sprint.map(id), "rank": rank,
    })
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
        _ => None,
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

#[test]
fn boards_follow_the_cards_one_after_the_other() {
    let mut cards = [card(1, None), card(2, None), card(3, None)];
    cards[0]["placements"] = json!([place(100, 2, Some(150), Some("a5")), place(200, 1, None, None)]);
    cards[1]["placements"] = json!([place(100, 2, Some(199), Some("a1")), place(300, 1, None, None)]);
    cards[2]["placements"] = json!([place(200, 1, None, Some("a9")), place(100, 5, None, None)]);
    let sprints = [sprint(150, 100, "active", [1, 9]), sprint(151, 100, "planned", [9, 12])];
    let mut lines = vec![head(), team(100), team(200)];
    lines.extend(sprints.into_iter().chain(cards));
    let plan = read(&lines);
    let steps: Vec<(usize, String)> = plan
        .items
        .iter()
        .filter_map(|(level, item)| {
            let step = match item {
                ImportItem::Team(team) => format!("team {}", team.team.name),
                ImportItem::Sprint(sprint) => format!("sprint {}", sprint.name),
                ImportItem::Placement(place) => format!("{} {}", place.card_key, place.shown),
                ImportItem::SprintState(sprint) => format!("start {}", sprint.name),
                _ => return None,
            };
            Some((*level, step))
        })
        .collect();
    let first = steps[0].0;
    let without_sprint = format!("GEAR-2 t100 / Done / {}", id(199));
    let expected = [
        (0, "team t100"),
        (0, "team t200"),
        (1, "sprint s150"),
        (1, "sprint s151"),
        (2, without_sprint.as_str()),
        (2, "GEAR-1 t100 / Done / s150"),
        (3, "GEAR-3 t200 / Doing"),
        (3, "GEAR-1 t200 / Doing"),
        (4, "start s150"),
    ];
    let expected = expected.map(|(level, step)| (first + level, step.to_owned()));
    assert_eq!(steps, expected);
    // Cards tell of their authors as well.
    let of_boards = plan.notes.iter().filter(|note| note.field != "created_by_user");
    let told: Vec<String> = of_boards.map(|note| format!("{} {}", note.field, note.value)).collect();
    let lost = |team: usize, column: usize| format!("board {} / {}", id(team), id(team + column));
    let unknown_column = format!("board t100 / {}", id(105));
    let unknown_sprint = format!("sprint {}", id(199));
    assert_eq!(told, ["project Gear", &unknown_sprint, &lost(300, 1), &unknown_column, "sprint s151"]);
}

#[test]
fn boards_made_by_hand_are_refused_by_their_lines() {
    let mut names = team(100);
    names["columns"][1]["name"] = json!("DOING");
    assert_eq!(refusal(&[head(), names]), "line 2: two columns of one name");
    let mut order = team(100);
    order["columns"][1]["position"] = json!("a0");
    let message = "line 2: columns that are not in the order of their positions";
    assert_eq!(refusal(&[head(), order]), message);
    let mut elsewhere = team(200);
    elsewhere["team"]["organization_id"] = json!(id(6));
    let message = "line 3: a team of another organization than the teams before it";
    assert_eq!(refusal(&[head(), team(100), elsewhere]), message);
    let message = "line 3: a team or a column with the id of an earlier one";
    assert_eq!(refusal(&[head(), team(100), team(102)]), message);
    let message = "line 2: a sprint of a team that no line before it has";
    assert_eq!(refusal(&[head(), sprint(150, 100, "planned", [1, 2])]), message);
    let message = "line 3: a sprint whose end does not fit its start";
    assert_eq!(refusal(&[head(), team(100), sprint(150, 100, "planned", [2, 1])]), message);
    let mut twice = card(1, None);
    twice["placements"] = json!([place(100, 1, None, None), place(100, 2, None, None)]);
    assert_eq!(refusal(&[head(), team(100), twice]), "line 3: a card with two places on one board");
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
