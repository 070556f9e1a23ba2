//! The parts of an object's record that a bill of materials reads, with equal texts kept once.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::quantity::Quantity;
use crate::content::design::{given, is_part_number, part_number};
use crate::content::object::{ASSEMBLY_TYPE, INCLUDE_TYPE, Include, ObjectKind, PART_TYPE};
use crate::error::code::Code;
use crate::id::ObjectId;
use crate::{Error, Result};

/// Longest text of an identity, in characters. A longer one is cut.
const IDENTITY_MAX_CHARS: usize = 256;
/// Longest field of an object's data that is kept, in bytes of JSON.
const FIELD_MAX_BYTES: usize = 1_024;
/// Longest definition of which more than its identity is kept, in bytes of JSON.
const DEFINITION_MAX_BYTES: usize = 64 * 1024;
/// Most bytes of fields that the components of a tree keep together.
const FIELDS_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Most bytes of definitions that the components of a tree keep together.
const DEFINITIONS_MAX_BYTES: usize = 128 * 1024 * 1024;

/// An object that a bill of materials counts: a part, an assembly, or an included package.
#[derive(Clone, Debug, Default)]
pub struct Component {
    /// Its definition, if its data has one.
    pub(crate) definition: Option<Arc<PartDefinition>>,
    /// The quantity of its usage, with the unit.
    pub(crate) usage: Option<Box<UsageQuantity>>,
    /// Hash of its placement in its parent.
    pub(crate) placement: Option<u64>,
    /// The included package.
    pub(crate) include: Option<Box<Include>>,
    /// A user's own part number, as JSON.
    pub(crate) part_number: Option<Arc<str>>,
    /// The other fields of its data as JSON, by name.
    fields: Box<[(Arc<str>, Arc<str>)]>,
}

/// The definition of a part or an assembly, which its occurrences share.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartDefinition {
    /// Its number among the definitions of the components, which saves comparing it.
    pub(crate) number: usize,
    /// The texts that clients read.
    pub(crate) texts: Arc<BomDefinition>,
    pub(crate) description: Option<String>,
    pub(crate) part_number: Option<String>,
    pub(crate) material: Option<String>,
    /// Digest of the texts by which people tell definitions apart; `None` without a name, an id or a file of its own.
    pub(crate) identity: Option<Digest>,
    /// Digest of the shape's fingerprint.
    pub(crate) shape: Option<Digest>,
    /// The whole as JSON, unless it is too long.
    json: Option<Arc<str>>,
}

/// Half of a SHA-256: equal ones are of equal texts, in trees of different projects, too.
pub(crate) type Digest = [u8; 16];

/// A definition of a part or an assembly, as its design file has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BomDefinition {
    /// The product's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The product's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The product's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The file that holds it, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
    /// Fingerprint of its shape. Equal ones are the same shape; different ones prove nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geometry: Option<String>,
}

/// The quantity of a usage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UsageQuantity {
    /// `None` for a number that no usage has.
    pub(crate) quantity: Option<Quantity>,
    pub(crate) unit: Option<String>,
}

/// The components of a tree by object. Immutable; kept beside the tree.
#[derive(Clone, Debug, Default)]
pub struct Components {
    by_object: HashMap<ObjectId, Component>,
    /// Number of definitions that were read.
    pub(crate) definitions: usize,
    /// Bytes of distinct fields and of distinct definitions.
    bytes: [usize; 2],
}

/// An object's record, as far as components need it.
#[derive(Debug, Deserialize)]
pub struct ComponentRecord<'a> {
    #[serde(rename = "type", borrow)]
    object_type: Cow<'a, str>,
    kind: Option<ObjectKind>,
    include: Option<Box<Include>>,
    #[serde(borrow)]
    data: Option<BTreeMap<String, &'a RawValue>>,
}

/// Collects components. Equal fields and definitions are kept once.
#[derive(Debug, Default)]
pub struct ComponentReader {
    components: Components,
    texts: HashSet<Arc<str>>,
    definitions: HashMap<Arc<str>, Option<Arc<PartDefinition>>>,
}

