//! The places of a project's files on this machine.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use domain::content::object::{FOLDER_TYPE, FileRef, TreeNode};
use domain::id::ObjectId;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use serde::Serialize;

use crate::failure::CommandResult;
use crate::local_file::{LocalName, distinguishes_case, numbered};

/// A file of the project with its place.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The object that owns the file.
    pub(crate) object: ObjectId,
    /// The file.
    pub(crate) file: FileRef,
    /// The place on this machine.
    pub(crate) path: PathBuf,
    /// The symbolic link on the way to the place, by which a file would be written elsewhere.
    pub(crate) link: Option<PathBuf>,
}

/// A folder of the project with its place.
struct Folder {
    path: PathBuf,
    link: Option<PathBuf>,
}

/// Places that objects have already.
struct Taken {
    paths: HashSet<PathBuf>,
    is_case_sensitive: bool,
}

/// The files and folders of a project with their places.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The files.
    pub(super) files: Vec<Wanted>,
    /// The folders without files or folders below them.
    pub(super) empty: Vec<EmptyFolder>,
    /// The files and folders whose names this machine doesn't take as they are.
    pub(super) renamed: Vec<RenamedObject>,
}

/// An object whose file or folder has another name here.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RenamedObject {
    /// The object.
    pub(super) object_id: ObjectId,
    /// Its name in the project: of a file that of its upload.
    pub(super) name: String,
    /// The place on this machine.
    pub(super) path: PathBuf,
}

/// A folder of the project with neither files nor folders below it. Other objects without files are no folders.
#[derive(Debug)]
pub(super) struct EmptyFolder {
    /// The object.
    pub(super) object: ObjectId,
    /// The place on this machine.
    pub(super) path: PathBuf,
}

/// The files of a tree with their places below `folder`, or the file that the root is. Two objects of one name get
/// different places. What is below an object with a file was made of that file, and is left out.
pub(super) async fn wanted(
    mut nodes: BoxStream<'static, client::RequestResult<TreeNode>>,
    root: ObjectId,
    folder: &Path,
) -> CommandResult<Places> {
    // The target itself may be a link: its user has named it.
    let mut folders = HashMap::from([(root, Folder { path: folder.to_owned(), link: None })]);
    let mut taken = Taken { paths: HashSet::new(), is_case_sensitive: distinguishes_case(folder) };
    let mut places = Places::default();
    while let Some(TreeNode { id, name, parent, file, object_type, .. }) = nodes.try_next().await? {
        // The root comes first, unless it is the project.
        if id == root && file.is_none() {
            continue;
        }
        let above = if id == root { folders.remove(&root) } else { None };
        let Some(above) = above.as_ref().or_else(|| folders.get(&parent)) else { continue };
        match file {
            Some(file) => {
                let local = LocalName::of_file(&name, &file);
                let path = taken.take(&above.path, &local.name);
                places.note_change(id, local, &path);
                places.files.push(Wanted { object: id, file: *file, path, link: above.link.clone() });
            }
            None => {
                let local = LocalName::of_folder(&name);
                let path = taken.take(&above.path, &local.name);
                places.note_change(id, local, &path);
                let link = above.link.clone().or_else(|| path.is_symlink().then(|| path.clone()));
                if object_type == FOLDER_TYPE && link.is_none() {
                    places.empty.push(EmptyFolder { object: id, path: path.clone() });
                }
                folders.insert(id, Folder { path, link });
            }
        }
    }
    let paths = places.files.iter().map(|wanted| &wanted.path);
    let mut above = HashSet::new();
    for path in paths.chain(places.empty.iter().map(|folder| &folder.path)) {
        for folder in path.ancestors().skip(1) {
            // Those above it are known, too.
            if !above.insert(folder.to_owned()) {
                break;
            }
        }
    }
    places.empty.retain(|folder| !above.contains(&folder.path));
    Ok(places)
}

impl Places {
    fn note_change(&mut self, object_id: ObjectId, local: LocalName, path: &Path) {
        if local.is_changed() {
            self.renamed.push(RenamedObject { object_id, name: local.wanted, path: path.to_owned() });
        }
    }
}

impl Taken {
    /// Takes the first place of this name that no other object has.
    fn take(&mut self, above: &Path, name: &str) -> PathBuf {
        let mut path = above.join(name);
        let mut number = 2;
        while !self.paths.insert(self.key(&path)) {
            path = above.join(numbered(name, number));
            number += 1;
        }
        path
    }

    fn key(&self, path: &Path) -> PathBuf {
        if self.is_case_sensitive {
            return path.to_owned();
        }
        path.to_string_lossy().to_lowercase().into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::Taken;

    #[test]
    fn names_that_differ_in_case_alone_have_two_places_where_the_system_sees_one() {
        let places = |is_case_sensitive| {
            let mut taken = Taken { paths: HashSet::new(), is_case_sensitive };
            ["Shaft.step", "shaft.STEP", "Shaft.step"].map(|name| taken.take(Path::new("/a"), name))
        };
        let paths = |names: [&str; 3]| names.map(|name| Path::new("/a").join(name));
        assert_eq!(places(true), paths(["Shaft.step", "shaft.STEP", "Shaft (2).step"]));
        assert_eq!(places(false), paths(["Shaft.step", "shaft (2).STEP", "Shaft (3).step"]));
    }
}
