//! A bill of materials as a table: a row for each of its rows.

use domain::content::bom::row::BomRow;
use serde_json::Value;

use crate::table::{Cell, Table};

/// The columns of every bill, with their widths in characters.
const COLUMNS: [(&str, u8); 11] = [
    ("level", 6),
    ("name", 40),
    ("type", 12),
    ("id", 24),
    ("version", 10),
    ("quantity", 10),
    ("totalQuantity", 14),
    ("unit", 10),
    ("objectCount", 12),
    ("packageCommit", 14),
    ("available", 10),
];
/// Width of a chosen property.
const PROPERTY_WIDTH: u8 = 24;

/// The table of a bill's rows, with a column for each of these properties.
pub fn of(rows: &[BomRow], properties: &[String]) -> Table {
    let own = COLUMNS.iter().map(|(name, width)| ((*name).to_owned(), *width));
    let chosen = properties.iter().map(|name| (name.clone(), PROPERTY_WIDTH));
    Table {
        name: "Bill of materials",
        columns: own.chain(chosen).collect(),
        rows: rows.iter().map(|row| cells(row, properties)).collect(),
    }
}

fn cells(row: &BomRow, properties: &[String]) -> Vec<Cell> {
    let definition = row.definition.as_deref();
    let commit = row.include.as_ref().map(|include| include.commit_hash.to_string());
    #[expect(clippy::as_conversions, reason = "a number of objects, for a cell")]
    let objects = row.object_count as f64;
    let own = [
        Cell::Number(f64::from(row.level)),
        Cell::Indented(row.name.clone(), u8::try_from(row.level).unwrap_or(u8::MAX)),
        Cell::Text(row.object_type.clone()),
        Cell::text(definition.and_then(|definition| definition.id.as_deref())),
        Cell::text(definition.and_then(|definition| definition.version.as_deref())),
        Cell::Number(row.quantity.get()),
        Cell::Number(row.total_quantity.get()),
        Cell::text(row.unit.as_deref()),
        Cell::Number(objects),
        Cell::text(commit.as_deref()),
        row.available.map_or(Cell::Empty, Cell::Truth),
    ];
    let chosen = properties.iter().map(|name| {
        let values = row.properties.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
        property(values)
    });
    own.into_iter().chain(chosen).collect()
}

/// The values of a property: one as it is, several as a text with semicolons between.
fn property(values: &[Value]) -> Cell {
    match values {
        [] => Cell::Empty,
        [Value::Number(number)] => {
            number.as_f64().map_or_else(|| Cell::Text(number.to_string()), Cell::Number)
        }
        [Value::Bool(truth)] => Cell::Truth(*truth),
        values => Cell::Text(values.iter().map(shown).collect::<Vec<_>>().join("; ")),
    }
}

/// A value as a person reads it: a text as it is, a list of texts with commas, a measure with its unit, else JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => match (fields.get("value"), fields.get("unit")) {
            (Some(Value::Number(number)), Some(Value::String(unit))) => format!("{number} {unit}"),
            _ => value.to_string(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::content::bom::component::BomDefinition;
    use domain::content::bom::quantity::Quantity;
    use domain::content::bom::row::BomRow;
    use serde_json::{Value, json};

    use super::{of, property};
    use crate::table::Cell;

    #[test]
    fn a_bill_is_a_row_for_each_of_its_rows() {
        let row = |level: u32, name: &str| BomRow {
            level,
            name: name.to_owned(),
            object_type: "Part".to_owned(),
            definition: Some(Arc::new(BomDefinition {
                id: Some("-7".to_owned()),
                ..BomDefinition::default()
            })),
            quantity: Quantity::of_usage(2.5).unwrap(),
            total_quantity: Quantity::of_usage(5.0).unwrap(),
            unit: Some("metre".to_owned()),
            object_count: 2,
            objects: Vec::new(),
            include: None,
            available: None,
            properties: [("material".into(), vec![json!("steel"), json!("brass")])].into(),
        };
        let table = of(&[row(0, "wire"), row(1, "=core")], &["material".to_owned(), "supplier".to_owned()]);
        insta::assert_snapshot!(String::from_utf8(table.to_csv().unwrap()).unwrap().replace('\r', ""), @"
        level,name,type,id,version,quantity,totalQuantity,unit,objectCount,packageCommit,available,material,supplier
        0,wire,Part,'-7,,2.5,5,metre,2,,,steel; brass,
        1,'=core,Part,'-7,,2.5,5,metre,2,,,steel; brass,
        ");
        assert_eq!(table.rows[1][1], Cell::Indented("=core".to_owned(), 1));
    }

    #[test]
    fn a_property_is_a_number_a_truth_or_a_text() {
        let cell = |values: &[Value]| property(values);
        assert_eq!(cell(&[]), Cell::Empty);
        assert_eq!(cell(&[json!(3)]), Cell::Number(3.0));
        assert_eq!(cell(&[json!(false)]), Cell::Truth(false));
        for (values, text) in [
            (json!(["steel"]), "steel"),
            (json!(["steel", 3, null]), "steel; 3; null"),
            (json!([["a", "b"]]), "a, b"),
            (json!([{ "value": 7.85, "unit": "gram/centimetre³" }]), "7.85 gram/centimetre³"),
            (json!([{ "x": 1 }]), "{\"x\":1}"),
        ] {
            assert_eq!(cell(values.as_array().unwrap()), Cell::Text(text.to_owned()));
        }
    }
}
