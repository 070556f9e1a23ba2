//! Everything that commits hold and a client lacks, level by level, so that whoever has the Git objects can fetch each
//! level in one query.
//!
//! What the client has is looked at only where it differs: of a folder of its commits, those beside a folder of the
//! same path that it lacks. So a fetch costs what has changed, and never the project.
//!
//! ```text
//! let mut reach = Reach::new(&selection.commits, &selection.bases);
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

use crate::object::{Oid, corrupt, to_oid};

/// Most Git objects that are asked for at once, which bounds the memory that a batch takes.
const BATCH: usize = 8_192;
/// The path of a root folder.
const ROOT: Path = Path(0);

/// A walk over what commits hold, in progress.
#[derive(Debug)]
pub struct Reach {
    /// Whether the client has anything to compare with; where not, paths don't matter.
    compares: bool,
    /// Numbers of the paths seen so far, by the folder's and the name in it.
    paths: HashMap<(Path, Vec<u8>), Path>,
    /// Whether the first level, that of the commits, is still to be asked for, or being asked for.
    at_commits: bool,
    /// What the client is known to have.
    has: HashSet<Oid>,
    /// What has been found that it lacks, and in which order.
    lacks: HashSet<Oid>,
    found: Vec<Oid>,
    /// The level that is being asked for: the client's folders first, so that `has` is complete for what follows.
    asking: Vec<(Oid, Path, Side)>,
    /// What has been asked for and not been supplied.
    asked: HashMap<Oid, Vec<(Path, Side)>>,
    /// The next level: folders that the client lacks, and its own by path.
    next: Vec<(Oid, Path)>,
    beside: HashMap<Path, Vec<Oid>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Path(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Client,
    Sent,
}

impl Reach {
    /// A walk over commits that are to be sent, to a client that has those in `bases`.
    pub fn new(commits: &[Oid], bases: &[Oid]) -> Self {
        let mut reach = Self {
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
        for commit in commits {
            if reach.is_lacking(*commit) {
                reach.asking.push((*commit, ROOT, Side::Sent));
            }
        }
        reach.asking.extend(bases.iter().map(|base| (*base, ROOT, Side::Client)));
        reach
    }

    /// The commits or folders to supply next; `None` at the end of the walk.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where one that was asked for before has not been supplied.
    pub fn wanted(&mut self) -> Result<Option<Vec<Oid>>> {
        if let Some(missing) = self.asked.keys().next() {
            return Err(corrupt(*missing, "it is missing"));
        }
        if self.asking.is_empty() {
            self.at_commits = false;
            self.descend();
        }
        // The two sides are not asked for together: what the client has is to be known first.
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

    /// Takes a commit or folder that was asked for, in any order.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where it can't be read, or was not asked for.
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

    /// What the client lacks: commits, then folders before what lies in them.
    pub fn found(self) -> Vec<Oid> {
        self.found
    }

    /// Comes to a folder, which has a path, or to a file.
    fn meet(&mut self, oid: Oid, folder: Option<Path>, side: Side) {
        match (side, folder) {
            (Side::Client, folder) => {
                self.has.insert(oid);
                if let Some(path) = folder {
                    self.beside.entry(path).or_default().push(oid);
                }
            }
            (Side::Sent, folder) => {
                if let (true, Some(path)) = (self.is_lacking(oid), folder) {
                    self.next.push((oid, path));
                }
            }
        }
    }

    /// Notes an object that is to be sent; false where it has been noted before, or the client has it.
    fn is_lacking(&mut self, oid: Oid) -> bool {
        let lacking = !self.has.contains(&oid) && self.lacks.insert(oid);
        if lacking {
            self.found.push(oid);
        }
        lacking
    }

    /// Goes one level down: to the folders that the client lacks, and to its own of the same paths.
    fn descend(&mut self) {
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

    fn path(&mut self, folder: Path, name: &[u8]) -> Path {
        if !self.compares {
            return ROOT;
        }
        let next = Path(u32::try_from(self.paths.len()).map_or(u32::MAX, |count| count.saturating_add(1)));
        *self.paths.entry((folder, name.to_owned())).or_insert(next)
    }
}
