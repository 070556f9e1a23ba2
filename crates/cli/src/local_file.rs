//! Names of files that this machine takes, from names of objects.

use std::path::Path;

use domain::content::git_name::is_git_folder;
use domain::content::object::FileRef;
use domain::text::Name;

use crate::executed_name::{is_executed_name, lenient};

/// Longest name, in bytes, of common file systems.
const MAX_BYTES: usize = 255;
/// Longest end of a name, in bytes, that counts as its extension.
const EXTENSION_MAX_BYTES: usize = 32;

/// A name on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalName {
    /// The name that the project has for it.
    pub(crate) wanted: String,
    /// The name that this machine takes.
    pub(crate) name: String,
}

impl LocalName {
    /// The name of a folder: without separators, neither `.` nor `..`, and none that a program takes for its own.
    pub(crate) fn of_folder(name: &Name) -> Self {
        let local = harmless(shortened(&safe(name.as_str()), ""));
        Self { wanted: name.to_string(), name: local }
    }

    /// The name of an object's file, as it was uploaded.
    pub(crate) fn of_file(object: &Name, file: &FileRef) -> Self {
        let wanted = file.saved_name(object);
        let name = harmless(shortened(&safe(&wanted), ""));
        // With a file `HEAD` in it, any folder can pass for a repository, whose configuration Git executes.
        let name = if lenient(&name) == "head" { marked(&name) } else { name };
        Self { wanted, name }
    }

    /// True if this machine doesn't take the project's name.
    pub(crate) fn is_changed(&self) -> bool {
        self.wanted != self.name
    }
}

/// The name, or another one in place of those that Git, a shell or an editor takes for its own.
fn harmless(name: String) -> String {
    if is_git_folder(&name) || is_executed_name(&name) { marked(&name) } else { name }
}

fn marked(name: &str) -> String {
    shortened(&format!("_{name}"), "")
}

/// The name with a number, for the second of two objects with one name.
pub(crate) fn numbered(name: &str, number: usize) -> String {
    shortened(name, &format!(" ({number})"))
}

/// A name with an addition before its extension. Its stem is cut to what file systems take.
fn shortened(name: &str, addition: &str) -> String {
    let (stem, extension) = match name.rfind('.').filter(|dot| *dot > 0) {
        Some(dot) if name.len() - dot <= EXTENSION_MAX_BYTES => {
            name.split_at_checked(dot).unwrap_or((name, ""))
        }
        _ => (name, ""),
    };
    let left = MAX_BYTES.saturating_sub(addition.len() + extension.len());
    format!("{}{addition}{extension}", truncated(stem, left))
}

fn safe(name: &str) -> String {
    let safe: String = name.chars().map(|c| if is_unsafe(c) { '_' } else { c }).collect();
    if safe.chars().all(|c| c == '.') { "_".repeat(safe.len().max(1)) } else { safe }
}

/// True if the file system of a folder tells `a` and `A` apart. It is asked about the name of the nearest folder that exists
/// and has letters, so that nothing is written.
pub(crate) fn distinguishes_case(folder: &Path) -> bool {
    let Ok(folder) = std::path::absolute(folder) else { return !cfg!(windows) };
    for existing in folder.ancestors().filter(|path| path.exists()) {
        let Some(name) = existing.file_name().and_then(|name| name.to_str()) else { continue };
        let swapped: String = name.chars().map(swapped_case).collect();
        if swapped != name {
            return !is_same(existing, &existing.with_file_name(swapped));
        }
    }
    !cfg!(any(windows, target_os = "macos"))
}

fn swapped_case(c: char) -> char {
    if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
}

/// True if two paths lead to one file.
#[cfg(unix)]
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| std::fs::metadata(path).ok().map(|looked| (looked.dev(), looked.ino()));
    id(one).is_some_and(|one| id(other) == Some(one))
}

#[cfg(not(unix))]
pub(crate) fn is_same(_: &Path, other: &Path) -> bool {
    other.exists()
}

