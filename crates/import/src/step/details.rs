//! Properties, materials, layers and documents of definitions and usages.

mod documents;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use self::documents::add_documents;
use super::assembly::{Shapes, items};
use super::limits::PROPERTIES_MAX;
use super::record::{Parameter, Record};
use super::records::{RecordKind, Records};
use super::structure::shape_of;
use super::text::Decoder;
use super::units::UnitReader;

/// Properties that validate an import, of which the geometric ones tell of the part.
const VALIDATION: &str = "validation property";
const GEOMETRIC: &str = "geometric validation property";
const MATERIAL: &str = "material property";
/// Longest way from a property to its definition.
const WAY_MAX: usize = 4;

/// The details of definitions and usages, as parts of their properties.
pub(super) type Details = HashMap<u64, Map<String, Value>>;

/// A property with its representation.
struct Property {
    /// Name and description, decoded.
    name: String,
    description: String,
    target: u64,
    representation: u64,
}

/// The definition or usage that a property belongs to.
struct Owner {
    id: u64,
    /// True if it is said of a part of the shape only, which may be the whole.
    is_aspect: bool,
}

/// The instances to fetch before [`needed_items`]: representations of properties, and what these are said of.
pub(super) fn needed(records: &Records) -> BTreeSet<u64> {
    let properties = properties(records, records.decoder());
    properties.into_iter().flat_map(|property| [property.target, property.representation]).collect()
}

/// The items of properties, to fetch before [`read`].
pub(super) fn needed_items(records: &Records) -> BTreeSet<u64> {
    let properties = properties(records, records.decoder());
    let items = |property: Property| items(records, property.representation).into_iter().take(PROPERTIES_MAX);
    properties.into_iter().flat_map(items).collect()
}

/// The details of all definitions and usages.
pub(super) fn read(records: &Records, shapes: &Shapes, units: &mut UnitReader<'_>) -> Details {
    let decoder = records.decoder();
    let mut details = Details::new();
    let mut aspects: BTreeMap<(u64, &str), Vec<Value>> = BTreeMap::new();
    for property in properties(records, decoder) {
        let Some(owner) = owner(records, property.target) else { continue };
        let items: Vec<u64> =
            items(records, property.representation).into_iter().take(PROPERTIES_MAX).collect();
        let is_single = items.len() == 1;
        for item in items {
            let Some(read) =
                (ItemReader { records, decoder, units: &mut *units }).read(item, property.representation)
            else {
                continue;
            };
            let (name, value) = read;
            match property.name.to_lowercase().as_str() {
                GEOMETRIC => {
                    let Some(key) = validated(&property, &name, records, decoder) else { continue };
                    match owner.is_aspect {
                        true => aspects.entry((owner.id, key)).or_default().push(value),
                        false => add(&mut details, owner.id, "validation", key, value),
                    }
                }
                MATERIAL if value.is_string() => {
                    add(&mut details, owner.id, "material", "name", value);
                    if !name.trim().is_empty() {
                        add(&mut details, owner.id, "material", "description", Value::String(name));
                    }
                }
                MATERIAL if is_density(&property, &name) => {
                    add(&mut details, owner.id, "material", "density", value);
                }
                _ if owner.is_aspect => {}
                _ => {
                    let key = if is_single || name.trim().is_empty() { &property.name } else { &name };
                    add(&mut details, owner.id, "properties", key.trim(), value);
                }
            }
        }
    }
    // Of several parts of a shape with different values, none is that of the whole.
    for ((owner, key), mut values) in aspects {
        values.dedup();
        if let [_] = values.as_slice() {
            values.drain(..).for_each(|value| add(&mut details, owner, "validation", key, value));
        }
    }
    add_materials(records, decoder, &mut details);
    add_layers(records, shapes, decoder, &mut details);
    add_documents(records, shapes, decoder, &mut details);
    details
}

/// Adds a detail, unless it is known or there are too many.
fn add(details: &mut Details, owner: u64, part: &str, key: &str, value: Value) {
    let part = details.entry(owner).or_default().entry(part).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(part) = part
        && part.len() < PROPERTIES_MAX
        && !part.contains_key(key)
    {
        part.insert(key.to_owned(), value);
    }
}

