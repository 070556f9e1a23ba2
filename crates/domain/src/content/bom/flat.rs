//! The parts list: every part without parts of its own once, with its quantity in the whole.

use std::collections::HashMap;

use super::items::BomItems;
use super::row::RowGroup;

/// The rows of a parts list, in the order of the first occurrences.
pub(super) fn rows(items: &BomItems<'_>) -> Vec<RowGroup> {
    let counts = items.counts();
    let mut rows: Vec<RowGroup> = Vec::new();
    let mut places: HashMap<(usize, Option<usize>), usize> = HashMap::new();
    for index in items.order.iter().flat_map(|source| items.range(*source)) {
        let Some(item) = items.get(index).filter(|item| items.is_leaf(item)) else { continue };
        let place = *places.entry((item.class, item.unit)).or_insert(rows.len());
        if place == rows.len() {
            rows.push(RowGroup::default());
        }
        if let (Some(row), Some(count)) = (rows.get_mut(place), counts.get(index)) {
            row.items.push(index);
            row.total = row.total.plus(*count);
            row.quantity = row.total;
        }
    }
    rows
}
