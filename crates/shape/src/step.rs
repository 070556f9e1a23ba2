//! Scenes of STEP files: the occurrences of a design with the edges and faces of its shapes.
//!
//! The structure, placements and units are those of the file's conversion (`import`), as are the numbers of objects.
//! A face is unrolled to the coordinates of its surface and triangulated there.

mod basis;
mod body;
mod curve;
mod elementary;
mod faces;
mod model;
mod net;
mod net_reading;
mod spline;
mod styles;
mod surface;
mod triangulation;
mod unroll;

use std::collections::{HashMap, HashSet};
use std::io;

use glam::{DAffine3, DVec3, Vec3};
use import::ConversionFailureCode;
use import::step::{Design, DesignShape, Instances};

use self::body::{Bodies, Edges, Shell};
use self::model::{Geometry, affine};
use self::styles::Styles;
use self::triangulation::FaceMesh;
use crate::scene::{Bounds, Colour, Lines, Mesh, Node, Scene, Surface, UpAxis};

/// Most ends of edges in all meshes.
const ENDS_MAX: usize = 4_000_000;
/// Most triangles of a scene. Faces beyond it are shown by their edges.
pub const TRIANGLES_MAX: usize = 1_000_000;
/// Most colours of a mesh. Further ones are left out.
const COLOURS_MAX: usize = 256;

/// A design whose edges are read, and whose faces can be.
#[derive(Debug)]
pub struct StepScene<'a> {
    instances: Instances<'a>,
    styles: Styles,
    shells: Vec<ShownShell>,
    scene: Scene,
}

/// A shell whose faces can be added to its mesh.
#[derive(Debug)]
struct ShownShell {
    shell: Shell,
    edges: Edges,
    /// Index of its mesh.
    mesh: usize,
    /// Radians in its unit of angle.
    radian: f64,
}

impl<'a> StepScene<'a> {
    /// Reads the edges of a file in memory.
    ///
    /// # Errors
    /// Within: the reason why the file shows nothing.
    pub fn of(text: &'a [u8]) -> io::Result<Result<Self, ConversionFailureCode>> {
        let design = match Design::of(text)? {
            Ok(design) => design,
            Err(failure) => return Ok(Err(failure)),
        };
        let instances = Instances::of(text)?;
        let model = Geometry::new(&instances);
        let styles = Styles::of(&instances, &model, &design.usages);
        let owned = design.representations();
        let used: HashSet<usize> = design.occurrences.iter().map(|occurrence| occurrence.shape).collect();
        let mut shells = Vec::new();
        let mut meshes = Vec::new();
        let mut mesh_of = HashMap::new();
        let mut ends_left = ENDS_MAX;
        for (place, shape) in design.shapes.iter().enumerate().filter(|(place, _)| used.contains(place)) {
            let bodies = Bodies::of(&model, &shape.representations, &owned);
            let has_faces = !bodies.shells.is_empty();
            let mut mesh = Mesh::default();
            for shell in bodies.shells {
                let edges = body::edges(&model, &shell.faces, &mut ends_left);
                let count = u64::try_from(shell.faces.len()).unwrap_or(u64::MAX);
                mesh.faces.all = mesh.faces.all.saturating_add(count);
                edges.values().for_each(|points| add_line(&mut mesh.edges, points, &shell.placement));
                shells.push(ShownShell { shell, edges, mesh: meshes.len(), radian: shape.radians });
            }
            for wire in bodies.wires {
                let points = body::edge_points(&model, wire.id).unwrap_or_default();
                let Some(left) = ends_left.checked_sub(points.len()) else { break };
                ends_left = left;
                add_line(&mut mesh.edges, &points, &wire.placement);
            }
            if has_faces || !mesh.edges.segments.is_empty() {
                mesh_of.insert(place, meshes.len());
                meshes.push(mesh);
            }
        }
        let scene = scene(&design, &styles, meshes, &mesh_of);
        Ok(Ok(Self { instances, styles, shells, scene }))
    }

