//! Shapes of definitions, and placements of usages in their assemblies.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::placement::Matrix;
use super::record::Parameter;
use super::records::{RecordKind, Records};
use super::structure::{ends_of_usage, quantity_of, shape_of};
use super::units::{UnitReader, Units};

/// Connections of definitions and usages with representations.
pub(super) struct Shapes {
    /// Representations by definition or usage, in the order of the file.
    representations: HashMap<u64, Vec<u64>>,
    /// Definitions by representation, directly or through an equivalent representation.
    owners: HashMap<u64, u64>,
    /// Placing relations by usage.
    relations: HashMap<u64, u64>,
}

/// Two representations and the transformation of the first into the second.
struct Relation {
    first: u64,
    second: u64,
    operator: Option<u64>,
}

impl Shapes {
    pub(super) fn of(records: &Records) -> Self {
        let shapes: HashMap<u64, u64> = records
            .of_kind(RecordKind::Shape)
            .iter()
            .filter_map(|id| Some((*id, shape_of(records, *id)?)))
            .collect();
        let mut representations: HashMap<u64, Vec<u64>> = HashMap::new();
        let mut owners = HashMap::new();
        for id in records.of_kind(RecordKind::ShapeRepresentation) {
            let Some(record) = records.get(*id) else { continue };
            let Some(definition) = record.entities.first() else { continue };
            let (Some(shape), Some(representation)) = (definition.reference(0), definition.reference(1))
            else {
                continue;
            };
            if let Some(owner) = shapes.get(&shape) {
                representations.entry(*owner).or_default().push(representation);
                owners.entry(representation).or_insert(*owner);
            }
        }
        for id in records.of_kind(RecordKind::Relation) {
            // Without an operator, the representations are equivalent: the solid, and the assembly's view of it.
            let Some(Relation { first, second, operator: None }) = relation(records, *id) else { continue };
            match (owners.get(&first).copied(), owners.get(&second).copied()) {
                (Some(owner), None) => owners.insert(second, owner),
                (None, Some(owner)) => owners.insert(first, owner),
                _ => None,
            };
        }
        let mut relations = HashMap::new();
        for id in records.of_kind(RecordKind::Placement) {
            let Some(record) = records.get(*id) else { continue };
            let Some(placement) = record.entities.first() else { continue };
            let (Some(relation), Some(shape)) = (placement.reference(0), placement.reference(1)) else {
                continue;
            };
            if let Some(usage) = shapes.get(&shape) {
                relations.entry(*usage).or_insert(relation);
            }
        }
        Self { representations, owners, relations }
    }

    /// The definitions with a shape. A file that ends early may lack the representations of its shapes, and one with the
    /// bare structure has none.
    pub(super) fn shaped(&self, records: &Records, is_complete: bool) -> HashSet<u64> {
        let represented: HashSet<u64> = self.representations.keys().copied().collect();
        let mut definitions = records.of_kind(RecordKind::Definition).iter();
        if is_complete && definitions.any(|definition| represented.contains(definition)) {
            return represented;
        }
        records.of_kind(RecordKind::Shape).iter().filter_map(|id| shape_of(records, *id)).collect()
    }

    /// The instances needed for placements, units and quantities.
    pub(super) fn needed(&self, records: &Records) -> BTreeSet<u64> {
        let mut needed: BTreeSet<u64> = self.relations.values().copied().collect();
        needed.extend(self.representations.values().flatten());
        needed.extend(
            records.of_kind(RecordKind::Usage).iter().filter_map(|usage| quantity_of(records, *usage)),
        );
        for id in self.relations.values() {
            if let Some(Relation { operator: Some(operator), .. }) = relation(records, *id) {
                needed.insert(operator);
            }
        }
        needed
    }

    /// The items needed for usages without a placing relation; mapped items among them place these usages.
    pub(super) fn needed_of_mapped(&self, records: &Records) -> BTreeSet<u64> {
        let mut representations: BTreeSet<u64> = BTreeSet::new();
        for usage in
            records.of_kind(RecordKind::Usage).iter().filter(|usage| !self.relations.contains_key(usage))
        {
            let Some((whole, _)) = ends_of_usage(records, *usage) else { continue };
            representations.extend(self.representing(*usage).iter().chain(self.representing(whole)));
        }
        representations.into_iter().flat_map(|representation| items(records, representation)).collect()
    }

    /// Representations with the definition or usage that each shows, also through an equivalent one.
    pub(super) fn owned(&self) -> impl Iterator<Item = (u64, u64)> {
        self.owners.iter().map(|(representation, owner)| (*representation, *owner))
    }

    /// The representations of a definition or a usage.
    fn representing(&self, owner: u64) -> &[u64] {
        self.representations.get(&owner).map(Vec::as_slice).unwrap_or_default()
    }

    /// The units of a definition's shape; empty if unknown.
    pub(super) fn units(&self, definition: u64, reader: &mut UnitReader<'_>) -> Units {
        let units = self.representing(definition).iter().map(|id| reader.of_representation(*id));
        units.into_iter().find(|units| *units != Units::default()).unwrap_or_default()
    }

