//! The Git objects of commits that a client lacks, found level by level, so that the caller can fetch each level in one
//! query.
//!
//! The client's folders are read only next to a different folder of the same path. The cost of a fetch therefore follows
//! the changes, not the project's size.
//!
//! ```text
//! let mut reach = Reach::new(&content);
//! while let Some(wanted) = reach.wanted()? {
//!     for (oid, data) in fetch(wanted) {
//!         reach.supply(oid, &data)?;
//!     }
//! }
//! let lacking = reach.found();
//! ```

use std::collections::{HashMap, HashSet};

use domain::Result;
use gix_object::tree::EntryKind;
use gix_object::{CommitRefIter, TreeRefIter};

use crate::filter::PackFilter;
use crate::object::{Oid, corrupt, to_oid};

/// Most Git objects per request, which bounds memory.
const BATCH: usize = 8_192;
/// The path of a root folder.
const ROOT: PathNumber = PathNumber(0);

/// The content of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackContent {
    /// Commits to send, or to begin with where the filter leaves commits out.
    pub commits: Vec<Oid>,
    /// Commits that the client names, where the filter leaves out others.
    pub named_commits: Vec<Oid>,
    /// Commits that the client has, to compare with.
    pub bases: Vec<Oid>,
    /// Trees that the client names. The filter applies only to their content.
    pub trees: Vec<Oid>,
    /// Blobs that the client names. No filter applies to them.
    pub blobs: Vec<Oid>,
    /// Limits of the other trees and blobs.
    pub filter: PackFilter,
}

/// A walk over the Git objects of a pack.
#[derive(Debug)]
pub struct Reach {
    filter: PackFilter,
    /// Levels between the commits, or the named trees, and the objects that are being found.
    level: u64,
    /// True if the client has commits to compare with; otherwise paths don't matter.
    compares: bool,
    /// Numbers of known paths, by the parent's number and the name.
    paths: HashMap<(PathNumber, Vec<u8>), PathNumber>,
    /// True while the first level, that of the commits, is unfinished.
    at_commits: bool,
    /// Git objects that the client is known to have.
    has: HashSet<Oid>,
    /// Git objects that the client lacks, in the order of discovery.
    lacks: HashSet<Oid>,
    found: Vec<Oid>,
    /// The current level: the client's folders first, so that `has` is complete for the others.
    asking: Vec<(Oid, PathNumber, Side)>,
    /// Requested Git objects that are not supplied yet.
    asked: HashMap<Oid, Vec<(PathNumber, Side)>>,
    /// The next level: folders that the client lacks, and the client's folders by path.
    next: Vec<(Oid, PathNumber)>,
    beside: HashMap<PathNumber, Vec<Oid>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PathNumber(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Client,
    Sent,
}

impl Reach {
    /// Starts a walk.
    pub fn new(content: &PackContent) -> Self {
        let PackContent { commits, named_commits, bases, trees, blobs, filter } = content;
        let mut reach = Self {
            filter: *filter,
            level: 0,
            compares: !bases.is_empty(),
            paths: HashMap::new(),
            at_commits: true,
            has: bases.iter().copied().collect(),
            lacks: HashSet::new(),
            found: Vec::new(),
            asking: Vec::new(),
            asked: HashMap::new(),
            next: Vec::new(),
            beside: HashMap::new(),
        };
        let named: HashSet<&Oid> = named_commits.iter().collect();
        for commit in commits {
            if reach.is_new(*commit, !filter.without_commits || named.contains(commit)) {
                reach.asking.push((*commit, ROOT, Side::Sent));
            }
        }
        reach.asking.extend(bases.iter().map(|base| (*base, ROOT, Side::Client)));
        for tree in trees {
            if reach.is_lacking(*tree) {
                reach.next.push((*tree, ROOT));
            }
        }
        for blob in blobs {
            reach.is_lacking(*blob);
        }
        reach
    }

