//! The columns of a bill of materials that a caller chooses: part number, material, description, and any field of
//! `data`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::component::{Component, PartDefinition};

/// Most columns that a request chooses.
const COLUMNS_MAX: usize = 20;
/// Longest name of a column, in characters.
const COLUMN_MAX_CHARS: usize = 200;

/// The chosen columns, in their order. A text names them with commas between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BomColumns(Vec<BomColumn>);

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BomColumn {
    /// Its name, as the request has it.
    name: Arc<str>,
    source: ColumnSource,
}

/// The place where a column's values are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ColumnSource {
    PartNumber,
    Material,
    Description,
    /// A field of the data, and a JSON Pointer into its value.
    Field(String, String),
}

/// A value before it is read: equal texts at one place are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoundValue<'a> {
    Text(&'a str),
    /// JSON, and a JSON Pointer into it.
    Json(&'a str, &'a str),
}

/// The text names no columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be at most {COLUMNS_MAX} columns with commas between: `partNumber`, `material`, `description`, a field of \
     `data`, or a JSON Pointer as `/data/size/x`"
)]
pub struct InvalidColumns;

impl BomColumns {
    /// The columns.
    pub fn iter(&self) -> impl Iterator<Item = &BomColumn> {
        self.0.iter()
    }
}

impl Default for BomColumns {
    /// Part number and material.
    fn default() -> Self {
        let column = |name: &str, source| BomColumn { name: name.into(), source };
        Self(vec![column("partNumber", ColumnSource::PartNumber), column("material", ColumnSource::Material)])
    }
}

impl FromStr for BomColumns {
    type Err = InvalidColumns;

    fn from_str(text: &str) -> Result<Self, InvalidColumns> {
        let mut columns: Vec<BomColumn> = Vec::new();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let column: BomColumn = name.parse()?;
            if !columns.contains(&column) {
                columns.push(column);
            }
            if columns.len() > COLUMNS_MAX {
                return Err(InvalidColumns);
            }
        }
        Ok(Self(columns))
    }
}

impl FromStr for BomColumn {
    type Err = InvalidColumns;

    fn from_str(name: &str) -> Result<Self, InvalidColumns> {
        if name.chars().nth(COLUMN_MAX_CHARS).is_some() {
            return Err(InvalidColumns);
        }
        let source = match (name, name.strip_prefix('/')) {
            ("partNumber", _) => ColumnSource::PartNumber,
            ("material", _) => ColumnSource::Material,
            ("description", _) => ColumnSource::Description,
            (_, Some(pointer)) => {
                let path = pointer.strip_prefix("data/").ok_or(InvalidColumns)?;
                let (key, rest) = path.split_once('/').map_or((path, None), |(key, rest)| (key, Some(rest)));
                let rest = rest.map_or_else(String::new, |rest| format!("/{rest}"));
                ColumnSource::Field(key.replace("~1", "/").replace("~0", "~"), rest)
            }
            (_, None) => ColumnSource::Field(name.to_owned(), String::new()),
        };
        Ok(Self { name: name.into(), source })
    }
}

impl BomColumn {
    /// Its name, as the request has it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The value of a component, if it has one. A user's own value comes before that of the definition.
    pub(super) fn find<'a>(&'a self, component: &'a Component) -> Option<FoundValue<'a>> {
        match &self.source {
            ColumnSource::PartNumber => {
                let own = component.part_number.as_deref().map(|json| FoundValue::Json(json, ""));
                own.or_else(|| component.defined(|definition| &definition.part_number).map(FoundValue::Text))
                    .or_else(|| Some(FoundValue::Text(product_number(component)?)))
            }
            ColumnSource::Material => {
                own_or_defined(component, &self.name, |definition| &definition.material)
            }
            ColumnSource::Description => {
                own_or_defined(component, &self.name, |definition| &definition.description)
            }
            ColumnSource::Field(key, rest) => Some(FoundValue::Json(component.field(key)?, rest)),
        }
    }
}

impl FoundValue<'_> {
    /// Reads the value; `None` for null, and where the pointer leads nowhere.
    pub(super) fn read(self) -> Option<Value> {
        let value = match self {
            Self::Text(text) => Value::String(text.to_owned()),
            Self::Json(json, pointer) => {
                let mut value: Value = serde_json::from_str(json).ok()?;
                value.pointer_mut(pointer).map(Value::take)?
            }
        };
        (!value.is_null()).then_some(value)
    }
}