fn is_unsafe(c: char) -> bool {
    matches!(c, '/' | '\\' | '\0') || (cfg!(windows) && matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*'))
}

fn truncated(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use domain::content::object::{FileRef, Sha256Hash};
    use domain::text::Name;
    use proptest::prelude::*;

    use super::{LocalName, is_executed_name, is_git_folder, numbered};

    fn file(extension: Option<&str>) -> FileRef {
        let extension = extension.and_then(domain::content::object::Extension::of_file_name);
        FileRef { sha256: Sha256Hash([0; 32]), size: 0, mime_type: String::new(), extension, name: None }
    }

    fn local(name: &str, file: &FileRef) -> LocalName {
        LocalName::of_file(&Name::sanitize(name).unwrap(), file)
    }

    #[test]
    fn a_file_has_its_extension_once() {
        let named = |name: &str, extension| local(name, &file(extension)).name;
        assert_eq!(named("Shaft", Some("x.step")), "Shaft.step");
        assert_eq!(named("gear.STEP", Some("x.step")), "gear.STEP");
        assert_eq!(named("Makefile", None), "Makefile");
        assert_eq!(numbered("a.tar.gz", 2), "a.tar (2).gz");
        assert_eq!(numbered(".profile", 2), ".profile (2)");
    }

    #[test]
    fn a_name_is_cut_only_where_file_systems_need_it_and_keeps_its_extension() {
        let longest = format!("{}.pdf", "x".repeat(251));
        let own = local(&longest, &file(Some("x.pdf")));
        assert_eq!((own.name.as_str(), own.is_changed()), (longest.as_str(), false));
        // Letters of two bytes.
        let wide = format!("{}.pdf", "\u{44f}".repeat(200));
        for extension in [Some("x.pdf"), None] {
            let cut = local(&wide, &file(extension));
            assert!(
                cut.name.len() == 254 && cut.name.ends_with("\u{44f}.pdf") && cut.is_changed(),
                "{cut:?}"
            );
        }
        let second = numbered(&own.name, 2);
        assert!(second.len() == 255 && second.ends_with("x (2).pdf"), "{second}");
        assert!(local("a/b", &file(None)).is_changed() && !local("a", &file(Some("a.step"))).is_changed());
    }

    #[test]
    fn a_name_that_a_program_takes_for_its_own_gets_another_one() {
        for (name, safe) in [
            (".git", "_.git"),
            (".GIT", "_.GIT"),
            ("git~1", "_git~1"),
            (".g\u{200d}it", "_.g\u{200d}it"),
            (".git\\config", ".git_config"),
            (".vscode", "_.vscode"),
            (".github", ".github"),
        ] {
            for local in [LocalName::of_folder(&Name::sanitize(name).unwrap()), local(name, &file(None))] {
                assert_eq!((local.name.as_str(), local.is_changed()), (safe, name != safe));
            }
        }
        let folder = LocalName::of_folder(&Name::sanitize("Head").unwrap());
        let names = [folder, local("Head", &file(None)), local("Head", &file(Some("x.stp")))];
        assert_eq!(names.map(|local| local.name), ["Head", "_Head", "Head.stp"]);
    }

    #[test]
    fn a_file_has_the_name_of_its_upload() {
        let mut file = file(Some("x.stp"));
        for (uploaded, expected) in [("SCDR.stp", "SCDR.stp"), (".git", "_.git"), ("HEAD", "_HEAD")] {
            file.name = Name::sanitize(uploaded);
            let named = local("SC+DRcolored_Last_2", &file);
            assert_eq!((named.name.as_str(), named.is_changed()), (expected, expected != uploaded));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_common_file_system_of_this_system_distinguishes_case() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Copy")).unwrap();
        assert!(super::distinguishes_case(&folder.path().join("Copy")));
        std::fs::create_dir(folder.path().join("cOPY")).unwrap();
        assert!(super::distinguishes_case(&folder.path().join("Copy/new")));
    }

    proptest! {
        #[test]
        fn no_name_leaves_its_folder(text in "\\PC{1,300}") {
            if let Some(name) = Name::sanitize(&text) {
                let names = [LocalName::of_folder(&name), LocalName::of_file(&name, &file(Some("a.pdf")))];
                for safe in names.map(|local| local.name) {
                    prop_assert!(!safe.contains(['/', '\\']) && safe != "." && safe != ".." && !safe.is_empty());
                    prop_assert!(safe.len() <= 255 && !is_git_folder(&safe) && !is_executed_name(&safe));
                }
            }
        }

        #[test]
        fn dots_are_no_way_up(dots in "\\.{1,5}") {
            let safe = LocalName::of_folder(&Name::sanitize(&dots).unwrap()).name;
            prop_assert!(safe.chars().all(|c| c == '_'));
        }
    }
}
