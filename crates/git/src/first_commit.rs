//! The first commit of a repository, encoded in one call.

use domain::Result;
use domain::content::object::{CommitHash, Object, Signature};
use domain::id::ProjectId;

use crate::object::NewGitObject;
use crate::writer::{CommitWriter, WrittenCommit};

/// The first commit of a repository.
#[derive(Clone, Debug)]
pub struct FirstCommit<'a> {
    /// The project.
    pub project: ProjectId,
    /// Its objects in any order, without repeated ids.
    pub objects: &'a [Object],
    /// Author and committer.
    pub author: &'a Signature,
    /// Message.
    pub message: &'a str,
}

/// Encodes the commit; returns its hash and all its Git objects.
///
/// # Errors
/// `INTERNAL_ERROR` if an object can't be encoded.
pub fn first_commit(commit: &FirstCommit<'_>) -> Result<(CommitHash, Vec<NewGitObject>)> {
    let mut writer = CommitWriter::new(commit.project, &[])?;
    for object in commit.objects {
        writer.put(object)?;
    }
    let WrittenCommit { hash, objects, .. } = writer.finish(commit.author, commit.message)?;
    Ok((hash, objects))
}
