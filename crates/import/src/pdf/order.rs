//! The order of a document's pages. A page may appear several times.

use std::collections::{HashMap, HashSet};

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, MaybeRef, Name, ObjectIdentifier};

use super::limits::NODES_MAX;

/// A node of the page tree whose children are being visited.
struct PageNode {
    id: Option<ObjectIdentifier>,
    /// Remaining children, the next one last.
    kids: Vec<ObjectIdentifier>,
}

/// Indices of the read pages in the document's order, repeated pages included. If the page tree is incomplete, the order
/// of reading.
pub(super) fn of(pdf: &Pdf) -> Vec<usize> {
    let read = || (0..pdf.pages().len()).collect();
    shown(pdf).unwrap_or_else(read)
}

/// The order of a complete page tree.
fn shown(pdf: &Pdf) -> Option<Vec<usize>> {
    let places: HashMap<ObjectIdentifier, usize> = (0..)
        .zip(pdf.pages().iter())
        .map(|(place, page)| Some((page.raw().obj_id()?, place)))
        .collect::<Option<_>>()?;
    let root = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())?.get::<Dict<'_>>("Pages")?;
    let mut order = Vec::new();
    let mut path = vec![PageNode::of(root.obj_id(), &root)];
    // To ignore cycles.
    let mut above: HashSet<ObjectIdentifier> = root.obj_id().into_iter().collect();
    let mut visits = NODES_MAX;
    while let Some(node) = path.last_mut() {
        let Some(id) = node.kids.pop() else {
            if let Some(id) = path.pop().and_then(|node| node.id) {
                above.remove(&id);
            }
            continue;
        };
        visits = visits.checked_sub(1)?;
        if let Some(place) = places.get(&id) {
            order.push(*place);
        } else if !above.contains(&id)
            && let Some(below) = pdf.xref().get::<Dict<'_>>(id)
            && below.get::<Name<'_>>("Type").as_deref() == Some(b"Pages")
        {
            above.insert(id);
            path.push(PageNode::of(Some(id), &below));
        }
    }
    let all: HashSet<usize> = order.iter().copied().collect();
    (all.len() == places.len()).then_some(order)
}

impl PageNode {
    fn of(id: Option<ObjectIdentifier>, node: &Dict<'_>) -> Self {
        let kids = node.get::<Array<'_>>("Kids");
        let kids = kids.iter().flat_map(Array::raw_iter).filter_map(|kid| match kid {
            MaybeRef::Ref(id) => Some(id.into()),
            MaybeRef::NotRef(_) => None,
        });
        let mut kids: Vec<ObjectIdentifier> = kids.collect();
        kids.reverse();
        Self { id, kids }
    }
}
