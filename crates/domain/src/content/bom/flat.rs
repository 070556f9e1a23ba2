//! The parts list: every part without parts of its own once, with its quantity in the whole.

use std::collections::HashMap;

use super::items::BomItems;
use super::quantity::Quantity;
use super::row::RowGroup;

/// The rows of a parts list, in the order of the first occurrences. Linear in the number of objects: a package that is
/// included several times is counted once, and weighed by the number of its includes.
pub(super) fn rows(items: &BomItems<'_>) -> Vec<RowGroup> {
    let mut weights = vec![Quantity::ZERO; items.input.sources.len()];
    if let Some(first) = weights.first_mut() {
        *first = Quantity::ONE;
    }
    // How often the whole has each item.
    let mut counts = vec![Quantity::ZERO; items.items.len()];
    let mut rows: Vec<RowGroup> = Vec::new();
    let mut places: HashMap<(usize, Option<usize>), usize> = HashMap::new();
    for source in items.order.iter().copied() {
        for index in items.range(source) {
            let Some(item) = items.get(index) else { continue };
            let above = match item.parent {
                Some(parent) => counts.get(parent),
                None => weights.get(source),
            };
            let count = above.map_or(Quantity::ZERO, |above| above.times(item.quantity));
            if let Some(own) = counts.get_mut(index) {
                *own = count;
            }
            if let Some(weight) = item.package.and_then(|package| weights.get_mut(package)) {
                *weight = weight.plus(count);
            }
            if items.is_leaf(item) {
                let place = *places.entry((item.class, item.unit)).or_insert(rows.len());
                if place == rows.len() {
                    rows.push(RowGroup::default());
                }
                if let Some(row) = rows.get_mut(place) {
                    row.items.push(index);
                    row.total = row.total.plus(count);
                    row.quantity = row.total;
                }
            }
        }
    }
    rows
}
