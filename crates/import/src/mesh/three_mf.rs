//! 3MF: the items of the build, and below them the components of their objects, also those in other parts of the
//! package (production extension). Objects that nothing builds are not shown.
//!
//! Read here: `threemf` (0.8) drops components in other parts without a word, and `threemf2` (0.4) refuses packages of
//! PrusaSlicer, which name a thumbnail that they don't contain.

mod model;
mod names;
mod package;

use std::collections::HashMap;
use std::io::{Read, Seek};

use glam::{DAffine3, DVec3, Vec3};

pub use self::model::{ModelObject, ModelTriangle};
use self::model::{ThreeMfComponent, ThreeMfModel};
use self::package::{ThreeMfPackage, normalized};
use super::fingerprints::{MeshHash, MeshHasher};
use super::node_list::NodeList;
use super::text::shortened;
use super::{MISSING, MeshError, MeshNode, MeshProduct, MeshUnit, NODES_MAX};

/// First bytes of a ZIP.
const MAGIC: &[u8] = b"PK\x03\x04";
/// The name that all known programs give to the part with the build.
const USUAL_ROOT: &[u8] = b"3D/3dmodel.model";

/// The place of a part with objects among those that are read, and the id of one of these objects.
pub type ThreeMfShape = (usize, u32);

/// A package whose build is read.
#[derive(Debug)]
pub struct ThreeMfFile {
    /// The unit of the build.
    pub unit: MeshUnit,
    /// The items of the build and what is in them, in the order of the file.
    pub nodes: Vec<MeshNode<ThreeMfShape>>,
    models: Vec<ThreeMfModel>,
}

/// True for the beginning of a 3MF. Under its own extension, each ZIP may be one.
pub fn begins(head: &[u8], is_named: bool) -> bool {
    head.starts_with(MAGIC) && (is_named || memchr::memmem::find(head, USUAL_ROOT).is_some())
}

impl ThreeMfFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It is damaged, or exceeds a limit.
    pub fn read(file: impl Read + Seek) -> Result<Self, MeshError> {
        let mut package = ThreeMfPackage::open(file)?;
        let root = package.root()?;
        let names = names::read(&mut package);
        let mut parts = LoadedModels { package, models: Vec::new(), places: HashMap::new() };
        let root = parts.place(&root)?;
        let model = parts.model(root)?;
        let unit = model.unit;
        let mut list = NodeList::new();
        let mut open = Vec::new();
        add_visits(&mut open, &model.build, root, None)?;
        while let Some(Visit { component, around, parent }) = open.pop() {
            let place = component.path.as_deref().map_or(Ok(around), |path| parts.place(path))?;
            let outer = parts.model(around)?.unit;
            let model = parts.model(place)?;
            let object = model.objects.get(&component.object).ok_or(MISSING)?;
            let of_slicer = names.get(&component.object).filter(|_| place == root);
            // Each part may have a unit of its own.
            let ratio = model.unit.length_in(outer);
            let (name, product) = texts(object, &component, of_slicer, model.unit);
            let node = list.add(MeshNode {
                name,
                product,
                parent,
                placement: component.placement * DAffine3::from_scale(DVec3::splat(ratio)),
                shape: (!object.triangles.is_empty()).then_some((place, component.object)),
                object: None,
            })?;
            add_visits(&mut open, &object.components, place, Some(node))?;
        }
        Ok(Self { unit, nodes: list.numbered(), models: parts.models })
    }

    /// The object with a shape.
    pub fn object(&self, (place, id): ThreeMfShape) -> Option<&ModelObject> {
        self.models.get(place)?.objects.get(&id)
    }

    /// The colour of a triangle as screens have it, with its opacity. One that changes over it is that of its first
    /// corner.
    pub fn colour(&self, (place, id): ThreeMfShape, triangle: &ModelTriangle) -> Option<[f32; 4]> {
        let model = self.models.get(place)?;
        model.colour(model.objects.get(&id)?, triangle)
    }

    /// A hash of the corners and faces of a shape, in the order of the file.
    pub(super) fn hash(&self, shape: ThreeMfShape) -> Option<MeshHash> {
        let object = self.object(shape)?;
        let mut hasher = MeshHasher::default();
        for number in (0..object.points.count()).map(u32::try_from) {
            hasher.point(object.points.get(number.ok()?).unwrap_or(Vec3::INFINITY).to_array());
        }
        for triangle in &object.triangles {
            triangle.corners.iter().for_each(|corner| hasher.number((*corner).into()));
        }
        Some(hasher.finish())
    }
}

/// The name of a use, and its product. Programs keep a name in an object, beside the model, or in the use's part
/// number.
fn texts(
    object: &ModelObject,
    component: &ThreeMfComponent,
    of_slicer: Option<&String>,
    unit: MeshUnit,
) -> (String, MeshProduct) {
    let own = shortened(&object.name);
    let of_use = shortened(&component.part_number);
    let (name, use_number) = if own.is_empty() { (of_use, String::new()) } else { (String::new(), of_use) };
    let other = || of_slicer.map_or_else(String::new, |name| shortened(name));
    let product = MeshProduct {
        name: if own.is_empty() { other() } else { own },
        number: shortened(&object.part_number),
        use_number,
        unit: Some(unit),
    };
    (name, product)
}

/// An occurrence that is not a node yet.
struct Visit {
    component: ThreeMfComponent,
    /// The place of the part that has the occurrence.
    around: usize,
    /// The node around it.
    parent: Option<usize>,
}

/// Adds components, of which the first is the next. All will be nodes: more than those are an error at once.
fn add_visits(
    open: &mut Vec<Visit>,
    components: &[ThreeMfComponent],
    around: usize,
    parent: Option<usize>,
) -> Result<(), MeshError> {
    if open.len().saturating_add(components.len()) > NODES_MAX {
        return Err(MeshError::TooManyNodes);
    }
    open.extend(components.iter().rev().map(|component| Visit {
        component: component.clone(),
        around,
        parent,
    }));
    Ok(())
}

/// The parts of a package that are read, each once.
struct LoadedModels<R> {
    package: ThreeMfPackage<R>,
    models: Vec<ThreeMfModel>,
    places: HashMap<String, usize>,
}

impl<R: Read + Seek> LoadedModels<R> {
    /// The place of a part among those that are read.
    fn place(&mut self, path: &str) -> Result<usize, MeshError> {
        let path = normalized(path);
        if let Some(place) = self.places.get(&path) {
            return Ok(*place);
        }
        self.models.push(ThreeMfModel::read(&mut self.package, &path)?.ok_or(MISSING)?);
        let place = self.models.len().saturating_sub(1);
        self.places.insert(path, place);
        Ok(place)
    }

    fn model(&self, place: usize) -> Result<&ThreeMfModel, MeshError> {
        self.models.get(place).ok_or(MISSING)
    }
}
