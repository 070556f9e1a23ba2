//! Paths of uploaded files below the parent of their upload, with `/` between names.

use std::fmt;

use crate::content::git_name;
use crate::text::Name;
use crate::{Code, Error, Result};

/// Most folders of a path.
pub const FOLDERS_MAX: usize = 32;

/// The folders of a path, outermost first; none for the parent itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FolderPath(Vec<Name>);

impl FolderPath {
    /// The folders that a client names.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` for a name that is empty, invisible, `.`, `..` or Git's own, for a backslash, and for more than
    /// [`FOLDERS_MAX`] folders.
    pub fn parse(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let names = text.split('/').map(|segment| checked(segment).map(|(name, _)| name));
        let names: Vec<Name> = names.collect::<Result<_>>()?;
        if names.len() > FOLDERS_MAX {
            return Err(invalid(&format!("has more than {FOLDERS_MAX} folders")));
        }
        Ok(Self(names))
    }

    /// The names, outermost first.
    pub fn names(&self) -> &[Name] {
        &self.0
    }

    /// This path and those of the folders above, outermost first.
    pub fn with_ancestors(&self) -> impl Iterator<Item = Self> {
        (1..=self.0.len()).filter_map(|depth| Some(Self(self.0.get(..depth)?.to_vec())))
    }
}

impl fmt::Display for FolderPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, name) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str("/")?;
            }
            f.write_str(name.as_str())?;
        }
        Ok(())
    }
}

/// Splits the path of a file into its folders and the client's name for the file.
///
/// # Errors
/// As [`FolderPath::parse`].
pub fn split(path: &str) -> Result<(FolderPath, &str)> {
    let (folders, name) = match path.rsplit_once('/') {
        Some(("", _)) => return Err(invalid("begins with `/`")),
        Some((folders, name)) => (FolderPath::parse(folders)?, name),
        None => (FolderPath::default(), path),
    };
    checked(name).map(|(_, name)| (folders, name))
}

/// A name of a path, as it is shown and as it was sent.
fn checked(segment: &str) -> Result<(Name, &str)> {
    if segment.contains('\\') {
        return Err(invalid("contains a backslash: send `/` between names"));
    }
    let name = Name::sanitize(segment).ok_or_else(|| invalid("has a name without a visible character"))?;
    match name.as_str() {
        "." | ".." => Err(invalid("has the name `.` or `..`")),
        name if git_name::is_git_folder(name) => Err(invalid(git_name::REFUSAL)),
        _ => Ok((name, segment)),
    }
}

fn invalid(problem: &str) -> Error {
    Error::new(Code::InvalidUpload, format!("The path {problem}."))
}

#[cfg(test)]
mod tests {
    use super::{FOLDERS_MAX, FolderPath, split};

    fn shown(path: &str) -> Result<(String, String), String> {
        split(path)
            .map(|(folders, name)| (folders.to_string(), name.to_owned()))
            .map_err(|error| error.message)
    }

    #[test]
    fn a_path_is_folders_and_a_name() {
        let of = |folders: &str, name: &str| Ok((folders.to_owned(), name.to_owned()));
        assert_eq!(shown("a.pdf"), of("", "a.pdf"));
        assert_eq!(shown("Drawings/2024/a.pdf"), of("Drawings/2024", "a.pdf"));
        // Names are sanitised as those of objects: composed, and without white space around them.
        assert_eq!(shown(" A\u{308}rger \t/x"), of("\u{c4}rger", "x"));
        let deepest = "x/".repeat(FOLDERS_MAX);
        assert!(shown(&format!("{deepest}a")).is_ok());
    }

    #[test]
    fn a_path_that_leaves_its_parent_or_has_no_name_is_refused() {
        for path in [
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            "../a",
            "a/../b",
            "a/./b",
            ".",
            "..",
            "a/..",
            " .. /a",
            "a\\b",
            "..\\a",
            "\\\\host\\a",
            "C:\\a",
            "\u{200b}/a",
            "a/\0",
            ".git/config",
            "a/GIT~1 ./hooks",
            "a/.git\u{200b}/x",
            "a/.g\u{200c}it",
        ] {
            assert!(shown(path).is_err(), "{path:?}");
        }
        let deep = "x/".repeat(FOLDERS_MAX + 1);
        assert_eq!(shown(&format!("{deep}a")), Err("The path has more than 32 folders.".to_owned()));
    }

    #[test]
    fn a_path_names_the_folders_above() {
        let path = FolderPath::parse("a/b/c").unwrap();
        let above: Vec<String> = path.with_ancestors().map(|path| path.to_string()).collect();
        assert_eq!(above, ["a", "a/b", "a/b/c"]);
        assert_eq!(FolderPath::default().with_ancestors().count(), 0);
    }
}