    /// The scene as it is: edges, and the faces that were added.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Adds the faces of all shapes, each as long as `goes_on` and there are not too many triangles. Call it once.
    pub fn add_faces(&mut self, mut goes_on: impl FnMut() -> bool) {
        let model = Geometry::new(&self.instances);
        let mut left = TRIANGLES_MAX;
        for shown in &self.shells {
            let Some(mesh) = self.scene.meshes.get_mut(shown.mesh) else { continue };
            let of_shell = self.styles.innermost(&shown.shell.within);
            let reach = shown.reach();
            for id in &shown.shell.faces {
                if !goes_on() {
                    return;
                }
                let face = faces::mesh(&model, *id, &shown.edges, shown.radian);
                let face = face.filter(|face| face.triangles.len() <= left && face.is_within(reach));
                let placed = face.and_then(|face| face.placed(&shown.shell.placement));
                if let Some(face) = placed {
                    left -= face.triangles.len();
                    add_face(mesh, self.styles.innermost(&[*id]).or(of_shell), face);
                }
            }
        }
    }
}

impl ShownShell {
    /// The box that none of its faces leaves unless it is wrong: no face bulges by more than the size of all edges. A
    /// whole sphere has no edges.
    fn reach(&self) -> Option<Bounds> {
        let points = self.edges.values().flatten().copied();
        let Bounds { min, max } = points.map(Bounds::of).reduce(Bounds::union)?;
        let margin = DVec3::splat(min.distance(max));
        Some(Bounds { min: min - margin, max: max + margin })
    }
}

/// Adds a line through points, unless one is infinite.
fn add_line(lines: &mut Lines, points: &[DVec3], placement: &DAffine3) {
    let placed = points.iter().map(|point| placement.transform_point3(*point).as_vec3());
    let placed: Vec<Vec3> = placed.collect();
    let begin =
        u32::try_from(lines.positions.len()).ok().filter(|_| placed.iter().all(|point| point.is_finite()));
    let (Some(begin), Ok(length)) = (begin, u32::try_from(placed.len())) else { return };
    let last = begin.saturating_add(length.saturating_sub(1));
    lines.segments.extend((begin..last).map(|end| [end, end + 1]));
    lines.positions.extend(placed);
}

/// Adds a face to the surface of its colour.
fn add_face(mesh: &mut Mesh, colour: Option<Colour>, face: FaceMesh) {
    let known = |colour| mesh.surfaces.iter().position(|surface| surface.colour == colour);
    let colour = if mesh.surfaces.len() < COLOURS_MAX || known(colour).is_some() { colour } else { None };
    let place = known(colour).unwrap_or(mesh.surfaces.len());
    if place == mesh.surfaces.len() {
        mesh.surfaces.push(Surface { colour, ..Surface::default() });
    }
    let Some(surface) = mesh.surfaces.get_mut(place) else { return };
    let Ok(begin) = u32::try_from(surface.positions.len()) else { return };
    mesh.faces.shown = mesh.faces.shown.saturating_add(1);
    surface.positions.extend(face.positions);
    surface.normals.extend(face.normals);
    surface.triangles.extend(face.triangles.into_iter().map(|corners| corners.map(|corner| corner + begin)));
}

/// The nodes of a design.
fn scene(design: &Design, styles: &Styles, meshes: Vec<Mesh>, mesh_of: &HashMap<usize, usize>) -> Scene {
    let metres = |shape: Option<&DesignShape>| shape.and_then(|shape| shape.metres);
    let roots = design.occurrences.iter().filter(|occurrence| occurrence.parent.is_none());
    let first = roots.clone().find_map(|root| metres(design.shapes.get(root.shape)));
    let nodes = design.occurrences.iter().enumerate().map(|(place, occurrence)| {
        let stated = occurrence.placement.and_then(|rows| affine(&rows));
        // Roots in other units than the first are scaled to it.
        let own = metres(design.shapes.get(occurrence.shape)).filter(|_| occurrence.parent.is_none());
        let scale = own.zip(first).map_or(1.0, |(own, first)| own / first);
        Node {
            name: String::new(),
            parent: occurrence.parent,
            placement: stated.unwrap_or(DAffine3::from_scale(DVec3::splat(scale))),
            mesh: mesh_of.get(&occurrence.shape).copied(),
            colour: occurrence.usage.and_then(|usage| styles.of_usage(usage)),
            object: Some(place + design.first_object),
        }
    });
    Scene { nodes: nodes.collect(), meshes, up: UpAxis::Z, metres: first, is_exact: false }
}
