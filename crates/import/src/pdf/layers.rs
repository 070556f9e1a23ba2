//! Layers (optional content, ISO 32000-2, 8.11) as a viewer shows them: also by expressions, by states for viewing, and
//! of annotations, which hayro doesn't know.

use std::collections::HashSet;

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier};
use hayro::hayro_syntax::xref::XRef;

use super::limits::{LEVELS_MAX, NODES_MAX};
use super::revision::{Revision, reference, with_entries};

/// The layers of a document.
pub(super) struct Layers<'a> {
    xref: &'a XRef,
    catalog: Dict<'a>,
    properties: Dict<'a>,
    hidden: HashSet<ObjectIdentifier>,
}

impl<'a> Layers<'a> {
    /// The layers as the document's viewing configuration shows them; `None` without layers.
    pub(super) fn of(pdf: &'a Pdf) -> Option<Self> {
        let xref = pdf.xref();
        let catalog = xref.get::<Dict<'_>>(xref.root_id())?;
        let properties = catalog.get::<Dict<'_>>("OCProperties")?;
        let config = properties.get::<Dict<'_>>("D").unwrap_or_default();
        let mut hidden = HashSet::new();
        if config.get::<Name<'_>>("BaseState").as_deref() == Some(b"OFF") {
            hidden.extend(references(&properties, "OCGs"));
        }
        for id in references(&config, "ON") {
            hidden.remove(&id);
        }
        hidden.extend(references(&config, "OFF"));
        let usages = config.get::<Array<'_>>("AS");
        for usage in usages.iter().flat_map(Array::iter::<Dict<'_>>).take(LEVELS_MAX) {
            let categories = usage.get::<Array<'_>>("Category");
            let mut categories = categories.iter().flat_map(Array::iter::<Name<'_>>);
            // Pictures of pages are for viewing, at any magnification.
            let is_for_view = usage.get::<Name<'_>>("Event").as_deref() == Some(b"View")
                && categories.any(|category| &*category == b"View");
            if !is_for_view {
                continue;
            }
            for id in references(&usage, "OCGs").into_iter().take(NODES_MAX) {
                match view_state(xref, id).as_deref() {
                    Some(b"OFF") => {
                        hidden.insert(id);
                    }
                    Some(b"ON") => {
                        hidden.remove(&id);
                    }
                    _ => {}
                }
            }
        }
        Some(Self { xref, catalog, properties, hidden })
    }

    /// True unless the layer of an annotation hides it.
    pub(super) fn shows(&self, annotation: &Dict<'_>) -> bool {
        let Some(layer) = annotation.get::<Dict<'_>>("OC") else { return true };
        let id = annotation.get_ref("OC").map(ObjectIdentifier::from);
        self.is_visible(&layer, id)
    }

    /// Replaces what hayro would read otherwise.
    pub(super) fn revise(&self, pdf: &Pdf, revision: &mut Revision) {
        let mut hidden: Vec<ObjectIdentifier> = self.hidden.iter().copied().collect();
        let mut replaced = Vec::new();
        for dict in pdf.objects().into_iter().filter_map(Object::into_dict) {
            if let Some(id) = dict.obj_id()
                && dict.contains_key("VE")
                && is_membership(&dict)
            {
                replaced.push((id, self.is_visible(&dict, Some(id))));
            }
        }
        if replaced.iter().any(|(_, is_visible)| !is_visible) {
            let off = revision.add(b"<< /Type /OCG /Name (off) >>".to_vec());
            hidden.push(off);
            for (id, _) in replaced.iter().filter(|(_, is_visible)| !is_visible) {
                revision.replace(*id, format!("<< /Type /OCMD /OCGs {} >>", reference(off)).into_bytes());
            }
        }
        for (id, _) in replaced.iter().filter(|(_, is_visible)| *is_visible) {
            revision.replace(*id, b"<< /Type /OCMD >>".to_vec());
        }
        let hidden: Vec<String> = hidden.into_iter().map(reference).collect();
        let config = format!("<< /OFF [{}] >>", hidden.join(" "));
        let properties = with_entries(&self.properties, &[("D", config)]);
        let Some(root) = self.catalog.obj_id() else { return };
        if let Ok(properties) = String::from_utf8(properties) {
            revision.replace(root, with_entries(&self.catalog, &[("OCProperties", properties)]));
        }
    }

    /// True if a layer, or what a membership says of several, is shown.
    fn is_visible(&self, layer: &Dict<'_>, id: Option<ObjectIdentifier>) -> bool {
        if !is_membership(layer) {
            return id.is_none_or(|id| !self.hidden.contains(&id));
        }
        if let Some(expression) = layer.get::<Array<'_>>("VE") {
            let mut left = NODES_MAX;
            return self.holds(&expression, 0, &mut left).unwrap_or(true);
        }
        let mut layers = references(layer, "OCGs");
        layers.extend(layer.get_ref("OCGs").map(ObjectIdentifier::from).filter(|_| layers.is_empty()));
        let is_shown = |id: &ObjectIdentifier| !self.hidden.contains(id);
        match layer.get::<Name<'_>>("P").as_deref() {
            _ if layers.is_empty() => true,
            Some(b"AllOn") => layers.iter().all(is_shown),
            Some(b"AnyOff") => !layers.iter().all(is_shown),
            Some(b"AllOff") => !layers.iter().any(is_shown),
            _ => layers.iter().any(is_shown),
        }
    }

    /// The value of an expression; `None` where it has none. `left` are the nodes that may still be read.
    fn holds(&self, expression: &Array<'_>, depth: usize, left: &mut usize) -> Option<bool> {
        let mut items = expression.raw_iter();
        let Some(MaybeRef::NotRef(Object::Name(operator))) = items.next() else { return None };
        let mut values = items.map(|item| {
            *left = left.checked_sub(1)?;
            let (id, nested) = match item {
                MaybeRef::Ref(id) => (Some(id.into()), self.xref.get::<Array<'_>>(id.into())),
                MaybeRef::NotRef(nested) => (None, nested.into_array()),
            };
            match (nested, id) {
                (Some(nested), _) if depth < LEVELS_MAX => self.holds(&nested, depth + 1, left),
                (None, Some(id)) => Some(!self.hidden.contains(&id)),
                _ => None,
            }
        });
        match &*operator {
            b"Not" => values.next().flatten().map(|value| !value),
            b"And" => values.try_fold(true, |all, value| Some(all && value?)),
            b"Or" => values.try_fold(false, |any, value| Some(any || value?)),
            _ => None,
        }
    }
}

/// True for a dictionary that combines layers.
fn is_membership(layer: &Dict<'_>) -> bool {
    layer.get::<Name<'_>>("Type").as_deref() == Some(b"OCMD")
}

/// The state of a layer that is for viewing.
fn view_state<'a>(xref: &'a XRef, layer: ObjectIdentifier) -> Option<Name<'a>> {
    xref.get::<Dict<'_>>(layer)?.get::<Dict<'_>>("Usage")?.get::<Dict<'_>>("View")?.get("ViewState")
}

/// The objects that an array refers to.
fn references(dict: &Dict<'_>, key: &str) -> Vec<ObjectIdentifier> {
    let array = dict.get::<Array<'_>>(key);
    let items = array.iter().flat_map(Array::raw_iter);
    items.filter_map(|item| item.as_obj_ref().map(ObjectIdentifier::from)).collect()
}
