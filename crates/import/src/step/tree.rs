//! The objects of a product structure: one for each occurrence or, above the limits, one for each product.

use std::collections::{HashMap, HashSet};

use domain::content::design::{designed_name, is_placeholder};
use domain::text::Name;
use serde_json::{Map, Value, json};

use super::assembly::Shapes;
use super::details::Details;
use super::limits::{OCCURRENCES_MAX, TEXTS_MAX_BYTES};
use super::placement::Matrix;
use super::records::Records;
use super::structure::{ProductStructure, Usage, external, quantity_of, usage_of};
use super::text::Decoder;
use super::units::UnitReader;
use crate::conversion::{ConversionFailureCode, DraftObject, DraftType};

/// Words before the numbers of unnamed usages: none (OpenCascade), SolidWorks and Creo, Theorem.
const RUNNING_IDS: [&str; 3] = ["", "NAUO", "instance id"];

/// The input for the objects.
pub(super) struct Sources<'a> {
    pub(super) records: &'a Records,
    pub(super) structure: &'a ProductStructure,
    pub(super) shapes: &'a Shapes,
    /// Properties of definitions and usages.
    pub(super) details: &'a Details,
    /// Fingerprints of the shapes of definitions.
    pub(super) fingerprints: &'a HashMap<u64, String>,
    pub(super) decoder: Decoder,
    /// Name for objects that the file gives none.
    pub(super) file_name: &'a Name,
}

/// The objects to build, by the room that they take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// One for each occurrence, with details.
    Full,
    /// One for each occurrence.
    WithoutDetails,
    /// One for each product.
    Products,
}

/// The objects of a file; the first owns it. If these would exceed the limit of text, they have no details; if
/// occurrences exceed it or that of their number, each product becomes a single object.
///
/// # Errors
/// The exceeded limit.
pub(super) fn drafts(sources: &Sources<'_>) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let occurrences = sources.structure.occurrences();
    if occurrences <= OCCURRENCES_MAX {
        let extents = [Some(Extent::Full), (!sources.details.is_empty()).then_some(Extent::WithoutDetails)];
        for extent in extents.into_iter().flatten() {
            match build(sources, extent) {
                Err(ConversionFailureCode::ProductStructureTooLarge) => {}
                built => return built,
            }
        }
    }
    let mut drafts = build(sources, Extent::Products)?;
    if let Some(first) = drafts.first_mut() {
        first.set_outcome("partial", ConversionFailureCode::TooManyOccurrences);
        first.data.insert("occurrences".to_owned(), json!(occurrences));
    }
    Ok(drafts)
}

fn build(sources: &Sources<'_>, extent: Extent) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let mut units = UnitReader::new(sources.records, sources.decoder);
    let placements = match extent {
        Extent::Products => HashMap::new(),
        Extent::Full | Extent::WithoutDetails => sources.shapes.placements(sources.records, &mut units),
    };
    let no_details = Details::new();
    let usages = sources.structure.definitions.iter().map(|definition| definition.parts.len()).sum::<usize>();
    let is_repeated = usize::try_from(sources.structure.occurrences())
        .is_ok_and(|all| all > usages + sources.structure.roots.len());
    let mut builder = TreeBuilder {
        sources,
        details: if extent == Extent::Full { sources.details } else { &no_details },
        templates: HashMap::new(),
        usages: is_repeated.then(HashMap::new),
        placements,
        texts_left: TEXTS_MAX_BYTES,
    };
    let has_wrapper = sources.structure.roots.len() > 1;
    let wrapper = has_wrapper.then(|| DraftObject::new(sources.file_name.clone(), DraftType::Assembly));
    let mut drafts: Vec<DraftObject> = wrapper.into_iter().collect();
    for occurrence in occurrences(sources.structure, extent == Extent::Products)? {
        drafts.push(builder.add(&mut units, occurrence)?);
    }
    Ok(drafts)
}

/// An occurrence of a definition. Those of a file have the order of its objects, parents before children.
#[derive(Clone, Copy)]
pub(super) struct Occurrence {
    /// Index of the definition.
    pub(super) definition: usize,
    /// The usage that it comes from; `None` for a root.
    pub(super) usage: Option<Usage>,
    /// Index of the object of the assembly around it.
    pub(super) parent: Option<usize>,
}

