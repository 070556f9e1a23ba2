//! The product structure as far as a picture of the design needs it: which shape stands where.

use std::collections::{HashMap, HashSet};
use std::io::{self, Cursor};

use super::placement::Matrix;
use super::tree::occurrences;
use super::units::UnitReader;
use super::{StructuredFile, structured};
use crate::conversion::ConversionFailureCode;

/// A design: shapes, and the occurrences that place them.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// In the order of the objects of the file's conversion, parents before children.
    pub occurrences: Vec<PlacedOccurrence>,
    /// Indices of [`Self::occurrences`] count from here: 1 if the conversion puts an object around several roots.
    pub first_object: usize,
    /// The definitions of products.
    pub shapes: Vec<DesignShape>,
    /// Representations of usages, with the usage of each: a program names them where a colour is that of one use.
    pub usages: HashMap<u64, u64>,
}

/// An occurrence of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedOccurrence {
    /// Index of the definition's shape.
    pub shape: usize,
    /// Instance name of the usage; `None` for a root.
    pub usage: Option<u64>,
    /// Index of the occurrence of the assembly around it.
    pub parent: Option<usize>,
    /// The four rows of the matrix from the part's coordinates to the assembly's, each in its unit; `None` where the
    /// file has none, or none that can be used.
    pub placement: Option<[[f64; 4]; 4]>,
}

/// The shape of a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignShape {
    /// Instance name of the definition.
    pub definition: u64,
    /// Instance names of its representations.
    pub representations: Vec<u64>,
    /// Metres in its unit of length; `None` if unknown.
    pub metres: Option<f64>,
    /// Radians in its unit of angle; 1 if unknown.
    pub radians: f64,
}

impl Design {
    /// Reads the design of a file in memory.
    ///
    /// # Errors
    /// The reason why it has none; [`ConversionFailureCode::TooManyOccurrences`] where each product would be shown
    /// once.
    pub fn of(text: &[u8]) -> io::Result<Result<Self, ConversionFailureCode>> {
        let file = match structured(Cursor::new(text))? {
            Ok(file) => file,
            Err(failure) => return Ok(Err(failure)),
        };
        let StructuredFile { collected, shapes, structure } = &file;
        let Ok(found) = occurrences(structure, false) else {
            return Ok(Err(ConversionFailureCode::TooManyOccurrences));
        };
        let records = &collected.records;
        let mut units = UnitReader::new(records, records.decoder());
        let placements = shapes.placements(records, &mut units);
        let first_object = usize::from(structure.roots.len() > 1);
        let placed = found.into_iter().map(|occurrence| PlacedOccurrence {
            shape: occurrence.definition,
            usage: occurrence.usage.map(|usage| usage.id),
            parent: occurrence.parent.and_then(|object| object.checked_sub(first_object)),
            placement: occurrence
                .usage
                .and_then(|usage| placements.get(&usage.id))
                .map(|matrix| Matrix::rows(*matrix)),
        });
        let occurrences: Vec<PlacedOccurrence> = placed.collect();
        let mut design_shapes: Vec<DesignShape> = structure
            .definitions
            .iter()
            .map(|definition| {
                let units = shapes.units(definition.id, &mut units);
                DesignShape {
                    definition: definition.id,
                    representations: Vec::new(),
                    metres: units.length_metres(),
                    radians: units.angle_radians(),
                }
            })
            .collect();
        file.add_representations(&mut design_shapes);
        let placing: HashSet<u64> = occurrences.iter().filter_map(|occurrence| occurrence.usage).collect();
        let usages = shapes.owned().filter(|(_, owner)| placing.contains(owner)).collect();
        Ok(Ok(Self { occurrences, first_object, shapes: design_shapes, usages }))
    }

    /// The representations of all shapes.
    pub fn representations(&self) -> HashSet<u64> {
        self.shapes.iter().flat_map(|shape| shape.representations.iter().copied()).collect()
    }
}

impl StructuredFile {
    /// Adds to each shape its representations, in the order of their names.
    fn add_representations(&self, shapes: &mut [DesignShape]) {
        let places: HashMap<u64, usize> =
            shapes.iter().enumerate().map(|(place, shape)| (shape.definition, place)).collect();
        for (representation, owner) in self.shapes.owned() {
            if let Some(shape) = places.get(&owner).and_then(|place| shapes.get_mut(*place)) {
                shape.representations.push(representation);
            }
        }
        shapes.iter_mut().for_each(|shape| shape.representations.sort_unstable());
    }
}
