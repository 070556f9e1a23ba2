//! Properties, materials, layers and documents of definitions and usages.

mod documents;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value, json};

use self::documents::add_documents;
use super::assembly::{Shapes, items};
use super::limits::{DETAILS_MAX, PROPERTIES_MAX};
use super::record::{Parameter, Record};
use super::records::{RecordKind, Records, kind_of_parts};
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
#[derive(Clone, Copy)]
struct Owner {
    id: u64,
    /// True if it is said of a part of the shape only, which may be the whole.
    is_aspect: bool,
}

/// Name and first items of a representation.
#[derive(Clone, Default)]
struct Representation {
    name: String,
    items: Vec<u64>,
}

/// Owners by what is said of them. A file may say much of one instance, which is read once.
#[derive(Default)]
struct Owners(HashMap<u64, Option<Owner>>);

/// The instances to fetch before [`needed_items`]: representations of properties, and what these are said of.
pub(super) fn needed(records: &Records) -> BTreeSet<u64> {
    let properties = properties(records, records.decoder(), &mut Owners::default());
    properties.into_iter().flat_map(|property| [property.target, property.representation]).collect()
}

/// The items of properties, to fetch before [`read`].
pub(super) fn needed_items(records: &Records) -> BTreeSet<u64> {
    let decoder = records.decoder();
    let properties = properties(records, decoder, &mut Owners::default());
    let distinct: BTreeSet<u64> = properties.into_iter().map(|property| property.representation).collect();
    distinct.into_iter().flat_map(|id| representation(records, decoder, id).items).take(DETAILS_MAX).collect()
}

/// The details of all definitions and usages.
pub(super) fn read(records: &Records, shapes: &Shapes, units: &mut UnitReader<'_>) -> Details {
    let decoder = records.decoder();
    let mut owners = Owners::default();
    let mut details = Details::new();
    read_properties(records, units, &mut owners, &mut details);
    add_materials(records, decoder, &mut owners, &mut details);
    add_layers(records, shapes, decoder, &mut details);
    add_documents(records, shapes, &mut owners, &mut details);
    details
}

fn read_properties(
    records: &Records,
    units: &mut UnitReader<'_>,
    owners: &mut Owners,
    details: &mut Details,
) {
    let decoder = records.decoder();
    let mut aspects: BTreeMap<(u64, &str), Vec<Value>> = BTreeMap::new();
    let mut representations: HashMap<u64, Representation> = HashMap::new();
    let mut items_left = DETAILS_MAX;
    for property in properties(records, decoder, owners) {
        let Some(owner) = owners.find(records, property.target) else { continue };
        let id = property.representation;
        let shown = representations.entry(id).or_insert_with(|| representation(records, decoder, id));
        for item in &shown.items {
            let Some(left) = items_left.checked_sub(1) else { return };
            items_left = left;
            let mut reader = ItemReader { records, decoder, units: &mut *units };
            let Some((name, value)) = reader.read(*item, id) else { continue };
            match property.name.to_lowercase().as_str() {
                GEOMETRIC => {
                    let Some(key) = validated(&[&shown.name, &name, &property.description]) else { continue };
                    match owner.is_aspect {
                        true => aspects.entry((owner.id, key)).or_default().push(value),
                        false => add(details, owner.id, "validation", key, value),
                    }
                }
                MATERIAL if value.is_string() => {
                    add(details, owner.id, "material", "name", value);
                    if !name.trim().is_empty() {
                        add(details, owner.id, "material", "description", Value::String(name));
                    }
                }
                MATERIAL if format!("{name} {}", property.description).to_lowercase().contains("density") => {
                    add(details, owner.id, "material", "density", value);
                }
                _ if owner.is_aspect => {}
                _ => {
                    let is_only = shown.items.len() == 1 || name.trim().is_empty();
                    let key = if is_only { &property.name } else { &name };
                    add(details, owner.id, "properties", key.trim(), value);
                }
            }
        }
    }
    // Of several parts of a shape with different values, none is that of the whole.
    for ((owner, key), mut values) in aspects {
        values.dedup();
        if let [_] = values.as_slice() {
            values.drain(..).for_each(|value| add(details, owner, "validation", key, value));
        }
    }
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
fn properties(records: &Records, decoder: Decoder, owners: &mut Owners) -> Vec<Property> {
    let read = |id: &u64| {
        let record = records.get_short(*id)?;
        let link =
            record.entity(&[b"PROPERTY_DEFINITION_REPRESENTATION", b"MATERIAL_PROPERTY_REPRESENTATION"])?;
        let definition = records.get_short(link.reference(0)?)?;
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
            true => owners.find(records, property.target).is_some(),
            // A part of a shape, which only these tell of.
            false => name == GEOMETRIC,
        };
        let is_other = name.is_empty() || (name.ends_with(VALIDATION) && name != GEOMETRIC);
        (is_known && !is_other).then_some(property)
    };
    records.of_kind(RecordKind::Detail).iter().filter_map(read).collect()
}

