//! A part of a 3MF with objects: its XML, as far as it is about shapes, colours and names.

use std::collections::HashMap;
use std::io::{Read, Seek};

use glam::{DAffine3, Vec3};
use quick_xml::events::BytesStart;

use super::package::{ThreeMfPackage, XmlTag, attributes, text};
use crate::mesh::points::Points;
use crate::mesh::text::{number, words};
use crate::mesh::{MeshError, MeshUnit};

/// Most objects, components, items and colours of a part.
const RESOURCES_MAX: usize = 500_000;

/// A part.
#[derive(Debug)]
pub(super) struct ThreeMfModel {
    /// The unit of its coordinates and transforms.
    pub(super) unit: MeshUnit,
    pub(super) objects: HashMap<u32, ModelObject>,
    /// The items of the build.
    pub(super) build: Vec<ThreeMfComponent>,
    /// Red, green, blue and opacity, as screens have them.
    colours: HashMap<ThreeMfPaint, [f32; 4]>,
}

/// A shape, or a composition of other objects.
#[derive(Debug, Default)]
pub struct ModelObject {
    pub(super) name: String,
    pub(super) part_number: String,
    pub(super) components: Vec<ThreeMfComponent>,
    /// Its points.
    pub points: Points,
    /// Its triangles.
    pub triangles: Vec<ModelTriangle>,
    /// For triangles that have none.
    paint: Option<ThreeMfPaint>,
}

/// A triangle by the indices of its points; indices that are missing point at nothing.
#[derive(Clone, Copy, Debug)]
pub struct ModelTriangle {
    /// The indices.
    pub corners: [u32; 3],
    paint: Option<ThreeMfPaint>,
}

/// An occurrence of an object.
#[derive(Clone, Debug)]
pub(super) struct ThreeMfComponent {
    pub(super) object: u32,
    /// The part that has the object, if it is not this one.
    pub(super) path: Option<String>,
    pub(super) placement: DAffine3,
    pub(super) part_number: String,
}

/// Id of a group of colours, and the place in it.
type ThreeMfPaint = (u32, u32);

impl ThreeMfModel {
    /// Reads a part; `None` if the package has no such part.
    pub(super) fn read<R: Read + Seek>(
        package: &mut ThreeMfPackage<R>,
        path: &str,
    ) -> Result<Option<Self>, MeshError> {
        let model =
            Self { unit: unit(None), objects: HashMap::new(), build: Vec::new(), colours: HashMap::new() };
        let mut parser = Parser { model, object: None, group: None, resources: 0 };
        let is_there = package.read(path, |tag| match tag {
            XmlTag::Open(element) => parser.open(element),
            XmlTag::Close(name) => {
                parser.close(name);
                Ok(())
            }
        })?;
        Ok(is_there.then_some(parser.model))
    }

    /// The colour of a triangle. One that changes over it is that of its first corner.
    pub(super) fn colour(&self, object: &ModelObject, triangle: &ModelTriangle) -> Option<[f32; 4]> {
        self.colours.get(&triangle.paint.or(object.paint)?).copied()
    }
}

/// A part under construction.
struct Parser {
    model: ThreeMfModel,
    /// The object that is open, by its id.
    object: Option<(u32, ModelObject)>,
    /// The group of colours that is open, by its id, and the number of its colours.
    group: Option<ThreeMfPaint>,
    resources: usize,
}