    /// The commits or folders to supply next; `None` at the end of the walk.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a requested one has not been supplied.
    pub fn wanted(&mut self) -> Result<Option<Vec<Oid>>> {
        if let Some(missing) = self.asked.keys().next() {
            return Err(corrupt(*missing, "it is missing"));
        }
        if self.asking.is_empty() {
            self.descend();
        }
        // Not both sides together: the client's objects must be known first.
        let side = self.asking.last().map(|(_, _, side)| *side);
        let same =
            self.asking.iter().rev().take(BATCH).take_while(|(_, _, other)| Some(*other) == side).count();
        let rest = self.asking.len().saturating_sub(same);
        for (oid, path, side) in self.asking.drain(rest..) {
            self.asked.entry(oid).or_default().push((path, side));
        }
        let wanted: Vec<Oid> = self.asked.keys().copied().collect();
        Ok((!wanted.is_empty()).then_some(wanted))
    }

    /// Takes a requested commit or folder, in any order.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it is unreadable or was not requested.
    pub fn supply(&mut self, oid: Oid, data: &[u8]) -> Result<()> {
        let places = self.asked.remove(&oid).ok_or_else(|| corrupt(oid, "it was not asked for"))?;
        for (path, side) in places {
            if self.at_commits {
                let commit = CommitRefIter::from_bytes(data, gix_hash::Kind::Sha1).tree_id();
                self.meet(to_oid(&commit.map_err(|error| corrupt(oid, error))?)?, Some(ROOT), side);
                continue;
            }
            for entry in TreeRefIter::from_bytes(data, gix_hash::Kind::Sha1) {
                let entry = entry.map_err(|error| corrupt(oid, error))?;
                let is_folder = entry.mode.kind() == EntryKind::Tree;
                let path = is_folder.then(|| self.path(path, entry.filename));
                self.meet(to_oid(entry.oid)?, path, side);
            }
        }
        Ok(())
    }

    /// The missing Git objects: commits and named objects, then folders before their content.
    pub fn found(self) -> Vec<Oid> {
        self.found
    }

    /// Visits a folder, which has a path, or a file.
    fn meet(&mut self, oid: Oid, folder: Option<PathNumber>, side: Side) {
        match (side, folder) {
            (Side::Client, folder) => {
                self.has.insert(oid);
                if let Some(path) = folder {
                    self.beside.entry(path).or_default().push(oid);
                }
            }
            (Side::Sent, folder) => {
                let is_shown = folder.is_none() || !self.filter.without_trees;
                if let (true, Some(path)) = (self.is_sent(folder) && self.is_new(oid, is_shown), folder) {
                    self.next.push((oid, path));
                }
            }
        }
    }

    /// True if the filter lets a folder or a file of the current level through. The size of files is not known here.
    fn is_sent(&self, folder: Option<PathNumber>) -> bool {
        let is_shallow_enough = self.filter.levels.is_none_or(|levels| self.level < levels);
        is_shallow_enough && (folder.is_some() || self.filter.blob_limit_bytes != Some(0))
    }

    /// Records a missing object, which is sent; false if it is recorded already or the client has it.
    fn is_lacking(&mut self, oid: Oid) -> bool {
        self.is_new(oid, true)
    }

    /// As [`Self::is_lacking`] for an object that the filter may leave out, though not what is below it.
    fn is_new(&mut self, oid: Oid, is_shown: bool) -> bool {
        let is_new = !self.has.contains(&oid) && self.lacks.insert(oid);
        if is_new && is_shown {
            self.found.push(oid);
        }
        is_new
    }

    /// Descends one level, to missing folders and the client's folders of the same paths.
    fn descend(&mut self) {
        self.at_commits = false;
        self.level = self.level.saturating_add(1);
        let next = std::mem::take(&mut self.next);
        let mut beside = std::mem::take(&mut self.beside);
        let mut of_client = Vec::new();
        if self.compares {
            for (_, path) in &next {
                let folders = beside.remove(path).unwrap_or_default();
                let new: HashSet<Oid> = folders.into_iter().collect();
                of_client.extend(new.into_iter().map(|oid| (oid, *path, Side::Client)));
            }
        }
        self.asking = next.into_iter().map(|(oid, path)| (oid, path, Side::Sent)).collect();
        self.asking.extend(of_client);
    }

    fn path(&mut self, folder: PathNumber, name: &[u8]) -> PathNumber {
        if !self.compares {
            return ROOT;
        }
        let next =
            PathNumber(u32::try_from(self.paths.len()).map_or(u32::MAX, |count| count.saturating_add(1)));
        *self.paths.entry((folder, name.to_owned())).or_insert(next)
    }
}
