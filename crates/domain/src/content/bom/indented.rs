//! The indented bill: assemblies with their parts below them, equal siblings in one row.

use std::collections::HashMap;

use super::items::BomItems;
use super::quantity::Quantity;
use super::row::RowGroup;

/// Most rows of a bill.
pub(super) const ROWS_MAX: usize = 100_000;
/// Most items beyond those of the trees that rows stand for: packages that are included in several places repeat.
const REPEATED_MAX: usize = 1_000_000;

/// The rows of an indented bill, each before those below it, with at most `depth` levels below the first. `false` if
/// there are more rows than a bill has.
///
/// Items in one row have equal structures, so the parts of all of them are those of the first, as often.
pub(super) fn rows(items: &BomItems<'_>, depth: Option<u32>) -> (Vec<RowGroup>, bool) {
    let mut rows = Vec::new();
    let mut left = items.items.len() + REPEATED_MAX;
    let top = RowGroup { total: Quantity::ONE, ..RowGroup::default() };
    let mut pending = groups(items, &top, items.tops(0).iter().map(|index| (*index, 0)));
    pending.reverse();
    while let Some(group) = pending.pop() {
        let is_within = rows.len() < ROWS_MAX && group.items.len() <= left;
        if !is_within {
            return (rows, false);
        }
        left -= group.items.len();
        if depth.is_none_or(|depth| group.level < depth) {
            let own = group.items.iter().enumerate();
            let own =
                own.flat_map(|(number, index)| items.children(*index).map(move |child| (child, number)));
            // Items in one row include the same package, which is the same objects.
            let included = group.items.first().map_or(&[][..], |index| items.included(*index));
            let children = own.chain(included.iter().map(|index| (*index, 0)));
            let mut below = groups(items, &group, children);
            below.iter_mut().for_each(|below| below.level = group.level + 1);
            pending.extend(below.into_iter().rev());
        }
        rows.push(group);
    }
    (rows, true)
}

/// The rows below a row. Each child comes with the number of its parent in the row.
fn groups(
    items: &BomItems<'_>,
    above: &RowGroup,
    children: impl Iterator<Item = (usize, usize)>,
) -> Vec<RowGroup> {
    let mut groups: Vec<RowGroup> = Vec::new();
    let mut places: HashMap<(usize, Option<usize>), usize> = HashMap::new();
    for (index, parent) in children {
        let Some(item) = items.get(index) else { continue };
        let place = *places.entry((item.class, item.unit)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(RowGroup::default());
        }
        let Some(group) = groups.get_mut(place) else { continue };
        if parent == 0 {
            group.quantity = group.quantity.plus(item.quantity);
        }
        group.items.push(index);
    }
    for group in &mut groups {
        group.total = above.total.times(group.quantity);
    }
    groups
}
