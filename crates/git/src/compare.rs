//! Comparison of several commits. It descends only into folders that differ, so that its cost follows the differences
//! and not the commits' size.
//!
//! It proceeds level by level, so that the caller can fetch each level in one query.
//!
//! ```text
//! let mut comparison = Comparison::new([Some(base), Some(head)]);
//! while let Some(wanted) = comparison.wanted(most) {
//!     differing.extend(comparison.supply(&fetch(wanted))?);
//! }
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::content::object::CommitHash;
use domain::id::ObjectId;
use domain::{Error, Result};
use gix_object::tree::EntryRef;
use gix_object::{CommitRef, TreeRefIter};

use crate::layout::{self, Shard};
use crate::object::{Oid, corrupt, to_oid};
use crate::walk::ObjectRecord;

/// An object that differs between the commits.
#[derive(Clone, Debug)]
pub struct Difference<const N: usize> {
    /// The object.
    pub id: ObjectId,
    /// Its file in each commit, if any.
    pub records: [Option<ObjectRecord>; N],
}

/// A comparison of `N` commits. Differences are ordered by folder and id, so that they can be read page by page.
#[derive(Clone, Debug)]
pub struct Comparison<const N: usize> {
    /// The last object of the previous page.
    after: Option<(Shard, ObjectId)>,
    /// Groups to request, the next one last.
    pending: Vec<OidGroup<N>>,
    /// Requested groups, the next one last.
    asked: Vec<OidGroup<N>>,
}

/// The different Git objects of the commits at one path.
#[derive(Clone, Debug)]
struct OidGroup<const N: usize> {
    place: LayoutPath,
    oids: [Option<Oid>; N],
}

/// The role of a Git object in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LayoutPath {
    Commit,
    Root,
    Objects,
    Outer(u8),
    Inner(Shard),
    Record(ObjectId),
}

impl<const N: usize> Comparison<N> {
    /// Compares these commits; `None` is an empty commit.
    pub fn new(commits: [Option<CommitHash>; N]) -> Self {
        let first = OidGroup { place: LayoutPath::Commit, oids: commits.map(|commit| commit.map(Oid::from)) };
        Self {
            after: None,
            pending: first.differs().then_some(first).into_iter().collect(),
            asked: Vec::new(),
        }
    }

    /// Continues a comparison after this object.
    #[must_use]
    pub fn after(self, last: ObjectId) -> Self {
        Self { after: Some((Shard::of(last), last)), ..self }
    }

    /// The Git objects to supply next, of at most `most` paths; `None` at the end.
    pub fn wanted(&mut self, most: usize) -> Option<Vec<Oid>> {
        let depth = self.pending.last()?.place.depth();
        // Depth first, to keep the order.
        let same = self.pending.iter().rev().take(most.max(1));
        let same = same.take_while(|group| group.place.depth() == depth).count();
        self.asked = self.pending.split_off(self.pending.len().saturating_sub(same));
        let wanted: BTreeSet<Oid> = self.asked.iter().flat_map(|group| group.oids).flatten().collect();
        Some(wanted.into_iter().collect())
    }

    /// Takes the requested Git objects; returns the objects that differ.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if one of them is missing or unreadable.
    pub fn supply(&mut self, found: &HashMap<Oid, Vec<u8>>) -> Result<Vec<Difference<N>>> {
        let read = |oid: Oid| found.get(&oid).ok_or_else(|| corrupt(oid, "it is missing"));
        let mut differing = Vec::new();
        let mut below = Vec::new();
        for group in std::mem::take(&mut self.asked).into_iter().rev() {
            if let LayoutPath::Record(id) = group.place {
                let mut records = [const { None }; N];
                for (record, oid) in records.iter_mut().zip(group.oids) {
                    *record = oid
                        .map(|oid| Ok::<_, Error>(ObjectRecord { id, oid, json: read(oid)?.clone() }))
                        .transpose()?;
                }
                differing.push(Difference { id, records });
                continue;
            }
            let mut entries: BTreeMap<LayoutPath, [Option<Oid>; N]> = BTreeMap::new();
            for (side, oid) in group.oids.into_iter().enumerate() {
                let Some(oid) = oid else { continue };
                for (place, entry) in group.place.entries(oid, read(oid)?)? {
                    let slot = entries.entry(place).or_insert([None; N]);
                    slot.iter_mut().skip(side).take(1).for_each(|slot| *slot = Some(entry));
                }
            }
            let groups = entries.into_iter().map(|(place, oids)| OidGroup { place, oids });
            below.extend(groups.filter(|group| group.differs() && self.is_ahead(group.place)));
        }
        self.pending.extend(below.into_iter().rev());
        Ok(differing)
    }

    /// True if the path may have objects after the last page.
    fn is_ahead(&self, place: LayoutPath) -> bool {
        let Some((shard, last)) = self.after else { return true };
        match place {
            LayoutPath::Commit | LayoutPath::Root | LayoutPath::Objects => true,
            LayoutPath::Outer(outer) => outer >= shard.outer,
            LayoutPath::Inner(inner) => inner >= shard,
            LayoutPath::Record(id) => (Shard::of(id), id) > (shard, last),
        }
    }
}

impl<const N: usize> OidGroup<N> {
    fn differs(&self) -> bool {
        let mut oids = self.oids.iter();
        oids.next().is_some_and(|first| oids.any(|oid| oid != first))
    }
}

impl LayoutPath {
    /// The depth below the commit.
    fn depth(self) -> u8 {
        match self {
            Self::Commit => 0,
            Self::Root => 1,
            Self::Objects => 2,
            Self::Outer(_) => 3,
            Self::Inner(_) => 4,
            Self::Record(_) => 5,
        }
    }

    /// The children of the Git object that lead to objects.
    fn entries(self, oid: Oid, data: &[u8]) -> Result<Vec<(Self, Oid)>> {
        if self == Self::Commit {
            let commit =
                CommitRef::from_bytes(data, gix_hash::Kind::Sha1).map_err(|error| corrupt(oid, error))?;
            return Ok(vec![(Self::Root, to_oid(&commit.tree())?)]);
        }
        let mut entries = Vec::new();
        for entry in TreeRefIter::from_bytes(data, gix_hash::Kind::Sha1) {
            let entry = entry.map_err(|error| corrupt(oid, error))?;
            if let Some(place) = self.below(&entry) {
                entries.push((place, to_oid(entry.oid)?));
            }
        }
        Ok(entries)
    }

    fn below(self, entry: &EntryRef<'_>) -> Option<Self> {
        match self {
            Self::Root => (entry.filename == layout::OBJECTS).then_some(Self::Objects),
            Self::Objects => Some(Self::Outer(layout::folder_of(entry.filename)?)),
            Self::Outer(outer) => {
                Some(Self::Inner(Shard { outer, inner: layout::folder_of(entry.filename)? }))
            }
            // By id: a renamed object has another file name.
            Self::Inner(_) => Some(Self::Record(layout::object_of(entry.filename)?)),
            Self::Commit | Self::Record(_) => None,
        }
    }
}
