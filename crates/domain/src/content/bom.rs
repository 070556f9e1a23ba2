//! Bills of materials: the components of a tree, counted. Equal structures share a row, and included packages are
//! followed into their trees. Pure: trees and the parts of records are read before.

pub mod column;
pub mod component;
mod flat;
mod identity;
mod indented;
pub mod items;
pub mod quantity;
pub mod row;
#[cfg(test)]
pub(crate) mod tests;
pub mod warning;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::column::BomColumns;
use self::indented::ROWS_MAX;
use self::items::{BomInput, BomItems};
use self::row::BomRow;
use self::warning::BomWarning;
use crate::content::object::Include;
use crate::text::Name;

/// Most packages that a bill reads.
pub const PACKAGES_MAX: usize = 100;

/// The form of a bill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BomView {
    /// Assemblies with their parts below them.
    #[default]
    Indented,
    /// The parts list: every part without parts of its own once, with its quantity in the whole.
    Flat,
}

/// The rule by which objects are occurrences of one part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BomGrouping {
    /// Their definitions have the same id, name, version and shape.
    #[default]
    Definition,
    /// Their shapes have the same fingerprint, under any name: one part may be several products. Assemblies are equal if
    /// they place equal shapes alike. Parts without a fingerprint are grouped by definition.
    Geometry,
}

/// A bill of materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bill {
    /// The rows, each before those below it.
    pub rows: Vec<BomRow>,
    /// The included packages with the commits at which they were counted.
    pub packages: Vec<BomPackage>,
    /// Findings to look at before parts are ordered by the bill.
    pub warnings: Vec<BomWarning>,
}

/// An included package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BomPackage {
    /// The package and its commit.
    pub include: Include,
    /// False if it can't be read, so that what is in it is not counted.
    pub available: bool,
    /// Its name; absent if it can't be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
}

/// The choices of a bill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BomOptions {
    /// The form.
    pub view: BomView,
    /// The rule by which objects are occurrences of one part.
    pub by: BomGrouping,
    /// Most levels below the first, in the indented form.
    pub depth: Option<u32>,
    /// The chosen properties.
    pub columns: BomColumns,
}

/// Makes a bill of the first of some trees. Costs time in the number of objects and rows.
pub fn bill(input: &BomInput, options: &BomOptions) -> Bill {
    let items = BomItems::of(input, options.by);
    let (groups, has_all) = match options.view {
        BomView::Indented => indented::rows(&items, options.depth),
        BomView::Flat => (flat::rows(&items), true),
    };
    let has_all = has_all && groups.len() <= ROWS_MAX;
    // With room for all, so that none is moved.
    let mut rows = Vec::with_capacity(groups.len().min(ROWS_MAX));
    let kept = groups.iter().take(ROWS_MAX);
    rows.extend(kept.filter_map(|group| row::row(&items, group, &options.columns)));
    Bill { rows, packages: packages(&items), warnings: warning::warnings(&items, has_all) }
}

/// The packages that items include, in their order.
fn packages(items: &BomItems<'_>) -> Vec<BomPackage> {
    let mut packages: Vec<BomPackage> = Vec::new();
    let mut known = HashSet::new();
    for item in &items.items {
        let Some(include) = item.component.include.as_deref().filter(|include| known.insert(*include)) else {
            continue;
        };
        let read = items.input.packages.get(include).filter(|_| item.package.is_some());
        packages.push(BomPackage {
            include: include.clone(),
            available: read.is_some(),
            name: read.map(|read| read.name.clone()),
        });
    }
    packages
}
