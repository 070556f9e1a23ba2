//! Answers that are asked for again and again: whole trees and boards, as JSON.

use std::sync::Arc;
use std::time::Duration;

use api::planning::boards::GetBoardResponse;
use domain::Result;
use domain::content::object::Tree;
use domain::planning::board::changes::BoardChanges;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use store::planning::boards::OtherTeams;
use store::planning::boards::sight::BoardSight;
use wire::{ETag, KeptJson};

/// Memory for trees, in bytes: about three of 100,000 objects.
const TREES_BYTES: u64 = 64 * 1024 * 1024;
/// Memory for boards, in bytes: some thirty revisions of one with 2,000 cards.
const BOARDS_BYTES: u64 = 32 * 1024 * 1024;
/// Memory for the tags of boards, in bytes.
const TAGS_BYTES: u64 = 8 * 1024 * 1024;
/// Memory for changes of boards, in bytes.
const CHANGES_BYTES: u64 = 8 * 1024 * 1024;
/// Memory for a team's id in a set, in bytes.
const TEAM_BYTES: usize = 32;
/// Memory for a changed card or column, in bytes.
const CHANGE_BYTES: usize = 1024;
/// Time after which an unused answer is dropped.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// The kept answers of a process. Cheap to clone.
#[derive(Clone)]
pub struct KeptAnswers {
    /// Whole trees, by `store::content::tree::etag`.
    pub trees: Cache<String, KeptJson<Arc<Tree>>>,
    /// Boards.
    pub boards: KeptBoards,
}

/// Boards as they were answered, in their last revisions. Cheap to clone.
#[derive(Clone)]
pub struct KeptBoards {
    /// The boards that readers have now, by [`BoardSight::answer`].
    current: Cache<String, CurrentBoard>,
    /// Answers by their readers' reach and their tags.
    answers: Cache<String, KeptJson<GetBoardResponse>>,
    /// Changes by their readers' reach and both tags: all who follow a board ask for the same ones.
    changes: Cache<String, Arc<BoardChanges>>,
}

/// A board, as it was answered to somebody.
#[derive(Clone)]
pub struct KeptBoard {
    /// The answer.
    pub json: KeptJson<GetBoardResponse>,
    /// Its strong tag, which is the hash of the answer.
    pub tag: ETag,
    /// The other teams whose boards the answer depends on beside the sight.
    pub others: OtherTeams,
}

/// The tag of a kept answer.
#[derive(Clone)]
struct CurrentBoard {
    tag: ETag,
    others: OtherTeams,
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
        Self { trees: trees.build(), boards: KeptBoards::new() }
    }
}

impl KeptBoards {
    fn new() -> Self {
        let current = Cache::builder()
            .max_capacity(TAGS_BYTES)
            .weigher(|sight: &String, board: &CurrentBoard| {
                let OtherTeams { all, seen } = &board.others;
                weight(sight, (all.len() + seen.len()) * TEAM_BYTES)
            })
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        let answers = Cache::builder()
            .max_capacity(BOARDS_BYTES)
            .weigher(|key: &String, json: &KeptJson<GetBoardResponse>| {
                json.weight().saturating_add(weight(key, 0))
            })
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        let changes = Cache::builder()
            .max_capacity(CHANGES_BYTES)
            .weigher(|key: &String, changes: &Arc<BoardChanges>| {
                let parts = changes.cards.len() + changes.columns.len();
                weight(key, parts * CHANGE_BYTES)
            })
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        Self { current: current.build(), answers: answers.build(), changes: changes.build() }
    }

    /// The answer to a reader with this sight. It holds if the reader sees the same of other teams' boards.
    pub fn current(&self, sight: &BoardSight) -> Option<KeptBoard> {
        let CurrentBoard { tag, others } = self.current.get(&sight.answer)?;
        let json = self.of_tag(sight, &tag)?;
        Some(KeptBoard { json, tag, others })
    }

    /// The answer with this tag, if it was given to a reader with the same reach: it names no card that a reader with this
    /// sight may not see.
    pub fn of_tag(&self, sight: &BoardSight, tag: &ETag) -> Option<KeptJson<GetBoardResponse>> {
        self.answers.get(&key(sight, tag))
    }

    /// The changes between the answers with these tags, as they were made before, or as `make` makes them.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn changes(
        &self,
        sight: &BoardSight,
        (since, now): (Option<&ETag>, &ETag),
        make: impl FnOnce() -> Result<BoardChanges>,
    ) -> Result<Arc<BoardChanges>> {
        let key = format!("{} {}", since.map(ETag::as_str).unwrap_or_default(), key(sight, now));
        if let Some(kept) = self.changes.get(&key) {
            return Ok(kept);
        }
        let made = Arc::new(make()?);
        self.changes.insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// Keeps an answer. If it is not `current`, it is only what a reader may ask the changes since.
    pub fn insert(&self, sight: BoardSight, board: &KeptBoard, is_current: bool) {
        self.answers.insert(key(&sight, &board.tag), board.json.clone());
        if is_current {
            let KeptBoard { tag, others, .. } = board.clone();
            self.current.insert(sight.answer, CurrentBoard { tag, others });
        }
    }
}

fn key(sight: &BoardSight, tag: &ETag) -> String {
    format!("{} {}", tag.as_str(), sight.reach)
}

fn weight(key: &str, bytes: usize) -> u32 {
    u32::try_from(key.len().saturating_add(bytes)).unwrap_or(u32::MAX)
}
