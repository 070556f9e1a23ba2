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

use glam::{DAffine3, DMat3, DVec3, Vec3};
use import::ConversionFailureCode;
use import::step::{Design, DesignShape, Instances};

use self::body::{Bodies, Shell};
use self::model::Geometry;
use self::styles::Styles;
use crate::scene::{Bounds, Colour, Lines, Mesh, Node, Scene, Surface, UpAxis};

/// Most ends of edges in all meshes.
const ENDS_MAX: usize = 4_000_000;
/// Most triangles of a scene. Shells beyond it are shown by their edges.
pub const TRIANGLES_MAX: usize = 1_000_000;

/// A design whose edges are read, and whose faces can be.
#[derive(Debug)]
pub struct StepScene<'a> {
    instances: Instances<'a>,
    design: Design,
    /// Of each shape of the design.
    bodies: Vec<Bodies>,
    scene: Scene,
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
        let owned = design.representations();
        let used: HashSet<usize> = design.occurrences.iter().map(|occurrence| occurrence.shape).collect();
        let bodies = design.shapes.iter().enumerate().map(|(place, shape)| match used.contains(&place) {
            true => Bodies::of(&model, &shape.representations, &owned),
            false => Bodies::default(),
        });
        let bodies: Vec<Bodies> = bodies.collect();
        let styles = Styles::of(&instances, &model, &design.usages);
        let mut ends_left = ENDS_MAX;
        let mut meshes = Vec::new();
        let mut mesh_of = HashMap::new();
        for (place, bodies) in bodies.iter().enumerate() {
            let mesh = with_edges(&model, bodies, &mut ends_left);
            if mesh != Mesh::default() {
                mesh_of.insert(place, meshes.len());
                meshes.push(mesh);
            }
        }
        let scene = scene(&design, &styles, meshes, &mesh_of);
        Ok(Ok(Self { instances, design, bodies, scene }))
    }

    /// The scene as it is: edges, and the faces that were added.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Adds the faces of all shapes, as long as `goes_on` and there are not too many triangles.
    pub fn add_faces(&mut self, mut goes_on: impl FnMut() -> bool) {
        let model = Geometry::new(&self.instances);
        let styles = Styles::of(&self.instances, &model, &self.design.usages);
        let mut left = TRIANGLES_MAX;
        let mut meshes = self.scene.meshes.iter_mut();
        for (bodies, shape) in self.bodies.iter().zip(&self.design.shapes) {
            if bodies.shells.is_empty() && bodies.wires.is_empty() {
                continue;
            }
            let Some(mesh) = meshes.next() else { break };
            for shell in &bodies.shells {
                if !goes_on() {
                    return;
                }
                add_shell(&model, &styles, (shell, shape.radians), mesh, &mut left);
            }
        }
    }

    /// The design.
    pub fn design(&self) -> &Design {
        &self.design
    }
}

/// The edges of a shape.
fn with_edges(model: &Geometry<'_>, bodies: &Bodies, ends_left: &mut usize) -> Mesh {
    let mut mesh = Mesh::default();
    for shell in &bodies.shells {
        mesh.faces.all = mesh.faces.all.saturating_add(u64::try_from(shell.faces.len()).unwrap_or(u64::MAX));
        for points in body::edges(model, &shell.faces).into_values() {
            add_line(&mut mesh.edges, &points, &shell.placement, ends_left);
        }
    }
    for wire in &bodies.wires {
        let points = body::edge_points(model, wire.id).unwrap_or_default();
        add_line(&mut mesh.edges, &points, &wire.placement, ends_left);
    }
    mesh
}

/// Adds a line through points, unless there are too many or one is infinite.
fn add_line(lines: &mut Lines, points: &[DVec3], placement: &DAffine3, ends_left: &mut usize) {
    let placed = points.iter().map(|point| placement.transform_point3(*point).as_vec3());
    let placed: Vec<Vec3> = placed.collect();
    let (Ok(begin), true) =
        (u32::try_from(lines.positions.len()), placed.iter().all(|point| point.is_finite()))
    else {
        return;
    };
    let Some(left) = ends_left.checked_sub(placed.len()) else { return };
    *ends_left = left;
    let last = begin.saturating_add(u32::try_from(placed.len().saturating_sub(1)).unwrap_or(0));
    lines.segments.extend((begin..last).map(|end| [end, end + 1]));
    lines.positions.extend(placed);
}

/// Adds the faces of a shell, unless they leave the box of its edges or exceed the limit.
fn add_shell(
    model: &Geometry<'_>,
    styles: &Styles,
    (shell, radian): (&Shell, f64),
    mesh: &mut Mesh,
    left: &mut usize,
) {
    let edges = body::edges(model, &shell.faces);
    let points = edges.values().flatten().copied();
    let bounds = points.map(Bounds::of).reduce(Bounds::union);
    let within = [shell.within.as_slice(), &[shell.id]].concat();
    let of_shell = styles.innermost(&within);
    // A face that leaves its shell is wrong: none bulges by more than the size of all edges. A whole sphere has none.
    let is_inside = |point: &Vec3| {
        let point = point.as_dvec3();
        bounds.is_none_or(|Bounds { min, max }| {
            let margin = DVec3::splat(min.distance(max));
            point.cmpge(min - margin).all() && point.cmple(max + margin).all()
        })
    };
    for id in &shell.faces {
        let Some(face) = faces::mesh(model, *id, &edges, radian) else { continue };
        if face.triangles.len() > *left
            || !face.positions.iter().all(|point| point.is_finite() && is_inside(point))
        {
            continue;
        }
        *left = left.saturating_sub(face.triangles.len());
        mesh.faces.shown = mesh.faces.shown.saturating_add(1);
        add_face(mesh, styles.innermost(&[*id]).or(of_shell), face, &shell.placement);
    }
}

/// Adds a face to the surface of its colour.
fn add_face(mesh: &mut Mesh, colour: Option<Colour>, face: triangulation::FaceMesh, placement: &DAffine3) {
    let place = mesh.surfaces.iter().position(|surface| surface.colour == colour);
    let place = place.unwrap_or_else(|| {
        mesh.surfaces.push(Surface { colour, ..Surface::default() });
        mesh.surfaces.len() - 1
    });
    let Some(surface) = mesh.surfaces.get_mut(place) else { return };
    let Ok(begin) = u32::try_from(surface.positions.len()) else { return };
    let turn = placement.matrix3;
    let points = face.positions.iter().map(|point| placement.transform_point3(point.as_dvec3()).as_vec3());
    surface.positions.extend(points);
    surface.normals.extend(face.normals.iter().map(|normal| (turn * normal.as_dvec3()).as_vec3()));
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
    Scene { nodes: nodes.collect(), meshes, up: UpAxis::Z, metres: first }
}

/// A placement by the rows of its matrix; `None` if it is not finite.
fn affine(rows: &[[f64; 4]; 4]) -> Option<DAffine3> {
    let [[xx, yx, zx, x], [xy, yy, zy, y], [xz, yz, zz, z], _] = *rows;
    let turn = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(yx, yy, yz), DVec3::new(zx, zy, zz));
    let placement = DAffine3 { matrix3: turn, translation: DVec3::new(x, y, z) };
    placement.is_finite().then_some(placement)
}
