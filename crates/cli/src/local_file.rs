//! Names of files that this machine takes, from names of objects.

use std::path::Path;

use domain::object::FileRef;
use domain::text::Name;

/// Longest name, in bytes, of common file systems.
const MAX_BYTES: usize = 255;
/// Longest end of a name, in bytes, that counts as its extension.
const EXTENSION_MAX_BYTES: usize = 32;

/// A name for a folder: without separators, and neither `.` nor `..`.
pub(crate) fn folder_name(name: &Name) -> String {
    shortened(&safe(name), "")
}

/// A name for a file: that of the object, with the file's extension where the name lacks it.
pub(crate) fn file_name(name: &Name, file: &FileRef) -> String {
    let safe = safe(name);
    let suffix = file.suffix();
    if safe.to_ascii_lowercase().ends_with(suffix) {
        return shortened(&safe, "");
    }
    shortened(&format!("{safe}{suffix}"), "")
}

/// True if a name is not the object's own. An extension that the object's name lacks is no change.
pub(crate) fn is_changed(name: &Name, local: &str) -> bool {
    !local.starts_with(name.as_str())
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

fn safe(name: &Name) -> String {
    let safe: String = name.as_str().chars().map(|c| if is_unsafe(c) { '_' } else { c }).collect();
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
    use domain::object::{FileRef, Sha256Hash};
    use domain::text::Name;
    use proptest::prelude::*;

    use super::{file_name, folder_name, is_changed, numbered};

    fn file(extension: Option<&str>) -> FileRef {
        let extension = extension.and_then(domain::object::Extension::of_file_name);
        FileRef { sha256: Sha256Hash([0; 32]), size: 0, mime_type: String::new(), extension, name: None }
    }

    #[test]
    fn a_file_has_its_extension_once() {
        let named = |name: &str, extension| file_name(&Name::sanitize(name).unwrap(), &file(extension));
        assert_eq!(named("Shaft", Some("x.step")), "Shaft.step");
        assert_eq!(named("gear.STEP", Some("x.step")), "gear.STEP");
        assert_eq!(named("Makefile", None), "Makefile");
        assert_eq!(numbered("a.tar.gz", 2), "a.tar (2).gz");
        assert_eq!(numbered(".profile", 2), ".profile (2)");
    }

    #[test]
    fn a_name_is_cut_only_where_file_systems_need_it_and_keeps_its_extension() {
        let of = |text: String| Name::sanitize(&text).unwrap();
        let longest = of(format!("{}.pdf", "x".repeat(251)));
        let own = file_name(&longest, &file(Some("x.pdf")));
        assert_eq!((own.as_str(), is_changed(&longest, &own)), (longest.as_str(), false));
        // Letters of two bytes.
        let wide = of(format!("{}.pdf", "\u{44f}".repeat(200)));
        for extension in [Some("x.pdf"), None] {
            let cut = file_name(&wide, &file(extension));
            assert!(cut.len() == 254 && cut.ends_with("\u{44f}.pdf") && is_changed(&wide, &cut), "{cut}");
        }
        let second = numbered(&own, 2);
        assert!(second.len() == 255 && second.ends_with("x (2).pdf"), "{second}");
        assert!(is_changed(&of("a/b".to_owned()), "a_b") && !is_changed(&of("a".to_owned()), "a.step"));
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
                for safe in [folder_name(&name), file_name(&name, &file(Some("a.pdf")))] {
                    prop_assert!(!safe.contains(['/', '\\']) && safe != "." && safe != ".." && !safe.is_empty());
                    prop_assert!(safe.len() <= 255);
                }
            }
        }

        #[test]
        fn dots_are_no_way_up(dots in "\\.{1,5}") {
            let safe = folder_name(&Name::sanitize(&dots).unwrap());
            prop_assert!(safe.chars().all(|c| c == '_'));
        }
    }
}
