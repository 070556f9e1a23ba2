//! Git objects: ids, kinds and the bytes that Git hashes.

use std::fmt;

use domain::content::object::CommitHash;
use domain::{Error, Result};
use gix_object::WriteTo;

/// The id of a Git object: the SHA-1 of its header and bytes.
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

/// The kind of a Git object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitObjectKind {
    /// A file's bytes.
    Blob,
    /// A folder.
    Tree,
    /// A commit.
    Commit,
}

impl GitObjectKind {
    /// Git's name for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Tree => "tree",
            Self::Commit => "commit",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Blob, Self::Tree, Self::Commit].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A Git object to store. Its id follows from its content, so storing it twice is harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGitObject {
    /// Id.
    pub oid: Oid,
    /// Kind.
    pub kind: GitObjectKind,
    /// The bytes that Git hashes, without the header.
    pub data: Vec<u8>,
}

impl NewGitObject {
    /// A blob of these bytes.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the bytes are an attack on SHA-1.
    pub fn blob(data: Vec<u8>) -> Result<Self> {
        Self::of(GitObjectKind::Blob, data)
    }

    /// Encodes one of Git's structures.
    pub(crate) fn encode(kind: GitObjectKind, value: &impl WriteTo) -> Result<Self> {
        let mut data = Vec::new();
        value.write_to(&mut data).map_err(Error::internal)?;
        Self::of(kind, data)
    }

    fn of(kind: GitObjectKind, data: Vec<u8>) -> Result<Self> {
        let git_kind = match kind {
            GitObjectKind::Blob => gix_object::Kind::Blob,
            GitObjectKind::Tree => gix_object::Kind::Tree,
            GitObjectKind::Commit => gix_object::Kind::Commit,
        };
        let id = gix_object::compute_hash(gix_hash::Kind::Sha1, git_kind, &data).map_err(Error::internal)?;
        let oid = to_oid(&id)?;
        Ok(Self { oid, kind, data })
    }
}

/// Converts an id of gix.
pub(crate) fn to_oid(id: &gix_hash::oid) -> Result<Oid> {
    let bytes = id.as_bytes().try_into();
    bytes.map(Oid).map_err(Error::internal)
}

/// The failure of reading a Git object in an unknown form.
pub(crate) fn corrupt(oid: Oid, reason: impl fmt::Display) -> Error {
    Error::internal(format!("Git object {oid} can't be read: {reason}"))
}