impl Parser {
    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), MeshError> {
        let name = element.local_name();
        match (name.as_ref(), &mut self.object) {
            (b"vertex", Some((_, object))) => object.points.push(point(element)),
            (b"triangle", Some((_, object))) => object.triangles.push(triangle(element)),
            (b"component", Some((_, object))) => object.components.extend(component(element)),
            (b"item", None) => self.model.build.extend(component(element)),
            (b"object", None) => self.object = object(element),
            (b"model", _) => self.model.unit = unit(text(element, b"unit").as_deref()),
            (b"basematerials" | b"colorgroup", _) => {
                let [id] = attributes(element, [b"id"]);
                self.group = id.and_then(|id| number(&id)).map(|id| (id, 0));
            }
            (b"base" | b"color", _) => self.add_colour(element),
            _ => return Ok(()),
        }
        if !matches!(name.as_ref(), b"vertex" | b"triangle") {
            self.resources += 1;
        }
        if self.resources > RESOURCES_MAX { Err(MeshError::TooManyNodes) } else { Ok(()) }
    }

    fn close(&mut self, name: &[u8]) {
        match name {
            b"object" => self.model.objects.extend(self.object.take()),
            b"basematerials" | b"colorgroup" => self.group = None,
            _ => {}
        }
    }

    fn add_colour(&mut self, element: &BytesStart<'_>) {
        let Some(paint @ (group, place)) = self.group else { return };
        let [of_base, of_group] = attributes(element, [b"displaycolor", b"color"]);
        let colour = of_base.or(of_group).and_then(|written| colour(&written));
        self.model.colours.extend(colour.map(|colour| (paint, colour)));
        self.group = Some((group, place.saturating_add(1)));
    }
}

fn point(element: &BytesStart<'_>) -> Option<Vec3> {
    let [x, y, z] = attributes(element, [b"x", b"y", b"z"]).map(|value| number(&value?));
    Some(Vec3::new(x?, y?, z?))
}

fn triangle(element: &BytesStart<'_>) -> ModelTriangle {
    let values = attributes(element, [b"v1", b"v2", b"v3", b"pid", b"p1"]);
    let [a, b, c, group, place] = values.map(|value| number::<u32>(&value?));
    ModelTriangle { corners: [a, b, c].map(|corner| corner.unwrap_or(u32::MAX)), paint: group.zip(place) }
}

/// An object without its content; `None` without an id.
fn object(element: &BytesStart<'_>) -> Option<(u32, ModelObject)> {
    let [id, group, place] = attributes(element, [b"id", b"pid", b"pindex"]).map(|value| number(&value?));
    let object = ModelObject {
        name: text(element, b"name").unwrap_or_default(),
        part_number: text(element, b"partnumber").unwrap_or_default(),
        paint: group.zip(place),
        ..ModelObject::default()
    };
    Some((id?, object))
}

/// A component, or an item of the build; `None` without an object.
fn component(element: &BytesStart<'_>) -> Option<ThreeMfComponent> {
    let [object, transform] = attributes(element, [b"objectid", b"transform"]);
    Some(ThreeMfComponent {
        object: number(&object?)?,
        path: text(element, b"path"),
        placement: transform.and_then(|written| placement(&written)).unwrap_or_default(),
        part_number: text(element, b"partnumber").unwrap_or_default(),
    })
}

/// Twelve numbers: where the axes lead to, and the origin.
fn placement(written: &[u8]) -> Option<DAffine3> {
    let numbers = words(written).map(number).collect::<Option<Vec<f64>>>()?;
    numbers.try_into().ok().map(|numbers: [f64; 12]| DAffine3::from_cols_array(&numbers))
}

/// A colour: `#RRGGBB` or `#RRGGBBAA`.
fn colour(written: &[u8]) -> Option<[f32; 4]> {
    let digits = written.trim_ascii().strip_prefix(b"#")?;
    let part = |place: usize| {
        let digits = digits.get(place..place.checked_add(2)?)?;
        let value = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        Some(f32::from(value) / 255.0)
    };
    let alpha = if digits.len() > 6 { part(6)? } else { 1.0 };
    Some([part(0)?, part(2)?, part(4)?, alpha])
}

/// A unit by its name in the file; a millimetre by default.
fn unit(written: Option<&str>) -> MeshUnit {
    let (name, metres) = match written {
        Some("micron") => ("micrometre", 1e-6),
        Some("centimeter") => ("centimetre", 1e-2),
        Some("inch") => ("inch", 0.0254),
        Some("foot") => ("foot", 0.3048),
        Some("meter") => ("metre", 1.0),
        _ => ("millimetre", 1e-3),
    };
    MeshUnit { name, metres }
}