/// The occurrences of a structure, or with `each_once` one for each definition. Several roots have an object around
/// them, which is no occurrence and the first of the file.
///
/// # Errors
/// There are too many.
pub(super) fn occurrences(
    structure: &ProductStructure,
    each_once: bool,
) -> Result<Vec<Occurrence>, ConversionFailureCode> {
    let wrapper = (structure.roots.len() > 1).then_some(0);
    let mut seen = each_once.then(HashSet::new);
    let root = |definition: &usize| Occurrence { definition: *definition, usage: None, parent: wrapper };
    let mut pending: Vec<Occurrence> = structure.roots.iter().rev().map(root).collect();
    let mut found = Vec::new();
    while let Some(occurrence) = pending.pop() {
        let is_new = |seen: &mut HashSet<usize>| seen.insert(occurrence.definition);
        if !seen.as_mut().is_none_or(is_new) {
            continue;
        }
        let Some(definition) = structure.get(occurrence.definition) else { continue };
        let own = found.len() + usize::from(wrapper.is_some());
        if u64::try_from(own).is_ok_and(|count| count > OCCURRENCES_MAX) {
            return Err(ConversionFailureCode::ProductStructureTooLarge);
        }
        found.push(occurrence);
        let parts = definition.parts.iter().rev();
        pending.extend(parts.map(|usage| Occurrence {
            definition: usage.part,
            usage: Some(*usage),
            parent: Some(own),
        }));
    }
    Ok(found)
}

/// Bytes of the texts in a property.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Object(fields) => fields.values().map(text_bytes).sum(),
        Value::Array(values) => values.iter().map(text_bytes).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// The common part of all occurrences of a definition.
struct Template {
    object_type: DraftType,
    data: Map<String, Value>,
}

struct TreeBuilder<'a> {
    sources: &'a Sources<'a>,
    details: &'a Details,
    templates: HashMap<usize, Template>,
    /// Finished drafts by usage, if usages repeat because an assembly does.
    usages: Option<HashMap<u64, DraftObject>>,
    placements: HashMap<u64, Matrix>,
    /// Remaining bytes of text.
    texts_left: usize,
}

impl TreeBuilder<'_> {
    /// The draft of an occurrence, as long as there is room for its texts.
    fn add(
        &mut self,
        units: &mut UnitReader<'_>,
        occurrence: Occurrence,
    ) -> Result<DraftObject, ConversionFailureCode> {
        let Occurrence { definition, usage, parent } = occurrence;
        let draft = DraftObject { parent, ..self.draft(units, definition, usage) };
        let texts = draft.name.as_str().len() + draft.data.values().map(text_bytes).sum::<usize>();
        self.texts_left =
            self.texts_left.checked_sub(texts).ok_or(ConversionFailureCode::ProductStructureTooLarge)?;
        Ok(draft)
    }

    /// The draft of an occurrence, without its parent.
    fn draft(&mut self, units: &mut UnitReader<'_>, place: usize, usage: Option<Usage>) -> DraftObject {
        let known = usage.zip(self.usages.as_ref()).and_then(|(usage, known)| known.get(&usage.id));
        if let Some(known) = known {
            return known.clone();
        }
        let (sources, details) = (self.sources, self.details);
        let template = self.templates.entry(place).or_insert_with(|| sources.template(units, place, details));
        let mut draft = DraftObject::new(sources.file_name.clone(), template.object_type);
        draft.data = template.data.clone();
        if let Some(usage) = usage {
            self.describe(units, usage, &mut draft);
        }
        draft.name = designed_name(&draft.data).unwrap_or(draft.name);
        if let Some((usage, known)) = usage.zip(self.usages.as_mut()) {
            known.insert(usage.id, draft.clone());
        }
        draft
    }

    /// Adds the properties of a usage.
    fn describe(&self, units: &UnitReader<'_>, usage: Usage, draft: &mut DraftObject) {
        let mut properties = Map::new();
        let records = self.sources.records;
        if let Some(record) = records.get(usage.id) {
            let texts = usage_of(&record);
            let designator = record.entity(&[b"ASSEMBLY_COMPONENT_USAGE"]).map(|part| part.text(0));
            let designator = designator.unwrap_or_else(|| texts.and_then(|part| part.text(5)));
            let text = |place| texts.and_then(|part| part.text(place));
            for (key, written) in
                [("id", text(0)), ("name", text(1)), ("description", text(2)), ("designator", designator)]
            {
                self.sources.insert_text(&mut properties, key, written);
            }
            remove_placeholders(&mut properties);
            remove_running_id(&mut properties);
        }
        let quantity = quantity_of(records, usage.id).and_then(|measure| units.quantity(measure));
        properties.extend(quantity.map(|quantity| ("quantity".to_owned(), quantity)));
        properties.extend(self.details.get(&usage.id).cloned().into_iter().flatten());
        if !properties.is_empty() {
            draft.data.insert("occurrence".to_owned(), Value::Object(properties));
        }
        if let Some(placement) = self.placements.get(&usage.id) {
            draft.data.insert("placement".to_owned(), json!(placement.rows()));
        }
    }
}