/// A product's id, where it isn't only its name once more.
fn product_number(component: &Component) -> Option<&str> {
    let definition = component.definition.as_deref()?;
    definition.texts.id.as_deref().filter(|id| definition.texts.name.as_deref() != Some(id))
}

/// A field of the data, or else a text of the definition. An object stands for its `name`.
fn own_or_defined<'a>(
    component: &'a Component,
    key: &str,
    text: impl Fn(&PartDefinition) -> &Option<String>,
) -> Option<FoundValue<'a>> {
    let own = component
        .field(key)
        .map(|json| FoundValue::Json(json, if json.starts_with('{') { "/name" } else { "" }));
    own.or_else(|| component.defined(text).map(FoundValue::Text))
}

impl Serialize for BomColumns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BomColumns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for BomColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(|column| column.name.as_ref()).collect();
        f.write_str(&names.join(","))
    }
}

impl JsonSchema for BomColumns {
    fn schema_name() -> Cow<'static, str> {
        "BomColumns".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": { "type": "string", "maxLength": COLUMN_MAX_CHARS },
            "maxItems": COLUMNS_MAX,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::BomColumns;
    use crate::content::bom::component::{ComponentReader, ComponentRecord};
    use crate::id::ObjectId;
    use uuid::Uuid;

    /// The values of these columns for a part with this data.
    fn values(columns: &str, data: &Value) -> Vec<Option<Value>> {
        let record = json!({ "type": "Part", "data": data }).to_string();
        let mut reader = ComponentReader::default();
        let id = ObjectId(Uuid::from_u128(1));
        reader.add(id, serde_json::from_str::<ComponentRecord<'_>>(&record).unwrap()).unwrap();
        let components = reader.finish();
        let columns: BomColumns = columns.parse().unwrap();
        columns.iter().map(|column| column.find(components.get(id).unwrap())?.read()).collect()
    }

    #[test]
    fn a_users_own_value_comes_before_the_definitions() {
        let definition = json!({
            "id": "P-7", "name": "plate", "description": "of the base", "material": { "name": "S235" },
            "properties": { "Part number": "PN-001" },
        });
        let all = "partNumber,material,description";
        let said = |texts: [&str; 3]| texts.map(|text| Some(json!(text))).to_vec();
        assert_eq!(
            values(all, &json!({ "definition": definition })),
            said(["PN-001", "S235", "of the base"])
        );
        let own = json!({ "definition": definition, "part no.": "4711", "material": "brass", "description": "new" });
        assert_eq!(values(all, &own), said(["4711", "brass", "new"]));
        let named = json!({ "material": { "name": "PLA" } });
        assert_eq!(values(all, &named), [None, Some(json!("PLA")), None]);
        // The product's id is a number where it isn't the name.
        let product = |id| json!({ "definition": { "id": id, "name": "plate" } });
        assert_eq!(values("partNumber", &product("P-7")), [Some(json!("P-7"))]);
        assert_eq!(values("partNumber", &product("plate")), [None]);
    }

    #[test]
    fn any_field_of_the_data_is_a_column() {
        let data = json!({
            "supplier": "ACME", "size": { "x": 12.5, "a/b": [1, 2] }, "none": null,
            "definition": { "properties": { "Rev": 3 } }, "occurrence": { "designator": "R7" },
        });
        let columns = "supplier,/data/supplier,/data/size/x,/data/size/a~1b,none,/data/size/y,missing,\
                       /data/definition/properties/Rev,/data/occurrence/designator";
        let found = values(columns, &data);
        let expected = [json!("ACME"), json!("ACME"), json!(12.5), json!([1, 2])].map(Some);
        assert_eq!(found[..4], expected);
        assert_eq!(found[4..7], [None, None, None]);
        assert_eq!(found[7..], [Some(json!(3)), Some(json!("R7"))]);
    }

    #[test]
    fn columns_are_named_as_they_were_asked_for() {
        for (text, shown) in
            [("material, material ,supplier,", "material,supplier"), ("", ""), ("/data/a~1b", "/data/a~1b")]
        {
            assert_eq!(text.parse::<BomColumns>().unwrap().to_string(), shown);
        }
        let many = (0..21).map(|n| format!("c{n},")).collect::<String>();
        for bad in ["/name", "/data", "/database/x", &"x".repeat(201), &many] {
            assert!(bad.parse::<BomColumns>().is_err(), "{bad}");
        }
        assert_eq!(BomColumns::default().to_string(), "partNumber,material");
    }
}
