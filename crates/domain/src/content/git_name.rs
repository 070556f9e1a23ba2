//! Names that Git takes for its own folder. A file written below one of them runs a command at the next `git status`.

use gix_validate::path::component::{Error as Refusal, Options};

use crate::text::Name;
use crate::{Error, Result, Rule};

/// The refusal of such a name, after its subject.
pub const REFUSAL: &str = "is, or contains, a name that Git takes for its own folder";

/// True if the name, or a part of it between separators, is Git's folder on some file system: `.git` in any case, with
/// the dots, spaces and streams that NTFS drops (`.git. `, `.git::$INDEX_ALLOCATION`), as its short name (`git~1`), and
/// with the characters that HFS+ ignores.
///
/// These are the rules by which Git itself refuses a path (`verify_path`, with `core.protectHFS` and
/// `core.protectNTFS`).
pub fn is_git_folder(name: &str) -> bool {
    // Separators are told apart here: names of objects may hold them.
    let options = Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };
    name.split(['/', '\\']).any(|part| {
        matches!(gix_validate::path::component(part.into(), None, options), Err(Refusal::DotGitDir))
    })
}

/// Checks a name that a request gives to an object.
///
/// # Errors
/// `INVALID_REQUEST` at `field`.
pub fn check_name(field: impl Into<String>, name: &Name) -> Result<()> {
    match is_git_folder(name.as_str()) {
        true => Err(Error::invalid(field, Rule::Reserved, REFUSAL)),
        false => Ok(()),
    }
}

/// The name of an object that a file describes, where nobody can be asked for another: `_git` for `.git`.
pub fn harmless(name: Name) -> Name {
    if !is_git_folder(name.as_str()) {
        return name;
    }
    Name::sanitize(&name.as_str().replace(['.', '~'], "_")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{harmless, is_git_folder};
    use crate::text::Name;

    #[test]
    fn every_spelling_of_gits_folder_is_known() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".git.",
            ".git ",
            ".git . ..",
            "git~1",
            "GIT~1",
            "Git~1 .",
            ".git::$INDEX_ALLOCATION",
            ".git:stream",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".gi\u{206f}t",
            ".git/config",
            "a/.git",
            "a\\.GIT\\hooks",
        ] {
            assert!(is_git_folder(name), "{name:?}");
        }
    }

    #[test]
    fn other_names_stay() {
        for name in [
            ".gitignore",
            ".gitattributes",
            ".github",
            "git",
            "project.git",
            ".git2",
            "git~2",
            "git~10",
            "a.git.",
            ".\u{131}git",
            "HEAD",
            "config",
            "",
            ".",
        ] {
            assert!(!is_git_folder(name), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn a_harmless_name_is_never_gits(parts in prop::collection::vec("(\\.git|git~1|a|\u{200c})[. :]{0,2}", 1..4)) {
            if let Some(name) = Name::sanitize(&parts.join("/")) {
                prop_assert!(!is_git_folder(harmless(name).as_str()));
            }
        }
    }
}
