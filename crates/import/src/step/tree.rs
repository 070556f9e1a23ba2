//! The objects of a product structure: one for each occurrence or, above the limits, one for each product.

use std::collections::{HashMap, HashSet};

use domain::text::Name;
use serde_json::{Map, Value, json};

use super::assembly::Shapes;
use super::limits::{OCCURRENCES_MAX, TEXTS_MAX_BYTES};
use super::placement::Matrix;
use super::records::Records;
use super::structure::{ProductStructure, Usage, external, quantity_of, usage_of};
use super::text::Decoder;
use super::units::UnitReader;
use crate::conversion::{ConversionFailureCode, DraftObject, DraftType};

/// The input for the objects.
pub(super) struct Sources<'a> {
    pub(super) records: &'a Records,
    pub(super) structure: &'a ProductStructure,
    pub(super) shapes: &'a Shapes,
    pub(super) decoder: Decoder,
    /// Name for products without name and id.
    pub(super) file_name: &'a Name,
}

/// The objects of a file; the first owns it. If occurrences would exceed the limits of number or text, each product becomes
/// a single object.
///
/// # Errors
/// The exceeded limit.
pub(super) fn drafts(sources: &Sources<'_>) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let Sources { structure, .. } = sources;
    let occurrences = structure.roots.iter().filter_map(|root| structure.get(*root));
    let occurrences = occurrences.fold(0_u64, |sum, root| sum.saturating_add(root.occurrences));
    if occurrences <= OCCURRENCES_MAX {
        match build(sources, None) {
            Err(ConversionFailureCode::ProductStructureTooLarge) => {}
            built => return built,
        }
    }
    let mut drafts = build(sources, Some(HashSet::new()))?;
    if let Some(first) = drafts.first_mut() {
        first.set_outcome("partial", ConversionFailureCode::TooManyOccurrences);
        first.data.insert("occurrences".to_owned(), json!(occurrences));
    }
    Ok(drafts)
}

/// One object for each occurrence or, with a set to record them, for each product.
fn build(
    sources: &Sources<'_>,
    added: Option<HashSet<usize>>,
) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let mut units = UnitReader::new(sources.records, sources.decoder);
    let placements = match &added {
        None => sources.shapes.placements(sources.records, &mut units),
        Some(_) => HashMap::new(),
    };
    let mut builder = TreeBuilder {
        sources,
        templates: HashMap::new(),
        placements,
        added,
        texts_left: TEXTS_MAX_BYTES,
        drafts: Vec::new(),
    };
    if sources.structure.roots.len() > 1 {
        builder.drafts.push(DraftObject::new(sources.file_name.clone(), DraftType::Assembly));
    }
    let wrapper = builder.drafts.len().checked_sub(1);
    for root in &sources.structure.roots {
        builder.add_tree(&mut units, *root, wrapper)?;
    }
    Ok(builder.drafts)
}

/// Bytes of the texts in a property.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Object(fields) => fields.values().map(text_bytes).sum(),
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// The common part of all occurrences of a definition.
struct Template {
    name: Name,
    object_type: DraftType,
    data: Map<String, Value>,
}

struct TreeBuilder<'a> {
    sources: &'a Sources<'a>,
    templates: HashMap<usize, Template>,
    placements: HashMap<u64, Matrix>,
    /// The added definitions, if each is added only once.
    added: Option<HashSet<usize>>,
    /// Remaining bytes of text.
    texts_left: usize,
    drafts: Vec<DraftObject>,
}

impl TreeBuilder<'_> {
    /// Adds a root and its tree, parents before children.
    fn add_tree(
        &mut self,
        units: &mut UnitReader<'_>,
        root: usize,
        parent: Option<usize>,
    ) -> Result<(), ConversionFailureCode> {
        let mut pending: Vec<(usize, Option<Usage>, Option<usize>)> = vec![(root, None, parent)];
        while let Some((place, usage, parent)) = pending.pop() {
            if self.added.as_mut().is_some_and(|added| !added.insert(place)) {
                continue;
            }
            let Some(definition) = self.sources.structure.get(place) else { continue };
            let own = self.drafts.len();
            if u64::try_from(own).is_ok_and(|count| count > OCCURRENCES_MAX) {
                return Err(ConversionFailureCode::ProductStructureTooLarge);
            }
            let mut draft = self.draft(units, place, parent);
            if let Some(usage) = usage {
                self.describe(units, usage, &mut draft);
            }
            let texts = draft.name.as_str().len() + draft.data.values().map(text_bytes).sum::<usize>();
            self.texts_left =
                self.texts_left.checked_sub(texts).ok_or(ConversionFailureCode::ProductStructureTooLarge)?;
            self.drafts.push(draft);
            pending.extend(definition.parts.iter().rev().map(|usage| (usage.part, Some(*usage), Some(own))));
        }
        Ok(())
    }

    /// A draft with the common part of a definition's occurrences.
    fn draft(&mut self, units: &mut UnitReader<'_>, place: usize, parent: Option<usize>) -> DraftObject {
        let sources = self.sources;
        let template = self.templates.entry(place).or_insert_with(|| sources.template(units, place));
        DraftObject {
            parent,
            data: template.data.clone(),
            ..DraftObject::new(template.name.clone(), template.object_type)
        }
    }

    /// Adds the properties of a usage.
    fn describe(&self, units: &UnitReader<'_>, usage: Usage, draft: &mut DraftObject) {
        let mut properties = Map::new();
        let Sources { records, structure, .. } = self.sources;
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
        }
        let quantity = quantity_of(records, usage.id).and_then(|measure| units.quantity(measure));
        properties.extend(quantity.map(|quantity| ("quantity".to_owned(), quantity)));
        // A definition in another file has only the name of its occurrence.
        if structure.get(usage.part).is_some_and(|part| external(records, part.id).is_some()) {
            let name = ["name", "id"].iter().find_map(|key| Name::sanitize(properties.get(*key)?.as_str()?));
            draft.name = name.unwrap_or_else(|| draft.name.clone());
        }
        if !properties.is_empty() {
            draft.data.insert("occurrence".to_owned(), Value::Object(properties));
        }
        if let Some(placement) = self.placements.get(&usage.id) {
            draft.data.insert("placement".to_owned(), json!(placement.rows()));
        }
    }
}

impl Sources<'_> {
    fn template(&self, units: &mut UnitReader<'_>, place: usize) -> Template {
        let (id, is_assembly) = match self.structure.get(place) {
            Some(definition) => (definition.id, !definition.parts.is_empty()),
            None => (0, false),
        };
        let mut properties = Map::new();
        properties.insert("instance".to_owned(), json!(format!("#{id}")));
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
        self.insert_text(&mut properties, "external", external(self.records, id));
        let named = |key| properties.get(key).and_then(Value::as_str).and_then(Name::sanitize);
        let name =
            ["name", "id", "external"].into_iter().find_map(named).unwrap_or_else(|| self.file_name.clone());
        let mut data = Map::new();
        data.insert("definition".to_owned(), Value::Object(properties));
        data.extend(self.shapes.units(id, units).property().map(|units| ("units".to_owned(), units)));
        Template { name, object_type: if is_assembly { DraftType::Assembly } else { DraftType::Part }, data }
    }

    /// Adds a decoded text unless it is empty.
    fn insert_text(&self, properties: &mut Map<String, Value>, key: &str, written: Option<&[u8]>) {
        let text = written.map(|written| self.decoder.decode(written)).filter(|text| !text.trim().is_empty());
        properties.extend(text.map(|text| (key.to_owned(), Value::String(text))));
    }
}
