//! Writing a commit: what changes of its first parent's content, and nothing else of it, is read and written.
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
use domain::id::{ObjectId, ProjectId};
use domain::object::{CommitHash, Object, Signature};
use gix_object::bstr::{BString, ByteSlice};
use gix_object::tree::{Entry, EntryKind};
use gix_object::{CommitRef, TreeRefIter};

use crate::commit;
use crate::layout::{self, Shard};
use crate::object::{Kind, NewObject, Oid, corrupt, to_oid};
use crate::record;

/// A commit in the making.
#[derive(Clone, Debug)]
pub struct CommitWriter {
    parents: Vec<CommitHash>,
    root: Folder,
    /// What is to be asked for next.
    pending: Vec<(Oid, Place)>,
    /// What has been asked for and not been supplied.
    asked: HashMap<Oid, Vec<Place>>,
}

/// A finished commit.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its hash.
    pub hash: CommitHash,
    /// Its root folder: equal content has equal roots, however it came about.
    pub tree: Oid,
    /// The Git objects that its first parent does not have; each follows what it refers to.
    pub objects: Vec<NewObject>,
}

impl CommitWriter {
    /// A commit with the content of the first of its parents, and that of a new project where it has none.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where the project's own files can't be encoded.
    pub fn new(project: ProjectId, parents: &[CommitHash]) -> Result<Self> {
        let mut root = Folder::default();
        let mut pending = Vec::new();
        match parents.first() {
            Some(parent) => pending.push((Oid::from(*parent), Place::Commit)),
            None => {
                for (name, text) in [layout::ATTRIBUTES, layout::README] {
                    root.files.push(NewFile::new(name, text.into())?);
                }
                root.files.push(NewFile::new(layout::PROJECT_FILE, layout::project_file(project)?)?);
            }
        }
        Ok(Self { parents: parents.to_vec(), root, pending, asked: HashMap::new() })
    }

    /// Lets the commit hold this object as it is here, whether its parent holds it or not.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where the object can't be encoded.
    pub fn put(&mut self, object: &Object) -> Result<()> {
        let record = NewFile::new(&layout::file_name(object), record::canonical(object)?)?;
        let pointer = match &object.file {
            Some(file) => Some(NewFile::new(&layout::pointer_name(object, file), layout::pointer(file))?),
            None => None,
        };
        self.replace(layout::OBJECTS, object.id, Some(record));
        self.replace(layout::FILES, object.id, pointer);
        Ok(())
    }

    /// Lets the commit not hold this object.
    pub fn remove(&mut self, id: ObjectId) {
        self.replace(layout::OBJECTS, id, None);
        self.replace(layout::FILES, id, None);
    }

    /// The Git objects of the first parent to supply next; `None` once all are there.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where one that was asked for before has not been supplied.
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

    /// Takes an object that was asked for, in any order.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where it can't be read, or was not asked for.
    pub fn supply(&mut self, oid: Oid, data: &[u8]) -> Result<()> {
        let places = self.asked.remove(&oid).ok_or_else(|| corrupt(oid, "it was not asked for"))?;
        for place in places {
            match place {
                Place::Commit => {
                    let commit = CommitRef::from_bytes(data, gix_hash::Kind::Sha1)
                        .map_err(|error| corrupt(oid, error))?;
                    self.pending.push((to_oid(&commit.tree())?, Place::Folder(Vec::new())));
                }
                Place::Folder(path) => {
                    let folder = path.iter().fold(&mut self.root, |folder, name| folder.below(name));
                    folder.read(oid, data)?;
                    for (name, below) in folder.changing() {
                        self.pending.push((below?, Place::Folder([path.as_slice(), &[name]].concat())));
                    }
                }
            }
        }
        Ok(())
    }

    /// The commit, by this author and committer and for this reason.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where something of its parent has not been supplied, or can't be encoded.
    pub fn finish(mut self, author: &Signature, message: &str) -> Result<Written> {
        if let Some(missing) = self.wanted()?.and_then(|wanted| wanted.first().copied()) {
            return Err(corrupt(missing, "it is missing"));
        }
        let mut objects = Vec::new();
        let tree = match self.root.write(&mut objects)? {
            Some(tree) => tree,
            None => push(&mut objects, NewObject::encode(Kind::Tree, &gix_object::Tree::empty())?),
        };
        let commit = push(&mut objects, commit::encode(tree, &self.parents, author, message)?);
        Ok(Written { hash: CommitHash(commit.0), tree, objects })
    }