impl ComponentRecord<'_> {
    /// True for what an importer made of a design, for an include, and for a user's own object of type `Part` or
    /// `Assembly`, or with a `definition`.
    fn is_component(&self) -> bool {
        match self.kind {
            Some(kind) => kind.is_design(),
            None if self.object_type == INCLUDE_TYPE => self.include.is_some(),
            None => [ASSEMBLY_TYPE, PART_TYPE].contains(&self.object_type.as_ref()) || self.has_definition(),
        }
    }

    fn has_definition(&self) -> bool {
        let definition = self.data.as_ref().and_then(|data| data.get("definition"));
        definition.is_some_and(|definition| definition.get().starts_with('{'))
    }
}

impl ComponentReader {
    /// A reader of the changes of a tree with these components.
    pub fn over(components: &Components) -> Self {
        Self { components: components.clone(), ..Self::default() }
    }

    /// Takes an object's record, in place of an earlier one of the object.
    ///
    /// # Errors
    /// `BRANCH_CONFLICT` if the definitions exceed 128 MiB.
    pub fn add(&mut self, id: ObjectId, record: ComponentRecord<'_>) -> Result<()> {
        if !record.is_component() {
            self.remove(id);
            return Ok(());
        }
        let ComponentRecord { object_type, include, data, .. } = record;
        // Trees show only the type, so a retyped object includes nothing.
        let include = include.filter(|_| object_type == INCLUDE_TYPE);
        let mut component = Component { include, ..Component::default() };
        let mut fields = Vec::new();
        for (key, value) in data.into_iter().flatten() {
            let json = value.get();
            match key.as_str() {
                "definition" => component.definition = self.definition(json)?,
                "placement" => component.placement = Some(hash(json)),
                "occurrence" if json.contains("\"quantity\"") => {
                    component.usage = UsageQuantity::read(json).map(Box::new);
                    fields.extend(self.field(&key, json));
                }
                _ => fields.extend(self.field(&key, json)),
            }
        }
        let is_number = |(name, json): &&(Arc<str>, Arc<str>)| is_part_number(name) && **json != *"\"\"";
        component.part_number = fields.iter().find(is_number).map(|(_, json)| Arc::clone(json));
        component.fields = fields.into_boxed_slice();
        self.components.by_object.insert(id, component);
        Ok(())
    }

    /// Takes the deletion of an object.
    pub fn remove(&mut self, id: ObjectId) {
        self.components.by_object.remove(&id);
    }

    /// The components.
    pub fn finish(self) -> Components {
        self.components
    }

    fn definition(&mut self, json: &str) -> Result<Option<Arc<PartDefinition>>> {
        if let Some(known) = self.definitions.get(json) {
            return Ok(known.clone());
        }
        let [_, bytes] = &mut self.components.bytes;
        *bytes += json.len();
        if *bytes > DEFINITIONS_MAX_BYTES {
            let message = "The tree has more definitions than a bill of materials reads: name a part of it.";
            return Err(Error::new(Code::BranchConflict, message)
                .with_details(json!({ "limitBytes": DEFINITIONS_MAX_BYTES })));
        }
        let text: Arc<str> = json.into();
        let number = self.components.definitions;
        let definition = PartDefinition::read(number, &text).map(Arc::new);
        self.components.definitions += 1;
        self.definitions.insert(text, definition.clone());
        Ok(definition)
    }

    /// A field to keep; `None` if it is too long, or there are too many.
    fn field(&mut self, key: &str, json: &str) -> Option<(Arc<str>, Arc<str>)> {
        let is_kept = json.len() <= FIELD_MAX_BYTES && key.len() <= FIELD_MAX_BYTES && json != "null";
        if !is_kept {
            return None;
        }
        Some((self.text(key)?, self.text(json)?))
    }

    fn text(&mut self, text: &str) -> Option<Arc<str>> {
        if let Some(known) = self.texts.get(text) {
            return Some(Arc::clone(known));
        }
        let [bytes, _] = &mut self.components.bytes;
        if *bytes > FIELDS_MAX_BYTES {
            return None;
        }
        *bytes += text.len();
        let text: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&text));
        Some(text)
    }
}

