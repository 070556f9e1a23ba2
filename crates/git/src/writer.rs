//! Writing a commit: only the changed folders of its first parent are read and written.
//!
//! ```text
//! let mut writer = CommitWriter::new(project, &[parent])?;
//! writer.put(&object)?;
//! writer.remove(id);
//! while let Some(wanted) = writer.wanted()? {
//!     for (oid, data) in fetch(wanted) {
//!         writer.supply(oid, &data)?;
//!     }
//! }
//! let written = writer.finish(&author, "Why")?;
//! ```

use std::collections::{BTreeMap, HashMap};

use domain::Result;
use domain::content::object::{CommitHash, Object, Signature};
use domain::id::{ObjectId, ProjectId};
use gix_object::bstr::{BString, ByteSlice};
use gix_object::tree::{Entry, EntryKind};
use gix_object::{CommitRef, TreeRefIter};

use crate::commit;
use crate::layout::{self, Shard};
use crate::object::{GitObjectKind, NewGitObject, Oid, corrupt, to_oid};
use crate::record;

/// A commit under construction.
#[derive(Clone, Debug)]
pub struct CommitWriter {
    parents: Vec<CommitHash>,
    root: ChangedFolder,
    /// Git objects to request next.
    pending: Vec<(Oid, ParentRole)>,
    /// Requested Git objects that are not supplied yet.
    asked: HashMap<Oid, Vec<ParentRole>>,
}

/// A finished commit.
#[derive(Clone, Debug)]
pub struct WrittenCommit {
    /// Its hash.
    pub hash: CommitHash,
    /// Its root folder. Equal content has equal roots.
    pub tree: Oid,
    /// The new Git objects; each follows the objects that it refers to.
    pub objects: Vec<NewGitObject>,
}

impl CommitWriter {
    /// Starts with the content of the first parent, or that of a new project.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the project's own files can't be encoded.
    pub fn new(project: ProjectId, parents: &[CommitHash]) -> Result<Self> {
        let mut root = ChangedFolder::default();
        let mut pending = Vec::new();
        match parents.first() {
            Some(parent) => pending.push((Oid::from(*parent), ParentRole::Commit)),
            None => {
                for (name, text) in [layout::ATTRIBUTES, layout::README] {
                    root.files.push(NewTreeEntry::new(name, text.into())?);
                }
                root.files.push(NewTreeEntry::new(layout::PROJECT_FILE, layout::project_file(project)?)?);
            }
        }
        Ok(Self { parents: parents.to_vec(), root, pending, asked: HashMap::new() })
    }

    /// Adds or replaces an object.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the object can't be encoded.
    pub fn put(&mut self, object: &Object) -> Result<()> {
        let record = NewTreeEntry::new(&layout::file_name(object), record::canonical(object)?)?;
        let pointer = match &object.file {
            Some(file) => {
                Some(NewTreeEntry::new(&layout::pointer_name(object, file), layout::pointer(file))?)
            }
            None => None,
        };
        self.replace(layout::OBJECTS, object.id, Some(record));
        self.replace(layout::FILES, object.id, pointer);
        Ok(())
    }

    /// Removes an object.
    pub fn remove(&mut self, id: ObjectId) {
        self.replace(layout::OBJECTS, id, None);
        self.replace(layout::FILES, id, None);
    }

    /// The Git objects of the first parent to supply next; `None` at the end.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a requested one has not been supplied.
    pub fn wanted(&mut self) -> Result<Option<Vec<Oid>>> {
        if let Some(missing) = self.asked.keys().next() {
            return Err(corrupt(*missing, "it is missing"));
        }
        for (oid, place) in self.pending.drain(..) {
            self.asked.entry(oid).or_default().push(place);
        }
        let wanted: Vec<Oid> = self.asked.keys().copied().collect();
        Ok((!wanted.is_empty()).then_some(wanted))
    }

    /// Takes a requested Git object, in any order.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it is unreadable or was not requested.
    pub fn supply(&mut self, oid: Oid, data: &[u8]) -> Result<()> {
        let places = self.asked.remove(&oid).ok_or_else(|| corrupt(oid, "it was not asked for"))?;
        for place in places {
            match place {
                ParentRole::Commit => {
                    let commit = CommitRef::from_bytes(data, gix_hash::Kind::Sha1)
                        .map_err(|error| corrupt(oid, error))?;
                    self.pending.push((to_oid(&commit.tree())?, ParentRole::Folder(Vec::new())));
                }
                ParentRole::Folder(path) => {
                    let folder = path.iter().fold(&mut self.root, |folder, name| folder.below(name));
                    folder.read(oid, data)?;
                    for (name, below) in folder.changing() {
                        self.pending.push((below?, ParentRole::Folder([path.as_slice(), &[name]].concat())));
                    }
                }
            }
        }
        Ok(())
    }

