//! Commit objects: encoding and decoding.

use domain::Result;
use domain::content::object::{CommitHash, Signature};
use domain::time::Timestamp;
use gix_object::CommitRef;
use gix_object::bstr::BString;

use crate::object::{GitObjectKind, NewGitObject, Oid, corrupt, to_oid};

/// A decoded commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The commit.
    pub hash: CommitHash,
    /// Its root folder.
    pub tree: Oid,
    /// Parents: none for the first commit, two for a merge, whose first parent is the branch's previous commit.
    pub parents: Vec<CommitHash>,
    /// Author and committer.
    pub author: Signature,
    /// Message, without the final newline.
    pub message: String,
}

impl Commit {
    /// Decodes a commit from the bytes that Git hashes.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if they are not a commit.
    pub fn parse(hash: CommitHash, data: &[u8]) -> Result<Self> {
        let oid = Oid::from(hash);
        let unreadable = |error: String| corrupt(oid, error);
        let commit = CommitRef::from_bytes(data, gix_hash::Kind::Sha1)
            .map_err(|error| unreadable(error.to_string()))?;
        let author = commit.author().map_err(|error| unreadable(error.to_string()))?;
        let time = author.time().map_err(|error| unreadable(error.to_string()))?;
        let parents: Result<Vec<CommitHash>> =
            commit.parents().map(|parent| Ok(CommitHash(to_oid(&parent)?.0))).collect();
        Ok(Self {
            hash,
            tree: to_oid(&commit.tree())?,
            parents: parents?,
            author: Signature {
                name: author.name.to_string(),
                email: author.email.to_string(),
                time: Timestamp::from_unix_seconds(time.seconds)
                    .ok_or_else(|| unreadable("its time is out of range".to_owned()))?,
            },
            message: commit.message.to_string().trim_end().to_owned(),
        })
    }
}

/// Encodes a commit of `tree`.
pub(crate) fn encode(
    tree: Oid,
    parents: &[CommitHash],
    author: &Signature,
    why: &str,
) -> Result<NewGitObject> {
    let author = signature(author);
    let commit = gix_object::Commit {
        tree: gix_hash::ObjectId::from(tree.0),
        parents: parents.iter().map(|parent| gix_hash::ObjectId::from(parent.0)).collect(),
        author: author.clone(),
        committer: author,
        encoding: None,
        message: message(why),
        extra_headers: Vec::new(),
    };
    NewGitObject::encode(GitObjectKind::Commit, &commit)
}

/// Cleans an author for Git, which ends a name at `<`, an address at `>` and a header at a newline, and requires a name.
pub fn author(of: Signature) -> Signature {
    let clean = |text: &str| {
        let kept = text.replace(|c: char| c.is_control() || matches!(c, '<' | '>'), " ");
        kept.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let name = clean(&of.name);
    let name = if name.is_empty() { "unknown".to_owned() } else { name };
    Signature { name, email: clean(&of.email), ..of }
}

fn signature(of: &Signature) -> gix_actor::Signature {
    let Signature { name, email, time } = author(of.clone());
    gix_actor::Signature {
        name: name.into(),
        email: email.into(),
        time: gix_object::date::Time { seconds: time.unix_seconds(), offset: 0 },
    }
}

/// Cleans a message for Git: no NUL, one final newline.
fn message(text: &str) -> BString {
    let text = text.replace('\0', "");
    BString::from(format!("{}\n", text.trim_end()))
}