/// The properties whose representation may tell of a definition or usage.
fn properties(records: &Records, decoder: Decoder) -> Vec<Property> {
    let read = |id: &u64| {
        let record = records.get(*id)?;
        let link =
            record.entity(&[b"PROPERTY_DEFINITION_REPRESENTATION", b"MATERIAL_PROPERTY_REPRESENTATION"])?;
        let definition = records.get(link.reference(0)?)?;
        let definition = definition.entity(&[b"PROPERTY_DEFINITION", b"MATERIAL_PROPERTY"])?;
        let text = |place| definition.text(place).map(|text| decoder.decode(text)).unwrap_or_default();
        let property = Property {
            name: text(0).trim().to_owned(),
            description: text(1),
            target: definition.reference(2)?,
            representation: link.reference(1)?,
        };
        let name = property.name.to_lowercase();
        let is_known = match records.contains(property.target) {
            true => owner(records, property.target).is_some(),
            // A part of a shape, which only these tell of.
            false => name == GEOMETRIC,
        };
        let is_other = name.is_empty() || (name.ends_with(VALIDATION) && name != GEOMETRIC);
        (is_known && !is_other).then_some(property)
    };
    records.of_kind(RecordKind::Detail).iter().filter_map(read).collect()
}

/// The definition or usage at the end of a property's way: through its shape, or a part of that.
fn owner(records: &Records, target: u64) -> Option<Owner> {
    let mut owner = Owner { id: target, is_aspect: false };
    for _ in 0..WAY_MAX {
        let record = records.get(owner.id)?;
        if let Some(aspect) = record.entity(&[b"SHAPE_ASPECT"]) {
            owner = Owner { id: aspect.reference(2)?, is_aspect: true };
        } else if let Some(shape) = shape_of(records, owner.id) {
            owner.id = shape;
        } else {
            let is_owner = [RecordKind::Definition, RecordKind::Usage].map(Some).contains(&kind(&record));
            return is_owner.then_some(owner);
        }
    }
    None
}

fn kind(record: &Record<'_>) -> Option<RecordKind> {
    super::records::kind_of_parts(&record.entities)
}

/// The validated measure that an item is, by all of its names.
fn validated(property: &Property, item: &str, records: &Records, decoder: Decoder) -> Option<&'static str> {
    let record = records.get(property.representation);
    let representation = record.as_ref().and_then(|record| record.entities.first()?.text(0));
    let representation = representation.map(|text| decoder.decode(text)).unwrap_or_default();
    let names = format!("{representation} {item} {}", property.description).to_lowercase();
    let measures = [
        ("volume", "volume"),
        ("area", "surfaceArea"),
        ("centroid", "centroid"),
        ("centre point", "centroid"),
    ];
    measures.into_iter().find_map(|(word, key)| names.contains(word).then_some(key))
}

fn is_density(property: &Property, item: &str) -> bool {
    format!("{item} {}", property.description).to_lowercase().contains("density")
}

/// Adds materials that are named by a designation, or that are products which a part is made from.
fn add_materials(records: &Records, decoder: Decoder, details: &mut Details) {
    for id in records.of_kind(RecordKind::Detail) {
        let Some(record) = records.get(*id) else { continue };
        if let Some(designation) = record.entity(&[b"MATERIAL_DESIGNATION"]) {
            let Some(name) = designation.text(0).map(|text| decoder.decode(text)) else { continue };
            for target in designation.list(1).iter().filter_map(Parameter::reference) {
                if let Some(owner) = owner(records, target) {
                    add(details, owner.id, "material", "name", Value::String(name.clone()));
                }
            }
        } else if let Some(option) = record.entity(&[b"MAKE_FROM_USAGE_OPTION"])
            && let (Some(part), Some(material)) = (option.reference(3), option.reference(4))
            && let Some(texts) = product_of(records, material, decoder)
        {
            for (key, text) in ["id", "name"].into_iter().zip(texts.iter().map(|text| text.trim())) {
                if !text.is_empty() {
                    add(details, part, "material", key, Value::String(text.to_owned()));
                }
            }
            let own =
                details.get(&material).and_then(|material| material.get("material")?.as_object().cloned());
            for (key, value) in own.into_iter().flatten() {
                add(details, part, "material", &key, value);
            }
        }
    }
}

