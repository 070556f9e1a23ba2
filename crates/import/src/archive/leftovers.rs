//! Files that systems leave in folders and archives, and that nobody sends on purpose.

/// Folders of such files, in small letters: forks of macOS, its indices and bins, those of Windows and of file servers.
const FOLDERS: [&str; 7] = [
    "__macosx",
    ".spotlight-v100",
    ".trashes",
    ".fseventsd",
    "$recycle.bin",
    "system volume information",
    "@eadir",
];

/// Such files, in small letters: views of folders by Finder and Explorer.
const FILES: [&str; 4] = [".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini"];

/// Beginning of the name of a file with the attributes of another one, as `tar` of macOS writes them.
const ATTRIBUTES: &str = "._";
/// First bytes of such a file (AppleDouble).
const ATTRIBUTES_MAGIC: [u8; 4] = [0, 5, 0x16, 7];
/// Bytes that tell a file of attributes.
pub(super) const HEAD_BYTES: u64 = 4;

/// True for the path of an entry that a system has left.
pub(crate) fn is_leftover(path: &str) -> bool {
    let mut names = path.split('/').map(str::to_lowercase);
    let last = names.next_back().unwrap_or_default();
    names.any(|name| FOLDERS.contains(&name.as_str()))
        || FOLDERS.contains(&last.as_str())
        || FILES.contains(&last.as_str())
}

/// True for a path that may be one of attributes. Its first bytes decide.
pub(super) fn may_be_attributes(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with(ATTRIBUTES))
}

/// True for the first bytes of a file of attributes.
pub(super) fn are_attributes(head: &[u8]) -> bool {
    head.starts_with(&ATTRIBUTES_MAGIC)
}

#[cfg(test)]
mod tests {
    use super::is_leftover;

    #[test]
    fn only_what_systems_leave_is_a_leftover() {
        for path in [
            "__MACOSX",
            "__MACOSX/a/._b.stp",
            "a/.DS_Store",
            "Thumbs.db",
            "a/b/desktop.ini",
            "a/Desktop.ini",
            "$RECYCLE.BIN/x",
        ] {
            assert!(is_leftover(path), "{path}");
        }
        for path in
            ["a.stp", "DS_Store", "my Thumbs.db", "desktop.ini.txt", ".gitignore", "desktop.ini/a.stp"]
        {
            assert!(!is_leftover(path), "{path}");
        }
    }
}