impl Components {
    /// The component that an object is.
    pub fn get(&self, id: ObjectId) -> Option<&Component> {
        self.by_object.get(&id)
    }

    /// The package that an object includes.
    pub fn include(&self, id: ObjectId) -> Option<&Include> {
        self.get(id)?.include.as_deref()
    }

    /// True if fields were left out, because there are more than are kept.
    pub(crate) fn is_cut(&self) -> bool {
        let [fields, _] = self.bytes;
        fields > FIELDS_MAX_BYTES
    }

    /// Approximate memory, in bytes.
    pub fn weight(&self) -> u32 {
        let fields = self.by_object.values().map(|component| component.fields.len()).sum::<usize>();
        let each = size_of::<(ObjectId, Component)>() + 2 * size_of::<usize>();
        let own = self.by_object.len() * each + fields * size_of::<(Arc<str>, Arc<str>)>();
        u32::try_from(own + self.bytes.iter().sum::<usize>()).unwrap_or(u32::MAX)
    }
}

impl Component {
    /// A field of the data as JSON.
    pub(crate) fn field(&self, key: &str) -> Option<&str> {
        if key == "definition" {
            return self.definition.as_ref()?.json.as_deref();
        }
        self.fields.iter().find(|(name, _)| name.as_ref() == key).map(|(_, json)| json.as_ref())
    }

    /// Digest of the fingerprint of its shape.
    pub(crate) fn shape(&self) -> Option<Digest> {
        self.definition.as_deref()?.shape
    }

    /// A text of its definition.
    pub(crate) fn defined(&self, text: impl Fn(&PartDefinition) -> &Option<String>) -> Option<&str> {
        text(self.definition.as_deref()?).as_deref()
    }
}

impl PartDefinition {
    /// Reads a definition; `None` if it isn't an object.
    fn read(number: usize, json: &Arc<str>) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok().filter(Value::is_object)?;
        let data = Map::from_iter([("definition".to_owned(), value)]);
        let text = |key| given(&data, "definition", key).map(shortened);
        let material = data.get("definition").and_then(|definition| definition.get("material"));
        let material = ["name", "id"].iter().find_map(|key| material?.get(key)?.as_str());
        let [id, name, version, external, geometry] =
            ["id", "name", "version", "external", "geometry"].map(text);
        let part_number = part_number(&data).map(shortened);
        let product = id.as_ref().or(part_number.as_ref());
        let is_identified = product.or(name.as_ref()).or(external.as_ref()).is_some();
        Some(Self {
            number,
            identity: is_identified.then(|| digest(&(product, &name, &version, &external))),
            shape: geometry.as_ref().map(digest),
            texts: Arc::new(BomDefinition { id, name, version, external, geometry }),
            description: text("description"),
            part_number,
            material: material.map(shortened),
            json: (json.len() <= DEFINITION_MAX_BYTES).then(|| Arc::clone(json)),
        })
    }
}

impl UsageQuantity {
    /// Reads the `quantity` of an occurrence.
    fn read(occurrence: &str) -> Option<Self> {
        let occurrence: Value = serde_json::from_str(occurrence).ok()?;
        let quantity = occurrence.get("quantity")?;
        let value = quantity.get("value").unwrap_or(quantity).as_f64()?;
        let unit = quantity.get("unit").and_then(Value::as_str).map(shortened);
        Some(Self { quantity: Quantity::of_usage(value), unit })
    }
}

fn digest(texts: &impl Serialize) -> Digest {
    let json = serde_json::to_vec(texts).unwrap_or_default();
    let mut digest = Digest::default();
    digest.iter_mut().zip(Sha256::digest(json)).for_each(|(byte, whole)| *byte = whole);
    digest
}

fn shortened(text: &str) -> String {
    text.chars().take(IDENTITY_MAX_CHARS).collect()
}

/// Hash of a value's JSON without white space.
fn hash(json: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    json.split_ascii_whitespace().for_each(|part| hasher.write(part.as_bytes()));
    hasher.finish()
}
