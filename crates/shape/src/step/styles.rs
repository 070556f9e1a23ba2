//! Colours of bodies, faces and occurrences.

use std::collections::HashMap;

use import::step::{Entity, Instances, Parameter, Record};

use super::model::Geometry;
use crate::scene::Colour;

/// Most statements that give colours.
const STYLES_MAX: usize = 1_000_000;
/// Most steps from a style to its colour.
const STEPS_MAX: usize = 64;

/// The pre-defined colours of ISO 10303-46.
const PRE_DEFINED: [(&[u8], [f32; 3]); 8] = [
    (b"black", [0.0, 0.0, 0.0]),
    (b"white", [1.0, 1.0, 1.0]),
    (b"red", [1.0, 0.0, 0.0]),
    (b"green", [0.0, 1.0, 0.0]),
    (b"blue", [0.0, 0.0, 1.0]),
    (b"yellow", [1.0, 1.0, 0.0]),
    (b"magenta", [1.0, 0.0, 1.0]),
    (b"cyan", [0.0, 1.0, 1.0]),
];

/// The colours of a file, by the instance that each is given to.
#[derive(Debug, Default)]
pub(super) struct Styles {
    /// Of solids, shells and faces.
    items: HashMap<u64, Colour>,
    /// Of usages, which win over those of what they use.
    usages: HashMap<u64, Colour>,
}

impl Styles {
    /// Reads all styles of a file.
    pub(super) fn of(instances: &Instances<'_>, model: &Geometry<'_>, usages: &HashMap<u64, u64>) -> Self {
        let mut styles = Self::default();
        for record in instances.containing(b"STYLED_ITEM").take(STYLES_MAX) {
            styles.add(model, usages, &record);
        }
        styles
    }

    /// The colour of the innermost of these that has one.
    pub(super) fn innermost(&self, within: &[u64]) -> Option<Colour> {
        within.iter().rev().find_map(|id| self.items.get(id)).copied()
    }

    /// The colour of a usage.
    pub(super) fn of_usage(&self, usage: u64) -> Option<Colour> {
        self.usages.get(&usage).copied()
    }

    /// Adds a styled item. Of several styles of one item the last counts: it overrides.
    fn add(&mut self, model: &Geometry<'_>, usages: &HashMap<u64, u64>, record: &Record<'_>) -> Option<()> {
        // A complex instance has the styles in the part that is the supertype.
        let styled = record.entities.iter().find(|entity| {
            entity.keyword.to_ascii_uppercase().ends_with(b"STYLED_ITEM") && entity.parameters.len() >= 2
        })?;
        let lists = styled.parameters.iter().position(|parameter| matches!(parameter, Parameter::List(_)))?;
        let item = styled.reference(lists + 1)?;
        let colour_of = |style: u64| Some((style, colour_below(model, style)?));
        let styles = styled.list(lists).iter().filter_map(Parameter::reference).filter_map(colour_of);
        let contexts = record.entity(&[b"CONTEXT_DEPENDENT_OVER_RIDING_STYLED_ITEM"]).map(contexts);
        for (style, colour) in styles {
            let assignment = model.record(style)?;
            let by_context = assignment.entity(&[b"PRESENTATION_STYLE_BY_CONTEXT"]);
            let contexts = match (by_context, &contexts) {
                (Some(by_context), _) => {
                    by_context.nth_last(0).and_then(Parameter::reference).into_iter().collect()
                }
                (None, Some(contexts)) => contexts.clone(),
                (None, None) => {
                    self.items.insert(item, colour);
                    continue;
                }
            };
            let named = contexts.into_iter().filter_map(|context| usage_of(model, usages, context));
            self.usages.extend(named.map(|usage| (usage, colour)));
        }
        Some(())
    }
}

/// The contexts in which an item has its style, which are the last list.
fn contexts(entity: &Entity<'_>) -> Vec<u64> {
    let list = entity.parameters.iter().rev().find_map(|parameter| match parameter {
        Parameter::List(list) => Some(list.as_slice()),
        _ => None,
    });
    list.unwrap_or_default().iter().filter_map(Parameter::reference).collect()
}

/// The usage that a context is about: itself, that of the representation, or that of the shape whose placement it is.
/// `usages` are those of representations.
fn usage_of(model: &Geometry<'_>, usages: &HashMap<u64, u64>, context: u64) -> Option<u64> {
    let mut id = context;
    if let Some(usage) = usages.get(&context) {
        return Some(*usage);
    }
    for _ in 0..3 {
        let record = model.record(id)?;
        if record.entity(&[b"NEXT_ASSEMBLY_USAGE_OCCURRENCE"]).is_some() {
            return Some(id);
        }
        // The placement of a usage's shape names that shape, and the shape the usage.
        let shape =
            record.entity(&[b"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION", b"PRODUCT_DEFINITION_SHAPE"])?;
        id = shape.nth_last(0)?.reference()?;
    }
    None
}

/// The colour of surfaces among the styles that an assignment leads to.
fn colour_below(model: &Geometry<'_>, style: u64) -> Option<Colour> {
    let mut pending = vec![style];
    let mut transparency = None;
    let mut colour = None;
    for _ in 0..STEPS_MAX {
        let Some(record) = pending.pop().and_then(|id| model.record(id)) else { break };
        for entity in &record.entities {
            match entity.keyword.to_ascii_uppercase().as_slice() {
                b"COLOUR_RGB" => colour = colour.or_else(|| rgb(&entity.parameters)),
                b"DRAUGHTING_PRE_DEFINED_COLOUR" | b"PRE_DEFINED_COLOUR" => {
                    let named = PRE_DEFINED.iter().find(|(name, _)| entity.text(0) == Some(name));
                    colour = colour.or(named.map(|(_, rgb)| *rgb));
                }
                b"SURFACE_STYLE_TRANSPARENT" => transparency = entity.nth_last(0).and_then(Parameter::number),
                // Colours of lines and of points are not those of surfaces.
                b"CURVE_STYLE"
                | b"POINT_STYLE"
                | b"SURFACE_STYLE_BOUNDARY"
                | b"SURFACE_STYLE_PARAMETER_LINE" => {}
                _ => pending.extend(entity.parameters.iter().rev().flat_map(references)),
            }
        }
    }
    let alpha = 1.0 - transparency.unwrap_or(0.0).clamp(0.0, 1.0);
    Some(Colour::from_srgb(colour?, single(alpha)))
}

fn references(parameter: &Parameter<'_>) -> Vec<u64> {
    match parameter {
        Parameter::Reference(id) => vec![*id],
        Parameter::List(list) => list.iter().rev().flat_map(references).collect(),
        Parameter::Typed(entity) => entity.parameters.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

fn rgb(parameters: &[Parameter<'_>]) -> Option<[f32; 3]> {
    match parameters {
        [.., red, green, blue] => Some([red.number()?, green.number()?, blue.number()?].map(single)),
        _ => None,
    }
}

/// A value from 0 to 1 in single precision.
fn single(value: f64) -> f32 {
    glam::DVec2::splat(value).as_vec2().x
}
