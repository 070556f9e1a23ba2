//! Git objects: their ids, their kinds, and the bytes that Git hashes.

use std::fmt;

use domain::object::CommitHash;
use domain::{Error, Result};
use gix_object::WriteTo;

/// The id that Git gives an object: the SHA-1 of its header and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(pub [u8; 20]);

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        CommitHash(self.0).fmt(f)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<CommitHash> for Oid {
    fn from(hash: CommitHash) -> Self {
        Self(hash.0)
    }
}

/// What a Git object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file's bytes.
    Blob,
    /// A folder.
    Tree,
    /// A commit.
    Commit,
}

impl Kind {
    /// Git's own word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Tree => "tree",
            Self::Commit => "commit",
        }
    }

    /// The kind of this word; `None` where it is none of these.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Blob, Self::Tree, Self::Commit].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// An object that is to be stored. Content decides the id, so storing it twice is harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewObject {
    /// Its id.
    pub oid: Oid,
    /// What it is.
    pub kind: Kind,
    /// The bytes that Git hashes, without the header.
    pub data: Vec<u8>,
}

impl NewObject {
    /// A blob of these bytes.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where the bytes are an attack on SHA-1.
    pub fn blob(data: Vec<u8>) -> Result<Self> {
        Self::of(Kind::Blob, data)
    }

    /// The object that one of Git's structures encodes to.
    pub(crate) fn encode(kind: Kind, value: &impl WriteTo) -> Result<Self> {
        let mut data = Vec::new();
        value.write_to(&mut data).map_err(Error::internal)?;
        Self::of(kind, data)
    }

    fn of(kind: Kind, data: Vec<u8>) -> Result<Self> {
        let git_kind = match kind {
            Kind::Blob => gix_object::Kind::Blob,
            Kind::Tree => gix_object::Kind::Tree,
            Kind::Commit => gix_object::Kind::Commit,
        };
        let id = gix_object::compute_hash(gix_hash::Kind::Sha1, git_kind, &data).map_err(Error::internal)?;
        let oid = to_oid(&id)?;
        Ok(Self { oid, kind, data })
    }
}

/// Our id for Git's.
pub(crate) fn to_oid(id: &gix_hash::oid) -> Result<Oid> {
    let bytes = id.as_bytes().try_into();
    bytes.map(Oid).map_err(Error::internal)
}

/// The failure of reading an object that Git or this crate would never have written.
pub(crate) fn corrupt(oid: Oid, reason: impl fmt::Display) -> Error {
    Error::internal(format!("Git object {oid} can't be read: {reason}"))
}