    /// Placements by usage, where the file has them.
    pub(super) fn placements(&self, records: &Records, reader: &mut UnitReader<'_>) -> HashMap<u64, Matrix> {
        let mut placements = HashMap::new();
        let mut mapped = HashMap::new();
        for usage in records.of_kind(RecordKind::Usage) {
            let Some(ends) = ends_of_usage(records, *usage) else { continue };
            let placement = match self.relations.get(usage) {
                Some(id) => self.by_relation(records, reader, *id, ends),
                None => self.by_mapped_item(records, reader, &mut mapped, *usage, ends),
            };
            if let Some(placement) = placement {
                placements.insert(*usage, placement);
            }
        }
        placements
    }

    fn by_relation(
        &self,
        records: &Records,
        reader: &mut UnitReader<'_>,
        id: u64,
        (whole, part): (u64, u64),
    ) -> Option<Matrix> {
        let relation = relation(records, id)?;
        // The first should be the part's. Some writers swap them.
        let owner = |representation| self.owners.get(&representation).copied();
        let turned =
            whole != part && owner(relation.first) == Some(whole) && owner(relation.second) == Some(part);
        let units = [relation.first, relation.second].map(|id| reader.of_representation(id));
        let [mut first, mut second] = units;
        let operator = records.get(relation.operator?)?;
        let Some(transformation) = operator.entity(&[b"ITEM_DEFINED_TRANSFORMATION"]) else {
            return Matrix::of_item(&|id| records.get(id), relation.operator?)?
                .scaled_by(first.length_in(&second));
        };
        let (mut from, mut to) =
            (transformation.nth_last(1)?.reference()?, transformation.nth_last(0)?.reference()?);
        if turned {
            std::mem::swap(&mut from, &mut to);
            std::mem::swap(&mut first, &mut second);
        }
        let ratio = first.length_in(&second);
        Matrix::between(
            Matrix::of_item(&|id| records.get(id), from)?,
            Matrix::of_item(&|id| records.get(id), to)?,
            ratio,
        )
    }

    fn by_mapped_item(
        &self,
        records: &Records,
        reader: &mut UnitReader<'_>,
        mapped: &mut HashMap<u64, MappedItems>,
        usage: u64,
        (whole, part): (u64, u64),
    ) -> Option<Matrix> {
        for representation in self.representing(usage).iter().chain(self.representing(whole)) {
            let items = mapped
                .entry(*representation)
                .or_insert_with(|| mapped_items(records, &self.owners, *representation));
            if let Some(item) = items.get_mut(&part).and_then(VecDeque::pop_front) {
                let [shown, around] = [item.shown, *representation].map(|id| reader.of_representation(id));
                let (from, to) = (
                    Matrix::of_item(&|id| records.get(id), item.origin)?,
                    Matrix::of_item(&|id| records.get(id), item.target)?,
                );
                return Matrix::between(from, to, shown.length_in(&around));
            }
        }
        None
    }
}

/// The mapped items of a representation that no usage has taken yet, by definition. Each usage of a part takes one.
type MappedItems = HashMap<u64, VecDeque<MappedItem>>;

/// A representation as an item of another one.
struct MappedItem {
    shown: u64,
    origin: u64,
    target: u64,
}

fn mapped_items(records: &Records, owners: &HashMap<u64, u64>, representation: u64) -> MappedItems {
    let mapped = |id| {
        let record = records.get(id)?;
        let item = record.entity(&[b"MAPPED_ITEM"])?;
        let map = records.get(item.nth_last(1)?.reference()?)?;
        let map = map.entity(&[b"REPRESENTATION_MAP"])?;
        let shown = map.reference(1)?;
        let item = MappedItem { shown, origin: map.reference(0)?, target: item.nth_last(0)?.reference()? };
        Some((*owners.get(&shown)?, item))
    };
    let mut found = MappedItems::new();
    for (part, item) in items(records, representation).into_iter().filter_map(mapped) {
        found.entry(part).or_default().push_back(item);
    }
    found
}

/// The items of a representation.
pub(super) fn items(records: &Records, representation: u64) -> Vec<u64> {
    let Some(record) = records.get(representation) else { return Vec::new() };
    let parts =
        record.entities.iter().filter(|part| part.list(1).iter().any(|item| item.reference().is_some()));
    parts.flat_map(|part| part.list(1)).filter_map(Parameter::reference).collect()
}

fn relation(records: &Records, id: u64) -> Option<Relation> {
    let record = records.get(id)?;
    // One part of a complex instance has the attributes.
    let related = record.entities.iter().find(|part| part.reference(3).is_some())?;
    let transformed = record.entity(&[b"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION"]);
    Some(Relation {
        first: related.reference(2)?,
        second: related.reference(3)?,
        operator: transformed.and_then(|part| part.nth_last(0)?.reference()),
    })
}
