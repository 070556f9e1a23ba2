//! The outline of a document: a list of headings with levels and pages.

use std::collections::{HashMap, HashSet};

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, MaybeRef, Object, ObjectIdentifier};
use serde_json::{Value, json};

use super::limits::{HEADINGS_MAX, LEVELS_MAX, NAMES_MAX};
use super::string;

/// The headings in order; empty without an outline. `order` is the order of the pages.
pub(super) fn of(pdf: &Pdf, order: &[usize]) -> Vec<Value> {
    let mut headings = Vec::new();
    let Some(catalog) = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()) else { return headings };
    let first = catalog.get::<Dict<'_>>("Outlines").and_then(|outlines| outlines.get::<Dict<'_>>("First"));
    let places = Destinations::of(pdf, &catalog, order);
    let mut seen = HashSet::new();
    let mut pending: Vec<(Dict<'_>, usize)> = first.into_iter().map(|item| (item, 1)).collect();
    while let Some((item, level)) = pending.pop() {
        let again = item.obj_id().is_some_and(|id| !seen.insert(id));
        if again || headings.len() == HEADINGS_MAX {
            continue;
        }
        if let Some(title) =
            item.get::<Object<'_>>("Title").and_then(|title| string::decode(&title.into_string()?))
        {
            let mut heading = json!({ "title": title, "level": level });
            if let (Some(page), Some(fields)) = (places.page(&item), heading.as_object_mut()) {
                fields.insert("page".to_owned(), json!(page));
            }
            headings.push(heading);
        }
        // A stack: the children of an item precede its siblings.
        pending.extend(item.get::<Dict<'_>>("Next").map(|next| (next, level)));
        if level < LEVELS_MAX {
            pending.extend(item.get::<Dict<'_>>("First").map(|below| (below, level + 1)));
        }
    }
    headings
}

/// The destinations of a document.
struct Destinations<'a> {
    /// Page numbers, from 1.
    pages: HashMap<ObjectIdentifier, usize>,
    /// Named destinations.
    names: HashMap<Vec<u8>, Object<'a>>,
    /// Number of pages.
    count: usize,
}

impl<'a> Destinations<'a> {
    fn of(pdf: &'a Pdf, catalog: &Dict<'a>, order: &[usize]) -> Self {
        let mut pages = HashMap::new();
        for (number, place) in (1..).zip(order) {
            if let Some(id) = pdf.pages().get(*place).and_then(|page| page.raw().obj_id()) {
                // The first appearance of a repeated page.
                pages.entry(id).or_insert(number);
            }
        }
        let mut names = HashMap::new();
        // A dictionary until PDF 1.2.
        for (name, place) in catalog.get::<Dict<'_>>("Dests").iter().flat_map(Dict::entries).take(NAMES_MAX) {
            if let MaybeRef::NotRef(place) = place {
                names.insert(name.to_vec(), place);
            }
        }
        let tree = catalog.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("Dests"));
        let mut pending: Vec<(Dict<'_>, usize)> = tree.into_iter().map(|root| (root, 1)).collect();
        let mut visits = NAMES_MAX;
        while let Some((node, level)) = pending.pop() {
            visits = visits.saturating_sub(1);
            if visits == 0 || names.len() > NAMES_MAX {
                break;
            }
            let leaves = node.get::<Array<'_>>("Names");
            let mut leaves = leaves.iter().flat_map(Array::iter::<Object<'_>>);
            while let (Some(name), Some(place)) = (leaves.next(), leaves.next()) {
                names.extend(name.into_string().map(|name| (name.to_vec(), place)));
            }
            if level < LEVELS_MAX {
                // One by one, because an invalid destination would hide the following ones.
                let kids = node.get::<Array<'_>>("Kids");
                let kids = kids.iter().flat_map(Array::raw_iter).filter_map(|kid| kid.as_obj_ref());
                let kids = kids.filter_map(|kid| pdf.xref().get::<Dict<'_>>(kid.into()));
                pending.extend(kids.map(|kid| (kid, level + 1)));
            }
        }
        Self { pages, names, count: order.len() }
    }

    /// The page of an item, by its destination or action.
    fn page(&self, item: &Dict<'a>) -> Option<usize> {
        let action = || item.get::<Dict<'_>>("A").and_then(|action| action.get::<Object<'_>>("D"));
        let mut place = item.get::<Object<'_>>("Dest").or_else(action)?;
        // A name refers to a destination, which may be wrapped.
        for _ in 0..3 {
            place = match place {
                Object::Array(array) => {
                    return match array.raw_iter().next()? {
                        MaybeRef::Ref(page) => self.pages.get(&page.into()).copied(),
                        // By index, which is meant for links to other files only.
                        MaybeRef::NotRef(page) => usize::try_from(page.into_i32()?)
                            .ok()?
                            .checked_add(1)
                            .filter(|page| *page <= self.count),
                    };
                }
                Object::Dict(wrapped) => wrapped.get::<Object<'_>>("D")?,
                Object::Name(name) => self.names.get(&*name)?.clone(),
                Object::String(name) => self.names.get(&*name)?.clone(),
                _ => return None,
            };
        }
        None
    }
}
