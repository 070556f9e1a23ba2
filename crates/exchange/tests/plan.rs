//! The steps of an import.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::collections::HashMap;

use domain::id::ProjectId;
use domain::planning::custom_field::{CreateFieldRequest, CustomField};
use domain::planning::import::{ImportItem, ImportTool};
use domain::planning::relation::CARD_MAX_LEVELS;
use domain::time::Timestamp;
use exchange::plan::Plan;
use exchange::plan::own_fields::FieldColumns;
use exchange::settings::ReadOptions;
use exchange::table::Mapping;
use exchange::table::column::Column;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The plan of a table of issues by number with their parents.
fn plan(parents: &[Option<usize>]) -> Plan {
    let mut table = "Nr,Title,Parent\n".to_owned();
    for (number, parent) in parents.iter().enumerate() {
        let parent = parent.map_or_else(String::new, |parent| parent.to_string());
        table += &format!("{number},Issue {number},{parent}\n");
    }
    let columns = [("Nr", Column::Id), ("Title", Column::Name), ("Parent", Column::Parent)];
    let columns = columns.map(|(name, column)| (name.to_owned(), column)).to_vec();
    let mapping = Mapping { columns, is_guarded: false };
    exchange::plan(
        ImportTool::Csv,
        table.as_bytes(),
        &mapping,
        &FieldColumns::default(),
        &ReadOptions::default(),
    )
    .unwrap()
}

/// Checks that parents come first, on the level above, and that every lost parent has a note.
fn check(parents: &[Option<usize>]) {
    let plan = plan(parents);
    assert_eq!(plan.cards(), parents.len());
    let mut levels = HashMap::new();
    let mut lost = 0;
    for (level, item) in &plan.items {
        let ImportItem::Card(card) = item else { continue };
        assert!(*level < CARD_MAX_LEVELS, "{level}");
        match &card.parent {
            Some(parent) => assert_eq!(levels.get(parent), Some(&(level - 1)), "{card:?}"),
            None => assert_eq!(*level, 0, "{card:?}"),
        }
        let number: usize = card.source_id.parse().unwrap();
        lost += usize::from(parents.get(number).is_some_and(Option::is_some) && card.parent.is_none());
        levels.insert(card.source_id.clone(), *level);
    }
    assert_eq!(plan.notes.iter().filter(|note| note.field == "Parent").count(), lost, "{:?}", plan.notes);
}

proptest! {
    #[test]
    fn parents_come_before_their_children_on_at_most_eight_levels(
        parents in proptest::collection::vec(proptest::option::of(0_usize..24), 0..20),
    ) {
        check(&parents);
    }
}

#[test]
fn long_chains_and_large_circles_are_cut() {
    let chain: Vec<Option<usize>> = (0..20_000_usize).map(|number| number.checked_sub(1)).collect();
    check(&chain);
    let circle: Vec<Option<usize>> = (0..20_000_usize).map(|number| Some((number + 1) % 20_000)).collect();
    check(&circle);
}

#[test]
fn values_without_a_field_stand_in_the_first_comment() {
    let table = "Nr,Title,Torque,Status\n1,Gear,12 Nm,Waiting\n";
    let columns = [("Nr", Column::Id), ("Title", Column::Name), ("Status", Column::Status)];
    let columns = columns.map(|(name, column)| (name.to_owned(), column)).to_vec();
    let mapping = Mapping { columns, is_guarded: false };
    let plan = exchange::plan(
        ImportTool::Csv,
        table.as_bytes(),
        &mapping,
        &FieldColumns::default(),
        &ReadOptions::default(),
    )
    .unwrap();
    let comments = plan.items.iter().filter_map(|(_, item)| match item {
        ImportItem::Card(card) => Some(&card.comments),
        _ => None,
    });
    let bodies: Vec<&str> = comments.flatten().map(|comment| comment.body.as_str()).collect();
    assert_eq!(bodies, ["Imported from a table: 1\n\n- Status: Waiting\n- Torque: 12 Nm"]);
}

/// A custom field as a project defines it.
fn custom_field(body: Value) -> CustomField {
    let now = Timestamp::parse("2026-11-29T12:00:00Z").unwrap();
    let request: CreateFieldRequest = serde_json::from_value(body).unwrap();
    request.field(ProjectId::new(now), now).unwrap()
}

#[test]
fn custom_fields_take_the_values_that_fit_and_others_are_told_and_kept() {
    let fields = [
        ("Torque", json!({ "name": "Torque", "type": "number", "unit": "Nm", "maximum": 100 })),
        ("Ordered", json!({ "name": "Ordered on", "type": "date" })),
        ("Risk", json!({ "name": "Risk", "type": "choice", "options": ["low", "High"] })),
        ("Finish", json!({ "name": "Finish", "type": "choices", "options": ["raw", "oiled, hot"] })),
        ("Buyer", json!({ "name": "Buyer", "type": "user" })),
        ("Quote", json!({ "name": "Quote", "type": "url" })),
        ("Nowhere", json!({ "name": "Nowhere", "type": "text" })),
    ];
    let fields = FieldColumns::new(fields.map(|(name, body)| (name.to_owned(), custom_field(body))));
    let table = "Nr,Title,Torque,Ordered,Risk,Finish,Buyer,Quote\n\
        1,Gear,12.5 Nm,24.12.2026,high,\"oiled, hot\",ada@example.com,https://a.example/\n\
        2,Axle,\"12,5\",soon,grave,\"raw, blue\",Ada,nowhere\n\
        3,Nut,101,,low,raw;raw,,\n";
    let columns = [("Nr", Column::Id), ("Title", Column::Name)];
    let columns = columns.map(|(name, column)| (name.to_owned(), column)).to_vec();
    let mapping = Mapping { columns, is_guarded: false };
    let plan = exchange::plan(ImportTool::Csv, table.as_bytes(), &mapping, &fields, &ReadOptions::default())
        .unwrap();
    let mut taken = Vec::new();
    let mut kept = Vec::new();
    for (_, item) in &plan.items {
        let ImportItem::Card(card) = item else { continue };
        taken.extend(
            card.fields.iter().map(|value| format!("{} {}: {}", card.source_key, value.column, value.text)),
        );
        kept.push(card.comments[0].body.as_str().replace('\n', "|"));
    }
    assert_eq!(
        taken,
        [
            "1 Torque: 12.5 Nm",
            "1 Ordered: 24.12.2026",
            "1 Risk: high",
            "1 Finish: oiled, hot",
            "1 Buyer: ada@example.com",
            "1 Quote: https://a.example/",
            "3 Risk: low",
            "3 Finish: raw;raw",
        ]
    );
    assert_eq!(
        kept,
        [
            "Imported from a table: 1",
            "Imported from a table: 2||- Buyer: Ada|- Finish: raw, blue|- Ordered: soon|- Quote: nowhere|\
             - Risk: grave|- Torque: 12,5",
            "Imported from a table: 3||- Torque: 101",
        ]
    );
    let notes: Vec<String> =
        plan.notes.iter().map(|note| format!("{:?} {}", note.issue, note.field)).collect();
    let of = |number: &str, names: &[&str]| {
        names.iter().map(|name| format!("Some({number:?}) {name}")).collect::<Vec<_>>()
    };
    let mut told = vec!["None Nowhere".to_owned()];
    told.extend(of("2", &["Torque", "Ordered", "Risk", "Finish", "Buyer", "Quote"]));
    told.extend(of("3", &["Torque"]));
    assert_eq!(notes, told);
}
