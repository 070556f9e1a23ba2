//! Reading a commit's objects level by level, five levels of folders and then the files, so that the caller can fetch
//! each level in one query.
//!
//! ```text
//! let mut walk = Walk::all(commit);
//! while let Some(wanted) = walk.wanted()? {
//!     for (oid, data) in fetch(wanted) {
//!         records.extend(walk.supply(oid, data)?);
//!     }
//! }
//! ```

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::Result;
use domain::content::object::{CommitHash, Object};
use domain::id::ObjectId;
use gix_object::tree::EntryRef;
use gix_object::{CommitRef, TreeRefIter};
use serde::Deserialize;

use crate::layout::{self, Shard};
use crate::object::{Oid, corrupt, to_oid};

/// Most Git objects per request, which bounds memory.
const BATCH: usize = 8_192;

/// An object's file in a commit.
#[derive(Clone, Debug)]
pub struct ObjectRecord {
    /// The object.
    pub id: ObjectId,
    /// Its blob.
    pub oid: Oid,
    /// The blob's JSON.
    pub json: Vec<u8>,
}

impl ObjectRecord {
    /// Decodes the object.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the bytes are not an object.
    pub fn object(&self) -> Result<Object> {
        self.parse()
    }

    /// Decodes a part of the object, which is cheaper than the whole.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the bytes are not a `T`.
    pub fn parse<'de, T: Deserialize<'de>>(&'de self) -> Result<T> {
        serde_json::from_slice(&self.json).map_err(|error| corrupt(self.oid, error))
    }
}

/// A walk over a commit.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Wanted objects; `None` for all.
    only: Option<Targets>,
    /// Git objects to request next.
    pending: Vec<(Oid, LayoutRole)>,
    /// Requested Git objects that are not supplied yet.
    asked: HashMap<Oid, LayoutRole>,
}

impl Walk {
    /// A walk over all objects of a commit.
    pub fn all(commit: CommitHash) -> Self {
        Self::new(commit, None)
    }

    /// A walk over some objects; absent ones are ignored.
    pub fn only(commit: CommitHash, objects: impl IntoIterator<Item = ObjectId>) -> Self {
        let objects: HashSet<ObjectId> = objects.into_iter().collect();
        let shards = objects.iter().map(|id| Shard::of(*id)).collect();
        Self::new(commit, Some(Targets { objects, shards }))
    }

    fn new(commit: CommitHash, only: Option<Targets>) -> Self {
        Self { only, pending: vec![(commit.into(), LayoutRole::Commit)], asked: HashMap::new() }
    }

    /// The Git objects to supply next; `None` at the end of the walk.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a requested one has not been supplied.
    pub fn wanted(&mut self) -> Result<Option<Vec<Oid>>> {
        if let Some(missing) = self.asked.keys().next() {
            return Err(corrupt(*missing, "it is missing"));
        }
        let rest = self.pending.len().saturating_sub(BATCH);
        let batch: Vec<(Oid, LayoutRole)> = self.pending.drain(rest..).collect();
        let wanted: Vec<Oid> = batch.iter().map(|(oid, _)| *oid).collect();
        self.asked.extend(batch);
        Ok((!wanted.is_empty()).then_some(wanted))
    }

    /// Takes a requested Git object, in any order; returns it if it is an object's record.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it is unreadable or was not requested.
    pub fn supply(&mut self, oid: Oid, data: Vec<u8>) -> Result<Option<ObjectRecord>> {
        let place = self.asked.remove(&oid).ok_or_else(|| corrupt(oid, "it was not asked for"))?;
        match place {
            LayoutRole::Commit => {
                let commit = CommitRef::from_bytes(&data, gix_hash::Kind::Sha1)
                    .map_err(|error| corrupt(oid, error))?;
                self.pending.push((to_oid(&commit.tree())?, LayoutRole::Root));
            }
            LayoutRole::Record(id) => return Ok(Some(ObjectRecord { id, oid, json: data })),
            LayoutRole::Root | LayoutRole::Objects | LayoutRole::Outer(_) | LayoutRole::Inner => {
                for entry in TreeRefIter::from_bytes(&data, gix_hash::Kind::Sha1) {
                    let entry = entry.map_err(|error| corrupt(oid, error))?;
                    if let Some(next) = self.below(place, &entry) {
                        self.pending.push((to_oid(entry.oid)?, next));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Removes the records from the next requests and returns them.
    fn pass_over_records(&mut self) -> Vec<(ObjectId, Oid)> {
        let mut records = Vec::new();
        self.pending.retain(|(oid, place)| match place {
            LayoutRole::Record(id) => {
                records.push((*id, *oid));
                false
            }
            _ => true,
        });
        records
    }

    /// The role of a folder's entry, if the walk continues there.
    fn below(&self, place: LayoutRole, entry: &EntryRef<'_>) -> Option<LayoutRole> {
        let folder = || layout::folder_of(entry.filename);
        let only = self.only.as_ref();
        match place {
            LayoutRole::Root => (entry.filename == layout::OBJECTS).then_some(LayoutRole::Objects),
            LayoutRole::Objects => {
                let outer = folder()?;
                only.is_none_or(|only| only.reach(outer)).then_some(LayoutRole::Outer(outer))
            }
            LayoutRole::Outer(outer) => {
                let shard = Shard { outer, inner: folder()? };
                only.is_none_or(|only| only.shards.contains(&shard)).then_some(LayoutRole::Inner)
            }
            LayoutRole::Inner => {
                let id = layout::object_of(entry.filename)?;
                only.is_none_or(|only| only.objects.contains(&id)).then_some(LayoutRole::Record(id))
            }
            LayoutRole::Commit | LayoutRole::Record(_) => None,
        }
    }
}

/// A walk that finds the blobs of objects without reading them.
#[derive(Clone, Debug)]
pub struct Files {
    walk: Walk,
    found: Vec<(ObjectId, Oid)>,
}

impl Files {
    /// A walk to the blobs of these objects; absent ones are ignored.
    pub fn of(commit: CommitHash, objects: impl IntoIterator<Item = ObjectId>) -> Self {
        Self { walk: Walk::only(commit, objects), found: Vec::new() }
    }

    /// The Git objects to supply next; `None` at the end of the walk.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a requested one has not been supplied.
    pub fn wanted(&mut self) -> Result<Option<Vec<Oid>>> {
        self.found.extend(self.walk.pass_over_records());
        self.walk.wanted()
    }

    /// Takes a requested Git object, in any order.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it is unreadable or was not requested.
    pub fn supply(&mut self, oid: Oid, data: Vec<u8>) -> Result<()> {
        self.walk.supply(oid, data).map(drop)
    }

    /// The objects with their blobs.
    pub fn found(self) -> Vec<(ObjectId, Oid)> {
        self.found
    }
}

/// The wanted objects of a walk with their shards.
#[derive(Clone, Debug)]
struct Targets {
    objects: HashSet<ObjectId>,
    shards: BTreeSet<Shard>,
}

impl Targets {
    /// True if an outer folder has one of them.
    fn reach(&self, outer: u8) -> bool {
        let all = Shard { outer, inner: u8::MIN }..=Shard { outer, inner: u8::MAX };
        self.shards.range(all).next().is_some()
    }
}

/// The role of a Git object in the layout.
#[derive(Clone, Copy, Debug)]
enum LayoutRole {
    Commit,
    Root,
    Objects,
    Outer(u8),
    Inner,
    Record(ObjectId),
}
