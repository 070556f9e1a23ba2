//! Writing commits: from objects to the Git objects that hold them.

use std::collections::BTreeMap;

use domain::Result;
use domain::id::ProjectId;
use domain::object::{CommitHash, Object, Signature};
use gix_object::bstr::BString;
use gix_object::tree::{Entry, EntryKind};

use crate::layout::{self, Shard};
use crate::object::{Kind, NewObject, Oid};
use crate::record;

/// What a repository's first commit says and holds.
#[derive(Clone, Debug)]
pub struct FirstCommit<'a> {
    /// The project.
    pub project: ProjectId,
    /// Its objects, in any order, each id once.
    pub objects: &'a [Object],
    /// Author and committer.
    pub author: &'a Signature,
    /// Why.
    pub message: &'a str,
}

/// The commit's hash, and every Git object that it needs.
///
/// # Errors
/// `INTERNAL_ERROR` where an object can't be encoded.
pub fn first_commit(commit: &FirstCommit<'_>) -> Result<(CommitHash, Vec<NewObject>)> {
    let mut written = Written(Vec::new());
    let mut leaves: BTreeMap<Shard, Vec<Entry>> = BTreeMap::new();
    for object in commit.objects {
        let blob = written.blob(record::canonical(object)?)?;
        let file = entry(&layout::file_name(object), EntryKind::Blob, blob);
        leaves.entry(Shard::of(object.id)).or_default().push(file);
    }
    let mut folders: BTreeMap<u8, Vec<Entry>> = BTreeMap::new();
    for (shard, files) in leaves {
        let leaf = written.tree(files)?;
        let folder = entry(&layout::folder(shard.inner), EntryKind::Tree, leaf);
        folders.entry(shard.outer).or_default().push(folder);
    }
    let mut objects = Vec::new();
    for (outer, inner) in folders {
        let folder = written.tree(inner)?;
        objects.push(entry(&layout::folder(outer), EntryKind::Tree, folder));
    }

    let mut root = Vec::new();
    for (name, text) in [layout::ATTRIBUTES, layout::README] {
        root.push(entry(name, EntryKind::Blob, written.blob(text.into())?));
    }
    let project = written.blob(layout::project_file(commit.project)?)?;
    root.push(entry(layout::PROJECT_FILE, EntryKind::Blob, project));
    // Git knows no empty folders.
    if !objects.is_empty() {
        root.push(entry(layout::OBJECTS, EntryKind::Tree, written.tree(objects)?));
    }
    let tree = written.tree(root)?;

    let author = signature(commit.author);
    let git_commit = gix_object::Commit {
        tree: gix_hash::ObjectId::from(tree.0),
        parents: Default::default(),
        author: author.clone(),
        committer: author,
        encoding: None,
        message: message(commit.message),
        extra_headers: Vec::new(),
    };
    let head = written.push(NewObject::encode(Kind::Commit, &git_commit)?);
    Ok((CommitHash(head.0), written.0))
}

/// The objects written so far, in an order in which each follows what it refers to.
struct Written(Vec<NewObject>);

impl Written {
    fn blob(&mut self, bytes: Vec<u8>) -> Result<Oid> {
        Ok(self.push(NewObject::blob(bytes)?))
    }

    fn tree(&mut self, mut entries: Vec<Entry>) -> Result<Oid> {
        entries.sort();
        let tree = gix_object::Tree { entries };
        Ok(self.push(NewObject::encode(Kind::Tree, &tree)?))
    }

    fn push(&mut self, object: NewObject) -> Oid {
        let oid = object.oid;
        self.0.push(object);
        oid
    }
}

fn entry(name: &str, kind: EntryKind, oid: Oid) -> Entry {
    Entry { mode: kind.into(), filename: BString::from(name), oid: gix_hash::ObjectId::from(oid.0) }
}

/// Names and addresses as Git takes them: it ends a name at `<`, an address at `>` and a header at a newline, and
/// it refuses a commit without a name.
fn signature(of: &Signature) -> gix_actor::Signature {
    let clean = |text: &str| {
        let kept = text.replace(|c: char| c.is_control() || matches!(c, '<' | '>'), " ");
        kept.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let name = clean(&of.name);
    gix_actor::Signature {
        name: if name.is_empty() { "unknown".into() } else { name.into() },
        email: clean(&of.email).into(),
        time: gix_object::date::Time { seconds: of.time.unix_seconds(), offset: 0 },
    }
}

/// A message as Git takes it: no NUL, one newline at the end.
fn message(text: &str) -> BString {
    let text = text.replace('\0', "");
    BString::from(format!("{}\n", text.trim_end()))
}
