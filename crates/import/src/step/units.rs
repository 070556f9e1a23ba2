//! Units of length and angle of representations.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::record::{Entity, Parameter, Record};
use super::records::Records;
use super::text::Decoder;

/// Longest chain of units that define each other, for example an inch by millimetres.
const CHAIN_MAX: usize = 4;

/// Prefixes of SI units with their powers of ten.
const PREFIXES: [(&[u8], i32); 16] = [
    (b"EXA", 18),
    (b"PETA", 15),
    (b"TERA", 12),
    (b"GIGA", 9),
    (b"MEGA", 6),
    (b"KILO", 3),
    (b"HECTO", 2),
    (b"DECA", 1),
    (b"DECI", -1),
    (b"CENTI", -2),
    (b"MILLI", -3),
    (b"MICRO", -6),
    (b"NANO", -9),
    (b"PICO", -12),
    (b"FEMTO", -15),
    (b"ATTO", -18),
];

/// A unit with its size in SI units.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    name: String,
    size: f64,
}

/// The units of a representation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Units {
    length: Option<Unit>,
    angle: Option<Unit>,
}

/// Reads units, of each representation and context once, because representations may be long.
pub(super) struct UnitReader<'a> {
    records: &'a Records,
    decoder: Decoder,
    representations: HashMap<u64, Units>,
    contexts: HashMap<u64, Units>,
}

impl<'a> UnitReader<'a> {
    pub(super) fn new(records: &'a Records, decoder: Decoder) -> Self {
        Self { records, decoder, representations: HashMap::new(), contexts: HashMap::new() }
    }

    /// The known units of a representation.
    pub(super) fn of_representation(&mut self, id: u64) -> Units {
        if let Some(units) = self.representations.get(&id) {
            return units.clone();
        }
        let units = match context_of(self.records, id) {
            Some(context) => match self.contexts.get(&context) {
                Some(units) => units.clone(),
                None => {
                    let units = self.of_context(context).unwrap_or_default();
                    self.contexts.insert(context, units.clone());
                    units
                }
            },
            None => Units::default(),
        };
        self.representations.insert(id, units.clone());
        units
    }

    fn of_context(&self, id: u64) -> Option<Units> {
        let record = self.records.get(id)?;
        let assigned = record.entity(&[b"GLOBAL_UNIT_ASSIGNED_CONTEXT"])?;
        let mut units = Units::default();
        for unit in assigned.list(0).iter().filter_map(Parameter::reference) {
            let Some(record) = self.records.get(unit) else { continue };
            if record.entity(&[b"LENGTH_UNIT"]).is_some() {
                units.length = self.unit(&record, CHAIN_MAX);
            } else if record.entity(&[b"PLANE_ANGLE_UNIT"]).is_some() {
                units.angle = self.unit(&record, CHAIN_MAX);
            }
        }
        Some(units)
    }

    fn unit(&self, record: &Record<'_>, chain: usize) -> Option<Unit> {
        if let Some(unit) = record.entity(&[b"SI_UNIT"]) {
            return si_unit(unit);
        }
        let unit = record.entity(&[b"CONVERSION_BASED_UNIT", b"CONVERSION_BASED_UNIT_WITH_OFFSET"])?;
        let name = self.decoder.decode(unit.text(0)?).trim().to_lowercase();
        let (value, base) = measure(self.records, unit.reference(1)?)?;
        let base = self.unit(&self.records.get(base)?, chain.checked_sub(1)?)?;
        let size = value * base.size;
        (size.is_finite() && size > 0.0).then_some(Unit { name, size })
    }

    /// The name of a product of units with their powers, for example `gram/centimetre³`.
    fn derived_name(&self, derived: &Entity<'_>) -> Option<String> {
        let element_of = |id| {
            let record = self.records.get_short(id)?;
            let element = record.entity(&[b"DERIVED_UNIT_ELEMENT"])?;
            let unit = self.records.get_short(element.reference(0)?)?;
            let is_mass = unit.entity(&[b"MASS_UNIT"]).is_some();
            Some((self.unit(&unit, CHAIN_MAX)?.name, element.nth_last(0)?.number()?, is_mass))
        };
        let elements =
            derived.list(0).iter().take(CHAIN_MAX).map(|element| element.reference().and_then(element_of));
        let mut elements = elements.collect::<Option<Vec<_>>>()?;
        // OpenCascade means mass / length³ by these powers (`STEPCAFControl_Writer`, 7.8 and 8.0).
        if let [(_, mass @ 3.0, true), (_, length @ 2.0, false)] = elements.as_mut_slice() {
            (*mass, *length) = (1.0, -3.0);
        }
        let (above, below): (Vec<_>, Vec<_>) = elements.iter().partition(|(_, power, _)| *power > 0.0);
        let product = |units: Vec<&(String, f64, bool)>| {
            let powers: Vec<String> =
                units.iter().map(|(name, power, _)| format!("{name}{}", superscript(power.abs()))).collect();
            powers.join("·")
        };
        Some(match (above.is_empty(), below.is_empty()) {
            (_, true) => product(above),
            (true, false) => format!("1/{}", product(below)),
            (false, false) => format!("{}/{}", product(above), product(below)),
        })
    }