impl Owners {
    /// The definition or usage at the end of a property's way: through its shape, or a part of that.
    fn find(&mut self, records: &Records, target: u64) -> Option<Owner> {
        *self.0.entry(target).or_insert_with(|| owner(records, target))
    }
}

fn owner(records: &Records, target: u64) -> Option<Owner> {
    let mut owner = Owner { id: target, is_aspect: false };
    for _ in 0..WAY_MAX {
        let record = records.get(owner.id)?;
        if let Some(aspect) = record.entity(&[b"SHAPE_ASPECT"]) {
            owner = Owner { id: aspect.reference(2)?, is_aspect: true };
        } else if let Some(shape) = shape_of(records, owner.id) {
            owner.id = shape;
        } else {
            let kind = kind_of_parts(&record.entities);
            return matches!(kind, Some(RecordKind::Definition | RecordKind::Usage)).then_some(owner);
        }
    }
    None
}

fn representation(records: &Records, decoder: Decoder, id: u64) -> Representation {
    let name = records.get(id).and_then(|record| Some(decoder.decode(record.entities.first()?.text(0)?)));
    let items = items(records, id).into_iter().take(PROPERTIES_MAX).collect();
    Representation { name: name.unwrap_or_default(), items }
}

/// The validated measure that an item is, by all of its names.
fn validated(names: &[&str]) -> Option<&'static str> {
    let names = names.join(" ").to_lowercase();
    let measures = [
        ("volume", "volume"),
        ("area", "surfaceArea"),
        ("centroid", "centroid"),
        ("centre point", "centroid"),
    ];
    measures.into_iter().find_map(|(word, key)| names.contains(word).then_some(key))
}

/// Adds materials that are named by a designation, or that are products which a part is made from.
fn add_materials(records: &Records, decoder: Decoder, owners: &mut Owners, details: &mut Details) {
    for id in records.of_kind(RecordKind::Detail) {
        let Some(record) = records.get(*id) else { continue };
        if let Some(designation) = record.entity(&[b"MATERIAL_DESIGNATION"]) {
            let Some(name) = designation.text(0).map(|text| decoder.decode(text)) else { continue };
            for target in designation.list(1).iter().filter_map(Parameter::reference) {
                if let Some(owner) = owners.find(records, target) {
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
    let definition = records.get_short(definition)?;
    let formation = definition.entities.iter().find_map(|part| part.reference(2))?;
    let formation = records.get_short(formation)?;
    let product = records.get_short(formation.entities.first()?.reference(2)?)?;
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
    let on_layers: HashSet<u64> = layers.iter().flat_map(|(_, items)| items).copied().collect();
    let mut owners = HashMap::new();
    for (representation, owner) in shapes.owned() {
        let all = std::iter::once(representation).chain(items(records, representation));
        owners.extend(all.filter(|item| on_layers.contains(item)).map(|item| (item, owner)));
    }
    for (name, items) in layers {
        let on: BTreeSet<u64> = items.iter().filter_map(|item| owners.get(item)).copied().collect();
        for owner in on {
            push(details, owner, "layers", &name);
        }
    }
}

/// Adds a text to a list, unless it is there or there are too many.
fn push(details: &mut Details, owner: u64, list: &str, text: &str) {
    let list = details.entry(owner).or_default().entry(list).or_insert_with(|| json!([]));
    if let Value::Array(list) = list
        && list.len() < PROPERTIES_MAX
        && list.iter().all(|other| other != text)
    {
        list.push(json!(text));
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
        let record = self.records.get_short(item)?;
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