    /// Encodes the commit. The author is also the committer.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a part of its parent has not been supplied, or a folder can't be encoded.
    pub fn finish(mut self, author: &Signature, message: &str) -> Result<WrittenCommit> {
        if let Some(missing) = self.wanted()?.and_then(|wanted| wanted.first().copied()) {
            return Err(corrupt(missing, "it is missing"));
        }
        let mut objects = Vec::new();
        let tree = match self.root.write(&mut objects)? {
            Some(tree) => tree,
            None => {
                push(&mut objects, NewGitObject::encode(GitObjectKind::Tree, &gix_object::Tree::empty())?)
            }
        };
        let commit = push(&mut objects, commit::encode(tree, &self.parents, author, message)?);
        Ok(WrittenCommit { hash: CommitHash(commit.0), tree, objects })
    }

    /// Replaces the object's file in `area`.
    fn replace(&mut self, area: &str, id: ObjectId, file: Option<NewTreeEntry>) {
        let Shard { outer, inner } = Shard::of(id);
        let folder = self.root.below(area).below(&layout::folder(outer)).below(&layout::folder(inner));
        // Overrides earlier changes of the object.
        folder.files.retain(|file| layout::object_of(&file.entry.filename) != Some(id));
        folder.replaced.push(id);
        folder.files.extend(file);
    }
}

/// The role of a Git object of the parent.
#[derive(Clone, Debug)]
enum ParentRole {
    Commit,
    /// The folder at this path.
    Folder(Vec<String>),
}

/// A new file of the commit.
#[derive(Clone, Debug)]
struct NewTreeEntry {
    entry: Entry,
    blob: NewGitObject,
}

impl NewTreeEntry {
    fn new(name: &str, bytes: Vec<u8>) -> Result<Self> {
        let blob = NewGitObject::blob(bytes)?;
        Ok(Self { entry: entry(name, EntryKind::Blob, blob.oid), blob })
    }
}

/// A changed folder.
#[derive(Clone, Debug, Default)]
struct ChangedFolder {
    /// Its id in the parent commit, if it exists there.
    oid: Option<Oid>,
    /// Its entries in the parent commit.
    entries: Vec<Entry>,
    /// Its changed folders.
    folders: BTreeMap<String, Self>,
    /// Objects whose files of the parent commit are dropped.
    replaced: Vec<ObjectId>,
    /// Its new files.
    files: Vec<NewTreeEntry>,
}

impl ChangedFolder {
    /// The folder with this name, marked as changed.
    fn below(&mut self, name: &str) -> &mut Self {
        self.folders.entry(name.to_owned()).or_default()
    }

    /// Takes the entries of the parent commit.
    fn read(&mut self, oid: Oid, data: &[u8]) -> Result<()> {
        self.oid = Some(oid);
        for entry in TreeRefIter::from_bytes(data, gix_hash::Kind::Sha1) {
            self.entries.push(entry.map_err(|error| corrupt(oid, error))?.into());
        }
        Ok(())
    }

    /// The changed folders below that the parent commit has, by name.
    fn changing(&self) -> impl Iterator<Item = (String, Result<Oid>)> {
        let trees = self.entries.iter().filter(|entry| entry.mode.is_tree());
        trees.filter_map(|entry| {
            let name = entry.filename.to_str().ok()?;
            self.folders.contains_key(name).then(|| (name.to_owned(), to_oid(&entry.oid)))
        })
    }

    /// Adds the new Git objects to `written`; `None` for an empty folder, which Git doesn't have.
    fn write(self, written: &mut Vec<NewGitObject>) -> Result<Option<Oid>> {
        let Self { oid, mut entries, folders, mut replaced, files } = self;
        replaced.sort_unstable();
        let (mut kept, gone): (Vec<Entry>, Vec<Entry>) = entries.drain(..).partition(|entry| {
            let is_replaced =
                || layout::object_of(&entry.filename).is_some_and(|id| replaced.binary_search(&id).is_ok());
            let is_changing = || entry.filename.to_str().is_ok_and(|name| folders.contains_key(name));
            if entry.mode.is_tree() { !is_changing() } else { !is_replaced() }
        });
        for NewTreeEntry { entry, blob } in files {
            if !gone.contains(&entry) {
                push(written, blob);
            }
            kept.push(entry);
        }
        for (name, folder) in folders {
            if let Some(below) = folder.write(written)? {
                kept.push(entry(&name, EntryKind::Tree, below));
            }
        }
        if kept.is_empty() {
            return Ok(None);
        }
        kept.sort();
        let tree = NewGitObject::encode(GitObjectKind::Tree, &gix_object::Tree { entries: kept })?;
        if oid == Some(tree.oid) { Ok(oid) } else { Ok(Some(push(written, tree))) }
    }
}

fn push(written: &mut Vec<NewGitObject>, object: NewGitObject) -> Oid {
    let oid = object.oid;
    written.push(object);
    oid
}

fn entry(name: &str, kind: EntryKind, oid: Oid) -> Entry {
    Entry { mode: kind.into(), filename: BString::from(name), oid: gix_hash::ObjectId::from(oid.0) }
}
