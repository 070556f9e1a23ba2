//! Finding one object's blob in many commits at once, level by level. Folders that commits share are read once.

use std::collections::{BTreeSet, HashMap};

use domain::Result;
use domain::content::object::CommitHash;
use domain::id::ObjectId;
use gix_object::{CommitRef, TreeRefIter};

use crate::layout::{self, Shard};
use crate::object::{Oid, corrupt, to_oid};

/// A search for the blobs of one object in several commits.
#[derive(Clone, Debug)]
pub struct Trace {
    object: ObjectId,
    level: Level,
    /// For each commit, the Git object that the search has reached; `None` if the object is not in the commit.
    reached: Vec<Option<Oid>>,
    /// True once the Git objects of this level have been requested.
    is_asked: bool,
    /// The Git objects below those of this level.
    below: HashMap<Oid, Option<Oid>>,
}

/// The Git objects that a search has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Commit,
    Root,
    Objects,
    Outer,
    Inner,
    Blob,
}

impl Trace {
    /// A search for an object in these commits.
    pub fn new(object: ObjectId, commits: impl IntoIterator<Item = CommitHash>) -> Self {
        let reached = commits.into_iter().map(|commit| Some(commit.into())).collect();
        Self { object, level: Level::Commit, reached, is_asked: false, below: HashMap::new() }
    }

    /// The Git objects to supply next; `None` at the end of the search.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a requested one has not been supplied.
    pub fn wanted(&mut self) -> Result<Option<Vec<Oid>>> {
        if self.is_asked {
            let below = std::mem::take(&mut self.below);
            for reached in &mut self.reached {
                if let Some(at) = reached {
                    *reached = *below.get(at).ok_or_else(|| corrupt(*at, "it is missing"))?;
                }
            }
            self.level = self.level.next();
        }
        let distinct: BTreeSet<Oid> = self.reached.iter().flatten().copied().collect();
        self.is_asked = true;
        let is_over = self.level == Level::Blob || distinct.is_empty();
        Ok((!is_over).then(|| distinct.into_iter().collect()))
    }

    /// Takes a requested Git object, in any order.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it is unreadable.
    pub fn supply(&mut self, oid: Oid, data: &[u8]) -> Result<()> {
        let next = match self.level {
            Level::Commit => {
                let commit =
                    CommitRef::from_bytes(data, gix_hash::Kind::Sha1).map_err(|error| corrupt(oid, error))?;
                Some(to_oid(&commit.tree())?)
            }
            _ => {
                let mut next = None;
                for entry in TreeRefIter::from_bytes(data, gix_hash::Kind::Sha1) {
                    let entry = entry.map_err(|error| corrupt(oid, error))?;
                    if self.leads_on(entry.filename) {
                        next = Some(to_oid(entry.oid)?);
                        break;
                    }
                }
                next
            }
        };
        self.below.insert(oid, next);
        Ok(())
    }

    /// True for the entry of a folder in which the object is, or its own.
    fn leads_on(&self, name: &[u8]) -> bool {
        let Shard { outer, inner } = Shard::of(self.object);
        match self.level {
            Level::Root => name == layout::OBJECTS.as_bytes(),
            Level::Objects => layout::folder_of(name) == Some(outer),
            Level::Outer => layout::folder_of(name) == Some(inner),
            Level::Inner => layout::object_of(name) == Some(self.object),
            Level::Commit | Level::Blob => false,
        }
    }

    /// The object's blob in each commit, in their order.
    pub fn found(self) -> Vec<Option<Oid>> {
        self.reached
    }
}

impl Level {
    fn next(self) -> Self {
        match self {
            Self::Commit => Self::Root,
            Self::Root => Self::Objects,
            Self::Objects => Self::Outer,
            Self::Outer => Self::Inner,
            Self::Inner | Self::Blob => Self::Blob,
        }
    }
}