impl Sources<'_> {
    fn template(&self, units: &mut UnitReader<'_>, place: usize, details: &Details) -> Template {
        let (id, is_assembly) = match self.structure.get(place) {
            Some(definition) => (definition.id, !definition.parts.is_empty()),
            None => (0, false),
        };
        let mut properties = Map::new();
        let record = self.records.get(id);
        // One part of a complex instance has the attributes.
        let definition = record
            .as_ref()
            .and_then(|record| record.entities.iter().find(|part| part.reference(2).is_some()));
        let formation = definition.and_then(|part| part.reference(2)).and_then(|id| self.records.get(id));
        let formation = formation.as_ref().and_then(|record| record.entities.first());
        let product = formation.and_then(|part| part.reference(2)).and_then(|id| self.records.get(id));
        let product = product.as_ref().and_then(|record| record.entity(&[b"PRODUCT"]));
        for (key, written) in [
            ("id", product.and_then(|part| part.text(0))),
            ("name", product.and_then(|part| part.text(1))),
            ("description", product.and_then(|part| part.text(2))),
            ("version", formation.and_then(|part| part.text(0))),
        ] {
            self.insert_text(&mut properties, key, written);
        }
        remove_placeholders(&mut properties);
        properties.extend(details.get(&id).cloned().into_iter().flatten());
        self.insert_text(&mut properties, "external", external(self.records, id));
        let geometry = self.fingerprints.get(&id).map(|fingerprint| json!(fingerprint));
        properties.extend(geometry.map(|geometry| ("geometry".to_owned(), geometry)));
        let mut data = Map::new();
        data.insert("definition".to_owned(), Value::Object(properties));
        data.extend(self.shapes.units(id, units).property().map(|units| ("units".to_owned(), units)));
        Template { object_type: if is_assembly { DraftType::Assembly } else { DraftType::Part }, data }
    }

    /// Adds a decoded text unless it is empty.
    fn insert_text(&self, properties: &mut Map<String, Value>, key: &str, written: Option<&[u8]>) {
        let text = written.map(|written| self.decoder.decode(written)).filter(|text| !text.trim().is_empty());
        properties.extend(text.map(|text| (key.to_owned(), Value::String(text))));
    }
}

/// Removes names that a program has made up, most of which change with each export.
fn remove_placeholders(properties: &mut Map<String, Value>) {
    for key in ["id", "name"] {
        if properties.get(key).and_then(Value::as_str).is_some_and(is_placeholder) {
            properties.remove(key);
        }
    }
}

/// Removes the id of a usage that only counts the usages of an export: a number, behind a word unless it has a name.
fn remove_running_id(properties: &mut Map<String, Value>) {
    let text = |key| properties.get(key).and_then(Value::as_str);
    let Some(id) = text("id") else { return };
    let word = id.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let counts = word.len() < id.len() && text("name").map_or(RUNNING_IDS.contains(&word), |name| name != id);
    if counts {
        properties.remove("id");
    }
}
