//! The levels of issues: an issue without a parent is on the first.

use std::collections::HashMap;

use domain::planning::relation::CARD_MAX_LEVELS;

use crate::deviation::{Deviation, DeviationReason, Place};
use crate::export::SourceIssue;

/// The level of each issue, from 0. One whose parent isn't in the file, or that would be below the last level, is on the first,
/// and told. No issue is above itself: circles were cut when the export was read.
pub(super) fn of(issues: &[SourceIssue], deviations: &mut Vec<Deviation>) -> Vec<usize> {
    let places: HashMap<&str, usize> =
        issues.iter().enumerate().map(|(place, issue)| (issue.key.as_str(), place)).collect();
    let parent = |place: usize| places.get(issues.get(place)?.parent.as_deref()?).copied();
    let mut levels: Vec<Option<usize>> = vec![None; issues.len()];
    for place in 0..issues.len() {
        // The way up, to an issue whose level is known, or one without a parent.
        let (mut way, mut known) = (vec![place], None);
        while let Some(above) = way.last().and_then(|below| parent(*below)) {
            known = levels.get(above).copied().flatten();
            if known.is_some() {
                break;
            }
            way.push(above);
        }
        let mut next = known.map_or(0, |level| level.saturating_add(1));
        for issue in way.into_iter().rev() {
            if next >= CARD_MAX_LEVELS {
                next = 0;
            }
            let Some(level) = levels.get_mut(issue).filter(|level| level.is_none()) else { continue };
            *level = Some(next);
            next = next.saturating_add(1);
        }
    }
    let levels: Vec<usize> = levels.into_iter().map(Option::unwrap_or_default).collect();
    for (issue, level) in issues.iter().zip(&levels) {
        if let Some(lost) = issue.parent.as_ref().filter(|_| *level == 0) {
            let reason = match places.contains_key(lost.as_str()) {
                true => DeviationReason::ParentRemoved,
                false => DeviationReason::Elsewhere,
            };
            let place = Place { line: None, issue: Some(issue.key.clone()) };
            deviations.push(place.deviation("Parent", lost, reason));
        }
    }
    levels
}
