//! The levels of exported cards: a card without a parent is on the first.

use std::collections::{HashMap, VecDeque};

use domain::id::CardId;
use domain::planning::project_export::ExportedCard;
use domain::planning::relation::CARD_MAX_LEVELS;

use crate::deviation::{Deviation, DeviationReason, Place};

/// The level of each card, from 0. One whose parent isn't in the file, that is above itself, or that would be below the
/// last level, is on the first, and told.
pub(super) fn levels(cards: &[(u64, Box<ExportedCard>)], deviations: &mut Vec<Deviation>) -> Vec<usize> {
    let places: HashMap<CardId, usize> =
        cards.iter().enumerate().map(|(place, (_, card))| (card.card.id, place)).collect();
    let mut children: HashMap<CardId, Vec<usize>> = HashMap::new();
    let mut levels: Vec<Option<usize>> = vec![None; cards.len()];
    let mut next = VecDeque::new();
    for (place, (line, card)) in cards.iter().enumerate() {
        match card.card.fields.parent_id {
            Some(parent) if places.contains_key(&parent) => children.entry(parent).or_default().push(place),
            parent => {
                if parent.is_some() {
                    tell(*line, card, DeviationReason::Elsewhere, deviations);
                }
                next.push_back((place, 0));
            }
        }
    }
    while let Some((place, level)) = next.pop_front() {
        let (Some(known), Some((line, card))) = (levels.get_mut(place), cards.get(place)) else { continue };
        let level = match level {
            CARD_MAX_LEVELS.. => {
                tell(*line, card, DeviationReason::ParentRemoved, deviations);
                0
            }
            level => level,
        };
        *known = Some(level);
        let below = children.remove(&card.card.id).unwrap_or_default();
        next.extend(below.into_iter().map(|child| (child, level.saturating_add(1))));
    }
    // Those that no card without a parent is above stand in circles.
    for (level, (line, card)) in levels.iter().zip(cards) {
        if level.is_none() {
            tell(*line, card, DeviationReason::Circular, deviations);
        }
    }
    levels.into_iter().map(Option::unwrap_or_default).collect()
}

fn tell(line: u64, card: &ExportedCard, reason: DeviationReason, deviations: &mut Vec<Deviation>) {
    let place = Place { line: Some(line), issue: Some(super::key(card)) };
    let parent = card.card.fields.parent_id.map_or_else(String::new, |parent| parent.to_string());
    deviations.push(place.deviation("parent_id", &parent, reason));
}