/// Id and name of a definition's product.
fn product_of(records: &Records, definition: u64, decoder: Decoder) -> Option<[String; 2]> {
    let definition = records.get(definition)?;
    let formation = definition.entities.iter().find_map(|part| part.reference(2))?;
    let formation = records.get(formation)?;
    let product = records.get(formation.entities.first()?.reference(2)?)?;
    let product = product.entity(&[b"PRODUCT"])?;
    Some([0, 1].map(|place| product.text(place).map(|text| decoder.decode(text)).unwrap_or_default()))
}

/// Adds the layers of definitions whose shapes, or items of these, are on them.
fn add_layers(records: &Records, shapes: &Shapes, decoder: Decoder, details: &mut Details) {
    let layer = |record: &Record<'_>| {
        let layer = record.entity(&[b"PRESENTATION_LAYER_ASSIGNMENT"])?;
        let name = decoder.decode(layer.text(0)?);
        let items = layer.list(2).iter().filter_map(Parameter::reference).collect::<Vec<_>>();
        (!name.trim().is_empty()).then_some((name, items))
    };
    let ids = records.of_kind(RecordKind::Detail).iter();
    let layers: Vec<(String, Vec<u64>)> = ids.filter_map(|id| layer(&records.get(*id)?)).collect();
    if layers.is_empty() {
        return;
    }
    let mut owners = HashMap::new();
    for (representation, owner) in shapes.owned() {
        owners.insert(representation, owner);
        owners.extend(items(records, representation).into_iter().map(|item| (item, owner)));
    }
    for (name, items) in layers {
        let on: BTreeSet<u64> = items.iter().filter_map(|item| owners.get(item)).copied().collect();
        for owner in on {
            let names = details.entry(owner).or_default().entry("layers").or_insert_with(|| json!([]));
            if let Value::Array(names) = names
                && names.len() < PROPERTIES_MAX
            {
                names.push(json!(name));
            }
        }
    }
}

struct ItemReader<'a, 'r> {
    records: &'a Records,
    decoder: Decoder,
    units: &'a mut UnitReader<'r>,
}

impl ItemReader<'_, '_> {
    /// Name and value of an item, with its unit.
    fn read(&mut self, item: u64, representation: u64) -> Option<(String, Value)> {
        let record = self.records.get(item)?;
        let named = record.entity(&[b"REPRESENTATION_ITEM"]).or_else(|| record.entities.first())?;
        let name = named.text(0).map(|text| self.decoder.decode(text)).unwrap_or_default();
        if let Some(point) = record.entity(&[b"CARTESIAN_POINT"]) {
            let coordinates = point.list(1).iter().map(Parameter::number).collect::<Option<Vec<_>>>()?;
            let unit = self.units.of_representation(representation).length_name().map(str::to_owned);
            return Some((name, quantity(json!(coordinates), unit)));
        }
        let value = self.plain(&record).or_else(|| self.units.quantity(item)).or_else(|| {
            let number = record
                .entities
                .iter()
                .flat_map(|part| part.parameters.iter().rev())
                .find_map(Parameter::number)?;
            let is_integer = record.entity(&[b"INTEGER_REPRESENTATION_ITEM"]).is_some();
            let integer = is_integer.then(|| format!("{number:.0}").parse::<i64>().ok()).flatten();
            Some(integer.map_or_else(|| json!(number), |integer| json!(integer)))
        })?;
        Some((name, value))
    }

    /// The text or truth of an item.
    fn plain(&self, record: &Record<'_>) -> Option<Value> {
        let item = record.entity(&[
            b"DESCRIPTIVE_REPRESENTATION_ITEM",
            b"VALUE_REPRESENTATION_ITEM",
            b"BOOLEAN_REPRESENTATION_ITEM",
        ])?;
        let value = match item.nth_last(0)? {
            Parameter::Typed(typed) => typed.nth_last(0)?,
            other => other,
        };
        match value {
            Parameter::Text(text) => {
                Some(self.decoder.decode(text)).filter(|text| !text.trim().is_empty()).map(Value::String)
            }
            Parameter::Enumeration(b"T") => Some(json!(true)),
            Parameter::Enumeration(b"F") => Some(json!(false)),
            _ => None,
        }
    }
}

fn quantity(value: Value, unit: Option<String>) -> Value {
    match unit {
        Some(unit) => json!({ "value": value, "unit": unit }),
        None => json!({ "value": value }),
    }
}
