//! Answers that are asked for again and again: whole trees and boards, as JSON.

use std::sync::Arc;
use std::time::Duration;

use api::planning::boards::GetBoardResponse;
use domain::content::object::Tree;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use store::planning::boards::OtherTeams;
use wire::{ETag, KeptJson};

/// Memory for trees, in bytes: about three of 100,000 objects.
const TREES_BYTES: u64 = 64 * 1024 * 1024;
/// Memory for boards, in bytes: some thirty of 2,000 cards.
const BOARDS_BYTES: u64 = 32 * 1024 * 1024;
/// Time after which an unused answer is dropped.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// The kept answers of a process. Cheap to clone.
#[derive(Clone)]
pub struct KeptAnswers {
    /// Whole trees, by `store::content::tree::etag`.
    pub trees: Cache<String, KeptJson<Arc<Tree>>>,
    /// Boards, by `store::planning::boards::revision::sight`.
    pub boards: Cache<String, KeptBoard>,
}

/// A board, as it was answered to somebody.
#[derive(Clone)]
pub struct KeptBoard {
    /// The answer.
    pub json: KeptJson<GetBoardResponse>,
    /// Its strong tag.
    pub tag: ETag,
    /// The other teams whose boards the answer depends on beside the sight.
    pub others: OtherTeams,
}

impl KeptAnswers {
    /// Without answers.
    pub fn new() -> Self {
        // Least recently used: an old revision is not asked for again, even if it was often.
        let trees = Cache::builder()
            .max_capacity(TREES_BYTES)
            .weigher(|_, json: &KeptJson<Arc<Tree>>| json.weight())
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        let boards = Cache::builder()
            .max_capacity(BOARDS_BYTES)
            .weigher(|sight: &String, kept: &KeptBoard| {
                kept.json.weight().saturating_add(u32::try_from(sight.len()).unwrap_or(u32::MAX))
            })
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        Self { trees: trees.build(), boards: boards.build() }
    }
}