    /// Lets the object's file in `area` be this one.
    fn replace(&mut self, area: &str, id: ObjectId, file: Option<NewFile>) {
        let Shard { outer, inner } = Shard::of(id);
        let folder = self.root.below(area).below(&layout::folder(outer)).below(&layout::folder(inner));
        // What was said of the object before no longer counts.
        folder.files.retain(|file| layout::object_of(&file.entry.filename) != Some(id));
        folder.replaced.push(id);
        folder.files.extend(file);
    }
}

/// What a Git object of the parent is to the writer.
#[derive(Clone, Debug)]
enum Place {
    Commit,
    /// The folder at this path.
    Folder(Vec<String>),
}

/// A file that the commit holds.
#[derive(Clone, Debug)]
struct NewFile {
    entry: Entry,
    blob: NewObject,
}

impl NewFile {
    fn new(name: &str, bytes: Vec<u8>) -> Result<Self> {
        let blob = NewObject::blob(bytes)?;
        Ok(Self { entry: entry(name, EntryKind::Blob, blob.oid), blob })
    }
}

/// A folder in which something changes.
#[derive(Clone, Debug, Default)]
struct Folder {
    /// What it is in the parent, where it is there.
    oid: Option<Oid>,
    /// What it holds in the parent.
    entries: Vec<Entry>,
    /// Its folders in which something changes.
    folders: BTreeMap<String, Self>,
    /// The objects whose files the parent's are not to be kept.
    replaced: Vec<ObjectId>,
    /// The files that it gets.
    files: Vec<NewFile>,
}

impl Folder {
    /// The folder of this name below, in which something changes then.
    fn below(&mut self, name: &str) -> &mut Self {
        self.folders.entry(name.to_owned()).or_default()
    }

    /// Takes what the parent holds here.
    fn read(&mut self, oid: Oid, data: &[u8]) -> Result<()> {
        self.oid = Some(oid);
        for entry in TreeRefIter::from_bytes(data, gix_hash::Kind::Sha1) {
            self.entries.push(entry.map_err(|error| corrupt(oid, error))?.into());
        }
        Ok(())
    }

    /// The parent's folders below in which something changes, by name.
    fn changing(&self) -> impl Iterator<Item = (String, Result<Oid>)> {
        let trees = self.entries.iter().filter(|entry| entry.mode.is_tree());
        trees.filter_map(|entry| {
            let name = entry.filename.to_str().ok()?;
            self.folders.contains_key(name).then(|| (name.to_owned(), to_oid(&entry.oid)))
        })
    }

    /// Adds the Git objects that are new to `written`; `None` where nothing is left in the folder, as Git knows no
    /// empty ones.
    fn write(self, written: &mut Vec<NewObject>) -> Result<Option<Oid>> {
        let Self { oid, mut entries, folders, mut replaced, files } = self;
        replaced.sort_unstable();
        let (mut kept, gone): (Vec<Entry>, Vec<Entry>) = entries.drain(..).partition(|entry| {
            let is_replaced =
                || layout::object_of(&entry.filename).is_some_and(|id| replaced.binary_search(&id).is_ok());
            let is_changing = || entry.filename.to_str().is_ok_and(|name| folders.contains_key(name));
            if entry.mode.is_tree() { !is_changing() } else { !is_replaced() }
        });
        for NewFile { entry, blob } in files {
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
        let tree = NewObject::encode(Kind::Tree, &gix_object::Tree { entries: kept })?;
        if oid == Some(tree.oid) { Ok(oid) } else { Ok(Some(push(written, tree))) }
    }
}

fn push(written: &mut Vec<NewObject>, object: NewObject) -> Oid {
    let oid = object.oid;
    written.push(object);
    oid
}

fn entry(name: &str, kind: EntryKind, oid: Oid) -> Entry {
    Entry { mode: kind.into(), filename: BString::from(name), oid: gix_hash::ObjectId::from(oid.0) }
}