    /// A measure as a property: value and, if it has a name, unit.
    pub(super) fn quantity(&self, id: u64) -> Option<Value> {
        let (value, unit) = measure(self.records, id)?;
        let record = self.records.get_short(unit);
        let counted = |record: &Record<'_>| {
            Some(self.decoder.decode(record.entity(&[b"CONTEXT_DEPENDENT_UNIT"])?.text(0)?))
        };
        let name = record.as_ref().and_then(|record| {
            let derived = || self.derived_name(record.entity(&[b"DERIVED_UNIT"])?);
            self.unit(record, CHAIN_MAX).map(|unit| unit.name).or_else(derived).or_else(|| counted(record))
        });
        Some(match name.filter(|name| !name.trim().is_empty()) {
            Some(name) => json!({ "value": value, "unit": name }),
            None => json!({ "value": value }),
        })
    }
}

impl Units {
    /// The name of the unit of length.
    pub(super) fn length_name(&self) -> Option<&str> {
        self.length.as_ref().map(|unit| unit.name.as_str())
    }

    /// Metres in the unit of length; `None` if it is unknown.
    pub(super) fn length_metres(&self) -> Option<f64> {
        self.length.as_ref().map(|unit| unit.size)
    }

    /// Radians in the unit of angle; 1 if it is unknown.
    pub(super) fn angle_radians(&self) -> f64 {
        self.angle.as_ref().map_or(1.0, |unit| unit.size)
    }

    /// The unit of length in that of `other`; 1 if either is unknown.
    pub(super) fn length_in(&self, other: &Self) -> f64 {
        match (&self.length, &other.length) {
            (Some(own), Some(other)) => own.size / other.size,
            _ => 1.0,
        }
    }

    /// The known units as a property.
    pub(super) fn property(&self) -> Option<Value> {
        let mut units = serde_json::Map::new();
        if let Some(Unit { name, size }) = &self.length {
            units.insert("length".to_owned(), json!({ "name": name, "metres": size }));
        }
        if let Some(Unit { name, size }) = &self.angle {
            units.insert("planeAngle".to_owned(), json!({ "name": name, "radians": size }));
        }
        (!units.is_empty()).then_some(Value::Object(units))
    }
}

/// The value of a measure and its unit. One part of a complex instance has both.
fn measure(records: &Records, id: u64) -> Option<(f64, u64)> {
    let record = records.get_short(id)?;
    record.entities.iter().find_map(|part| {
        let [.., value, unit] = part.parameters.as_slice() else { return None };
        Some((value.number()?, unit.reference()?))
    })
}

/// The context of a representation, always its last parameter.
fn context_of(records: &Records, representation: u64) -> Option<u64> {
    let record = records.get(representation)?;
    match record.entities.as_slice() {
        [simple] => simple.reference(2).or_else(|| simple.nth_last(0)?.reference()),
        _ => record.entity(&[b"REPRESENTATION"])?.reference(2),
    }
}

/// A power behind its unit; nothing for the first.
fn superscript(power: f64) -> String {
    if power == 1.0 {
        return String::new();
    }
    if power == 2.0 {
        return "²".to_owned();
    }
    if power == 3.0 { "³".to_owned() } else { format!("^{power}") }
}

fn si_unit(unit: &Entity<'_>) -> Option<Unit> {
    // Parameters are prefix and name; in a simple instance, dimensions precede them.
    let [prefix, name] = [unit.nth_last(1), unit.nth_last(0)];
    let Some(Parameter::Enumeration(name)) = name else { return None };
    let name = String::from_utf8_lossy(name).to_lowercase();
    match prefix {
        Some(Parameter::Enumeration(prefix)) => {
            let known = PREFIXES.iter().find(|(known, _)| known.eq_ignore_ascii_case(prefix));
            let (prefix, power) = known?;
            let prefix = String::from_utf8_lossy(prefix).to_lowercase();
            Some(Unit { name: format!("{prefix}{name}"), size: 10_f64.powi(*power) })
        }
        _ => Some(Unit { name, size: 1.0 }),
    }
}
