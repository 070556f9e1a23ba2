//! 3MF: the items of the build, and below them the components of their objects, also those in other parts of the
//! package (production extension). Objects that nothing builds are not shown.
//!
//! Read here: `threemf` (0.8) drops components in other parts without a word, and `threemf2` (0.4) refuses packages of
//! PrusaSlicer, which name a thumbnail that they don't contain.

mod model;
mod names;
mod package;

use std::collections::HashMap;

use glam::{DAffine3, DVec3};

use self::model::{Component, ModelObject, ThreeMfModel};
use self::package::{Package, normalized};
use super::builder::{MeshBuilder, SceneBuilder};
use super::{MISSING, MeshError, NODES_MAX};
use crate::scene::{Scene, UpAxis};

/// First bytes of a ZIP.
const MAGIC: &[u8] = b"PK\x03\x04";
/// The name that all known programs give to the part with the build.
const USUAL_ROOT: &[u8] = b"3D/3dmodel.model";

/// True for the beginning of a 3MF. Under its own extension, each ZIP may be one.
pub(super) fn begins(head: &[u8], is_named: bool) -> bool {
    head.starts_with(MAGIC) && (is_named || memchr::memmem::find(head, USUAL_ROOT).is_some())
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Scene, MeshError> {
    let mut package = Package::open(bytes)?;
    let root = package.root()?;
    let names = names::read(&mut package);
    let mut parts = LoadedModels { package, models: Vec::new(), places: HashMap::new() };
    let mut scene = SceneBuilder::default();
    let mut meshes: HashMap<(usize, u32), usize> = HashMap::new();
    let root = parts.place(&root)?;
    let model = parts.model(root)?;
    let metres = model.micrometres / 1_000_000.0;
    let mut open = Vec::new();
    add_visits(&mut open, &model.build, root, None)?;
    while let Some(Visit { component, around, parent }) = open.pop() {
        let place = component.path.as_deref().map_or(Ok(around), |path| parts.place(path))?;
        // Each part may have a unit of its own.
        let ratio = parts.model(place)?.micrometres / parts.model(around)?.micrometres;
        let (id, model) = (component.object, parts.model(place)?);
        let object = model.objects.get(&id).ok_or(MISSING)?;
        let of_slicer = names.get(&id).filter(|_| place == root);
        let mut known =
            [&object.name, &component.part_number, &object.part_number].into_iter().chain(of_slicer);
        let name = known.find(|name| !name.trim().is_empty()).map(String::as_str).unwrap_or_default();
        let mesh = if object.triangles.is_empty() {
            None
        } else {
            Some(*meshes.entry((place, id)).or_insert_with(|| add_mesh(&mut scene, model, object)))
        };
        let placement = component.placement * DAffine3::from_scale(DVec3::splat(ratio));
        let node = scene.node(name, parent, placement, mesh)?;
        add_visits(&mut open, &object.components, place, Some(node))?;
    }
    scene.build(UpAxis::Z, Some(metres))
}

/// An occurrence that is not in the scene yet.
struct Visit {
    component: Component,
    /// The place of the part that has the occurrence.
    around: usize,
    /// The node around it.
    parent: Option<usize>,
}

/// Adds components, of which the first is the next. All will be nodes: more than those are an error at once.
fn add_visits(
    open: &mut Vec<Visit>,
    components: &[Component],
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

fn add_mesh(scene: &mut SceneBuilder, model: &ThreeMfModel, object: &ModelObject) -> usize {
    let mut mesh = MeshBuilder::default();
    let point = |corner| object.points.get(corner);
    for (triangle, left) in object.triangles.iter().zip((1..=object.triangles.len()).rev()) {
        if !scene.budget.has_triangles() {
            mesh.skip_faces(u64::try_from(left).unwrap_or(u64::MAX));
            break;
        }
        let colour = model.colour(object, triangle);
        mesh.face(&mut scene.budget, colour, &triangle.corners.map(point));
    }
    scene.mesh(mesh)
}

/// The parts of a package that are read, each once.
struct LoadedModels<'a> {
    package: Package<'a>,
    models: Vec<ThreeMfModel>,
    places: HashMap<String, usize>,
}

impl LoadedModels<'_> {
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
