//! Parents and relations: references by id become references by key, and none leads back to its issue.

use domain::planning::relation::RelationKind;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::deviation::{Deviation, DeviationReason, Place};
use crate::draft::DraftLink;
use crate::export::{SourceIssue, SourceRelation};

/// A relation with the issue that has it.
pub(super) struct Link {
    place: Place,
    key: String,
    link: DraftLink,
}

impl Link {
    pub(super) fn of(place: &Place, key: &str, link: DraftLink) -> Self {
        Self { place: place.clone(), key: key.to_owned(), link }
    }
}

/// The relations, each once though both ends list it.
pub(super) fn relations(
    links: Vec<Link>,
    keys: &HashMap<String, String>,
    deviations: &mut Vec<Deviation>,
) -> BTreeSet<SourceRelation> {
    let mut relations = BTreeSet::new();
    let mut generalized = HashSet::new();
    for Link { place, key, link } in links {
        let other = keys.get(&link.other).cloned().unwrap_or(link.other);
        if other == key {
            deviations.push(place.deviation(&link.field, &other, DeviationReason::Circular));
            continue;
        }
        let kind = link.kind.unwrap_or(RelationKind::Relates);
        let is_turned = if kind == RelationKind::Relates { other < key } else { link.is_inward };
        let ends = if is_turned { (other.clone(), key) } else { (key, other.clone()) };
        // Both ends have such a link, under two names.
        if link.kind.is_none() && generalized.insert(ends.clone()) {
            deviations.push(place.deviation(&link.field, &other, DeviationReason::RelationGeneralized));
        }
        relations.insert(SourceRelation { from: ends.0, kind, to: ends.1 });
    }
    relations
}

/// Names parents by key, and cuts each circle of parents once.
pub(super) fn parents(
    issues: &mut [SourceIssue],
    keys: &HashMap<String, String>,
    deviations: &mut Vec<Deviation>,
) {
    for parent in issues.iter_mut().filter_map(|issue| issue.parent.as_mut()) {
        if let Some(key) = keys.get(parent) {
            parent.clone_from(key);
        }
    }
    let places: HashMap<&str, usize> =
        (0..).zip(&*issues).map(|(place, issue)| (issue.key.as_str(), place)).collect();
    let parents: Vec<Option<usize>> =
        issues.iter().map(|issue| places.get(issue.parent.as_deref()?).copied()).collect();
    for place in circular(&parents) {
        let Some(issue) = issues.get_mut(place) else { continue };
        let at = Place { line: None, issue: Some(issue.key.clone()) };
        deviations.push(at.deviation(
            "Parent",
            &issue.parent.take().unwrap_or_default(),
            DeviationReason::Circular,
        ));
    }
}

/// One place of each circle. Every place is visited once: chains may be as long as the export.
fn circular(parents: &[Option<usize>]) -> Vec<usize> {
    let mut walks = vec![None; parents.len()];
    let mut circles = Vec::new();
    for start in 0..parents.len() {
        let mut at = Some(start);
        let mut last = start;
        while let Some(place) = at {
            let Some(walk) = walks.get_mut(place) else { break };
            if let Some(walk) = *walk {
                if walk == start {
                    circles.push(last);
                }
                break;
            }
            *walk = Some(start);
            last = place;
            at = parents.get(place).copied().flatten();
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::circular;

    #[test]
    fn each_circle_is_cut_once_and_long_chains_are_walked_once() {
        assert_eq!(circular(&[Some(1), Some(2), Some(0), Some(1), None, Some(4), Some(6), Some(6)]), [2, 6]);
        assert_eq!(circular(&[Some(0)]), [0]);
        let chain: Vec<Option<usize>> = (0..1_000_000_usize).map(|place| place.checked_sub(1)).collect();
        assert!(circular(&chain).is_empty());
    }
}
