//! Scenes as GLB: glTF 2.0 in one file.
//!
//! glTF has metres, and y points up: a root node turns and scales the scene. Each mesh is written once, however often
//! it is placed, and a node says by `extras.object` which object of the conversion it is. A node with a colour of its
//! own has a mesh of its own, of the same accessors.

use std::collections::HashMap;

use glam::{DAffine3, DMat4, DVec3, Vec3};
use serde_json::{Map, Value, json};

use crate::scene::{Colour, Lines, Mesh, Scene, Surface, UpAxis};

/// Modes of primitives.
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;
/// Types of components.
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
/// Targets of buffer views.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// First bytes of a GLB file, and its version.
const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
/// The colour of faces without any, in linear light.
const NO_COLOUR: [f32; 3] = [0.52, 0.55, 0.58];
/// The colour of edges, in linear light.
const EDGES: [f32; 3] = [0.02, 0.02, 0.025];

/// A scene as the bytes of a GLB file; `None` if it exceeds the 4 GiB of the format.
pub fn write(scene: &Scene) -> Option<Vec<u8>> {
    let mut writer = GlbWriter::default();
    let primitives: Vec<Vec<Value>> = scene.meshes.iter().map(|mesh| writer.primitives(mesh)).collect();
    let nodes = writer.nodes(scene, &primitives);
    writer.finish(scene, nodes)
}

/// The parts of the file so far.
#[derive(Default)]
struct GlbWriter {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    /// Materials by the bits of their colours, and whether they are of edges.
    known_materials: HashMap<([u32; 4], bool), usize>,
    /// Meshes by that of the scene, and the bits of an own colour.
    known_meshes: HashMap<(usize, Option<[u32; 4]>), usize>,
}

impl GlbWriter {
    /// The primitives of a mesh.
    fn primitives(&mut self, mesh: &Mesh) -> Vec<Value> {
        let mut primitives: Vec<Value> = Vec::new();
        for surface in mesh.surfaces.iter().filter(|surface| !surface.triangles.is_empty()) {
            primitives.push(self.surface(surface));
        }
        if !mesh.edges.segments.is_empty() {
            primitives.push(self.lines(&mesh.edges));
        }
        primitives
    }

    fn surface(&mut self, surface: &Surface) -> Value {
        let mut attributes = Map::new();
        attributes.insert("POSITION".to_owned(), json!(self.positions(&surface.positions)));
        if surface.normals.len() == surface.positions.len() {
            let normals: Vec<Vec3> =
                surface.normals.iter().map(|normal| normal.normalize_or(Vec3::Z)).collect();
            attributes.insert("NORMAL".to_owned(), json!(self.vectors(&normals)));
        }
        let indices = self.indices(surface.triangles.as_flattened());
        let colour = surface.colour.unwrap_or(Colour { rgb: NO_COLOUR, alpha: 1.0 });
        let material = self.material(colour, false);
        json!({ "attributes": attributes, "indices": indices, "material": material, "mode": TRIANGLES })
    }

    fn lines(&mut self, edges: &Lines) -> Value {
        let positions = self.positions(&edges.positions);
        let indices = self.indices(edges.segments.as_flattened());
        let material = self.material(Colour { rgb: EDGES, alpha: 1.0 }, true);
        json!({
            "attributes": { "POSITION": positions }, "indices": indices, "material": material, "mode": LINES,
        })
    }

    /// An accessor of positions, which has to tell their bounds.
    fn positions(&mut self, positions: &[Vec3]) -> usize {
        let accessor = self.vectors(positions);
        let min = positions.iter().copied().reduce(Vec3::min).unwrap_or_default();
        let max = positions.iter().copied().reduce(Vec3::max).unwrap_or_default();
        if let Some(Value::Object(fields)) = self.accessors.get_mut(accessor) {
            fields.insert("min".to_owned(), json!(min.to_array()));
            fields.insert("max".to_owned(), json!(max.to_array()));
        }
        accessor
    }

    fn vectors(&mut self, vectors: &[Vec3]) -> usize {
        let bytes = vectors.iter().flat_map(|vector| vector.to_array()).flat_map(f32::to_le_bytes);
        let view = self.view(bytes, ARRAY_BUFFER);
        self.accessor(json!({
            "bufferView": view, "componentType": FLOAT, "count": vectors.len(), "type": "VEC3",
        }))
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let view = self.view(indices.iter().copied().flat_map(u32::to_le_bytes), ELEMENT_ARRAY_BUFFER);
        self.accessor(json!({
            "bufferView": view, "componentType": UNSIGNED_INT, "count": indices.len(), "type": "SCALAR",
        }))
    }

