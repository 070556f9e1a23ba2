//! The objects that a product structure becomes: one for each occurrence or, where there are too many, one for each
//! product.

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

/// What the objects are made of.
pub(super) struct Sources<'a> {
    pub(super) records: &'a Records,
    pub(super) structure: &'a ProductStructure,
    pub(super) shapes: &'a Shapes,
    pub(super) decoder: Decoder,
    /// What a product is called that has neither name nor id.
    pub(super) file_name: &'a Name,
}

/// The objects of a file, the first of which owns it. Where there would be too many, or too much is said of them, each
/// product becomes one, whatever its occurrences.
///
/// # Errors
/// Why there are none.
pub(super) fn drafts(sources: &Sources<'_>) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let Sources { structure, .. } = sources;
    let occurrences = structure.roots.iter().filter_map(|root| structure.get(*root));
    let occurrences = occurrences.fold(0_u64, |sum, root| sum.saturating_add(root.occurrences));
    if occurrences <= OCCURRENCES_MAX {
        match planted(sources, None) {
            Err(ConversionFailureCode::ProductStructureTooLarge) => {}
            planted => return planted,
        }
    }
    let mut drafts = planted(sources, Some(HashSet::new()))?;
    if let Some(first) = drafts.first_mut() {
        first.tell("partial", ConversionFailureCode::TooManyOccurrences);
        first.data.insert("occurrences".to_owned(), json!(occurrences));
    }
    Ok(drafts)
}

/// The objects for each occurrence or, with a set to note them in, for each product.
fn planted(
    sources: &Sources<'_>,
    once: Option<HashSet<usize>>,
) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let mut units = UnitReader::new(sources.records, sources.decoder);
    let placements = match &once {
        None => sources.shapes.placements(sources.records, &mut units),
        Some(_) => HashMap::new(),
    };
    let mut planter = Planter {
        sources,
        looks: HashMap::new(),
        placements,
        once,
        texts_left: TEXTS_MAX_BYTES,
        drafts: Vec::new(),
    };
    if sources.structure.roots.len() > 1 {
        planter.drafts.push(DraftObject::new(sources.file_name.clone(), DraftType::Assembly));
    }
    let around = planter.drafts.len().checked_sub(1);
    for root in &sources.structure.roots {
        planter.plant(&mut units, *root, around)?;
    }
    Ok(planter.drafts)
}

/// Bytes of the texts in a property.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Object(fields) => fields.values().map(text_bytes).sum(),
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// What all occurrences of a definition have in common.
struct Look {
    name: Name,
    object_type: DraftType,
    data: Map<String, Value>,
}

struct Planter<'a> {
    sources: &'a Sources<'a>,
    looks: HashMap<usize, Look>,
    placements: HashMap<u64, Matrix>,
    /// The definitions that were planted, where each is planted but once.
    once: Option<HashSet<usize>>,
    /// Bytes of text that may still be said.
    texts_left: usize,
    drafts: Vec<DraftObject>,
}

impl Planter<'_> {
    /// Plants a root and everything below it, parents before children.
    fn plant(
        &mut self,
        units: &mut UnitReader<'_>,
        root: usize,
        parent: Option<usize>,
    ) -> Result<(), ConversionFailureCode> {
        let mut pending: Vec<(usize, Option<Usage>, Option<usize>)> = vec![(root, None, parent)];
        while let Some((place, usage, parent)) = pending.pop() {
            if self.once.as_mut().is_some_and(|planted| !planted.insert(place)) {
                continue;
            }
            let Some(definition) = self.sources.structure.get(place) else { continue };
            let own = self.drafts.len();
            if u64::try_from(own).is_ok_and(|planted| planted > OCCURRENCES_MAX) {
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

    /// An occurrence of a definition, without what sets it apart from others.
    fn draft(&mut self, units: &mut UnitReader<'_>, place: usize, parent: Option<usize>) -> DraftObject {
        let sources = self.sources;
        let look = self.looks.entry(place).or_insert_with(|| sources.look(units, place));
        DraftObject {
            parent,
            data: look.data.clone(),
            ..DraftObject::new(look.name.clone(), look.object_type)
        }
    }

    /// Adds what a usage says of its occurrences.
    fn describe(&self, units: &UnitReader<'_>, usage: Usage, draft: &mut DraftObject) {
        let mut said = Map::new();
        let Sources { records, structure, .. } = self.sources;
        if let Some(record) = records.get(usage.id) {
            let texts = usage_of(&record);
            let designator = record.entity(&[b"ASSEMBLY_COMPONENT_USAGE"]).map(|part| part.text(0));
            let designator = designator.unwrap_or_else(|| texts.and_then(|part| part.text(5)));
            let text = |place| texts.and_then(|part| part.text(place));
            for (key, written) in
                [("id", text(0)), ("name", text(1)), ("description", text(2)), ("designator", designator)]
            {
                self.sources.say(&mut said, key, written);
            }
        }
        let quantity = quantity_of(records, usage.id).and_then(|measure| units.quantity(measure));
        said.extend(quantity.map(|quantity| ("quantity".to_owned(), quantity)));
        // What lies in another file has no name but that of its occurrence.
        if structure.get(usage.part).is_some_and(|part| external(records, part.id).is_some()) {
            let name = ["name", "id"].iter().find_map(|key| Name::sanitize(said.get(*key)?.as_str()?));
            draft.name = name.unwrap_or_else(|| draft.name.clone());
        }
        if !said.is_empty() {
            draft.data.insert("occurrence".to_owned(), Value::Object(said));
        }
        if let Some(placement) = self.placements.get(&usage.id) {
            draft.data.insert("placement".to_owned(), json!(placement.rows()));
        }
    }
}

impl Sources<'_> {
    fn look(&self, units: &mut UnitReader<'_>, place: usize) -> Look {
        let (id, is_assembly) = match self.structure.get(place) {
            Some(definition) => (definition.id, !definition.parts.is_empty()),
            None => (0, false),
        };
        let mut said = Map::new();
        said.insert("instance".to_owned(), json!(format!("#{id}")));
        let record = self.records.get(id);
        // Of a complex instance's parts one has the attributes.
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
            self.say(&mut said, key, written);
        }
        self.say(&mut said, "external", external(self.records, id));
        let named = |key| said.get(key).and_then(Value::as_str).and_then(Name::sanitize);
        let name =
            ["name", "id", "external"].into_iter().find_map(named).unwrap_or_else(|| self.file_name.clone());
        let mut data = Map::new();
        data.insert("definition".to_owned(), Value::Object(said));
        data.extend(self.shapes.units(id, units).property().map(|units| ("units".to_owned(), units)));
        Look { name, object_type: if is_assembly { DraftType::Assembly } else { DraftType::Part }, data }
    }

    /// Adds a text of the file, where it says one.
    fn say(&self, said: &mut Map<String, Value>, key: &str, written: Option<&[u8]>) {
        let text = written.map(|written| self.decoder.decode(written)).filter(|text| !text.trim().is_empty());
        said.extend(text.map(|text| (key.to_owned(), Value::String(text))));
    }
}
