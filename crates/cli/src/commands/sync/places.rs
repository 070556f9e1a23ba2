//! The places of a project's files on this machine.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use domain::id::ObjectId;
use domain::object::{FileRef, TreeNode};
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;

use crate::failure::CommandResult;
use crate::local_file::{distinguishes_case, file_name, folder_name, numbered};

/// A file of the project with its place.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The object that owns the file.
    pub(crate) object: ObjectId,
    /// The file.
    pub(crate) file: FileRef,
    /// The place on this machine.
    pub(crate) path: PathBuf,
}

/// Places that objects have already.
struct Taken {
    paths: HashSet<PathBuf>,
    is_case_sensitive: bool,
}

/// The files of a tree with their places below `folder`. Two objects of one name get different places. What is below an
/// object with a file was made of that file, and is left out.
pub(super) async fn wanted(
    mut nodes: BoxStream<'static, client::RequestResult<TreeNode>>,
    root: ObjectId,
    folder: &Path,
) -> CommandResult<Vec<Wanted>> {
    let mut folders = HashMap::from([(root, folder.to_owned())]);
    let mut taken = Taken { paths: HashSet::new(), is_case_sensitive: distinguishes_case(folder) };
    let mut wanted = Vec::new();
    while let Some(TreeNode { id, name, parent, file, .. }) = nodes.try_next().await? {
        let Some(above) = folders.get(&parent) else { continue };
        match file {
            Some(file) => {
                let path = taken.take(above, &file_name(&name, &file));
                wanted.push(Wanted { object: id, file: *file, path });
            }
            None => {
                let path = taken.take(above, &folder_name(&name));
                folders.insert(id, path);
            }
        }
    }
    Ok(wanted)
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