    /// A view of bytes, all of which are in units of four.
    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: u32) -> usize {
        let begin = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - begin;
        self.views.push(json!({ "buffer": 0, "byteOffset": begin, "byteLength": length, "target": target }));
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn material(&mut self, colour: Colour, is_edges: bool) -> usize {
        let known = self.known_materials.get(&(bits(colour), is_edges));
        if let Some(known) = known {
            return *known;
        }
        let [red, green, blue] = colour.rgb;
        let mut material = json!({
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [red, green, blue, colour.alpha], "metallicFactor": 0.0, "roughnessFactor": 0.6,
            },
        });
        if let Value::Object(fields) = &mut material {
            if colour.alpha < 1.0 {
                fields.insert("alphaMode".to_owned(), json!("BLEND"));
            }
            if is_edges {
                fields.insert("name".to_owned(), json!("edges"));
            }
        }
        self.materials.push(material);
        self.known_materials.insert((bits(colour), is_edges), self.materials.len() - 1);
        self.materials.len() - 1
    }

    /// The nodes of a scene, in its order; the root is still missing.
    fn nodes(&mut self, scene: &Scene, primitives: &[Vec<Value>]) -> Vec<Value> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); scene.nodes.len()];
        for (place, node) in scene.nodes.iter().enumerate() {
            if let Some(of_parent) = node.parent.and_then(|parent| children.get_mut(parent)) {
                of_parent.push(place);
            }
        }
        let placed = scene.nodes.iter().zip(scene.colours()).zip(children);
        let nodes = placed.map(|((node, colour), below)| {
            let mesh = node.mesh.and_then(|mesh| self.mesh(mesh, primitives.get(mesh)?, colour));
            let is_moved = node.placement != DAffine3::IDENTITY;
            let fields = [
                ("mesh", mesh.map(|mesh| json!(mesh))),
                ("matrix", is_moved.then(|| json!(DMat4::from(node.placement).to_cols_array()))),
                ("children", (!below.is_empty()).then(|| json!(below))),
                ("name", (!node.name.is_empty()).then(|| json!(node.name))),
                ("extras", node.object.map(|object| json!({ "object": object }))),
            ];
            fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
        });
        nodes.map(Value::Object).collect()
    }

    /// The mesh with these primitives, all faces in one colour if it is given; `None` without any.
    fn mesh(&mut self, place: usize, primitives: &[Value], colour: Option<Colour>) -> Option<usize> {
        let key = (place, colour.map(bits));
        if let Some(known) = self.known_meshes.get(&key) {
            return Some(*known);
        }
        if primitives.is_empty() {
            return None;
        }
        let mut primitives = primitives.to_vec();
        if let Some(colour) = colour {
            let material = self.material(colour, false);
            for primitive in &mut primitives {
                if let Value::Object(fields) = primitive
                    && fields.get("mode") == Some(&json!(TRIANGLES))
                {
                    fields.insert("material".to_owned(), json!(material));
                }
            }
        }
        self.meshes.push(json!({ "primitives": primitives }));
        self.known_meshes.insert(key, self.meshes.len() - 1);
        Some(self.meshes.len() - 1)
    }

    /// The whole file.
    fn finish(self, scene: &Scene, mut nodes: Vec<Value>) -> Option<Vec<u8>> {
        let is_root = |(place, node): (usize, &crate::scene::Node)| node.parent.is_none().then_some(place);
        let roots: Vec<usize> = scene.nodes.iter().enumerate().filter_map(is_root).collect();
        let scale = DAffine3::from_scale(DVec3::splat(scene.metres.unwrap_or(1.0)));
        let turn = match scene.up {
            UpAxis::Y => DAffine3::IDENTITY,
            UpAxis::Z => DAffine3::from_rotation_x(-std::f64::consts::FRAC_PI_2),
        };
        let mut root = json!({ "matrix": DMat4::from(turn * scale).to_cols_array() });
        if let Value::Object(fields) = &mut root
            && !roots.is_empty()
        {
            fields.insert("children".to_owned(), json!(roots));
        }
        nodes.push(root);
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "Atelier" },
            "scene": 0,
            "scenes": [{ "nodes": [nodes.len() - 1] }],
            "nodes": nodes,
        });
        if let Value::Object(fields) = &mut document {
            // Lists must not be empty.
            let lists = [
                ("meshes", self.meshes),
                ("materials", self.materials),
                ("accessors", self.accessors),
                ("bufferViews", self.views),
            ];
            let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
            fields.extend(lists.map(|(name, list)| (name.to_owned(), Value::Array(list))));
            if !self.bytes.is_empty() {
                fields.insert("buffers".to_owned(), json!([{ "byteLength": self.bytes.len() }]));
            }
        }
        file(serde_json::to_vec(&document).ok()?, self.bytes)
    }
}

/// Header and chunks.
fn file(mut document: Vec<u8>, bytes: Vec<u8>) -> Option<Vec<u8>> {
    document.resize(document.len().next_multiple_of(4), b' ');
    let mut chunks = vec![(b"JSON", document)];
    if !bytes.is_empty() {
        chunks.push((b"BIN\0", bytes));
    }
    let length = chunks.iter().map(|(_, chunk)| chunk.len() + 8).sum::<usize>() + 12;
    let mut file = Vec::with_capacity(length);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
    for (kind, chunk) in chunks {
        file.extend_from_slice(&u32::try_from(chunk.len()).ok()?.to_le_bytes());
        file.extend_from_slice(kind);
        file.extend_from_slice(&chunk);
    }
    Some(file)
}

fn bits(colour: Colour) -> [u32; 4] {
    let [red, green, blue] = colour.rgb;
    [red, green, blue, colour.alpha].map(f32::to_bits)
}
